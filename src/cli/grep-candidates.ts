// Looks at raw bytes for lines that may hold a text, so that the others need not be decoded. It may name a line too many,
// never one too few. Nothing is parsed here.

import { newline } from '../base/bytes.ts'
import { largestLine } from '../decode/lines.ts'
import { chunkBytes } from '../disk/read.ts'
import type { ByteSource, LogFile } from '../model/source.ts'

/** Whole lines of a file, as they lie there. */
export interface Region {
  bytes: Buffer
  /** From the start of the file. */
  offset: number
}

/**
 * All lines of a file's first `to` bytes, some at a time; lines that are too long to be decoded are left out. The bytes of a
 * region are good until the next one is asked for.
 */
export async function* regionsOf(
  source: ByteSource,
  log: LogFile,
  to = Number.POSITIVE_INFINITY,
): AsyncGenerator<Region> {
  const open = new OpenLine()
  let offset = 0
  for await (const bytes of chunksOf(source, log, to)) {
    const end = bytes.lastIndexOf(newline) + 1
    let from = 0
    if (end > 0 && open.length > 0) {
      from = bytes.indexOf(newline) + 1
      const length = open.length + from
      const line = open.close(bytes.subarray(0, from))
      if (line !== null) yield { bytes: line, offset }
      offset += length
    }
    if (end > from) {
      yield { bytes: bytes.subarray(from, end), offset }
      offset += end - from
    }
    open.add(bytes.subarray(Math.max(from, end)))
  }
  const rest = open.length > 0 ? open.close(Buffer.alloc(0)) : null
  if (rest !== null) yield { bytes: rest, offset }
}

/** The beginning of a line whose end is not read yet. */
class OpenLine {
  length = 0
  private parts: Buffer[] = []

  add(part: Buffer): void {
    if (part.length === 0) return
    this.length += part.length
    // Only counted once it is too long.
    if (this.length > largestLine) this.parts = []
    else this.parts.push(Buffer.from(part))
  }

  /** The whole line; null where it is too long. */
  close(end: Buffer): Buffer | null {
    const isTooLong = this.length + end.length > largestLine
    const line = isTooLong ? null : Buffer.concat([...this.parts, end])
    this.parts = []
    this.length = 0
    return line
  }
}

/** Into the same place each time where the source can do that: new memory for every chunk takes longer than looking at it. */
async function* chunksOf(source: ByteSource, log: LogFile, to: number): AsyncGenerator<Buffer> {
  if (source.openSync === undefined) {
    for await (const chunk of source.read(log.generation, 0, to)) {
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    }
    return
  }
  const reader = source.openSync(log.generation)
  try {
    const place = Buffer.allocUnsafe(Math.max(1, Math.min(chunkBytes, log.size + 1, to)))
    for (let at = 0; at < to; ) {
      const length = reader.read(place.subarray(0, Math.min(place.length, to - at)), at)
      if (length === 0) return
      yield place.subarray(0, length)
      at += length
    }
  } finally {
    reader.close()
  }
}

/** Finds the next place that makes a line a candidate. */
type Finder = (from: number) => number

export class ByteFilter {
  private readonly needles: Needle[]
  private readonly anyCase: RegExp | undefined

  /** One of the texts must occur; they are plain ASCII. */
  constructor(texts: readonly string[], ignoresCase: boolean) {
    this.needles = ignoresCase ? [] : texts.map(text => new Needle(text))
    const escaped = texts.map(text => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    if (ignoresCase) this.anyCase = new RegExp(escaped.join('|'), 'gi')
  }

  /** The lines of a region that have to be decoded. */
  *candidates({ bytes, offset }: Region): Generator<Region> {
    const finders = this.finders(bytes).map(find => ({ find, at: find(0) }))
    for (let from = 0; from < bytes.length; ) {
      let next = -1
      for (const finder of finders) {
        if (finder.at !== -1 && finder.at < from) finder.at = finder.find(from)
        if (finder.at !== -1 && (next === -1 || finder.at < next)) next = finder.at
      }
      if (next === -1) return
      const start = next === 0 ? 0 : bytes.lastIndexOf(newline, next - 1) + 1
      const end = bytes.indexOf(newline, next)
      from = end === -1 ? bytes.length : end + 1
      yield { bytes: bytes.subarray(start, from), offset: offset + start }
    }
  }

  private finders(bytes: Buffer): Finder[] {
    const finders: Finder[] = this.needles.map(needle => from => needle.next(bytes, from))
    const { anyCase } = this
    if (anyCase !== undefined) {
      const text = bytes.toString('latin1')
      finders.push(from => {
        anyCase.lastIndex = from
        return anyCase.exec(text)?.index ?? -1
      })
    }
    // NULs inside a line are taken out before it is parsed: they may stand in the middle of the text.
    finders.push(
      from => nextEscape(bytes, from),
      from => bytes.indexOf(0, from),
    )
    return finders
  }
}

/** Characters of logs, the most frequent first; those that are missing are rare. */
const frequent = ' eatoinsrlcdumhp0_123fg4.5b-67y89w:v,k={}[]()'

/** A text in bytes. The search runs from frequent letter to frequent letter, so it begins at the rarest one. */
class Needle {
  private readonly head: Buffer
  private readonly tail: Buffer

  constructor(text: string) {
    const rank = (at: number) => {
      const place = frequent.indexOf(text[at] ?? ' ')
      return place === -1 ? frequent.length : place
    }
    let rarest = 0
    for (let at = 1; at <= text.length - 2; at++) if (rank(at) > rank(rarest)) rarest = at
    this.head = Buffer.from(text.slice(0, rarest), 'latin1')
    this.tail = Buffer.from(text.slice(rarest), 'latin1')
  }

  next(bytes: Buffer, from: number): number {
    const { head, tail } = this
    let at = bytes.indexOf(tail, from + head.length)
    while (at !== -1 && bytes.compare(head, 0, head.length, at - head.length, at) !== 0)
      at = bytes.indexOf(tail, at + 1)
    return at === -1 ? -1 : at - head.length
  }
}

const escapeStart = Buffer.from('\\u00')

/** The next printable ASCII character that is written as an escape: `\u0061`. Control characters are none. */
function nextEscape(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(escapeStart, from); at !== -1; at = bytes.indexOf(escapeStart, at + 4)) {
    const digit = bytes[at + 4] ?? 0
    if (digit >= 0x32 && digit <= 0x37) return at
  }
  return -1
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
