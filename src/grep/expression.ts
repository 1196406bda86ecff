// What users type after `clew grep` and `--grep`, compiled to expressions that are tried on one line of text at a time. What
// is wrong with an expression is reported with its position. It reads no log.

import { mayBeSlow, TooSlow, withinOwnTime } from './time-limit.ts'

export interface Query {
  /** As it was typed. */
  query: string
  ignoresCase: boolean
  /** The text itself, not an expression. */
  isFixed: boolean
  /** Only whole words. */
  isWord?: boolean
}

/** An expression as plain data, for other threads. */
export interface Expression {
  source: string
  flags: string
  /** Only matches with no letter, digit or underscore on either side. */
  isWord?: boolean
}

/** Its message is complete: it names the expression and what is wrong with it. */
export class InvalidExpression extends Error {
  override readonly name = 'InvalidExpression'
}

export function expressionOf({ query, ignoresCase, isFixed, isWord = false }: Query): Expression {
  const source = isFixed ? escapeExpression(query) : query
  // Without `u`, what other tools allow is allowed here too, such as `\-`; classes like \p{L} need it.
  const needsUnicode = !isFixed && /\\[pP]\{|\\u\{/.test(source)
  const flags = `${ignoresCase ? 'i' : ''}${needsUnicode ? 'u' : ''}`
  const fault = faultOf(source, flags)
  if (fault === undefined) return isWord ? { source, flags, isWord } : { source, flags }
  throw new InvalidExpression(
    `"${query}" is not a valid regular expression: ${fault.message} at character ${fault.position}; -F searches for the text itself`,
  )
}

/** Letters and digits of most scripts: \p{L} would need the flag `u`. */
const wordCharacter =
  '[\\w\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u2c00-\u2dff\u3040-\ud7ff\uf900-\ufdcf]'

/** The source with what `isWord` asks for. */
export function wholeSource({ source, isWord }: Expression): string {
  return isWord === true ? `(?<!${wordCharacter})(?:${source})(?!${wordCharacter})` : source
}

/** The source of an expression that matches this text. */
export function escapeExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** Whether a whole text can be tried before its lines: lookarounds may see beyond their line there. */
export function isLocal(source: string): boolean {
  return !/\(\?(?!:|<[^=!])/.test(source)
}

/** For `--grep`: plain text in any case, or `/regex/flags`. */
export function textMatcher(pattern: string): (text: string) => boolean {
  const [, source, flags = ''] = /^\/(.+)\/([a-z]*)$/s.exec(pattern) ?? []
  if (source === undefined) {
    const lower = pattern.toLowerCase()
    return text => text.toLowerCase().includes(lower)
  }
  try {
    // With `g` or `y` an expression remembers where its last match ended.
    const expression = new RegExp(source, flags.replace(/[gy]/g, ''))
    const test = (text: string) => expression.test(text)
    return mayBeSlow(expression) ? text => inTime(() => test(text), pattern) : test
  } catch (error) {
    throw new InvalidExpression(`Invalid --grep ${pattern}: ${error instanceof Error ? error.message : 'not a regex'}`)
  }
}

function inTime(work: () => boolean, pattern: string): boolean {
  try {
    return withinOwnTime(work)
  } catch (error) {
    if (!(error instanceof TooSlow)) throw error
    throw new InvalidExpression(`--grep ${pattern} takes too long; repetitions inside repetitions make it slow`)
  }
}

interface Fault {
  message: string
  /** 1-based position in the expression. */
  position: number
}

/** The engine's message, and the shortest beginning of the expression that causes it. */
function faultOf(source: string, flags: string): Fault | undefined {
  const message = complaint(source, flags)
  if (message === undefined) return undefined
  if (message.startsWith('Unterminated')) {
    const opened = unclosedAt(source, message.includes('class') ? '[' : '(')
    return { message: message.toLowerCase(), position: opened + 1 }
  }
  let end = 1
  const longest = Math.min(source.length, 2000)
  while (end < longest && complaint(source.slice(0, end), flags) !== message) end++
  return { message: message.charAt(0).toLowerCase() + message.slice(1), position: end }
}

function complaint(source: string, flags: string): string | undefined {
  try {
    new RegExp(source, flags)
    return undefined
  } catch (error) {
    // `Invalid regular expression: /(/: Unterminated group`: the last part alone.
    const message = error instanceof Error ? error.message : ''
    return message.slice(message.lastIndexOf(': ') + 2) || 'it cannot be read'
  }
}

/** The bracket that is never closed. */
function unclosedAt(source: string, bracket: '(' | '['): number {
  const groups: number[] = []
  let classAt = -1
  for (let at = 0; at < source.length; at++) {
    const character = source[at]
    if (character === '\\') at++
    else if (classAt >= 0) classAt = character === ']' ? -1 : classAt
    else if (character === '[') classAt = at
    else if (character === '(') groups.push(at)
    else if (character === ')') groups.pop()
  }
  return Math.max(0, bracket === '[' ? classAt : (groups.at(-1) ?? 0))
}
