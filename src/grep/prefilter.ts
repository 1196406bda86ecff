// The expression that the raw bytes of a line must match before the line is decoded. It is derived from the user's expression:
// a text that every match contains, else the whole expression, each as JSON may write it. It may pass a line too many, never
// one too few; where that is not certain, there is no prefilter and every line is decoded.

import { newline, textToBytes } from '../base/bytes.ts'
import { type Expression, escapeExpression } from './expression.ts'
import type { LinePiece } from './pieces.ts'

/** Shorter texts occur in most lines. */
const leastBytes = 3
const mostAlternatives = 8

/** An expression over bytes read as latin1. */
interface RawExpression extends Expression {
  /** Most bytes of a match; absent where there is no limit. */
  longest?: number
}

/** Null where every line has to be decoded. */
export function prefilterOf({ source, flags }: Expression): RawExpression | null {
  // Properties such as \p{L} match far more than ASCII.
  if (flags.includes('u')) return null
  const tokens = tokensOf(source)
  if (tokens === null) return null
  const texts = requiredTexts(tokens, flags)
  if (texts !== null) return { source: texts, flags, longest: source.length * longestSpelling }
  const raw = rawExpression(tokens, flags)
  return raw === null ? null : { source: raw, flags }
}

/** A prefilter for lines that contain a text. */
export function prefilterOfText(text: string): Prefilter {
  return new Prefilter(prefilterOf({ source: escapeExpression(text), flags: '' }) ?? { source: '', flags: '' })
}

/**
 * So much is made a string at a time. Such strings are allocated like any short-lived object, those of 128 KiB or more on their
 * own: reading 1 GB as latin1 then takes four times as long.
 */
const windowBytes = 64 * 1024

export class Prefilter {
  private readonly expression: RegExp
  /** How much of a window is in the next one too; null where a match may be of any length and all is one window. */
  private readonly overlap: number | null

  constructor({ source, flags, longest = windowBytes }: RawExpression) {
    this.expression = new RegExp(`${source}|${escapedAscii}`, `${flags}g`)
    this.overlap = longest < windowBytes / 4 ? longest : null
  }

  /** Whether any line of the piece may match. */
  mayMatch(bytes: Buffer): boolean {
    return this.candidates({ bytes, offset: 0 }).next().done !== true
  }

  /** The lines that have to be decoded: one at a time, or all at once. */
  *candidates(piece: LinePiece): Generator<LinePiece> {
    const { bytes, offset } = piece
    // The decoder drops NULs: they may be within what is searched.
    if (bytes.includes(0)) return yield piece
    const { expression, overlap } = this
    const window = overlap === null ? bytes.length : windowBytes
    let done = 0
    for (let from = 0; from < bytes.length; from += window - (overlap ?? 0)) {
      const text = bytes.toString('latin1', from, Math.min(bytes.length, from + window))
      expression.lastIndex = Math.max(0, done - from)
      for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
        const at = from + match.index
        const start = at === 0 ? 0 : bytes.lastIndexOf(newline, at - 1) + 1
        done = bytes.indexOf(newline, at) + 1 || bytes.length
        yield { bytes: bytes.subarray(start, done), offset: offset + start }
        expression.lastIndex = done - from
      }
    }
  }
}

/** Printable ASCII as an escape, `\u0061`: what is written so is seen by the decoder only. */
const escapedAscii = '\\\\u00[2-7]'

const escapeStart = Buffer.from('\\u00')

/**
 * Whether text may be spelled in a way that no prefilter sees: printable ASCII as an escape (`\u0061`), or NULs, which the
 * decoder drops.
 */
export function hasHiddenText(bytes: Buffer): boolean {
  if (bytes.includes(0)) return true
  for (let at = bytes.indexOf(escapeStart); at !== -1; at = bytes.indexOf(escapeStart, at + 4)) {
    const digit = bytes[at + 4] ?? 0
    if (digit >= 0x32 && digit <= 0x37) return true
  }
  return false
}

/** A part of an expression, with how often it occurs: `*`, `{2,3}?` or nothing. */
interface Token {
  kind: 'character' | 'set' | 'assertion' | 'lookaround' | 'open' | 'close' | 'or'
  /** A character itself; of a set its source. */
  text: string
  repeat: string
}

/** Null where the expression contains something that is not understood here. */
function tokensOf(source: string): Token[] | null {
  const tokens: Token[] = []
  for (let at = 0; at < source.length; ) {
    const rest = source.slice(at)
    const token = tokenAt(rest)
    if (token === null) return null
    at += token.length
    const repeat = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(source.slice(at, at + 40))?.[0] ?? ''
    at += repeat.length
    tokens.push({ kind: token.kind, text: token.text, repeat })
  }
  return tokens
}

