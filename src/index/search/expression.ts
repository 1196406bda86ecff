// What a query looks for in texts, as a tree, and that tree as an FTS5 MATCH string. Filters are no part of it.

import { eachWord, nameParts } from '../../base/searchable.ts'

/** One word or phrase. */
export interface Term {
  type: 'term'
  /** As written, without quotes and star. */
  text: string
  /** Stand one after the other in every text that is meant. Never empty. */
  words: string[]
  /** Of a single word that is a camelCase name: texts with its parts in order are meant too. */
  parts?: string[]
  /** The last word is the beginning of one. */
  isPrefix: boolean
}

/** Depth is bounded by the parser. */
export type Expression =
  | Term
  /** Every one of `of`, none of `except`. `of` is never empty: FTS5 has no "everything but". */
  | { type: 'all'; of: Expression[]; except: Expression[] }
  | { type: 'any'; of: Expression[] }

/** Null where the text has nothing to search for. */
export function termOf(text: string, isPrefix: boolean, mostWords: number): Term | null {
  const words: string[] = []
  eachWord(text.normalize('NFKC'), word => words.push(word))
  const [only] = words
  if (only === undefined) return null
  if (words.length > mostWords) return { type: 'term', text, words: words.slice(0, mostWords), isPrefix: false }
  const parts = words.length === 1 ? nameParts(only) : []
  return { type: 'term', text, words, ...(parts.length > 0 && { parts }), isPrefix }
}

/** Valid FTS5 whatever the words: every phrase is quoted, every operator has its parentheses. */
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

/** Words are letters and digits: nothing in them ends a quote. */
function termToMatch({ words, parts, isPrefix }: Term): string {
  const phrase = (list: readonly string[]) => `"${list.join(' ')}"${isPrefix ? ' *' : ''}`
  return parts === undefined ? phrase(words) : `(${phrase(words)} OR ${phrase(parts)})`
}
