// What every character is to the quick way of cutting words, in a table that its WebAssembly reads: what it is made of, and
// what letters beyond ASCII become. It learns characters as they come; what it cannot say in a few bytes it leaves to `Scan`.

import { foldCluster, kindOf, kinds } from './tokens-fold.ts'
import { ascii, foldWide, joinSigns } from './tokens-shape.ts'

/** Bits of a character, besides those of `kinds` for letters and digits, and `beyondHex`. */
export const bits = {
  /** Has what it becomes in `folds`; without being a letter or digit it belongs to a script without blanks. */
  wide: 16,
  /** Ends a word for sure. */
  sign: 32,
  /** May join two words. */
  join: 64,
  /** Not for the quick way: unknown as yet, a mark, half of a pair, or without a short form. */
  odd: 128,
} as const

/** Set beside `odd` when there is nothing more to learn. */
const learned = 64

/** Where things stand in memory: a byte for every character, then what it becomes: three bytes, and how many of them count. */
export const tableSize = 65_536
export const foldsPlace = tableSize
export const foldsSize = 4 * tableSize

const encoder = new TextEncoder()

export class TokenTable {
  private readonly table: Uint8Array
  private readonly folds: Uint32Array

  constructor(memory: ArrayBuffer) {
    this.table = new Uint8Array(memory, 0, tableSize)
    this.folds = new Uint32Array(memory, foldsPlace, tableSize)
    this.table.fill(bits.odd)
    ascii.forEach((kind, code) => {
      this.table[code] = kind === 0 ? bits.sign : kind
    })
    for (const code of joinSigns) this.table[code] = bits.join
  }

  learn(code: number): void {
    if (this.table[code] !== bits.odd) return
    const kind = kindOf(code)
    if (kind === kinds.mark || (code >= 0xd800 && code <= 0xdfff)) this.table[code] = bits.odd | learned
    else if (kind === kinds.separator) this.table[code] = bits.sign
    else this.learnLetter(code, kind)
  }

  private learnLetter(code: number, kind: number): void {
    const character = String.fromCharCode(code)
    const isUnspaced = kind === kinds.cjk
    const folded = foldCluster(character, kind)
    const bytes = encoder.encode(folded)
    const isShort = bytes.length > 0 && bytes.length <= 3
    if (!isShort || (!isUnspaced && foldWide(character) !== folded)) {
      this.table[code] = bits.odd | learned
      return
    }
    const [first = 0, second = 0, third = 0] = bytes
    this.folds[code] = first | (second << 8) | (third << 16) | (bytes.length << 24)
    this.table[code] = isUnspaced ? bits.wide : bits.wide | kind
  }
}
