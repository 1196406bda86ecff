// Bytes of one file → records. Every byte belongs to exactly one record; nothing is judged here beyond what a line is. Where an
// object continues over several lines, they are one record.

import { bytesToText, carriageReturn, concatBytes, isUtf8 } from '../base/bytes.ts'
import { isObject, type JsonObject, parseJson } from '../base/json.ts'
import type { LogRecord, RecordMark, RecordStatus } from '../model/record.ts'
import { type Classification, type DialectCounts, DialectReader } from './dialect.ts'
import { isBlank, JsonScanner } from './json-scan.ts'
import { Line, type LinePlace, LineSplitter, largestLine } from './lines.ts'
import { type Recovery, recoverLine } from './recover.ts'

/** All that a decoder of records must know to continue at any place of a file. Plain data. */
export interface RecordState {
  place: LinePlace
  dialects: DialectCounts
}

/** Turns the bytes of one file into records, chunk by chunk. Make one per file. */
export class RecordDecoder {
  private readonly lines: LineSplitter
  private readonly dialects: DialectReader
  private readonly file: string
  private open: OpenObject | null = null
  /** Follows an array that is spread over several lines; its lines are records of their own. */
  private array: JsonScanner | null = null
  /** The line belongs to an array that began on an earlier one. */
  private isInArray = false
  /** Bytes that may still be read in vain, in the search for the end of an object that has none. */
  private effort = 1024 * 1024

  /** `state`: where to continue; the next bytes are those from its offset on. */
  constructor(file: string, state?: RecordState) {
    this.file = file
    this.lines = new LineSplitter(state?.place)
    this.dialects = new DialectReader(file, state?.dialects)
  }

  /** As it is before the line or object that has not ended yet. */
  save(): RecordState {
    const first = this.open?.lines[0]
    const place = first === undefined ? this.lines.place : { offset: first.offset, number: first.number }
    return { place, dialects: this.dialects.save() }
  }

  /** The records whose lines end in this chunk. */
  push(chunk: Uint8Array): LogRecord[] {
    const records: LogRecord[] = []
    for (const line of this.lines.push(chunk)) this.decodeLine(line, records)
    return records
  }

  /** What is left after the last chunk: a last line without a newline. */
  end(): LogRecord[] {
    const records: LogRecord[] = []
    for (const line of this.lines.end()) this.decodeLine(line, records)
    while (this.open !== null) this.giveUp(this.open, records)
    return records
  }

  private decodeLine(line: Line, out: LogRecord[]): void {
    this.effort += line.length
    if (this.open !== null) this.goOn(this.open, line, out)
    else this.decodeAlone(line, out, true)
  }

  /** An object of several lines continues with this line, or it turns out to be none. */
  private goOn(open: OpenObject, line: Line, out: LogRecord[]): void {
    const { lines, scanner } = open
    const { bytes } = line
    lines.push(copyOf(line))
    if (bytes !== undefined && line.offset + line.length - (lines[0] as Line).offset <= largestLine) {
      // The line before has ended: behind a number or a word the value does too.
      scanner.push(lineEnd)
      scanner.push(bytes)
      if (scanner.state === 'open' && line.isEnded) return
      if (scanner.state === 'ended') {
        const { joined, bytes: all } = joinLines(lines)
        const text = bytesToText(all)
        const recovery = recoverLine(all, text)
        if (recovery.pieces[0]?.value !== undefined) {
          this.open = null
          this.addPieces(joined, all, text, recovery, out, ['lines'])
          return
        }
      }
    }
    this.giveUp(open, out)
  }

  /** The first line is a record by itself, the others are tried again. */
  private giveUp({ lines }: OpenObject, out: LogRecord[]): void {
    this.open = null
    const [first, ...rest] = lines as [Line, ...Line[]]
    this.decodeAlone(first, out, false)
    for (const line of rest) {
      this.effort -= line.length
      if (this.open !== null) this.goOn(this.open, line, out)
      else this.decodeAlone(line, out, this.effort > 0)
    }
  }

  private decodeAlone(line: Line, out: LogRecord[], mayGoOn: boolean): void {
    const { bytes } = line
    if (bytes === undefined) {
      out.push(this.record(line, { dialect: 'unknown', type: null, status: 'oversized' }))
      return
    }
    this.isInArray = this.array !== null
    if (this.array !== null) this.followArray(this.array, bytes)
    const text = bytesToText(bytes)
    const value = bytes[0] === brace ? parseJson(text) : undefined
    if (isObject(value)) {
      out.push(this.record(line, this.dialects.classify(value), value, lineMarks(line, text)))
      return
    }
    const scanner = mayGoOn && line.isEnded ? scanOpen(bytes) : null
    if (scanner !== null) this.open = { lines: [copyOf(line)], scanner }
    else this.decodeOddLine(line, bytes, text, out)
  }

  private decodeOddLine(line: Line, bytes: Uint8Array, text: string, out: LogRecord[]): void {
    if (isBlankText(text)) {
      const marks: RecordMark[] = [...lineMarks(line, text)]
      if (text.includes('\0')) marks.push('nul')
      out.push(this.record(line, { dialect: 'unknown', type: null, status: 'blank' }, undefined, marks))
      return
    }
    if (!this.isInArray && beginsArray.test(text)) {
      this.array = new JsonScanner()
      this.followArray(this.array, bytes)
    }
    this.addPieces(line, bytes, text, recoverLine(bytes, text), out)
  }

