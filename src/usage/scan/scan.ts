// Bytes of a log → what its records state about API messages, without decoding lines that state nothing. Lines in an unusual
// form are decoded one by one; where what a line states depends on lines before it, the whole log has to be decoded. Both
// come to what `usageOccurrence` says of every event. It reads no files.

import { newline } from '../../base/bytes.ts'
import { IdSet } from '../../base/id-set.ts'
import { asString, type JsonObject } from '../../base/json.ts'
import { EventDecoder } from '../../decode/events.ts'
import { RecordDecoder } from '../../decode/records.ts'
import type { UsageOccurrence } from '../../model/spent.ts'
import { type UsageExtras, type UsageLog, usageOccurrence } from '../occurrence.ts'
import { lineKind, UsageLine } from './line.ts'
import { UsageReader } from './reader.ts'
import { type UsageWalk, usageWalk } from './walk.ts'

export type { UsageLog } from '../occurrence.ts'

export type Take = (occurrence: UsageOccurrence) => void

/** How bytes are looked at; other than usual only in tests. */
export interface UsageScanOptions extends UsageExtras {
  placeBytes?: number
  usesVectors?: boolean
}

/** Lines up to this length are looked at where they were read. */
const usualPlaceBytes = 4 * 1024 * 1024

export class UsageScan {
  /** Where the lines have to be put. */
  readonly place: Uint8Array
  private readonly bytes: Uint8Array
  private readonly look: UsageWalk
  private readonly line: UsageLine
  private readonly reader: UsageReader
  private readonly extras: UsageExtras
  private readonly take: Take
  /** Whether what records show is asked for: then records with a uuid that was there before show nothing. */
  private readonly isShown: boolean
  /** How many lines had to be decoded. */
  oddLines = 0
  private log: UsageLog | undefined
  private seen = new IdSet()

  /** `take`: gets each statement; the object is used again. */
  constructor(options: UsageScanOptions, take: Take) {
    const { placeBytes = usualPlaceBytes, usesVectors = true, ...extras } = options
    this.extras = extras
    this.take = take
    this.isShown = extras.withTools === true || extras.visibleTokens !== undefined
    const texts = ['"usage"', ...(this.isShown ? ['"uuid"'] : [])]
    // NULs inside a line are taken out before it is parsed: they may stand in the middle of a key.
    this.look = usageWalk({ texts, ignoresCase: false, bytes: [0] }, placeBytes, usesVectors)
    this.bytes = this.look.bytes
    this.place = this.bytes.subarray(0, placeBytes)
    this.line = new UsageLine(this.look)
    this.reader = new UsageReader(this.line)
  }

  /** What comes next is of this log. */
  begin(log: UsageLog): void {
    this.log = log
    this.reader.begin(log)
    if (this.isShown) this.seen = new IdSet()
  }

  /** Whole lines that lie in the place; `offset`: of the first in the log. False where the log has to be decoded whole. */
  scan(from: number, to: number, offset: number): boolean {
    const { bytes, look, line } = this
    if (bytes[to - 1] !== newline) bytes[to] = newline
    let start = from
    for (let at = look.find(from, to); at < to; at = look.find(at, to)) {
      if (!this.mayMatter(at)) {
        at++
        continue
      }
      start = look.lineStart(at, start)
      const isRead = this.isRead(start, offset + start - from)
      at = isRead ? line.end + 1 : this.lineEnd(at, to)
      if (!isRead && !this.scanOdd(bytes.subarray(start, at), offset + start - from)) return false
      start = at
    }
    return true
  }

  /** Behind the newline, or the end where there is none. */
  private lineEnd(at: number, to: number): number {
    const end = this.bytes.indexOf(newline, at)
    return end === -1 || end >= to ? to : end + 1
  }

  /** Whether what was found may be the key, or part of it. */
  private mayMatter(at: number): boolean {
    const { bytes } = this
    const first = bytes[at]
    if (first === 0) return true
    if (first === 0x5c) return this.isLetter(at)
    if (this.isKey(at, usageKey)) return true
    return this.isShown && this.isKey(at, uuidKey)
  }

  /** `\u006…` and `\u007…`: a letter of a key that is written by numbers. */
  private isLetter(at: number): boolean {
    const { bytes } = this
    const digit = bytes[at + 4]
    return bytes[at + 2] === 0x30 && bytes[at + 3] === 0x30 && (digit === 0x36 || digit === 0x37)
  }

  private isName(at: number, key: Uint8Array): boolean {
    const { bytes } = this
    for (let n = 0; n < key.length; n++) if (bytes[at + n] !== key[n]) return false
    return true
  }

