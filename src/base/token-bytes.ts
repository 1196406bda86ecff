// The tokens of many texts as UTF-8, one text after the other in one array: what `textToTokens` gives, without making a string
// for every token.

import { textCodes } from './text-codes.ts'
import { codesHash } from './text-hash.ts'
import { longestText } from './token-code.ts'
import { type TextCopy, type TokenCut, tokenCut } from './token-cut.ts'
import { border, Scan, type TokenSink } from './tokens.ts'

const encoder = new TextEncoder()
const blank = 0x20
const noCodes = new Uint16Array(1)

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

  append(bytes: Uint8Array, from: number, to: number): void {
    if (to <= from) return
    this.reserve(to - from)
    this.array.set(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to), this.length)
    this.length += to - from
  }
}

/** To make the quick way ready takes as long as to cut so many characters without it. */
const quickFrom = 48 * 1024
let seen = 0

export interface TokenOptions {
  /** A quicker way to the code units of a text than to ask for one after the other. */
  copy?: TextCopy
  /** Absent: from when on it pays. */
  isQuick?: boolean
}

export class TokenBytes implements TokenSink {
  private units = new Bytes()
  private readonly wholes = new Bytes()
  private readonly options: TokenOptions
  private quick: TokenCut | null = null
  private written = ''
  private codes: Uint16Array = noCodes
  private start = 0
  private next = 0

  constructor(options: TokenOptions = {}) {
    this.options = options
  }

  /** Takes a text up and tells its hash: who knows the text already need not `add` it. */
  load(text: string, seed: number): number {
    this.written = text
    seen += text.length
    const isQuick = this.options.isQuick ?? seen >= quickFrom
    this.quick = isQuick && text.length <= longestText ? tokenCut() : null
    if (this.quick !== null) {
      this.quick.load(text, this.options.copy)
      return this.quick.hash(seed)
    }
    this.codes = textCodes(text)
    return codesHash(this.codes, text.length, seed)
  }

  /** Where the tokens of the text that was taken up begin and end in what `take` gives. */
  add(): { from: number; to: number } {
    this.start = this.units.length
    this.wholes.length = 0
    this.next = 0
    const { quick, written } = this
    if (quick === null) new Scan(written, this.codes, this).all()
    else this.cut(quick)
    const { units, wholes } = this
    if (wholes.length > 0) {
      units.reserve(2 + wholes.length)
      units.array[units.length++] = blank
      units.array[units.length++] = border.charCodeAt(0)
      units.append(wholes.array, 0, wholes.length)
    }
    return { from: this.start, to: units.length }
  }

  /** The quick way, and at the places that it leaves out the other one. */
  private cut(quick: TokenCut): void {
    const { written } = this
    // Another one may have used it meanwhile.
    if (quick.text !== written) quick.load(written, this.options.copy)
    this.codes = quick.codes
    quick.plainUntil = 0
    let scan: Scan | null = null
    for (let at = 0; ; ) {
      const stop = quick.cut(at)
      const { units, wholes } = quick
      // The first unit of a text has no blank before it.
      this.units.append(units, this.units.length === this.start ? 1 : 0, units.length)
      this.wholes.append(wholes, 0, wholes.length)
      if (stop >= written.length) return
      scan ??= new Scan(written, this.codes, this)
      scan.plainUntil = quick.plainUntil
      at = scan.step(stop)
      quick.plainUntil = scan.plainUntil
      quick.learn(stop, at + 1)
    }
  }

  /** All bytes so far, in an array of their own; then it begins anew. */
  take(): Uint8Array {
    const bytes = this.units.array.slice(0, this.units.length)
    this.units.length = 0
    return bytes
  }

  plain(from: number, end: number, _to: number, position: number): void {
    const { codes } = this
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
