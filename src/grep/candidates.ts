// Looks at raw bytes for lines that may hold a text, so that the others need not be decoded. It may name a line too many,
// never one too few. Nothing is parsed here.

import { newline } from '../base/bytes.ts'
import { finding, simdSlack, type Wanted } from '../base/simd-find.ts'
import { runWasm } from '../base/wasm-code.ts'
import { type ByteLook, ending, lineStarting } from '../decode/json-bytes.ts'
import { largestLine } from '../decode/lines.ts'
import { rangeReader } from '../disk/read/read.ts'
import type { ByteSource, GenerationId, RangeReader } from '../model/source.ts'

/** Whole lines of a file, as they lie there. */
export interface Region {
  bytes: Buffer
  /** From the start of the file. */
  offset: number
}

/** A part of a file: the lines that begin in it. */
export interface Range {
  generation: GenerationId
  from: number
  /** `Infinity`: to the end. */
  to: number
  /** The ends of a log, where summaries count; absent where nobody asks for those. */
  ends?: { headTo: number; tailFrom: number }
  /** How many bytes it has, where that is known. */
  bytes?: number
  /** Its lines are text, not records. */
  isText?: true
}

/** So much is read at once: it is still near the processor when it is looked at. */
const stepBytes = 256 * 1024
/** Lines up to this length are looked at where they were read. Memory is taken only as far as lines are that long. */
const placeBytes = 4 * 1024 * 1024

/** How bytes are looked at; other than usual only in tests. */
export interface Looking {
  placeBytes?: number
  usesVectors?: boolean
  /** Lines and texts of so many bytes are long. */
  leanBytes?: number
}

/** Memory to read into where nothing is looked for in it. */
export function plainPlace(looking: Looking = {}): Buffer {
  return Buffer.allocUnsafe(looking.placeBytes ?? placeBytes)
}

/**
 * The lines of a range, some at a time, read into the same place each time: their bytes are good until the next ones are
 * asked for. Lines that are too long to be decoded are left out.
 */
export function* regionsOf(source: ByteSource, range: Range, place: Buffer): Generator<Region> {
  const reader = rangeReader(source, range.generation)
  try {
    yield* new RegionReader(reader, range, place).regions()
  } finally {
    reader.close()
  }
}

/** Where a line lies in a file. */
export interface LinePlace {
  offset: number
  /** With its newline. */
  length: number
}

/** Some lines of a file whose places are known, one at a time. */
export function* linesAt(
  source: ByteSource,
  generation: GenerationId,
  places: readonly LinePlace[],
  place: Buffer,
): Generator<Region> {
  const reader = rangeReader(source, generation)
  try {
    for (const { offset, length } of places) {
      const into = length <= place.length ? place.subarray(0, length) : Buffer.allocUnsafe(length)
      // Less is there where the file was shortened meanwhile.
      yield { bytes: into.subarray(0, reader.read(into, offset)), offset }
    }
  } finally {
    reader.close()
  }
}

class RegionReader {
  private readonly reader: RangeReader
  private readonly place: Buffer
  private readonly to: number
  /** Where the first byte of the place stands in the file. */
  private at: number
  /** How many bytes of the place are read; none of them is a newline. */
  private filled = 0
  /** The line that begins before the range is another's. */
  private isSkipping: boolean

  constructor(reader: RangeReader, { from, to }: Range, place: Buffer) {
    this.reader = reader
    this.place = place
    this.to = to
    this.at = Math.max(0, from - 1)
    this.isSkipping = from > 0
  }

  *regions(): Generator<Region> {
    while (this.isSkipping || this.at < this.to) {
      const { place, filled } = this
      if (filled === place.length) {
        const line = this.longLine()
        if (line !== null) yield line
        continue
      }
      const wanted = Math.min(stepBytes, place.length - filled)
      const length = this.reader.read(place.subarray(filled, filled + wanted), this.at + filled)
      const fresh = place.subarray(filled, filled + length)
      const end = filled + length
      const last = fresh.lastIndexOf(newline)
      if (last !== -1) {
        const region = this.complete(filled + last + 1, end)
        if (region !== null) yield region
        this.keep(filled + last + 1, end)
      } else {
        this.filled = end
      }
      if (length < wanted) {
        if (this.filled > 0 && !this.isSkipping && this.at < this.to) {
          yield { bytes: place.subarray(0, this.filled), offset: this.at }
        }
        return
      }
    }
  }

