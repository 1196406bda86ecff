// What the characters of a text look like to the tokenizer: which are letters, what ends a word, which runs are ids or data.
// It works on the codes of a text with a zero behind them, and decides nothing about tokens.

import { foldCluster, kindOf, kinds } from './tokens-fold.ts'

/** Longer units keep their beginning; longer wholes are left to their units. */
export const longestToken = 64

export const { lower, upper, digit } = kinds
export const letters = lower | upper
/** A letter that no hex number has. */
export const beyondHex = 8
export const ascii = asciiKinds()

function asciiKinds(): Uint8Array {
  const table = new Uint8Array(128)
  for (let code = 0x30; code <= 0x39; code++) table[code] = digit
  for (let at = 0; at < 26; at++) {
    const hex = at < 6 ? 0 : beyondHex
    table[0x61 + at] = lower | hex
    table[0x41 + at] = upper | hex
  }
  return table
}

export const [dash, dot, slash, underscore, plus] = [0x2d, 0x2e, 0x2f, 0x5f, 0x2b] as const
export const equals = 0x3d
/** Signs that may join two words. */
export const joinSigns = [dash, dot, slash, underscore, plus]
/** What ends a word for sure: neither part of one nor able to join two. */
const plainSigns = new Uint8Array(65536)
ascii.forEach((kind, code) => {
  plainSigns[code] = Number(kind === 0)
})
for (const code of joinSigns) plainSigns[code] = 0
/** Shorter ones are words or counts. */
export const shortestHex = 7
/** From here on a run that changes its kind at nearly every second character is an id or data, not a name. */
export const shortestRandom = 20
export const shortestData = 40
/** So many changes for so many characters. */
export const randomChanges = { part: 9, of: 20 } as const
/** No name is longer. */
export const longestName = 256

/**
 * The short way for what most texts are made of: the end of a word of lower-case letters, with a capital at most at its
 * start, or of a number, that stands by itself; `from` where it is anything else.
 */
export function plainEnd(codes: Uint16Array, from: number): number {
  let at = from
  let code = codes[at] as number
  if (code >= 0x30 && code <= 0x39) {
    while (code >= 0x30 && code <= 0x39) code = codes[++at] as number
  } else {
    if (code >= 0x41 && code <= 0x5a) code = codes[++at] as number
    while (code >= 0x61 && code <= 0x7a) code = codes[++at] as number
  }
  const isPlain = plainSigns[code] === 1
  return isPlain && at - from <= longestToken ? at : from
}

export function isCapital(codes: Uint16Array, from: number, end: number): boolean {
  for (let at = from + 1; at < end; at++) if (((ascii[codes[at] as number] ?? 0) & upper) !== 0) return false
  return true
}

export function versionEnd(codes: Uint16Array, from: number): number {
  let end = from
  while ((codes[end] as number) === dot && isDigit(codes[end + 1] as number)) {
    end += 2
    while (isDigit(codes[end] as number)) end++
  }
  return end
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

export function isData(code: number): boolean {
  return code < 128 && (ascii[code] !== 0 || code === plus || code === slash || code === equals)
}

/** Whether letters of both cases and digits change places as in data, not as in names. */
export function isRandom(codes: Uint16Array, from: number, end: number): boolean {
  let changes = 0
  let make = 0
  let before = 0
  for (let at = from; at < end; at++) {
    const kind = (ascii[codes[at] as number] ?? 0) & ~beyondHex
    if (kind === 0) continue
    if (kind !== before) changes++
    make |= kind
    before = kind
  }
  return make === (letters | digit) && changes * randomChanges.of >= (end - from) * randomChanges.part
}

export const uuidShape = '00000000-0000-0000-0000-000000000000'

export function isUuid(codes: Uint16Array, from: number): boolean {
  for (let at = 0; at < uuidShape.length; at++) {
    const code = codes[from + at] as number
    const kind = code < 128 ? (ascii[code] ?? 0) : 0
    if (uuidShape.charCodeAt(at) === dash ? code !== dash : kind === 0 || (kind & beyondHex) !== 0) return false
  }
  const after = codes[from + uuidShape.length] as number
  return !(after < 128 && ascii[after] !== 0)
}

export function foldWide(written: string): string {
  let token = ''
  for (const character of written.normalize('NFC')) {
    const code = character.codePointAt(0) ?? 0
    token += code < 128 ? character.toLowerCase() : foldCluster(character, kindOf(code))
  }
  return token
}
