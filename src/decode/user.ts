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
  const { value } = input
  const blocks = decodeContent(asObject(value['message'])?.['content'], input.options)
  if (blocks.some(block => block.type === 'tool-result')) return toolResults(value, blocks)
  if (value['isCompactSummary'] === true) return { kind: 'compact-summary', actor: 'client', blocks }
  if (value['isMeta'] === true) return { kind: 'meta', actor: 'client', blocks }
  return userText(input, blocks, value)
}

/** Text of a user record in any dialect: what it means depends on how it begins and on whose thread it is. */
export function userText(input: DraftInput, blocks: Block[], value: JsonObject): Draft {
  const texts = blocks.flatMap(block => (block.type === 'text' ? [block.text] : []))
  if (value['parentUuid'] === null && texts.length > 0 && isContinuationText(texts[0] as string)) {
    return { kind: 'compact-summary', actor: 'client', blocks, flags: ['inferred'] }
  }
  const onlyText = texts.length === blocks.length
  const meaning = (onlyText ? meaningOfText(texts) : undefined) ?? originMeaning(value)
  if (meaning) {
    const actor = input.isSubagent && meaning.actor === 'human' ? 'agent' : meaning.actor
    return { ...meaning, actor, blocks }
  }
  return input.isSubagent ? { kind: 'delegation', actor: 'agent', blocks } : { kind: 'prompt', actor: 'human', blocks }
}

/** `origin` (2.1.119) and `promptSource` (2.1.161) say outright that nobody typed it. */
function originMeaning(value: JsonObject): TextMeaning | undefined {
  const origin = asString(asObject(value['origin'])?.['kind'])
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