  /** The lines that end before a place and begin in the range. */
  private complete(end: number, filled: number): Region | null {
    let from = 0
    if (this.isSkipping) {
      from = this.place.indexOf(newline) + 1
      this.isSkipping = false
    }
    // The line that holds the byte before the range's end is the last one.
    const edge = this.to - 1 - this.at
    const to =
      edge >= end ? end : Math.min(end, this.place.subarray(0, filled).indexOf(newline, Math.max(from, edge)) + 1)
    return from < to && this.at + from < this.to
      ? { bytes: this.place.subarray(from, to), offset: this.at + from }
      : null
  }

  /** What is left of the place goes to its front. */
  private keep(from: number, end: number): void {
    this.place.copyWithin(0, from, end)
    this.at += from
    this.filled = end - from
  }

  /** A line that does not fit; null where it is too long, or another's. */
  private longLine(): Region | null {
    const offset = this.at
    const parts: Buffer[] = [Buffer.from(this.place)]
    const step = Math.min(stepBytes, this.place.length)
    let length = this.filled
    for (;;) {
      const read = this.reader.read(this.place.subarray(0, step), offset + length)
      const end = this.place.subarray(0, read).indexOf(newline) + 1
      const part = this.place.subarray(0, end > 0 ? end : read)
      length += part.length
      // Only counted once it is too long.
      if (length > largestLine) parts.length = 0
      else parts.push(Buffer.from(part))
      if (end > 0 || read < step) break
    }
    this.at = offset + length
    this.filled = 0
    if (this.isSkipping) {
      this.isSkipping = false
      return null
    }
    return length > largestLine ? null : { bytes: Buffer.concat(parts), offset }
  }
}

/** Tells lines that may hold one of several texts from those that cannot. */
export class ByteFilter {
  /** Where regions are best read into. */
  readonly place: Buffer
  private readonly texts: readonly string[]
  private readonly ignoresCase: boolean
  /** Sees what lies in the place; null where the machine has no vectors. */
  readonly look: FilterLook | null
  private readonly anyCase: RegExp

