// `user` records: prompts, delegations, tool results, commands, and all that the client puts in the user's mouth.
//
//   {"type":"user","uuid":"…","parentUuid":"…","message":{"role":"user","content":"Fix the rounding"},"promptSource":"typed"}
//   {"type":"user",…,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_…","content":"ok"}]},
//    "toolUseResult":{"stdout":"ok","stderr":"","interrupted":false}}
// Seen in all versions. Queued prompts before 2.1.100 are not written as records at all.

import { asObject, asString, type JsonObject } from '../base/json.ts'
import type { Block, ToolResultBlock } from '../model/event.ts'
import { decodeContent } from './blocks.ts'
import type { Draft, DraftInput } from './draft.ts'
import { isContinuationText, meaningOfText, type TextMeaning } from './user-text.ts'

export function decodeUser(input: DraftInput): Draft {
  return userDraft(input, decodeContent(asObject(input.value['message'])?.['content'], input.options))
}

/** A user record of any dialect, from its blocks. */
export function userDraft(input: DraftInput, blocks: Block[]): Draft {
  const { value } = input
  if (value['type'] === 'tool_result' || blocks.some(isResult)) return toolResults(value, blocks)
  if (value['isCompactSummary'] === true) return { kind: 'compact-summary', actor: 'client', blocks }
  if (value['isMeta'] === true) return { kind: 'meta', actor: 'client', blocks }
  return userText(input, blocks, value)
}

/** One without the id of its call is kept whole, but still no human's. */
function isResult(block: Block): boolean {
  return block.type === 'tool-result' || (block.type === 'other' && block.wireType.endsWith('tool_result'))
}

/** Text of a user record or a queued command: what it means depends on how it begins and on whose thread it is. */
export function userText(input: DraftInput, blocks: Block[], value: JsonObject): Draft {
  const texts: string[] = []
  for (const block of blocks) if (block.type === 'text') texts.push(block.text)
  if (value['parentUuid'] === null && texts.length > 0 && isContinuationText(texts[0] as string)) {
    return { kind: 'compact-summary', actor: 'client', blocks, flags: ['inferred'] }
  }
  const meaning = blocksMeaning(blocks, texts, value) ?? originMeaning(value)
  if (meaning) {
    const actor = input.isSubagent && meaning.actor === 'human' ? 'agent' : meaning.actor
    const draft: Draft = { kind: meaning.kind, actor, blocks }
    if (meaning.detail) draft.detail = meaning.detail
    return draft
  }
  return input.isSubagent ? { kind: 'delegation', actor: 'agent', blocks } : { kind: 'prompt', actor: 'human', blocks }
}

function blocksMeaning(blocks: readonly Block[], texts: readonly string[], value: JsonObject): TextMeaning | undefined {
  const meaning = meaningOfText(texts)
  if (meaning === undefined) return isSystemAside(blocks) ? { kind: 'meta', actor: 'client' } : undefined
  // An image or document beside nothing but reminders was pasted by somebody.
  if (meaning.kind === 'meta' && texts.length < blocks.length) return undefined
  const isNobodys = meaning.kind === 'notification' || meaning.kind === 'hook'
  return isNobodys && originKind(value) === 'human' ? undefined : meaning
}

/** A system text in the middle of a conversation, which the API takes in the user's place. */
function isSystemAside(blocks: readonly Block[]): boolean {
  return blocks.length > 0 && blocks.every(block => block.type === 'other' && block.wireType === 'mid_conv_system')
}

function originKind(value: JsonObject): string | undefined {
  const origin = value['origin']
  return asString(origin) ?? asString(asObject(origin)?.['kind'])
}

/** `origin` (2.1.119) and `promptSource` (2.1.161) say outright that nobody typed it. */
function originMeaning(value: JsonObject): TextMeaning | undefined {
  const origin = originKind(value)
  if (origin === 'human' || origin === 'unclassified') return undefined
  if (origin !== undefined) {
    const actor = origin === 'peer' || origin === 'coordinator' ? 'agent' : 'client'
    return { kind: 'notification', actor, detail: { origin } }
  }
  return value['promptSource'] === 'system'
    ? { kind: 'notification', actor: 'client', detail: { origin: 'system' } }
    : undefined
}

function toolResults(value: JsonObject, blocks: Block[]): Draft {
  const results = blocks.filter(block => block.type === 'tool-result')
  const structured = value['toolUseResult']
  const first = results[0]
  if (first && structured !== undefined && structured !== null) attachStructured(first, structured)
  const draft: Draft = { kind: 'tool-results', actor: 'tool', blocks }
  if (results.some(result => result.isError)) draft.flags = ['error']
  return draft
}

function attachStructured(result: ToolResultBlock, structured: unknown): void {
  result.structured = structured
  const path = asString(asObject(structured)?.['persistedOutputPath'])
  if (path !== undefined) result.spillFile = path
}
