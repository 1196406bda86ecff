// Finds the records in a line that is not one JSON object: glued records, stumps, commas, byte order marks and NULs.
// It works on bytes, so that every byte of the line ends up in exactly one piece.

import { bytesToText } from '../base/bytes.ts'
import { isObject, type JsonObject, parseJson } from '../base/json.ts'

/** A run of bytes of the line, with the object in it where there is one. */
export interface Piece {
  from: number
  to: number
  value?: JsonObject
}

export interface Recovery {
  pieces: Piece[]
  hasComma: boolean
  hasNul: boolean
  hasBom: boolean
  /** The whole line parses, but to something that is no object. */
  isNotObject: boolean
}

/** How many bytes the search for a record behind a stump may look at, in multiples of the line's length. */
const searchEffort = 48

export function recoverLine(bytes: Uint8Array): Recovery {
  const recovery: Recovery = {
    pieces: [],
    hasComma: false,
    hasNul: bytes.includes(0),
    hasBom: bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf,
    isNotObject: false,
  }
  if (recovery.hasNul) {
    const whole = parseJson(bytesToText(bytes.filter(byte => byte !== 0)).replace(/^\ufeff/, ''))
    if (isObject(whole)) {
      recovery.pieces.push({ from: 0, to: bytes.length, value: whole })
      return recovery
    }
  }
  let at = 0
  while (at < bytes.length) {
    const start = skipSeparators(bytes, at, recovery)
    if (start >= bytes.length) break
    const piece = objectAt(bytes, start) ?? stumpAt(bytes, start)
    recovery.pieces.push({ ...piece, from: at })
    at = piece.to
  }
  const last = recovery.pieces.at(-1)
  if (last) last.to = bytes.length
  if (recovery.pieces.length === 1 && !last?.value) {
    recovery.isNotObject = parseJson(bytesToText(bytes).replace(/^\ufeff/, '')) !== undefined
  }
  return recovery
}

/** White space, NULs, commas between objects and a byte order mark at the start belong to the object that follows. */
function skipSeparators(bytes: Uint8Array, from: number, recovery: Recovery): number {
  let at = from === 0 && recovery.hasBom ? 3 : from
  for (; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === 0x2c) recovery.hasComma = true
    else if (byte !== 0 && byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) break
  }
  return at
}

function objectAt(bytes: Uint8Array, from: number): Piece | null {
  if (bytes[from] !== openBrace) return null
  const to = closingBrace(bytes, from)
  if (to === -1) return null
  const value = parseJson(bytesToText(bytes.subarray(from, to)))
  return isObject(value) ? { from, to, value } : null
}

/**
 * Bytes that are no object, up to the first place from which the rest of the line is whole records (a client that wrote on
 * after a torn line), or to the end of the line.
 */
function stumpAt(bytes: Uint8Array, from: number): Piece {
  let effort = bytes.length * searchEffort
  for (let at = nextCandidate(bytes, from + 1); at !== -1 && effort > 0; at = nextCandidate(bytes, at + 1)) {
    const [isRecords, looked] = restIsRecords(bytes, at)
    if (isRecords) return { from, to: at }
    effort -= looked
  }
  return { from, to: bytes.length }
}

const openBrace = 0x7b
const quote = 0x22

/** The next `{"`. */
function nextCandidate(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(openBrace, from); at !== -1; at = bytes.indexOf(openBrace, at + 1)) {
    if (bytes[at + 1] === quote) return at
  }
  return -1
}

function restIsRecords(bytes: Uint8Array, from: number): [isRecords: boolean, looked: number] {
  let at = from
  while (at < bytes.length) {
    const to = closingBrace(bytes, at)
    if (to === -1) return [false, bytes.length - from]
    const value = parseJson(bytesToText(bytes.subarray(at, to)))
    if (!isObject(value) || !isRecordLike(value)) return [false, to - from]
    at = to
    while (at < bytes.length && isBlank(bytes[at] as number)) at++
    if (at < bytes.length && bytes[at] !== openBrace) return [false, at - from]
  }
  return [true, bytes.length - from]
}

/** Tells a record from an object nested in one. */
function isRecordLike(value: JsonObject): boolean {
  return (
    'parentUuid' in value || ('type' in value && ('sessionId' in value || 'leafUuid' in value || 'snapshot' in value))
  )
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0
}

/** The place after the brace that closes the one at `from`; -1 where none does. */
function closingBrace(bytes: Uint8Array, from: number): number {
  let depth = 0
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) {
      at = closingQuote(bytes, at)
      if (at === -1) return -1
    } else if (byte === openBrace || byte === 0x5b) {
      depth++
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--
      if (depth === 0) return at + 1
    }
  }
  return -1
}

/** The place of the quote that closes the one at `from`; -1 where none does. */
function closingQuote(bytes: Uint8Array, from: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    if (bytes[at] === 0x5c) at++
    else if (bytes[at] === quote) return at
  }
  return -1
}
