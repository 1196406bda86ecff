// Reads the first and the last part of a log and finds single fields and last-wins lines in them, without parsing the rest:
// what a list needs of thousands of files. What is between the ends is not seen.

import { asString, isObject, type JsonObject, parseJson } from '../../base/json.ts'
import type { ByteSource, LogFile, RangeReader } from '../../model/source.ts'
import { windowBytes } from './peek.ts'
import { rangeReader } from './read.ts'

// Most logs name folder, time and first prompt this early: the rest of the head is read when asked for.
const firstBytes = 16 * 1024

// How many lines that only mention what is looked for are tried before giving up.
const mostTries = 32

// Before the first record with an id, a fork may have snapshots of files and other lines of its own.
const farthestId = 16 * 1024 * 1024
const longestId = 256
const uuidField = /"uuid"\s*:\s*"[^"\\]+"/

const newline = 0x0a
const quote = 0x22
const backslash = 0x5c

const headBuffer = Buffer.allocUnsafeSlow(windowBytes)
const tailBuffer = Buffer.allocUnsafeSlow(windowBytes)
const needles = new Map<string, Buffer>()

/** The two ends of one file while it is open. Its bytes lie in a shared place that the next file uses again. */
export class FileEnds {
  private readonly reader: RangeReader
  private readonly size: number
  private head: Buffer
  /** The same as the head where the file is small. */
  private readonly tail: Buffer

  constructor(reader: RangeReader, size: number) {
    this.reader = reader
    this.size = size
    const isSmall = size <= windowBytes
    this.head = readInto(headBuffer, reader, isSmall ? size : firstBytes, 0)
    this.tail = isSmall ? this.head : readInto(tailBuffer, reader, windowBytes, size - windowBytes)
  }

  /** The first value of a field with that name, text as it was written or a number's digits. */
  firstField(name: string): string | undefined {
    return this.inHead(part => firstIn(part, needleOf(name), () => true))
  }

  /** The first one that is in a record itself, not deeper. */
  firstOwnField(name: string): string | undefined {
    return this.inHead(part => firstOwnField(part, name))
  }

  /**
   * The earliest time in lines that a fork did not copy from its origin; of all where there are none. Of a long fork whose
   * copied lines end between the ends, it is the earliest one in the tail.
   */
  firstOwnTime(): string | undefined {
    const isOwn = (part: Buffer, at: number) => isOwnField(part, at) && !isCopied(part, at)
    const inPart = (part: Buffer) => earliestTimeIn(part, isOwn)
    const isFork = this.head.includes(copied)
    const own = inPart(isFork ? this.wholeHead() : this.head) ?? inPart(this.wholeHead())
    if (!isFork || own !== undefined) return own ?? this.firstField('timestamp')
    return inPart(this.tail) ?? earliestTimeIn(this.head, isOwnField)
  }

  /** The latest time of a record in the tail, else in the head. */
  lastTime(): string | undefined {
    return (
      latestTimeIn(withoutTorn(this.tail)) ?? (this.tail === this.head ? undefined : latestTimeIn(this.wholeHead()))
    )
  }

  private inHead(find: (part: Buffer) => string | undefined): string | undefined {
    return find(this.head) ?? (this.isHeadWhole ? undefined : find(this.wholeHead()))
  }

  /** The last value of a field with that name, text as it was written or a number's digits. */
  lastField(name: string): string | undefined {
    const needle = needleOf(name)
    const inTail = lastIn(this.tail, needle)
    return inTail ?? (this.tail === this.head ? undefined : lastIn(this.wholeHead(), needle))
  }

  /** Records of the given types in the tail, the last first; `types` may shrink on the way. */
  tailRecords(types: ReadonlySet<string>, visit: (record: JsonObject) => void): void {
    visitBackwards(this.tail, types, visit)
  }

  /** The same for the head as far as it was read, where that is another part of the file. */
  headRecords(types: ReadonlySet<string>, visit: (record: JsonObject) => void): void {
    if (this.tail !== this.head) visitBackwards(this.head, types, visit)
  }

  /** The uuids of the records in the tail, in their order. */
  tailUuids(): string[] {
    const text = this.tail.toString('latin1')
    return [...text.matchAll(/"uuid"\s*:\s*"([^"\\]+)"/g)].map(found => found[1] ?? '')
  }

