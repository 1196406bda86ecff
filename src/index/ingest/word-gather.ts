// Gathers the words of many texts in memory: for each word its texts and places, as FTS5 writes them. The quick way for an
// index that is made anew; who stores it decides when there is enough.

import { runWasm, type WasmRun } from '../../base/wasm-code.ts'
import {
  arenaPlace,
  chunk,
  gatherFunctions,
  mostBytes,
  mostTerms,
  mostTokens,
  roomPerToken,
  shared,
  slotCount,
  slotsPlace,
  term,
  wordsPlace,
} from './word-gather-code.ts'

const arenaBytes = 16 * 1024 * 1024
const blank = 0x20
/** So many bytes of the beginning of a term and its number fit exactly into one number of JavaScript. */
const keyBytes = 4
const numbers = 2 ** 20

export class WordGather {
  private readonly bytes: Uint8Array
  private readonly numbers: Uint32Array
  private readonly run: WasmRun<keyof typeof gatherFunctions>['run']
  private readonly end: number
  private list = new Uint8Array(64 * 1024)

  constructor({ memory, run }: WasmRun<keyof typeof gatherFunctions>) {
    this.bytes = new Uint8Array(memory)
    this.numbers = new Uint32Array(memory)
    this.run = run
    this.end = memory.byteLength
    this.clear()
  }

  get isEmpty(): boolean {
    return this.numberAt(shared.terms) === 0
  }

  /** Whether there is room for one more text. */
  fits(words: Uint8Array): boolean {
    if (words.length >= mostBytes) return false
    const perToken = this.isEmpty ? roomPerToken.fresh : roomPerToken.usual
    return [() => (words.length >> 1) + 1, () => countBlanks(words) + 1].some(count => {
      const tokens = count()
      const needed = tokens * perToken + 2 * words.length
      return (
        tokens <= mostTokens &&
        tokens + this.numberAt(shared.terms) <= mostTerms &&
        needed <= this.end - this.numberAt(shared.top)
      )
    })
  }

  /** A text that fits: its words with blanks between; rows come in order. Gives how many words it has. */
  add(row: number, column: number, words: Uint8Array): number {
    this.bytes.set(words, wordsPlace)
    this.bytes[wordsPlace + words.length] = blank
    const next = this.run.read(wordsPlace, wordsPlace + words.length)
    this.run.note(row, column)
    return next - 1
  }

  /** All terms in order, each with its list, as parts of larger arrays that are used again. */
  each(take: (bytes: Uint8Array, from: number, to: number, list: Uint8Array, length: number) => void): void {
    for (const entry of this.sorted()) {
      const from = this.numberAt(entry + term.bytes)
      const length = this.copyList(entry)
      take(this.bytes, from, from + this.numberAt(entry + term.length), this.list, length)
    }
  }

  clear(): void {
    this.bytes.fill(0, slotsPlace, slotsPlace + 4 * slotCount)
    this.numbers[shared.top >> 2] = arenaPlace
    this.numbers[shared.terms >> 2] = 0
  }

  private numberAt(place: number): number {
    return this.numbers[place >> 2] as number
  }

  /** To `list`; gives its length. */
  private copyList(entry: number): number {
    const last = this.numberAt(entry + term.chunk)
    let length = 0
    for (let at = this.numberAt(entry + term.list); at !== 0; at = this.numberAt(at + chunk.next)) {
      const from = at + chunk.bytes
      const to = at === last ? this.numberAt(entry + term.place) : from + this.numberAt(at + chunk.used)
      if (length + to - from > this.list.length) this.grow()
      const { bytes, list } = this
      // A loop is quicker than a call for so few.
      for (let place = from; place < to; place++) list[length++] = bytes[place] as number
    }
    return length
  }

  private grow(): void {
    const larger = new Uint8Array(2 * this.list.length)
    larger.set(this.list)
    this.list = larger
  }

  private sorted(): Uint32Array {
    const entries = new Uint32Array(this.numberAt(shared.terms))
    let count = 0
    for (let slot = slotsPlace >> 2; slot < (slotsPlace >> 2) + slotCount; slot++) {
      const entry = this.numbers[slot] as number
      if (entry !== 0) entries[count++] = entry
    }
    this.sort(entries, 0)
    return entries
  }

  /** By their bytes from `depth` on, which are the same before it. No deeper than a term is long. */
  private sort(entries: Uint32Array, depth: number): void {
    const keys = new Float64Array(entries.length)
    for (let at = 0; at < entries.length; at++) keys[at] = this.keyOf(entries[at] as number, depth) * numbers + at
    keys.sort()
    const before = entries.slice()
    let same = 0
    for (let at = 0; at < entries.length; at++) {
      entries[at] = before[(keys[at] as number) % numbers] as number
      if (at > 0 && Math.floor((keys[at] as number) / numbers) !== Math.floor((keys[same] as number) / numbers)) {
        if (at - same > 1) this.sort(entries.subarray(same, at), depth + keyBytes)
        same = at
      }
    }
    if (entries.length - same > 1) this.sort(entries.subarray(same), depth + keyBytes)
  }

  /** The next bytes of a term as a number, zeros behind its end: no term has one. */
  private keyOf(entry: number, depth: number): number {
    const from = this.numberAt(entry + term.bytes) + depth
    const left = this.numberAt(entry + term.length) - depth
    let key = 0
    for (let at = 0; at < keyBytes; at++) key = key * 256 + (at < left ? (this.bytes[from + at] as number) : 0)
    return key
  }
}

function countBlanks(words: Uint8Array): number {
  let count = 0
  for (const byte of words) if (byte === blank) count++
  return count
}

/** Null where there is no WebAssembly with vectors. */
export function wordGather(): WordGather | null {
  const wasm = runWasm(gatherFunctions, arenaPlace + arenaBytes)
  return wasm === null ? null : new WordGather(wasm)
}
