// Bytes of a damaged file → its records, one text each. Lines that are fine keep their bytes; glued, spread and wrapped records
// are taken apart; torn ones become as much of a record as is left of them, and what is left over is set aside.

import { bytesToText, textToBytes } from '../../base/bytes.ts'
import { isObject, type JsonObject, jsonText, parseJson } from '../../base/json.ts'
import { RecordDecoder } from '../../decode/records.ts'
import { namesPrivateType } from '../../model/event.ts'
import { hasMark, type LogRecord } from '../../model/record.ts'
import { readLenient } from './lenient-json.ts'
import { type Entry, excerpt, excerpts, objectOf, RepairDraft } from './repair-draft.ts'
import { isRecord, salvage } from './salvage.ts'
import { setAsideText } from './set-aside.ts'

export function readLines(bytes: Uint8Array): RepairDraft {
  const draft = new RepairDraft()
  const utf8 = toUtf8(bytes, draft)
  const decoder = new RecordDecoder('session.jsonl')
  const records = [...decoder.push(utf8), ...decoder.end()]
  for (const { dialect } of records) draft.dialects.set(dialect, (draft.dialects.get(dialect) ?? 0) + 1)
  const reader = new LineReader(utf8, draft)
  for (let at = 0; at < records.length; ) at = reader.read(records, at)
  reader.end()
  return draft
}

/** UTF-16 by its mark, or because every other byte is NUL. */
function toUtf8(bytes: Uint8Array, draft: RepairDraft): Uint8Array {
  const encoding = utf16Of(bytes)
  if (encoding === null) return bytes
  draft.note({ line: 0, kind: 'encoding', what: `The file is ${encoding.toUpperCase()}; it becomes UTF-8` })
  return textToBytes(new TextDecoder(encoding).decode(bytes))
}