  /** The head, as far as it was read. */
  firstBytes(): Uint8Array {
    return this.head
  }

  /** The head as text: all of it where the first records are long, with a later part where only that has a record's id. */
  headText(): string {
    const first = this.head.toString('latin1')
    if (uuidField.test(first) || this.isWhole) return first
    const head = this.wholeHead().toString('latin1')
    return uuidField.test(head) ? head : head + this.firstPartWithId(head.length)
  }

  private firstPartWithId(from: number): string {
    const part = Buffer.allocUnsafe(windowBytes)
    let before = ''
    for (let at = from; at < Math.min(this.size, farthestId); ) {
      const length = this.reader.read(part, at)
      if (length === 0) break
      const text = before + part.toString('latin1', 0, length)
      if (uuidField.test(text)) return text
      before = text.slice(-longestId)
      at += length
    }
    return ''
  }

  /** The whole head. */
  wholeHead(): Buffer {
    if (!this.isHeadWhole) {
      const more = this.reader.read(headBuffer.subarray(firstBytes), firstBytes)
      this.head = headBuffer.subarray(0, firstBytes + more)
    }
    return this.head
  }

  /** Both ends are the whole file. */
  get isWhole(): boolean {
    return this.tail === this.head
  }

  get isHeadWhole(): boolean {
    return this.head.length > firstBytes || this.head.length >= this.size
  }
}

/** Works with the ends of a log; undefined where it cannot be read, or is empty. */
export function withEnds<Value>(
  log: Pick<LogFile, 'generation' | 'size'>,
  source: ByteSource,
  work: (ends: FileEnds) => Value,
): Value | undefined {
  if (log.size === 0) return undefined
  const reader = openQuietly(log, source)
  if (reader === undefined) return undefined
  try {
    let ends: FileEnds
    try {
      ends = new FileEnds(reader, log.size)
    } catch {
      return undefined
    }
    return work(ends)
  } finally {
    reader.close()
  }
}

function openQuietly(log: Pick<LogFile, 'generation'>, source: ByteSource): RangeReader | undefined {
  try {
    return rangeReader(source, log.generation)
  } catch {
    return undefined
  }
}

function readInto(buffer: Buffer, reader: RangeReader, length: number, from: number): Buffer {
  return buffer.subarray(0, reader.read(buffer.subarray(0, length), from))
}

/** A name in its quotes. Inside a text of the log the quotes would be escaped. */
function needleOf(name: string): Buffer {
  let needle = needles.get(name)
  if (needle === undefined) {
    needle = Buffer.from(JSON.stringify(name))
    needles.set(name, needle)
  }
  return needle
}

/** The first value of a field that is in a record itself, in bytes that begin with a record. */
export function firstOwnField(part: Buffer, name: string): string | undefined {
  return firstIn(part, needleOf(name), isOwnField)
}

const copied = Buffer.from('"forkedFrom"')

/** Whether what is at this place is in a line that a fork copied. */
function isCopied(part: Buffer, at: number): boolean {
  const start = part.lastIndexOf(newline, at) + 1
  const end = part.indexOf(newline, at)
  return part.subarray(start, end < 0 ? part.length : end).includes(copied)
}

/** The earliest `timestamp` that is accepted. Times as they are written compare like texts. */
function earliestTimeIn(part: Buffer, accept: (part: Buffer, at: number) => boolean): string | undefined {
  const needle = needleOf('timestamp')
  let best: string | undefined
  for (let at = part.indexOf(needle); at >= 0; at = part.indexOf(needle, at + needle.length)) {
    const time = valueAfter(part, at + needle.length)
    if (time !== undefined && (best === undefined || time < best) && accept(part, at)) best = time
  }
  return best
}

/** The latest `timestamp` of a record: from the end, since the last one mostly is. */
function latestTimeIn(part: Buffer): string | undefined {
  const needle = needleOf('timestamp')
  let best: string | undefined
  for (let at = part.lastIndexOf(needle); at >= 0; at = at === 0 ? -1 : part.lastIndexOf(needle, at - 1)) {
    const time = valueAfter(part, at + needle.length)
    if (time !== undefined && (best === undefined || time > best) && isOwnField(part, at)) best = time
  }
  return best
}

