// `system` records: Claude Code's own notices, distinguished by `subtype` (absent up to 1.0.56).
//
//   {"type":"system","subtype":"compact_boundary","parentUuid":null,"logicalParentUuid":"…","content":"Conversation compacted",
//    "compactMetadata":{"trigger":"auto","preTokens":167710,"preservedMessages":{"anchorUuid":"…","uuids":["…"]}}}
//   {"type":"system","subtype":"turn_duration","durationMs":62243}

import { asArray, asNumber, asObject, asString, isObject, type JsonObject } from '../base/json.ts'
import type { Block } from '../model/event.ts'
import { decodeContent } from './blocks.ts'
import { type Draft, type DraftInput, ownFields } from './draft.ts'
import { meaningOfText } from './user.ts'

export function decodeSystem(input: DraftInput): Draft {
  const { value } = input
  const subtype = asString(value['subtype'])
  const blocks = decodeContent(value['content'] ?? asObject(value['message'])?.['content'], input.options)
  const detail = systemDetail(value, subtype)
  switch (subtype) {
    case 'compact_boundary':
      return {
        kind: 'compaction',
        actor: 'client',
        blocks,
        detail: { ...compactionDetail(value['compactMetadata']), phase: 'done' },
      }
    case 'microcompact_boundary':
      return {
        kind: 'compaction',
        actor: 'client',
        blocks,
        detail: { ...asObject(value['microcompactMetadata']), phase: 'micro' },
      }
    case 'stop_hook_summary':
      return { kind: 'hook', actor: 'client', blocks, detail }
    case 'api_error':
      return { kind: 'api-error', actor: 'client', blocks, detail, flags: isTriedAgain(value) ? [] : ['error'] }
    case 'local_command':
      return localCommand(blocks, detail)
    case 'scheduled_task_fire':
      return { kind: 'notification', actor: 'client', blocks, detail }
    default:
      return notice(value, blocks, detail)
  }
}

/** `retryAttempt` counts the tries after it; the last one is written as an answer. */
function isTriedAgain(value: JsonObject): boolean {
  return asNumber(value['retryAttempt']) !== undefined
}

/** 1.0.x writes hook output and local commands without a subtype. */
function notice(value: JsonObject, blocks: Block[], detail: Record<string, unknown>): Draft {
  if (value['subtype'] === undefined && isLocalCommand(blocks)) return localCommand(blocks, detail)
  const draft: Draft = { kind: 'notice', actor: 'client', blocks, detail }
  if (value['level'] === 'error') draft.flags = ['error']
  return draft
}

function isLocalCommand(blocks: readonly Block[]): boolean {
  const kind = meaningOfText(textsOf(blocks))?.kind
  return kind === 'command' || kind === 'command-output'
}

function textsOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap(block => (block.type === 'text' ? [block.text] : []))
}

function localCommand(blocks: Block[], detail: Record<string, unknown>): Draft {
  const meaning = meaningOfText(textsOf(blocks))
  const isCommand = meaning?.kind === 'command'
  return {
    kind: isCommand ? 'command' : 'command-output',
    actor: isCommand ? 'human' : 'client',
    blocks,
    detail: { ...detail, ...meaning?.detail },
  }
}

function systemDetail(value: JsonObject, subtype: string | undefined): Record<string, unknown> {
  const own = ownFields(value)
  delete own['content']
  if (subtype !== undefined) own['subtype'] = subtype
  return own
}

/** `compactMetadata`; `preservedMessages` is a number in 003 and an object or list of uuids elsewhere. */
export function compactionDetail(metadata: unknown): Record<string, unknown> {
  if (!isObject(metadata)) return {}
  const { preservedSegment, preservedMessages, ...rest } = metadata
  const detail: Record<string, unknown> = { ...rest }
  if (detail['trigger'] === 'automatic') detail['trigger'] = 'auto'
  const count = asNumber(preservedMessages)
  if (count !== undefined) detail['preservedMessages'] = count
  const preserved = preservedContent(preservedSegment, preservedMessages)
  if (preserved) detail['preserved'] = preserved
  return detail
}

const segmentFields: readonly (readonly [name: string, field: string])[] = [
  ['head', 'headUuid'],
  ['tail', 'tailUuid'],
  ['anchor', 'anchorUuid'],
]

function preservedContent(segment: unknown, messages: unknown): Record<string, unknown> | undefined {
  const preserved: Record<string, unknown> = {}
  if (isObject(segment)) {
    for (const [name, field] of segmentFields) {
      if (typeof segment[field] === 'string') preserved[name] = segment[field]
    }
  }
  const uuids = asArray(isObject(messages) ? messages['uuids'] : messages).filter(uuid => typeof uuid === 'string')
  if (uuids.length > 0) preserved['uuids'] = uuids
  const all = asArray(asObject(messages)?.['allUuids']).filter(uuid => typeof uuid === 'string')
  if (all.length > 0) preserved['allUuids'] = all
  const anchor = asString(asObject(messages)?.['anchorUuid'])
  if (anchor !== undefined) preserved['anchor'] = anchor
  return Object.keys(preserved).length > 0 ? preserved : undefined
}
