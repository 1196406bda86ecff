// What people write after `clew grep`, made into an expression that is tried on one line of text at a time; and, where it
// is none, what is wrong with it and where. It reads no log.

import { UserError } from '../cli/command.ts'

export interface Wanted {
  /** As it was typed. */
  query: string
  ignoresCase: boolean
  /** The text itself, not an expression. */
  isFixed: boolean
}

/** An expression as plain data, for other threads. */
export interface Expression {
  source: string
  flags: string
}

export function expressionOf({ query, ignoresCase, isFixed }: Wanted): Expression {
  if (query === '') throw new UserError('grep needs something to look for')
  const source = isFixed ? query.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&') : query
  // Without `u` what other tools allow is allowed here too, such as `\-`; classes like \p{L} need it.
  const needsUnicode = !isFixed && /\\[pP]\{|\\u\{/.test(source)
  const flags = `${ignoresCase ? 'i' : ''}${needsUnicode ? 'u' : ''}`
  const fault = faultOf(source, flags)
  if (fault !== undefined) throw new UserError(faultText(query, fault))
  return { source, flags }
}

/** Whether a text as a whole can be tried first: what looks around itself may see beyond its line there. */
export function isLocal(source: string): boolean {
  return !/\(\?(?!:|<[^=!])/.test(source)
}

interface Fault {
  message: string
  /** 1-based place in the expression. */
  position: number
}

function faultText(query: string, { message, position }: Fault): string {
  const hint = '-F takes the text as it is'
  return `"${query}" is no regular expression: ${message} at character ${position}; ${hint}`
}

/** What the engine says, and the first place from which on it says so. */
function faultOf(source: string, flags: string): Fault | undefined {
  const message = complaint(source, flags)
  if (message === undefined) return undefined
  if (message.startsWith('Unterminated')) {
    const opened = openAt(source, message.includes('class') ? '[' : '(')
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
    const said = error instanceof Error ? error.message : ''
    return said.slice(said.lastIndexOf(': ') + 2) || 'it cannot be read'
  }
}

/** The bracket that nothing closes. */
function openAt(source: string, bracket: '(' | '['): number {
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