function tokenAt(rest: string): (Pick<Token, 'kind' | 'text'> & { length: number }) | null {
  const first = String.fromCodePoint(rest.codePointAt(0) ?? 0)
  const { length } = first
  if (first === '|') return { kind: 'or', text: first, length }
  if (first === ')') return { kind: 'close', text: first, length }
  if (first === '^' || first === '$') return { kind: 'assertion', text: first, length }
  if (first === '.') return { kind: 'set', text: first, length }
  if (first === '(') {
    const opening = /^\((?:\?(?::|<?[=!]|<[A-Za-z]\w*>))?/.exec(rest)?.[0] ?? ''
    if (opening === '(' && rest[1] === '?') return null
    return { kind: /[=!]/.test(opening) ? 'lookaround' : 'open', text: opening, length: opening.length }
  }
  if (first === '[') {
    const found = /^\[(?:[^\\\]]|\\.)*\]/s.exec(rest)?.[0]
    return found === undefined ? null : { kind: 'set', text: found, length: found.length }
  }
  if (first === '\\') {
    const escaped = rest[1]
    // Escapes by number or name, and back references.
    if (escaped === undefined || /[xucpPk0-9]/.test(escaped)) return null
    if (/[bB]/.test(escaped)) return { kind: 'assertion', text: `\\${escaped}`, length: 2 }
    if (/[A-Za-z]/.test(escaped)) return { kind: 'set', text: `\\${escaped}`, length: 2 }
    return { kind: 'character', text: escaped, length: 2 }
  }
  // A brace that counts nothing is a character by itself.
  return { kind: 'character', text: first, length }
}

/** The longest text of each alternative, outside of groups; null where one has none. */
function requiredTexts(tokens: readonly Token[], flags: string): string | null {
  const found: string[] = []
  let best = { source: '', bytes: 0 }
  let run = { source: '', bytes: 0 }
  let depth = 0
  const endRun = () => {
    if (run.bytes > best.bytes) best = run
    run = { source: '', bytes: 0 }
  }
  const endAlternative = () => {
    endRun()
    const { source, bytes } = best
    best = { source: '', bytes: 0 }
    found.push(source)
    return bytes >= leastBytes
  }
  for (const { kind, text, repeat } of tokens) {
    if (kind === 'close') depth--
    const raw = kind === 'character' && depth === 0 ? rawCharacter(text, flags) : null
    const isAlways = repeat === '' || repeat.startsWith('+')
    if (raw !== null && isAlways) run = { source: run.source + raw, bytes: run.bytes + textToBytes(text).length }
    if (raw === null || repeat !== '') endRun()
    if (kind === 'open' || kind === 'lookaround') depth++
    if (kind === 'or' && depth === 0 && !endAlternative()) return null
  }
  if (!endAlternative() || found.length > mostAlternatives) return null
  return [...new Set(found)].join('|')
}

/** The expression itself without assertions, where it matches nothing but characters with a known spelling. */
function rawExpression(tokens: readonly Token[], flags: string): string | null {
  let raw = ''
  for (const { kind, text, repeat } of tokens) {
    if (kind === 'lookaround') return null
    if (kind === 'character') {
      const spelled = rawCharacter(text, flags)
      if (spelled === null) return null
      raw += repeat === '' ? spelled : `(?:${spelled})${repeat}`
    } else if (kind === 'set') {
      if (new RegExp(text, flags).test(charactersWithSpellings())) return null
      raw += text + repeat
    } else if (kind !== 'assertion') {
      raw += (kind === 'open' ? '(?:' : text) + repeat
    }
  }
  return new RegExp(raw, flags).test('') ? null : raw
}

/** Bytes of one UTF-16 unit at most: `\u2028`. */
const longestSpelling = 6

/** How a character is written in JSON and in plain text, as an expression over latin1; null where that is not certain. */
function rawCharacter(character: string, flags: string): string | null {
  if (character === '/' || character === '"') return `\\\\?${escapeExpression(character)}`
  if (character === '\\') return '\\\\\\\\?'
  if (character >= ' ' && character <= '~') return escapeExpression(character)
  // Invalid bytes become U+FFFD; other cases of a letter have other bytes.
  if (character < '\u0080' || character === '\ufffd' || flags.includes('i') || /\p{Cs}/u.test(character)) return null
  const escapes = Array.from({ length: character.length }, (_, at) => `\\\\u${anyCaseHex(character.charCodeAt(at))}`)
  return `(?:${Buffer.from(character).toString('latin1')}|${escapes.join('')})`
}

function anyCaseHex(code: number): string {
  return code
    .toString(16)
    .padStart(4, '0')
    .replace(/[a-f]/g, digit => `[${digit}${digit.toUpperCase()}]`)
}

let spelled: string | undefined

/** All characters that JSON may write in another way than as one byte. */
function charactersWithSpellings(): string {
  spelled ??= Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code))
    .filter(character => !/[ !#-.0-[\]-~]/.test(character))
    .join('')
  return spelled
}
