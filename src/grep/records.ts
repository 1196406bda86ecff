// Makes records of lines that may match, each in the cheapest way that tells the same: without texts that cannot match, or,
// where matches are only counted, with bytes taken for characters. Which lines those are is decided elsewhere.

import { newline } from '../base/bytes.ts'
import { isObject, parseJson } from '../base/json.ts'
import { RecordDecoder } from '../decode/decode.ts'
import { DialectReader } from '../decode/dialect.ts'
import type { LogRecord } from '../model/record.ts'
import { isAsciiOnly } from './bytewise.ts'
import { ByteFilter, type Looking, type Region } from './candidates.ts'
import type { GrepOptions } from './events.ts'
import { isToldByFields, LeanLines } from './lean.ts'
import type { TextFilter } from './texts.ts'

export class LineRecords {
  private readonly lean: LeanLines | null
  private readonly matchesBytes: boolean

  constructor({ expression, context }: GrepOptions, filter: ByteFilter | TextFilter, looking: Looking) {
    this.lean = filter instanceof ByteFilter ? new LeanLines(filter, context, looking) : null
    this.matchesBytes = isAsciiOnly(expression)
  }

  /** With the places they have in the file. `isCounted`: nobody asks for the texts themselves. */
  *in({ bytes, offset }: Region, path: string, isCounted: boolean): Generator<LogRecord> {
    const isQuick = isCounted && this.matchesBytes
    if (this.lean === null && !isQuick) {
      for (const record of recordsIn(bytes, path)) yield moved(record, offset)
      return
    }
    for (let from = 0; from < bytes.length; ) {
      const end = bytes.indexOf(newline, from)
      const to = end === -1 ? bytes.length : end + 1
      const line = from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to)
      const cheap = this.cheapRecord(line, path, isQuick)
      if (cheap !== null) yield moved(cheap, offset + from)
      else for (const record of recordsIn(line, path)) yield moved(record, offset + from)
      from = to
    }
  }

  /** Null where only the line as it is tells what it means. */
  private cheapRecord(line: Buffer, path: string, isQuick: boolean): LogRecord | null {
    const lean = this.lean?.of(line) ?? null
    if (lean === null && !isQuick) return null
    const records = isQuick ? quickRecords(lean ?? line, path) : [...recordsIn(lean ?? line, path)]
    const [record, another] = records
    return record !== undefined && another === undefined && isToldByFields(record) ? record : null
  }
}

function* recordsIn(bytes: Uint8Array, path: string): Generator<LogRecord> {
  const decoder = new RecordDecoder(path)
  yield* decoder.push(bytes)
  yield* decoder.end()
}

function moved(record: LogRecord, by: number): LogRecord {
  return by === 0 ? record : { ...record, offset: record.offset + by }
}

const typeKey = Buffer.from('"type":"')

/** The record of a line with bytes taken for characters: ASCII in it is what it is. None where the line may be an odd one. */
function quickRecords(line: Buffer, path: string): LogRecord[] {
  const type = line.indexOf(typeKey) + typeKey.length
  // `user` and `assistant`: others hang on what their texts say.
  if (type < typeKey.length || line[0] !== 0x7b || (line[type] !== 0x75 && line[type + 1] !== 0x73)) return []
  const value = parseJson(line.toString('latin1'))
  if (!isObject(value)) return []
  const { length } = line
  return [{ file: path, line: 1, offset: 0, bytes: length, ...new DialectReader(path).classify(value), value }]
}
