// Careful access to a record as it was written, shared by the rules: short forms for most of them, and how findings quote a
// value. Escaping for a terminal is the printer's work.

import { toMillis } from '../base/instant.ts'
import { asArray, asObject, asString, isObject, type JsonObject } from '../base/json.ts'
import { chainTypes } from '../model/event.ts'
import type { Place, RecordFacts, Rule } from './rule.ts'

export const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** What a rule has to say about a record, or undefined where all is well. */
type Judgement = string | undefined

/** A rule about one record. */
export function recordRule(code: string, judge: (value: JsonObject, facts: RecordFacts) => Judgement): Rule {
  return {
    code,
    record(facts, report) {
      const message = judge(facts.value, facts)
      if (message !== undefined) report(message, placeOf(facts))
    },
  }
}

/** A rule about each block of a record's content. A record is reported once, for the first block that breaks it. */
export function blockRule(
  code: string,
  judge: (block: JsonObject, facts: RecordFacts) => Judgement,
  deep = false,
): Rule {
  return recordRule(code, (value, facts) => {
    for (const block of deep ? allBlocksOf(value) : blocksOf(value)) {
      const message = judge(block, facts)
      if (message !== undefined) return message
    }
    return undefined
  })
}

export function placeOf(facts: RecordFacts): Place {
  return facts.event === null ? { record: facts.record } : { record: facts.record, event: facts.event }
}

/** Whether the record is a link of the uuid chain by its type. */
export function isChain(value: JsonObject): boolean {
  return typeof value['type'] === 'string' && chainTypes.has(value['type'])
}

export function isUserOrAssistant(value: JsonObject): boolean {
  return value['type'] === 'user' || value['type'] === 'assistant'
}

/** The message object of an assistant line; undefined on other lines and where `message` is not an object. */
export function answerOf(value: JsonObject): JsonObject | undefined {
  return value['type'] === 'assistant' ? asObject(value['message']) : undefined
}

/**
 * The blocks of `message.content`; none where it is a text. An `api-request-blob` repeats messages of the conversation as
 * they were sent: its blocks are neither calls nor results of their own.
 */
export function blocksOf(value: JsonObject): readonly JsonObject[] {
  if (value['type'] === 'api-request-blob') return []
  return asArray(asObject(value['message'])?.['content']).filter(isObject)
}

/** The blocks of `message.content`, each tool result followed by the blocks inside it. */
function allBlocksOf(value: JsonObject): readonly JsonObject[] {
  const out: JsonObject[] = []
  for (const block of blocksOf(value)) {
    out.push(block)
    if (block['type'] === 'tool_result')
      for (const inner of asArray(block['content'])) if (isObject(inner)) out.push(inner)
  }
  return out
}

export function hasToolResult(value: JsonObject): boolean {
  return blocksOf(value).some(block => block['type'] === 'tool_result')
}

/** All text of a message: its string content, or its text blocks. */
export function textsOf(value: JsonObject): readonly string[] {
  const content = asObject(value['message'])?.['content'] ?? value['message']
  if (typeof content === 'string') return [content]
  return blocksOf(value).flatMap(block => (block['type'] === 'text' ? (asString(block['text']) ?? []) : []))
}

export interface WrittenCall {
  name: string
  input: unknown
}

/** The tool calls of a record: tool_use blocks, or 003's toolName and toolArguments. */
export function callsOf(value: JsonObject): readonly WrittenCall[] {
  const calls: WrittenCall[] = []
  for (const block of blocksOf(value)) {
    const name = block['type'] === 'tool_use' ? asString(block['name']) : undefined
    if (name !== undefined) calls.push({ name, input: block['input'] })
  }
  const toolName = asString(value['toolName'])
  if (toolName !== undefined) calls.push({ name: toolName, input: value['toolArguments'] })
  return calls
}

const isoForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?$/

/** Whether a value is an ISO 8601 text with date and time, of a day that exists. */
export function isIsoTime(value: unknown): boolean {
  return typeof value === 'string' && isoForm.test(value) && toMillis(value.replace(',', '.')) !== null
}

/** Absolute on POSIX or Windows. */
export function isAbsolutePath(text: string): boolean {
  return /^(\/|[A-Za-z]:[\\/]|\\\\)/.test(text)
}

const longest = 80

/** The text, cut at 80 characters. */
export function short(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`
}

/** A JSON value as a message shows it: strings in quotes, structures by their kind only. */
export function quote(value: unknown): string {
  if (typeof value === 'string') return `"${short(value)}"`
  if (value === undefined) return 'absent'
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  return short(String(value))
}
