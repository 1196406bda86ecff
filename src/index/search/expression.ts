// What a query looks for in texts, as a tree, and that tree as an FTS5 MATCH string. Filters are no part of it.

import { tokenize } from '../../base/tokens.ts'
import { kindOf, kinds } from '../../base/tokens-fold.ts'

/** One word or phrase, cut as the texts of the index are. */
export interface Term {
  type: 'term'
  /** As written, without quotes and star. */
  text: string
  /** Stand one after the other in every text that is meant. Never empty. */
  units: string[]
  /** The one token that all of `text` is (`foo_bar`): texts that have it rank higher, and `camelcase` is found too. */
  whole?: string
  /** The last unit is the beginning of one. */
  isPrefix: boolean
}

/** Depth is bounded by the parser. */
export type Expression =
  | Term
  /** Every one of `of`, none of `except`. `of` is never empty: FTS5 has no "everything but". */
  | { type: 'all'; of: Expression[]; except: Expression[] }
  | { type: 'any'; of: Expression[] }

/** The beginning of a uuid, beyond its first block: a text has it only as the beginning of one token. */
const uuidStart = /^[0-9a-f]{8}-[0-9a-f-]{1,27}$/i

/** Null where the text has nothing to search for. */
export function termOf(text: string, isPrefix: boolean, mostUnits: number): Term | null {
  if (isPrefix && uuidStart.test(text)) return { type: 'term', text, units: [text.toLowerCase()], isPrefix }
  const units: string[] = []
  const wholes: { token: string; from: number; to: number }[] = []
  let [first, last] = [0, 0]
  let next = 0
  tokenize(text, (token, from, to, position) => {
    if (position === next) {
      if (position === 0) first = from
      last = to
      next++
      if (units.length < mostUnits) units.push(token)
    } else if (position === 0) {
      wholes.push({ token, from, to })
    }
  })
  if (units.length === 0) return null
  const isCut = next > units.length
  const term: Term = { type: 'term', text, units, isPrefix: !isCut && (isPrefix || isLoneCjk(units.at(-1) ?? '')) }
  const whole = wholes.find(({ from, to }) => from === first && to === last)
  if (whole !== undefined && !isCut) term.whole = whole.token
  return term
}

/** In texts a character of such a script begins a pair. */
function isLoneCjk(unit: string): boolean {
  const code = unit.codePointAt(0) ?? 0
  return unit.length === String.fromCodePoint(code).length && kindOf(code) === kinds.cjk
}

/** Valid FTS5 whatever the words: every token is quoted, every operator has its parentheses. */
export function toMatch(expression: Expression): string {
  if (expression.type === 'term') return termToMatch(expression)
  const wanted = joined(expression.of, expression.type === 'any' ? 'OR' : 'AND')
  if (expression.type === 'any' || expression.except.length === 0) return wanted
  return `(${wanted} NOT ${joined(expression.except, 'OR')})`
}

function joined(parts: readonly Expression[], operator: string): string {
  const [only] = parts
  if (only === undefined) return '""'
  return parts.length === 1 ? toMatch(only) : `(${parts.map(toMatch).join(` ${operator} `)})`
}

function termToMatch({ units, whole, isPrefix }: Term): string {
  const star = isPrefix ? ' *' : ''
  const phrase = `${quoted(units.join(' '))}${star}`
  return whole === undefined ? phrase : `(${phrase} OR ${quoted(whole)}${star})`
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""').replaceAll('\0', ' ')}"`
}