  private addPieces(
    line: Line,
    bytes: Uint8Array,
    text: string,
    { pieces, isNotObject }: Recovery,
    out: LogRecord[],
    firstMarks: readonly RecordMark[] = noMarks,
  ): void {
    const isReplaced = text.includes('\ufffd')
    const shared: RecordMark[] = pieces.length > 1 ? ['glued'] : []
    if (isNotObject) shared.push('not-object')
    pieces.forEach((piece, index) => {
      const isLast = index === pieces.length - 1
      // Only the last piece ends as the line does.
      const marks: RecordMark[] = isLast ? [...lineEndMarks(line)] : []
      if (index === 0) marks.push(...firstMarks)
      else if (!piece.marks?.includes('unread')) marks.push('unread')
      if (isReplaced && !isUtf8(bytes.subarray(piece.from, piece.to))) marks.push('invalid-utf8')
      marks.push(...(piece.marks ?? noMarks), ...shared)
      if (index === 0 && beginsArray.test(text)) marks.push('array')
      if (isLast && this.isInArray && this.array === null) marks.push('array-end')
      const found = piece.value
        ? this.dialects.classify(piece.value)
        : { dialect: 'unknown' as const, type: null, status: brokenStatus(isLast && !line.isEnded && !isNotObject) }
      const length = piece.to - piece.from + (isLast && line.isEnded ? 1 : 0)
      const place = { number: line.number, offset: line.offset + piece.from, length }
      const record = this.record(place, found, piece.value, marks, pieces.length > 1 ? index + 1 : undefined)
      const stump = index === 0 && piece.value === undefined ? stumpOf(text) : null
      out.push(stump === null ? record : { ...record, stump })
    })
  }

  private followArray(array: JsonScanner, bytes: Uint8Array): void {
    array.push(bytes)
    array.push(lineEnd)
    if (array.state !== 'open') this.array = null
    if (array.state === 'broken') this.isInArray = false
  }

  private record(
    line: Pick<Line, 'number' | 'offset' | 'length'>,
    found: Classification,
    value?: JsonObject,
    marks: readonly RecordMark[] = noMarks,
    part?: number,
  ): LogRecord {
    const record: { -readonly [Key in keyof LogRecord]: LogRecord[Key] } = {
      file: this.file,
      line: line.number,
      offset: line.offset,
      bytes: line.length,
      dialect: found.dialect,
      type: found.type,
      status: found.status,
    }
    if (part !== undefined) record.part = part
    if (found.subtype !== undefined) record.subtype = found.subtype
    if (found.foreign !== undefined) record.foreign = found.foreign
    if (value !== undefined) record.value = value
    if (marks.length > 0) record.marks = marks
    return record
  }
}

/** An object that is not closed in its line, and the lines after it that may belong to it. */
interface OpenObject {
  lines: Line[]
  scanner: JsonScanner
}

/** Where a line begins an object and may be JSON but for its end. */
function scanOpen(bytes: Uint8Array): JsonScanner | null {
  const start = bytes.findIndex(byte => !isBlank(byte))
  if (bytes[start] !== brace) return null
  const scanner = new JsonScanner()
  scanner.push(bytes, start)
  return scanner.state === 'open' ? scanner : null
}

/** Of a line whose bytes may be a view of a chunk that is used again. */
function copyOf(line: Line): Line {
  const { bytes } = line
  return bytes === undefined ? line : new Line(line, line.length, line.isEnded, new Uint8Array(bytes))
}

function joinLines(lines: readonly Line[]): { joined: Line; bytes: Uint8Array } {
  const [first, last] = [lines[0] as Line, lines.at(-1) as Line]
  const parts = lines.flatMap(({ bytes }, at) => (at === 0 ? [bytes] : [lineEnd, bytes]) as Uint8Array[])
  const bytes = concatBytes(parts)
  return { joined: new Line(first, last.offset + last.length - first.offset, last.isEnded, bytes), bytes }
}

/** The uuid and the parent of a record that is torn behind them. */
function stumpOf(text: string): NonNullable<LogRecord['stump']> | null {
  const parent = /^\{"parentUuid":(?:null|"([^"\\]*)"),/.exec(text)
  const uuid = parent === null ? undefined : /,"uuid":"([^"\\]*)"/.exec(text)?.[1]
  return parent === null || uuid === undefined ? null : { uuid, parent: parent[1] ?? null }
}

const lineEnd = Uint8Array.of(0x0a)
/** `{` */
const brace = 0x7b
const noBytes = new Uint8Array(0)
const beginsArray = /^[\s\0\ufeff]*\[/
const noMarks: readonly RecordMark[] = []
const crlfMarks: readonly RecordMark[] = ['crlf']

function brokenStatus(mayGrow: boolean): RecordStatus {
  return mayGrow ? 'torn' : 'malformed'
}

function lineMarks(line: Line, text: string): readonly RecordMark[] {
  const marks = lineEndMarks(line)
  return text.includes('\ufffd') && !isUtf8(line.bytes ?? noBytes) ? [...marks, 'invalid-utf8'] : marks
}

function lineEndMarks({ chunk, isEnded, to }: Line): readonly RecordMark[] {
  const isCrlf = chunk?.[to - 1] === carriageReturn
  if (isEnded) return isCrlf ? crlfMarks : noMarks
  return isCrlf ? ['crlf', 'no-newline'] : ['no-newline']
}

function isBlankText(text: string): boolean {
  return /^[\s\0\ufeff]*$/.test(text)
}