  private isKey(at: number, key: Uint8Array): boolean {
    if (!this.isName(at, key)) return false
    const { bytes } = this
    let end = at + key.length
    while (bytes[end] === 0x20 || bytes[end] === 0x09 || bytes[end] === 0x0d) end++
    return bytes[end] === 0x3a
  }

  /** Takes what the line states; false where it has to be decoded. */
  private isRead(start: number, offset: number): boolean {
    const kind = this.line.read(start)
    if (kind === lineKind.odd) return false
    const statement = kind === lineKind.silent ? null : this.reader.statement(offset)
    if (kind === lineKind.stating) {
      const isContentAsked = this.isShown && (this.extras.withTools || statement?.isFinal === false)
      if (statement === null || isContentAsked) return false
      this.take(statement)
    }
    if (this.isShown) this.noteUuid()
    return true
  }

  private noteUuid(): void {
    const uuid = this.reader.uuid()
    if (uuid !== '') this.seen.add(uuid)
  }

  /** A line that does not fit into the place. False where the log has to be decoded whole. */
  scanLong(bytes: Uint8Array, offset: number): boolean {
    return !this.mayMatterSomewhere(bytes) || this.scanOdd(bytes, offset)
  }

  /** Piece by piece; what lies across two of them is found in the second. */
  private mayMatterSomewhere(bytes: Uint8Array): boolean {
    const { place, look } = this
    for (let from = 0; from < bytes.length; from += place.length - overlap) {
      const piece = bytes.subarray(from, from + place.length)
      place.set(piece)
      this.bytes[piece.length] = newline
      for (let at = look.find(0, piece.length); at < piece.length; at = look.find(at + 1, piece.length)) {
        // What follows the key may lie in the next piece.
        const isName = this.isName(at, usageKey) || (this.isShown && this.isName(at, uuidKey))
        if (isName || this.mayMatter(at)) return true
      }
    }
    return false
  }

  /** One line as it stands in the log, with its newline where it has one. False where the log has to be decoded whole. */
  scanOdd(bytes: Uint8Array, offset: number): boolean {
    const { log } = this
    if (log === undefined) return false
    this.oddLines++
    const decoder = new RecordDecoder(log.path, { place: { offset, number: 1 }, dialects: { client: 0, s0: 0, s3: 0 } })
    for (const record of [...decoder.push(bytes), ...decoder.end()]) {
      const { value } = record
      if (value === undefined) continue
      const uuid = asString(value['uuid']) || undefined
      const isCopy = this.isShown && uuid !== undefined && !this.seen.add(uuid)
      if (value['type'] !== 'assistant' && value['type'] !== 'progress') continue
      if (isAmbiguous(value)) return false
      const event = new EventDecoder(log.options).decode(record)
      const occurrence = event === null ? null : usageOccurrence(event, log, this.extras)
      if (occurrence === null) continue
      if (dependsOnOthers(value, occurrence, log)) return false
      if (isCopy) {
        occurrence.visibleTokens = 0
        delete occurrence.tools
      }
      this.take(occurrence)
    }
    return true
  }
}

/** As long as the longest text that is looked for. */
const overlap = 8
const usageKey = Uint8Array.from('"usage"', character => character.charCodeAt(0))
const uuidKey = Uint8Array.from('"uuid"', character => character.charCodeAt(0))

/** Which dialect a progress record with a message is in, the other lines may tell. */
function isAmbiguous(value: JsonObject): boolean {
  return value['type'] === 'progress' && 'message' in value
}

/** A version is carried forward, and sidechains without an agent's name are told apart by the lines before. */
function dependsOnOthers(value: JsonObject, occurrence: UsageOccurrence, log: UsageLog): boolean {
  if (log.options.session === undefined) return true
  if (typeof value['version'] !== 'string' && !occurrence.isFinal) return true
  return log.options.agent === undefined && value['isSidechain'] === true && typeof value['agentId'] !== 'string'
}

/** Decodes a log from its first byte, for those that cannot be scanned. */
export class UsageDecode {
  private readonly records: RecordDecoder
  private readonly events: EventDecoder
  private readonly log: UsageLog
  private readonly extras: UsageExtras
  private readonly taking: Take

  constructor(log: UsageLog, extras: UsageExtras, take: Take) {
    this.log = log
    this.extras = extras
    this.taking = take
    this.records = new RecordDecoder(log.path)
    this.events = new EventDecoder(log.options)
  }

  push(chunk: Uint8Array): void {
    this.decode(this.records.push(chunk))
  }

  end(): void {
    this.decode(this.records.end())
  }

  private decode(records: ReturnType<RecordDecoder['push']>): void {
    for (const record of records) {
      const event = this.events.decode(record)
      const occurrence = event === null ? null : usageOccurrence(event, this.log, this.extras)
      if (occurrence !== null) this.taking(occurrence)
    }
  }
}
