// The vocabulary of specification 003: messages are plain strings, a tool call is a line of its own without an id, its output
// is a `system` line, a compaction has three lines. Never seen in a real log.
//
//   {"type":"assistant","uuid":"m4","parentUuid":"m3","subtype":"tool_use","toolName":"Read","toolArguments":{"file_path":"/a"}}
//   {"type":"system","uuid":"m5","parentUuid":"m4","message":"File read successfully"}
// Assumed: the system line answers the call (marked as inferred). Lost: nothing.

import { asObject, asString, isObject } from '../base/json.ts'
import type { Block } from '../model/event.ts'
import { type CallId, callId } from '../model/ids.ts'
import { decodeAssistant } from './assistant.ts'
import { decodeContent } from './blocks.ts'
import { type Draft, type DraftInput, otherDraft, ownFields } from './draft.ts'
import { compactionDetail } from './system.ts'
import { userDraft } from './user.ts'

/** The id that a call without one gets. */
export function syntheticCallId(event: string): CallId {
  return callId(`s3:${event}`)
}

/** `answers`: the call that this system line is taken to answer, if any. */
export function decodeS3(input: DraftInput, answers: CallId | undefined): Draft {
  switch (input.record.type) {
    case 'user':
      return decodeUserLine(input)
    case 'assistant':
      return decodeAssistantLine(input)
    case 'system':
      return decodeSystemLine(input, answers)
    case 'compact_system':
      return decodeCompactLine(input)
    default:
      return { ...otherDraft(input), blocks: messageBlocks(input) }
  }
}

function messageBlocks(input: DraftInput): Block[] {
  const message = input.value['message']
  if (typeof message === 'string') return message === '' ? [] : [{ type: 'text', text: message }]
  return decodeContent(asObject(message)?.['content'], input.options)
}

function decodeUserLine(input: DraftInput): Draft {
  const blocks = messageBlocks(input)
  if (input.value['subtype'] === 'command' && input.value['isMeta'] !== true) {
    return { kind: 'command', actor: input.isSubagent ? 'agent' : 'human', blocks }
  }
  return userDraft(input, blocks)
}

function decodeAssistantLine(input: DraftInput): Draft {
  const { value } = input
  const draft: Draft = isObject(value['message'])
    ? decodeAssistant(input)
    : { kind: 'answer', actor: 'agent', blocks: messageBlocks(input) }
  const name = asString(value['toolName'])
  if (name !== undefined) {
    const given = value['toolArguments'] ?? {}
    draft.blocks.push({ type: 'tool-call', callId: syntheticCallId(input.id), name, input: given, inferredId: true })
  } else if (value['subtype'] === 'tool_use' || 'toolArguments' in value) {
    draft.blocks.push({ type: 'other', wireType: 'tool_use', raw: value })
  } else if (value['subtype'] === 'thinking') {
    draft.blocks = draft.blocks.map(block =>
      block.type === 'text' ? { type: 'thinking', text: block.text, logged: true } : block,
    )
  }
  return draft
}

function decodeSystemLine(input: DraftInput, answers: CallId | undefined): Draft {
  const content = messageBlocks(input)
  const isError = input.value['isError'] === true
  if (answers === undefined) return { kind: 'notice', actor: 'client', blocks: content, detail: ownDetail(input) }
  return {
    kind: 'tool-results',
    actor: 'tool',
    blocks: [{ type: 'tool-result', callId: answers, isError, content }],
    flags: ['inferred'],
  }
}

function ownDetail(input: DraftInput): Record<string, unknown> {
  const { message: _message, ...own } = ownFields(input.value)
  return own
}

const phases: ReadonlyMap<string, string> = new Map([
  ['conversation_compacting', 'start'],
  ['conversation_compacted', 'done'],
  ['conversation_restored', 'restored'],
])

function decodeCompactLine(input: DraftInput): Draft {
  const message = asString(input.value['message']) ?? ''
  const metadata = input.value['metadata'] ?? input.value['compactMetadata']
  const detail = { ...compactionDetail(metadata), phase: phases.get(message) ?? 'other' }
  return { kind: 'compaction', actor: 'client', blocks: messageBlocks(input), detail }
}