  /** One of the texts must occur; they are plain ASCII. */
  constructor(texts: readonly string[], ignoresCase: boolean, looking: Looking = {}) {
    this.texts = ignoresCase ? texts.map(text => text.toLowerCase()) : texts
    this.ignoresCase = ignoresCase
    const escaped = texts.map(text => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    this.anyCase = new RegExp(escaped.join('|'), 'gi')
    const size = looking.placeBytes ?? placeBytes
    // NULs inside a line are taken out before it is parsed: they may stand in the middle of the text.
    const wanted = { texts: this.texts, ignoresCase, bytes: [0] }
    this.look = looking.usesVectors === false ? null : filterLook(wanted, size)
    this.place = this.look === null ? plainPlace(looking) : bufferOf(this.look.bytes, size)
  }

  /** Whether a record that is a summary may lie between two places. Inside a text of the log its quotes would be escaped. */
  hasSummary(bytes: Buffer, from: number, to: number): boolean {
    const { look } = this
    if (look === null || bytes.buffer !== look.bytes.buffer) {
      // It may begin before the end.
      return bytes.subarray(from, to + summaryType.length).includes(summaryType)
    }
    const base = bytes.byteOffset - look.bytes.byteOffset
    const end = base + to
    for (let at = look.findSummary(base + from, end); at < end; at = look.findSummary(at + 1, end)) {
      if (bytes[at - base - 1] === quote && bytes[at - base + summaryWord.length] === quote) return true
    }
    return false
  }

  /** The lines of a region that have to be decoded. */
  *candidates({ bytes, offset }: Region): Generator<Region> {
    const find = this.placesIn(bytes)
    for (let from = 0; from < bytes.length; ) {
      const next = find(from)
      if (next === -1) return
      const start = next === 0 ? 0 : bytes.lastIndexOf(newline, next - 1) + 1
      const end = bytes.indexOf(newline, next)
      from = end === -1 ? bytes.length : end + 1
      yield { bytes: bytes.subarray(start, from), offset: offset + start }
    }
  }

  /** Finds the next place where a text may begin, or something that may hide one; -1 where there is none. */
  placesIn(bytes: Buffer): (from: number) => number {
    const { look } = this
    if (look !== null && bytes.buffer === look.bytes.buffer) {
      return firstOf(from => this.nextByVectors(look, bytes, from))
    }
    const nul = firstOf(from => bytes.indexOf(0, from))
    const escaped = firstOf(from => nextEscape(bytes, from))
    const found = this.ignoresCase ? [this.anyCaseFinder(bytes)] : this.texts.map(text => finderOf(bytes, text))
    return from => found.reduce((best, find) => least(best, find(from)), least(nul(from), escaped(from)))
  }

  private nextByVectors(look: ByteLook, bytes: Buffer, from: number): number {
    const base = bytes.byteOffset - look.bytes.byteOffset
    const end = base + bytes.length
    for (let at = look.find(base + from, end); at < end; at = look.find(at + 1, end)) {
      if (this.isAt(bytes, at - base)) return at - base
    }
    return -1
  }

  private isAt(bytes: Buffer, at: number): boolean {
    return bytes[at] === 0 || isEscape(bytes, at) || this.texts.some(text => isText(bytes, at, text, this.ignoresCase))
  }

  private anyCaseFinder(bytes: Buffer): (from: number) => number {
    const text = bytes.toString('latin1')
    return firstOf(from => {
      this.anyCase.lastIndex = from
      return this.anyCase.exec(text)?.index ?? -1
    })
  }
}

const quote = 0x22
const summaryWord = 'summary'
const summaryType = Buffer.from(`"${summaryWord}"`)

interface FilterLook extends ByteLook {
  /** The same as `find` for the name of summaries. */
  findSummary(from: number, to: number): number
}

/** Null where the machine has no vectors. */
function filterLook(wanted: Wanted, size: number): FilterLook | null {
  const functions = {
    find: finding(wanted),
    findSummary: finding({ texts: [summaryWord], ignoresCase: false, isPlain: true }),
    lineStart: lineStarting,
    plainEnd: ending(false),
    textEnd: ending(true),
  }
  const wasm = runWasm(functions, size + simdSlack)
  return wasm === null ? null : { bytes: new Uint8Array(wasm.memory, 0, size + 1), ...wasm.run }
}

function bufferOf({ buffer, byteOffset }: Uint8Array, length: number): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

function finderOf(bytes: Buffer, text: string): (from: number) => number {
  const wanted = Buffer.from(text, 'latin1')
  return firstOf(from => bytes.indexOf(wanted, from))
}

/** Asks again only where the last answer lies behind. */
function firstOf(find: (from: number) => number): (from: number) => number {
  let at = -2
  return from => {
    if (at === -2 || (at !== -1 && at < from)) at = find(from)
    return at
  }
}

function least(one: number, other: number): number {
  if (one === -1 || other === -1) return Math.max(one, other)
  return Math.min(one, other)
}

function isText(bytes: Buffer, at: number, text: string, ignoresCase: boolean): boolean {
  if (at + text.length > bytes.length) return false
  for (let index = 0; index < text.length; index++) {
    const wanted = text.charCodeAt(index)
    const byte = bytes[at + index] ?? 0
    const isCapital = ignoresCase && byte >= 0x41 && byte <= 0x5a
    if ((isCapital ? byte + 0x20 : byte) !== wanted) return false
  }
  return true
}

const escapeStart = Buffer.from('\\u00')

/** A printable ASCII character that is written as an escape: `\u0061`. Control characters are none. */
function isEscape(bytes: Buffer, at: number): boolean {
  const digit = bytes[at + 4] ?? 0
  return (
    digit >= 0x32 &&
    digit <= 0x37 &&
    bytes[at] === 0x5c &&
    bytes[at + 1] === 0x75 &&
    bytes[at + 2] === 0x30 &&
    bytes[at + 3] === 0x30
  )
}

function nextEscape(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(escapeStart, from); at !== -1; at = bytes.indexOf(escapeStart, at + 4)) {
    if (isEscape(bytes, at)) return at
  }
  return -1
}

/** Whether a key or an id may be spelled in a way that only parsing tells. */
export function isOddlySpelled({ bytes }: Region): boolean {
  return bytes.indexOf(0) !== -1 || nextEscape(bytes, 0) !== -1
}

const uuidKey = Buffer.from('"uuid"')

/** All values of `uuid` in a region, with the place where each stands in the file. */
export function* uuidsIn({ bytes, offset }: Region): Generator<[uuid: string, at: number]> {
  for (let at = bytes.indexOf(uuidKey); at !== -1; at = bytes.indexOf(uuidKey, at + 6)) {
    let from = at + uuidKey.length
    while (bytes[from] === 0x20 || bytes[from] === 0x3a || bytes[from] === 0x09) from++
    if (bytes[from] !== 0x22) continue
    const to = bytes.indexOf(0x22, from + 1)
    if (to !== -1) yield [bytes.toString('latin1', from + 1, to), offset + at]
  }
}
