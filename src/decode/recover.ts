// Finds the records in a line that is not one JSON object: glued records, stumps, commas, byte order marks and NULs.
// It works on bytes, so that every byte of the line ends up in exactly one piece.

import { bytesToText } from '../base/bytes.ts'
import { isObject, type JsonObject, parseJson } from '../base/json.ts'
import type { RecordMark } from '../model/record.ts'
import { isBlank, JsonScanner, type ScanState } from './json-scan.ts'

/** A run of bytes of the line, with the object in it where there is one. */
export interface Piece {
  from: number
  to: number
  value?: JsonObject
  /** What is around or in it besides the object. */
  marks?: RecordMark[]
}

export interface Recovery {
  pieces: Piece[]
  /** The whole line parses, but to something that is not an object. */
  isNotObject: boolean
}

/** How many bytes the search for a record behind a stump may look at, in multiples of the line's length. */
const searchEffort = 12

/** `text`: what the bytes say. */
export function recoverLine(bytes: Uint8Array, text: string): Recovery {
  const hasNul = bytes.includes(0)
  const whole = hasNul ? withoutNuls(text) : undefined
  if (isObject(whole)) {
    const marks: RecordMark[] = text.startsWith(bom) ? ['nul', 'bom'] : ['nul']
    if (!isObject(parseJson(text.replace(nulsAtEnd, '')))) marks.push('unread')
    if (isObject(parseJson(text.replace(nulsAtStart, '')))) marks.push('nul-prefix')
    return { pieces: [{ from: 0, to: bytes.length, value: whole, marks }], isNotObject: false }
  }
  const isAscii = text.length === bytes.length
  const pieces = cut({ bytes, text, isAscii, hasNul, effort: bytes.length * searchEffort })
  const isBroken = pieces.length === 1 && pieces[0]?.value === undefined
  return { pieces, isNotObject: isBroken && parseJson(withoutBom(text)) !== undefined }
}

function cut(line: DamagedLine): Piece[] {
  const { bytes } = line
  const pieces: Piece[] = []
  for (let at = 0; at < bytes.length; ) {
    const start = skipSeparators(bytes, at)
    const last = pieces.at(-1)
    if (start === bytes.length && last) {
      // What only separates belongs to the object before it when none follows.
      last.to = start
      addMarks(last, separatorMarks(bytes, at, start))
      break
    }
    const piece = objectAt(line, start) ?? stumpAt(line, start)
    piece.from = at
    const before = separatorMarks(bytes, at, start)
    if (before.length > 0) addMarks(piece, [...before, 'unread'])
    if (line.hasNul && bytes.subarray(start, piece.to).includes(0)) addMarks(piece, ['nul', 'unread'])
    pieces.push(piece)
    at = piece.to
  }
  return pieces
}

function addMarks(piece: Piece, marks: readonly RecordMark[]): void {
  if (marks.length > 0) piece.marks = [...new Set([...(piece.marks ?? []), ...marks])]
}

interface DamagedLine {
  bytes: Uint8Array
  text: string
  /** Then places in the text are places in the bytes. */
  isAscii: boolean
  hasNul: boolean
  /** Bytes that the search may still look at. */
  effort: number
}

const bom = '\ufeff'
const nulsAtEnd = /[\s\0]+$/
const nulsAtStart = /^\0+/
const openBrace = 0x7b
const quote = 0x22
const comma = 0x2c

function withoutBom(text: string): string {
  return text.startsWith(bom) ? text.slice(1) : text
}

function withoutNuls(text: string): unknown {
  return parseJson(withoutBom(text.replaceAll('\0', '')))
}

/** Blanks, NULs, commas between objects and byte order marks belong to the object that follows. */
function skipSeparators(bytes: Uint8Array, from: number): number {
  let at = from
  for (; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf) at += 2
    else if (byte !== comma && byte !== 0 && !isBlank(byte)) break
  }
  return at
}

function separatorMarks(bytes: Uint8Array, from: number, to: number): readonly RecordMark[] {
  if (from === to) return noMarks
  const between = bytes.subarray(from, to)
  const marks: RecordMark[] = []
  if (between.includes(comma)) marks.push('comma')
  if (between.includes(0)) marks.push('nul')
  if (between.includes(0xef)) marks.push('bom')
  return marks
}

const noMarks: readonly RecordMark[] = []

function objectAt(line: DamagedLine, from: number): Piece | null {
  if (line.bytes[from] !== openBrace) return null
  const { state, to } = scanFrom(line.bytes, from)
  const value = state === 'ended' ? valueAt(line, from, to) : undefined
  return isObject(value) ? { from, to, value } : null
}

function scanFrom(bytes: Uint8Array, from: number): { state: ScanState; to: number } {
  const scanner = new JsonScanner()
  const to = scanner.push(bytes, from)
  return { state: scanner.state, to }
}

function valueAt(line: DamagedLine, from: number, to: number): unknown {
  const text = line.isAscii ? line.text.slice(from, to) : bytesToText(line.bytes.subarray(from, to))
  return parseJson(text) ?? (text.includes('\0') ? withoutNuls(text) : undefined)
}

/** Bytes that are not an object, up to the first record behind them (written after a torn line), or to the line's end. */
function stumpAt(line: DamagedLine, from: number): Piece {
  for (let at = nextCandidate(line.bytes, from + 1); at !== -1; at = nextCandidate(line.bytes, at + 1)) {
    if (line.effort <= 0) break
    if (isRecordAt(line, at)) return { from, to: at }
  }
  return { from, to: line.bytes.length }
}

/** The next `{"`. */
function nextCandidate(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(openBrace, from); at !== -1; at = bytes.indexOf(openBrace, at + 1)) {
    if (bytes[at + 1] === quote) return at
  }
  return -1
}

/** A whole record, followed by the end of the line or by another brace: what is nested in a torn record never is. */
function isRecordAt(line: DamagedLine, from: number): boolean {
  const { state, to } = scanFrom(line.bytes, from)
  line.effort -= to - from
  if (state !== 'ended') return false
  const next = skipSeparators(line.bytes, to)
  const isFollowed = line.bytes[next] === openBrace && !line.bytes.subarray(to, next).includes(comma)
  // A line torn right behind a nested object ends like a record, but that object is a field's value.
  if (next < line.bytes.length ? !isFollowed : valueOpeners.includes(line.bytes[from - 1] as number)) return false
  const value = valueAt(line, from, to)
  return isObject(value) && isRecordLike(value)
}

/** `:`, `[` and `,`. */
const valueOpeners: readonly number[] = [0x3a, 0x5b, comma]

/** Distinguishes a record from an object nested in one. */
function isRecordLike(value: JsonObject): boolean {
  if ('parentUuid' in value || ('display' in value && 'timestamp' in value)) return true
  return 'type' in value && recordFields.some(field => field in value)
}

const recordFields: readonly string[] = ['sessionId', 'leafUuid', 'snapshot', 'messageId', 'agentId']
