// What a form for a tool call works with: the request, its outcome and the texts in it, each once. A form says what there is
// to see of one family of tools; what all calls share (status, times, subagents) is added by `call.ts`.

import { asObject, asString, type JsonObject } from '../../base/json.ts'
import type { Block, ToolResultBlock } from '../../model/event.ts'
import type { ToolCall } from '../../model/session.ts'
import { partsAfterText, resultParts, textOf, textParts } from '../parts.ts'
import type { Badge, Tone, ViewPart } from '../view.ts'
import { trimLines } from '../words.ts'

export interface CallFacts {
  call: ToolCall
  name: string
  /** Of the file that the request names; empty where it names none. */
  path: string
  /** The input's fields; empty where it is not an object. */
  input: JsonObject
  hasResult: boolean
  isFailed: boolean
  /** Blocks of the result. */
  content: readonly Block[]
  /** All text of the result, without the tags that mark an error or a spilled output. */
  text: string
  /** `toolUseResult` where it is an object; else empty. */
  structured: JsonObject
  /** `toolUseResult` as it is. */
  rawStructured: unknown
  /** The subject of a task by its id, from the calls that made them. */
  subjectOf(taskId: string): string | undefined
}

/** What a form decides. */
export interface CallForm {
  /** What is behind the tool's name in the headline. */
  subject: string
  /** Replaces the tool's name. */
  title?: string
  badges?: Badge[]
  /** What was asked for. */
  request?: ViewPart[]
  /** What came back; absent: the result's text and media as they are. */
  outcome?: ViewPart[]
}

export type Form = (facts: CallFacts) => CallForm

export function callFacts(
  call: ToolCall,
  result: ToolResultBlock | undefined,
  subjectOf: (taskId: string) => string | undefined,
): CallFacts {
  const content = result?.content ?? []
  const rawStructured = result?.structured
  const said = withoutTags(textOf(content))
  return {
    call,
    name: call.name,
    path: call.file?.path ?? '',
    input: asObject(call.input) ?? {},
    hasResult: result !== undefined,
    isFailed: call.outcome === 'failed',
    content,
    text: said === '' ? structuredText(rawStructured) : said,
    structured: asObject(rawStructured) ?? {},
    rawStructured,
    subjectOf,
  }
}

/** Errors are logged as a string too, sometimes as nothing else. */
function structuredText(structured: unknown): string {
  return typeof structured === 'string' ? withoutTags(structured.replace(/^Error: /, '')) : ''
}

const wrappers = ['tool_use_error', 'persisted-output', 'error']

function withoutTags(text: string): string {
  const trimmed = trimLines(text)
  for (const tag of wrappers) {
    if (!trimmed.startsWith(`<${tag}>`)) continue
    const end = trimmed.indexOf(`</${tag}>`)
    const inner = trimmed.slice(tag.length + 2, end === -1 ? undefined : end)
    const after = end === -1 ? '' : trimmed.slice(end + tag.length + 3)
    return trimLines(`${trimLines(inner)}${after}`)
  }
  return trimmed
}

export function outcomeTone(facts: CallFacts): Tone {
  if (facts.call.outcome === 'interrupted') return 'warn'
  return facts.isFailed ? 'bad' : 'plain'
}

/** The result as it is: its text, then images, documents and blocks without a meaning of their own. */
export function plainOutcome(facts: CallFacts): ViewPart[] {
  const tone = outcomeTone(facts)
  const text = tone === 'plain' ? resultParts(facts.text) : textParts(facts.text, tone)
  return [...text, ...partsAfterText(facts.content)]
}

/** For a short word of success that says nothing new. */
export function quietTone(facts: CallFacts): Tone {
  const tone = outcomeTone(facts)
  return tone === 'plain' ? 'quiet' : tone
}

/** The result as it is, quiet where it is a success. */
export function quietOutcome(facts: CallFacts): ViewPart[] {
  if (outcomeTone(facts) !== 'plain') return plainOutcome(facts)
  return [...textParts(facts.text, 'quiet'), ...partsAfterText(facts.content)]
}

/** The first of these fields that is a text. */
export function firstString(fields: JsonObject, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = asString(fields[name])
    if (value !== undefined && value !== '') return value
  }
  return undefined
}
