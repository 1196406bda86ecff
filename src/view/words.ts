// Small questions about text, and the formatter of numbers. It knows nothing of sessions, and nothing here escapes: painters
// do.

import { countOf } from '../base/format.ts'

export { countOf, countText, durationText, sizeText } from '../base/format.ts'

/** The first line that is not blank, with an ellipsis where more follows. */
export function firstLine(text: string): string {
  const start = text.search(/\S/)
  if (start === -1) return ''
  const end = text.indexOf('\n', start)
  if (end === -1) return text.slice(start).trimEnd()
  const line = text.slice(start, end).trimEnd()
  return /\S/.test(text.slice(end)) ? `${line} …` : line
}

/** The text without the line ends around it; blanks at its start are kept, since they line things up. */
export function trimLines(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && (text[from] === '\n' || text[from] === '\r')) from++
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--
  return text.slice(from, to)
}

function isBlank(unit: number): boolean {
  return unit === 0x0a || unit === 0x0d || unit === 0x20 || unit === 0x09
}

/** `turn_duration`, `hookEvent` → `turn duration`, `hook event`. */
export function wordsOf(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
    .replace(/[_-]+/g, ' ')
    .trim()
}

/** What is between `<tag …>` and `</tag>`, or up to the end where it is not closed; undefined without the tag. */
export function insideTag(text: string, tag: string): string | undefined {
  const open = text.indexOf(`<${tag}`)
  if (open === -1) return undefined
  const from = text.indexOf('>', open)
  if (from === -1) return undefined
  const to = text.indexOf(`</${tag}>`, from)
  return text.slice(from + 1, to === -1 ? undefined : to)
}

/** What a resume of a session sends, or why it sends nothing. */
export function sentText(sent: {
  resumable: boolean
  reason?: string
  messages: number
  texts: number
  calls: number
  results: number
}): string {
  if (!sent.resumable) return sent.reason ?? 'nothing'
  const { messages, texts, calls, results } = sent
  return [
    countOf(messages, 'message'),
    countOf(texts, 'text'),
    countOf(calls, 'call'),
    countOf(results, 'result'),
  ].join(', ')
}

/** How sure a number is: it may be more (`least`), or a part of it is guessed. */
export type Certainty = 'sure' | 'least' | 'estimate'

/** What is not stated of the messages that numbers are sums of. */
export interface Doubts {
  /** The log has only a placeholder for some output. */
  isPartial: boolean
  /** That output was estimated. */
  isEstimated?: boolean
  /** Some model has no price. */
  isUnpriced?: boolean
}

/** Output that is not stated whole leaves everything unsure that contains it: all tokens together, and the cost. */
export function certaintyOf({ isPartial, isEstimated = false, isUnpriced = false }: Doubts): {
  output: Certainty
  tokens: Certainty
  cost: Certainty
} {
  const output = isEstimated ? 'estimate' : isPartial ? 'least' : 'sure'
  return { output, tokens: output, cost: isUnpriced ? 'least' : output }
}

/** What is written before such a number, the same everywhere. */
export const certaintyMarks: Readonly<Record<Certainty, string>> = { sure: '', least: '≥ ', estimate: '≈ ' }

/** `inherited: 2 turns, 3 calls`: what a session shows besides, of the one that it comes from; empty where that is nothing. */
export function inheritedText({ turns, calls }: { turns: number; calls: number } = { turns: 0, calls: 0 }): string {
  const parts = [turns > 0 ? countOf(turns, 'turn') : '', calls > 0 ? countOf(calls, 'call') : '']
  const said = parts.filter(part => part !== '').join(', ')
  return said === '' ? '' : `inherited: ${said}`
}

const purposes: Readonly<Record<string, string>> = {
  compact: 'compactions',
  prompt_suggestion: 'prompt suggestions',
  side_question: 'side questions',
}

/** What Claude Code's own agents are called, by what they were for. */
export function purposeName(purpose: string): string {
  return Object.hasOwn(purposes, purpose) ? (purposes[purpose] ?? purpose) : purpose.replaceAll('_', ' ')
}
