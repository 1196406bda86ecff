// The tokens of many texts as UTF-8, one text after the other in one array: what `textToTokens` gives, without making a string
// for every token.

import { TextCodes } from './text-codes.ts'
import { codesHash } from './text-hash.ts'
import { border, Scan, type TokenSink } from './tokens.ts'
import { plainEnd } from './tokens-shape.ts'

const encoder = new TextEncoder()
const blank = 0x20

class Bytes {
  array = new Uint8Array(64 * 1024)
  length = 0

  /** Makes room for so many more. */
  reserve(more: number): void {
    if (this.length + more <= this.array.length) return
    const larger = new Uint8Array(Math.max(this.array.length * 2, this.length + more))
    larger.set(this.array.subarray(0, this.length))
    this.array = larger
  }
}

export class TokenBytes implements TokenSink {
  private units = new Bytes()
  private readonly wholes = new Bytes()
  private readonly text = new TextCodes()
  private written = ''
  private start = 0
  private next = 0

  /** Takes a text up and tells its hash: who knows the text already need not `add` it. */
  load(text: string, seed: number): number {
    this.written = text
    this.text.load(text)
    return codesHash(this.text.codes, this.text.length, seed)
  }

  /** Where the tokens of the text that was taken up begin and end in what `take` gives. */
  add(): { from: number; to: number } {
    this.start = this.units.length
    this.wholes.length = 0
    this.next = 0
    this.scan()
    const { units, wholes } = this
    if (wholes.length > 0) {
      units.reserve(2 + wholes.length)
      units.array[units.length++] = blank
      units.array[units.length++] = border.charCodeAt(0)
      units.array.set(wholes.array.subarray(0, wholes.length), units.length)
      units.length += wholes.length
    }
    return { from: this.start, to: units.length }
  }

  /** Plain words, which most are, are written at once; the rest is left to the scan. */
  private scan(): void {
    const { codes, length } = this.text
    const scan = new Scan(this.written, codes, this)
    // Every character gives at most itself and a blank; what gives more makes room by itself.
    this.units.reserve(2 * length + 2)
    let at = 0
    while (at < length) {
      const code = codes[at] as number
      const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a
      if (!isLetter && (code < 0x30 || code > 0x39)) {
        at = code < 0x80 ? at + 1 : scan.step(at)
        continue
      }
      const end = plainEnd(codes, at)
      if (end > at) this.plain(at, end, end, scan.position++)
      at = end > at ? end : scan.chain(at)
    }
  }

  /** All bytes so far, in an array of their own; then it begins anew. */
  take(): Uint8Array {
    const bytes = this.units.array.slice(0, this.units.length)
    this.units.length = 0
    return bytes
  }

  plain(from: number, end: number, _to: number, position: number): void {
    const { codes } = this.text
    const bytes = this.begin(position, end - from)
    const { array } = bytes
    let at = bytes.length
    for (let place = from; place < end; place++) {
      const code = codes[place] as number
      array[at++] = code >= 0x41 && code <= 0x5a ? code | 0x20 : code
    }
    bytes.length = at
  }

  other(token: string, _from: number, _to: number, position: number): void {
    const bytes = this.begin(position, token.length * 3)
    bytes.length += encoder.encodeInto(token, bytes.array.subarray(bytes.length)).written
  }

  /** A token is a unit exactly if its position is one beyond the last unit's. */
  private begin(position: number, size: number): Bytes {
    const isUnit = position === this.next
    const bytes = isUnit ? this.units : this.wholes
    bytes.reserve(size + 1)
    if (!isUnit || bytes.length > this.start) bytes.array[bytes.length++] = blank
    if (isUnit) this.next++
    return bytes
  }
}
