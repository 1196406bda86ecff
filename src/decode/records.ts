// Bytes of one file → records. Every byte belongs to exactly one record; nothing is judged here beyond what a line is.

import { bytesToText, carriageReturn, isUtf8 } from '../base/bytes.ts'
import { isObject, type JsonObject, parseJson } from '../base/json.ts'
import type { LogRecord, RecordMark, RecordStatus } from '../model/record.ts'
import { type Classification, type DialectCounts, DialectReader } from './dialect.ts'
import { type Line, type LinePlace, LineSplitter } from './lines.ts'
import { recoverLine } from './recover.ts'

/** All that a decoder of records must know to go on in the middle of a file. Plain data. */
export interface RecordState {
  place: LinePlace
  dialects: DialectCounts
}

/** Turns the bytes of one file into records, chunk by chunk. Make one per file. */
export class RecordDecoder {
  private readonly lines: LineSplitter
  private readonly dialects: DialectReader
  private readonly file: string

  /** `state`: where to go on; the next bytes are those from its offset on. */
  constructor(file: string, state?: RecordState) {
    this.file = file
    this.lines = new LineSplitter(state?.place)
    this.dialects = new DialectReader(file, state?.dialects)
  }

  /** As it is before the line that has not ended yet. */
  save(): RecordState {
    return { place: this.lines.place, dialects: this.dialects.save() }
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
    return records
  }

  private decodeLine(line: Line, out: LogRecord[]): void {
    const { bytes } = line
    if (bytes === undefined) {
      out.push(this.record(line, { dialect: 'unknown', type: null, status: 'oversized' }))
      return
    }
    const text = bytesToText(bytes)
    const value = bytes[0] === brace ? parseJson(text) : undefined
    if (isObject(value)) out.push(this.record(line, this.dialects.classify(value), value, lineMarks(line, text)))
    else this.decodeOddLine(line, bytes, text, out)
  }

  private decodeOddLine(line: Line, bytes: Uint8Array, text: string, out: LogRecord[]): void {
    if (isBlankText(text)) {
      const marks: RecordMark[] = [...lineMarks(line, text)]
      if (text.includes('\0')) marks.push('nul')
      out.push(this.record(line, { dialect: 'unknown', type: null, status: 'blank' }, undefined, marks))
      return
    }
    const { pieces, isNotObject } = recoverLine(bytes, text)
    const isReplaced = text.includes('\ufffd')
    const shared: RecordMark[] = pieces.length > 1 ? ['glued'] : []
    if (isNotObject) shared.push('not-object')
    pieces.forEach((piece, index) => {
      const isLast = index === pieces.length - 1
      // Only the last piece ends as the line does.
      const marks: RecordMark[] = isLast ? [...lineEndMarks(line)] : []
      if (isReplaced && !isUtf8(bytes.subarray(piece.from, piece.to))) marks.push('invalid-utf8')
      marks.push(...(piece.marks ?? noMarks), ...shared)
      if (index === 0 && beginsArray.test(text)) marks.push('array')
      const found = piece.value
        ? this.dialects.classify(piece.value)
        : { dialect: 'unknown' as const, type: null, status: brokenStatus(isLast && !line.isEnded && !isNotObject) }
      const length = piece.to - piece.from + (isLast && line.isEnded ? 1 : 0)
      const place = { number: line.number, offset: line.offset + piece.from, length }
      out.push(this.record(place, found, piece.value, marks, pieces.length > 1 ? index + 1 : undefined))
    })
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
