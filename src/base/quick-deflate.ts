// Compresses bytes to a DEFLATE stream (RFC 1951) some times as quickly as zlib does, and a little less: of the repeats that
// could be used it takes the last that it remembers. Where there is no WebAssembly, it is not there.

import {
  type Bits,
  bitsWith,
  blockCounts,
  fixedCodes,
  ownCodes,
  putTables,
  type SymbolNumbers,
} from './quick-deflate-block.ts'
import {
  distanceBits,
  distanceCounts,
  emit,
  inputStart,
  lengthBits,
  lengthCounts,
  literalBits,
  literalCounts,
  parse,
  seenBytes,
  shortestFound,
  slack,
  tokenBytes,
} from './quick-deflate-code.ts'
import { runWasm, type WasmRun } from './wasm-code.ts'

/** A block has codes of its own, which suit less the more it holds; telling them costs some hundred bytes. */
const blockBytes = 256 * 1024
/** What is left is not made a block of its own where it is less than half of one. */
const longestBlock = 1.5 * blockBytes

/** A block without compression is as long as two bytes can tell. */
const storedBytes = 65_535
const storedHeader = 5
const storedKind: Bits = 2

const lastBit = (isLast: boolean): Bits => (isLast ? 0x101 : 1)

/** Where things begin in memory. */
interface Places {
  tokens: number
  /** The literals that tokens speak of. */
  literals: number
  output: number
}

/** Compresses quickly, one thing after the other. What it gives is a copy. */
export class QuickDeflate {
  private readonly largest: number
  private readonly places: Places
  private readonly run: WasmRun<'parse' | 'emit'>['run']
  private readonly bytes: Uint8Array
  private readonly allCounts: Uint32Array
  private readonly counts: SymbolNumbers
  private readonly tables: SymbolNumbers
  /** Where the next bit goes, counted from the start of memory. */
  private bit = 0

  /** `largest`: the most bytes that are compressed at once. Null without WebAssembly. */
  static make(largest: number): QuickDeflate | null {
    const tokens = inputStart + Math.ceil((largest + slack) / 8) * 8
    const literals = tokens + (Math.ceil(longestBlock / shortestFound) + 1) * tokenBytes
    const output = literals + longestBlock + slack
    const size = output + storedSize(largest) + Math.ceil(largest / blockBytes) * storedHeader + slack
    const wasm = runWasm({ parse, emit }, size)
    return wasm === null ? null : new QuickDeflate(largest, { tokens, literals, output }, wasm)
  }

  private constructor(largest: number, places: Places, { memory, run }: WasmRun<'parse' | 'emit'>) {
    const view = (place: number, length: number) => new Uint32Array(memory, place, length)
    this.largest = largest
    this.places = places
    this.run = run
    this.bytes = new Uint8Array(memory)
    this.allCounts = view(literalCounts, (literalBits - literalCounts) / 4)
    this.counts = {
      literals: view(literalCounts, 256),
      lengths: view(lengthCounts, 256),
      distances: view(distanceCounts, 32),
    }
    this.tables = {
      literals: view(literalBits, 256),
      lengths: view(lengthBits, 256),
      distances: view(distanceBits, 32),
    }
  }

  /** A whole stream, with so many bytes left free before and behind it: in `room` where it fits, else on its own. */
  deflate(raw: Uint8Array, before = 0, behind = 0, room?: Uint8Array): Uint8Array {
    if (raw.length > this.largest) throw new RangeError(`more than ${this.largest} bytes at once`)
    const { bytes } = this
    const { output } = this.places
    const end = inputStart + raw.length
    bytes.set(raw, inputStart)
    bytes.fill(0, end, end + slack)
    bytes.fill(0, 0, seenBytes)
    this.bit = output * 8
    const length = Math.ceil(raw.length / Math.max(1, Math.round(raw.length / blockBytes)))
    let from = inputStart
    do {
      const to = Math.min(end, from + length)
      this.putBlock(from, to, to === end)
      from = to
    } while (from < end)
    const stream = bytes.subarray(output, Math.ceil(this.bit / 8))
    const size = before + stream.length + behind
    const copy = room !== undefined && room.length >= size ? room.subarray(0, size) : new Uint8Array(size)
    copy.set(stream, before)
    return copy
  }

  private putBlock(from: number, to: number, isLast: boolean): void {
    const { tokens, literals } = this.places
    this.allCounts.fill(0)
    const tokensEnd = this.run.parse(from, to, tokens, literals)
    const counts = blockCounts(this.counts)
    const own = ownCodes(counts)
    const ownBits = bitsWith(own, counts)
    const fixedBits = bitsWith(fixedCodes, counts)
    if (8 * storedSize(to - from) <= Math.min(ownBits, fixedBits)) {
      this.putStored(from, to, isLast)
      return
    }
    const codes = fixedBits < ownBits ? fixedCodes : own
    this.putBits([lastBit(isLast)])
    this.putBits(codes.header)
    const blockEnd = putTables(codes, this.tables)
    this.bit = this.run.emit(tokens, tokensEnd, literals, this.bit)
    this.putBits([blockEnd])
  }

  private putStored(from: number, to: number, isLast: boolean): void {
    const { bytes } = this
    let at = from
    do {
      const end = Math.min(to, at + storedBytes)
      this.putBits([lastBit(isLast && end === to), storedKind])
      const place = Math.ceil(this.bit / 8)
      const length = end - at
      bytes.set([length & 255, length >> 8, ~length & 255, (~length >> 8) & 255], place)
      bytes.copyWithin(place + 4, at, end)
      this.bit = (place + 4 + length) * 8
      at = end
    } while (at < to)
  }

  private putBits(all: readonly Bits[]): void {
    const { bytes } = this
    let place = this.bit >> 3
    let count = this.bit & 7
    let held = (bytes[place] as number) & (2 ** count - 1)
    for (const bits of all) {
      held |= (bits >> 8) << count
      count += bits & 255
      for (; count >= 8; count -= 8, held >>= 8) bytes[place++] = held & 255
    }
    bytes[place] = held
    this.bit = place * 8 + count
  }
}

/** Bytes of blocks without compression, at most. */
function storedSize(length: number): number {
  return length + Math.max(1, Math.ceil(length / storedBytes)) * storedHeader
}