function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const nuls = [0, 0]
  const start = bytes.subarray(0, 1024)
  for (const [at, byte] of start.entries()) if (byte === 0) nuls[at % 2] = (nuls[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = nuls
  if (odd > start.length / 4 && even === 0) return 'utf-16le'
  return even > start.length / 4 && odd === 0 ? 'utf-16be' : null
}

/** Most lines that are tried together as one record. */
const mostJoined = 4096
/** Where reading stopped so near the end, what comes behind it may go on. */
const longestCut = 16

class LineReader {
  private readonly bytes: Uint8Array
  private readonly draft: RepairDraft
  private readonly blank: number[] = []
  private readonly crlf: number[] = []
  private openEnd: number | undefined

  constructor(bytes: Uint8Array, draft: RepairDraft) {
    this.bytes = bytes
    this.draft = draft
  }

  /** Takes one record, or as many as belong together; returns the place behind. */
  read(records: readonly LogRecord[], at: number): number {
    const record = records[at] as LogRecord
    if (record.status === 'blank') this.blank.push(record.line)
    else {
      if (hasMark(record, 'crlf')) this.crlf.push(record.line)
      if (hasMark(record, 'no-newline')) this.openEnd = record.line
      if (record.value === undefined) return this.readBroken(records, at)
      this.readRecord(record)
    }
    return at + 1
  }

  end(): void {
    const lines = (numbers: number[]): string => (numbers.length === 1 ? '1 line' : `${numbers.length} lines`)
    const { blank, crlf, draft, openEnd } = this
    if (crlf[0] !== undefined)
      draft.note({ line: crlf[0], kind: 'line', what: `${lines(crlf)} ended with CR LF; they end with LF` })
    if (blank[0] !== undefined)
      draft.note({ line: blank[0], kind: 'line', what: `${lines(blank)} without a record left out` })
    if (openEnd !== undefined)
      draft.note({ line: openEnd, kind: 'line', what: 'The last line had no line end; it gets one' })
  }

  private readRecord(record: LogRecord): void {
    const { line, value } = record
    const written = this.textOf(record)
    if (isFine(written) && !hasMark(record, 'invalid-utf8')) {
      if ((record.part ?? 1) > 1)
        this.draft.note({
          line,
          kind: 'line',
          what: 'Two records on one line; each gets its own',
          after: excerpt(written),
        })
      this.add(line, written)
      return
    }
    const inner = written.replace(edges, '')
    const text = isFine(inner) ? inner : jsonText(value)
    const [kind, what] = oddity(record)
    this.draft.note({ line, kind, what, ...excerpts(written, text) })
    this.add(line, text)
  }

  private add(line: number, text: string, isTorn?: boolean): void {
    const entry: Entry = { line, text, value: objectOf(text) ?? {} }
    if (isTorn) entry.isTorn = true
    this.draft.entries.push(entry)
  }

  private readBroken(records: readonly LogRecord[], at: number): number {
    const record = records[at] as LogRecord
    const text = this.textOf(record)
    if (/^[\s\0\ufeff,[\]]*$/.test(text)) {
      this.draft.note({
        line: record.line,
        kind: 'line',
        what: 'Brackets or commas around records left out',
        before: text,
      })
      return at + 1
    }
    const list = parseJson(text.replace(outerEdges, ''))
    if (Array.isArray(list) && list.length > 0 && list.every(isObject)) {
      this.draft.note({ line: record.line, kind: 'line', what: 'A list of records on one line; each gets its own' })
      for (const value of list) this.add(record.line, jsonText(value))
      return at + 1
    }
    return this.readJoined(records, at) ?? this.readTorn(record, text, at)
  }

  /** Lines that are one record but for line ends where none may be; each time twice as many are tried. */
  private readJoined(records: readonly LogRecord[], at: number): number | null {
    for (let count = 1; count <= mostJoined; count *= 2) {
      const texts = this.looseTexts(records, at, count)
      const all = texts.join('')
      const { value, end, isWhole } = readLenient(all)
      if (isWhole && isObject(value)) return this.addJoined(records, at, { value, end, texts })
      if (texts.length < count || all.length - end > longestCut) return null
    }
    return null
  }

  /** Up to so many lines, as long as they may be part of one record. */
  private looseTexts(records: readonly LogRecord[], at: number, count: number): string[] {
    const run = records.slice(at, at + count)
    const end = run.findIndex(({ value, status }) => status === 'oversized' || (value !== undefined && isRecord(value)))
    return run
      .slice(0, end === -1 ? run.length : end)
      .map(({ offset, bytes }) => bytesToText(this.bytes.subarray(offset, offset + bytes)))
  }

  private addJoined(
    records: readonly LogRecord[],
    at: number,
    { value, end, texts }: { value: JsonObject; end: number; texts: readonly string[] },
  ): number | null {
    let taken = 0
    let length = 0
    for (; length < end; taken++) length += (texts[taken] ?? '').length
    if (texts.join('').slice(end, length).trim() !== '') return null
    const { line } = records[at] as LogRecord
    const what = 'A line end or another control character inside of a record'
    const text = jsonText(value)
    this.draft.note({ line, kind: 'line', what, ...excerpts(texts[0] ?? '', text) })
    this.add(line, text)
    return at + taken
  }

  private readTorn({ line, offset, bytes }: LogRecord, text: string, at: number): number {
    const { draft } = this
    const raw = this.bytes.subarray(offset, offset + bytes)
    const pieces = salvage(text)
    for (const { value, isTorn } of pieces) {
      const found = jsonText(value)
      const what = isTorn ? 'A torn record; what is left of its message counts' : 'A record among others on its line'
      draft.note({ line, kind: isTorn ? 'torn' : 'line', what, ...excerpts(text, found) })
      this.add(line, found, isTorn)
    }
    if (namesPrivateType(text)) {
      const what = 'What is left of a record that names the owner of the session; left out'
      draft.note({ line, kind: 'line', what, before: excerpt(text) })
      return at + 1
    }
    const kept = setAsideText(raw[raw.length - 1] === 0x0a ? raw.subarray(0, -1) : raw, text, line)
    draft.setAside++
    draft.note({
      line,
      kind: 'set-aside',
      what: 'Bytes that are no record; kept, softly deleted',
      before: excerpt(text),
    })
    this.add(line, kept)
    return at + 1
  }

  private textOf({ offset, bytes }: LogRecord): string {
    return bytesToText(this.bytes.subarray(offset, offset + bytes)).replace(/\r?\n?$/, '')
  }
}

/** What may stand around a list. */
const outerEdges = /^[\s\0\ufeff,]+|[\s\0,]+$/g
/** What may stand around an object. */
const edges = /^[\s\0\ufeff,[]+|[\s\0\ufeff,\]]+$/g

/** One object on one line. */
function isFine(text: string): boolean {
  return !text.includes('\n') && objectOf(text) !== undefined
}

function oddity(record: LogRecord): ['encoding' | 'line', string] {
  if (hasMark(record, 'nul')) return ['encoding', 'NUL bytes around or in a record']
  if (hasMark(record, 'bom')) return ['encoding', 'A byte order mark before a record']
  if (hasMark(record, 'invalid-utf8')) return ['encoding', 'Bytes that are no UTF-8']
  if (hasMark(record, 'lines')) return ['line', 'A record over several lines']
  if (hasMark(record, 'glued')) return ['line', 'A record that shared its line']
  return ['line', 'Something else than the record on its line']
}