function firstIn(part: Buffer, needle: Buffer, accept: (part: Buffer, at: number) => boolean): string | undefined {
  for (let at = part.indexOf(needle); at >= 0; at = part.indexOf(needle, at + 1)) {
    const value = accept(part, at) ? valueAfter(part, at + needle.length) : undefined
    if (value !== undefined) return value
  }
  return undefined
}

/** Whether what is at this place is in the record's own object. */
function isOwnField(part: Buffer, at: number): boolean {
  let depth = 0
  let inText = false
  for (let i = part.lastIndexOf(newline, at) + 1; i < at; i++) {
    const byte = part[i]
    if (inText) {
      if (byte === backslash) i++
      else if (byte === quote) inText = false
    } else if (byte === quote) inText = true
    else if (byte === 0x7b || byte === 0x5b) depth++
    else if (byte === 0x7d || byte === 0x5d) depth--
  }
  return depth === 1
}

/** The text or number after `"name"`; undefined where no colon follows, or it is neither. */
function valueAfter(part: Buffer, from: number): string | undefined {
  let at = from
  while (part[at] === 0x20) at++
  if (part[at] !== 0x3a) return undefined
  do at++
  while (part[at] === 0x20)
  if (part[at] !== quote) return /^\d+(\.\d+)?/.exec(part.toString('latin1', at, at + 32))?.[0]
  let end = at + 1
  while (end < part.length && part[end] !== quote) end += part[end] === backslash ? 2 : 1
  return end < part.length ? asString(parseJson(part.toString('utf8', at, end + 1))) : undefined
}

function lastIn(part: Buffer, needle: Buffer): string | undefined {
  for (let at = part.lastIndexOf(needle), tries = 0; at >= 0 && tries < mostTries; tries++) {
    const value = valueAfter(part, at + needle.length)
    if (value !== undefined) return value
    at = at === 0 ? -1 : part.lastIndexOf(needle, at - 1)
  }
  return undefined
}

/** Without an unfinished last line, which is not a record yet. */
function withoutTorn(tail: Buffer): Buffer {
  const end = tail.lastIndexOf(newline) + 1
  const isLong = end === 0 && tail.length >= windowBytes
  const isWhole = end === tail.length || isLong || isObject(parseJson(tail.toString('utf8', end)))
  return isWhole ? tail : tail.subarray(0, end)
}

/** Line by line from the end, parsing only those that may be of the types. A line that the part cuts off is not a record. */
function visitBackwards(part: Buffer, types: ReadonlySet<string>, visit: (record: JsonObject) => void): void {
  for (let end = part.length; end > 0; ) {
    const start = part.lastIndexOf(newline, end - 1) + 1
    if (mayBe(part, start, end, types)) {
      const value = parseJson(part.toString('utf8', start, end))
      if (isObject(value) && types.has(asString(value['type']) ?? '')) visit(value)
    }
    end = start - 1
  }
}

const typeFirst = Buffer.from('{"type":"')
// Lines that say how things are are short; one in another order of keys is looked for among these only.
const longestOdd = 4096

/**
 * Claude Code writes `type` first in such lines, other writers may not. With a parent first, only a summary is one, as
 * specification 001 has it.
 */
function mayBe(part: Buffer, start: number, end: number, types: ReadonlySet<string>): boolean {
  const first = part[start + 2]
  if (first === 0x74 && beginsWith(part, start, typeFirst)) {
    const from = start + typeFirst.length
    const to = part.indexOf(quote, from)
    return to >= 0 && to < end && types.has(part.toString('latin1', from, to))
  }
  if (end - start > longestOdd || end - start < typeFirst.length) return false
  const line = part.subarray(start, end)
  if (beginsWith(part, start, parentFirst)) return types.has('summary') && line.includes(needleOf('leafUuid'))
  for (const type of types) if (line.includes(needleOf(type))) return true
  return false
}

const parentFirst = Buffer.from('{"parentUuid"')

function beginsWith(part: Buffer, start: number, text: Buffer): boolean {
  for (let i = 0; i < text.length; i++) if (part[start + i] !== text[i]) return false
  return true
}
