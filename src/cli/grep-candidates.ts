// Looks at raw bytes for lines that may hold a text, so that the others need not be decoded. It may name a line too many,
// never one too few. Nothing is parsed here.

import { newline } from '../base/bytes.ts'
import { largestLine } from '../decode/lines.ts'
import type { ByteSource, LogFile } from '../model/source.ts'

/** Whole lines of a file, as they lie there. */
export interface Region {
  bytes: Buffer
  /** From the start of the file. */
  offset: number
}

/** All lines of a file's first `to` bytes, some at a time; lines that are too long to be decoded are left out. */
export async function* regionsOf(
  source: ByteSource,
  log: LogFile,
  to = Number.POSITIVE_INFINITY,
): AsyncGenerator<Region> {
  let held: Buffer[] = []
  let heldBytes = 0
  let offset = 0
  for await (const chunk of source.read(log.generation, 0, to)) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    const end = bytes.lastIndexOf(newline) + 1
    let from = 0
    if (end > 0 && heldBytes > 0) {
      from = bytes.indexOf(newline) + 1
      const line = heldBytes + from
      if (line <= largestLine) yield { bytes: Buffer.concat([...held, bytes.subarray(0, from)]), offset }
      offset += line
      held = []
      heldBytes = 0
    }
    if (end > from) {
      yield { bytes: bytes.subarray(from, end), offset }
      offset += end - from
    }
    heldBytes += bytes.length - Math.max(from, end)
    // Only counted once it is too long.
    if (heldBytes > largestLine) held = []
    else if (Math.max(from, end) < bytes.length) held.push(bytes.subarray(Math.max(from, end)))
  }
  if (heldBytes > 0 && heldBytes <= largestLine) yield { bytes: Buffer.concat(held), offset }
}

/** Finds the next place that makes a line a candidate. */
type Finder = (from: number) => number

export class ByteFilter {
  private readonly needles: Buffer[]
  private readonly anyCase: RegExp | undefined

  /** One of the texts must occur; they are plain ASCII. */
  constructor(texts: readonly string[], ignoresCase: boolean) {
    this.needles = ignoresCase ? [] : texts.map(text => Buffer.from(text, 'latin1'))
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
    const finders: Finder[] = this.needles.map(needle => from => bytes.indexOf(needle, from))
    const { anyCase } = this
    if (anyCase !== undefined) {
      const text = bytes.toString('latin1')
      finders.push(from => {
        anyCase.lastIndex = from
        return anyCase.exec(text)?.index ?? -1
      })
    }
    // NULs inside a line are taken out before it is parsed: they may stand in the middle of the text.
    finders.push(from => nextEscape(bytes, from), from => bytes.indexOf(0, from))
    return finders
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
