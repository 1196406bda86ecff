// The codes of one block of a DEFLATE stream (RFC 1951, 3.2.5 to 3.2.7): which they are, how long the block gets with them,
// and the header that tells them. What is between header and end is written elsewhere.

import { codeLengths, codesOf } from './quick-deflate-codes.ts'

/** Literals, then the end of the block, then lengths of repeats. */
const symbolCount = 288
const blockEnd = 256
const firstLength = 257
const lengthSymbols = 29
const distanceCount = 32

/** So that four literals, or a repeat, fit into eight bytes with what is left of the byte before. */
const longestCode = 14
const longestHeaderCode = 7

/** In this order a header tells the lengths of the codes that it tells the others with. */
const headerOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
/** Extra bits of these: how often a length, or none, is meant. */
const headerExtra = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 3, 7]

/** Of each symbol for lengths of repeats; lengths are told less the shortest. */
const lengthExtra = new Uint8Array(lengthSymbols)
const lengthStart = new Uint16Array(lengthSymbols + 1)
for (let symbol = 0; symbol < lengthSymbols - 1; symbol++) {
  lengthExtra[symbol] = Math.max(0, (symbol >> 2) - 1)
  lengthStart[symbol + 1] = (lengthStart[symbol] as number) + 2 ** (lengthExtra[symbol] as number)
}
// The longest has a symbol of its own, which the one before would reach, too.
lengthStart[lengthSymbols - 1] = 255
lengthStart[lengthSymbols] = 256

/** A number of each literal, length of a repeat less the shortest, and distance symbol. */
export interface SymbolNumbers {
  literals: Uint32Array
  lengths: Uint32Array
  distances: Uint32Array
}

/** How often symbols occur. */
interface BlockCounts {
  symbols: Uint32Array
  distances: Uint32Array
}

/** How many bits symbols have, and what has to be told of that. */
interface BlockCodes {
  symbols: Uint8Array
  distances: Uint8Array
  header: readonly Bits[]
}

/** How many bits, in the lowest byte; they themselves above it, the first lowest. */
export type Bits = number

const bitsOf = (value: number, count: number): Bits => (value << 8) | count

/** Lengths that have a symbol in common are counted together, and the end of the block is one. */
export function blockCounts({ literals, lengths, distances }: SymbolNumbers): BlockCounts {
  const symbols = new Uint32Array(symbolCount)
  symbols.set(literals)
  symbols[blockEnd] = 1
  for (let symbol = 0; symbol < lengthSymbols; symbol++) {
    let count = 0
    const end = lengthStart[symbol + 1] as number
    for (let at = lengthStart[symbol] as number; at < end; at++) count += lengths[at] as number
    symbols[firstLength + symbol] = count
  }
  return { symbols, distances }
}

/** The codes that need no telling: good for little. */
export const fixedCodes: BlockCodes = {
  symbols: new Uint8Array(symbolCount).fill(8).fill(9, 144, 256).fill(7, 256, 280),
  distances: new Uint8Array(distanceCount).fill(5),
  header: [bitsOf(1, 2)],
}

/** The codes that suit a block. */
export function ownCodes(counts: BlockCounts): BlockCodes {
  const symbols = codeLengths(counts.symbols, longestCode)
  const distances = codeLengths(counts.distances, longestCode)
  return { symbols, distances, header: headerOf(symbols, distances) }
}

/** How many bits a block has with these codes. */
export function bitsWith(codes: BlockCodes, counts: BlockCounts): number {
  let bits = 1
  for (const told of codes.header) bits += told & 255
  for (let symbol = 0; symbol < symbolCount; symbol++) {
    bits += (counts.symbols[symbol] as number) * (codes.symbols[symbol] as number)
  }
  for (let symbol = 0; symbol < lengthSymbols; symbol++) {
    bits += (counts.symbols[firstLength + symbol] as number) * (lengthExtra[symbol] as number)
  }
  for (let symbol = 0; symbol < distanceCount; symbol++) {
    const extra = Math.max(0, (symbol >> 1) - 1)
    bits += (counts.distances[symbol] as number) * ((codes.distances[symbol] as number) + extra)
  }
  return bits
}

/** Fills the tables with the bits of each, those of lengths with their extra bits. Gives what ends the block. */
export function putTables(codes: BlockCodes, tables: SymbolNumbers): Bits {
  const symbols = codesOf(codes.symbols)
  const distances = codesOf(codes.distances)
  for (let at = 0; at < 256; at++) {
    tables.literals[at] = bitsOf(symbols[at] as number, codes.symbols[at] as number)
  }
  for (let symbol = 0; symbol < lengthSymbols; symbol++) {
    const code = symbols[firstLength + symbol] as number
    const count = codes.symbols[firstLength + symbol] as number
    const all = count + (lengthExtra[symbol] as number)
    const start = lengthStart[symbol] as number
    const end = lengthStart[symbol + 1] as number
    for (let at = start; at < end; at++) tables.lengths[at] = bitsOf(((at - start) << count) | code, all)
  }
  for (let at = 0; at < distanceCount; at++) {
    tables.distances[at] = bitsOf(distances[at] as number, codes.distances[at] as number)
  }
  return bitsOf(symbols[blockEnd] as number, codes.symbols[blockEnd] as number)
}

function headerOf(symbols: Uint8Array, distances: Uint8Array): Bits[] {
  const symbolEnd = usedEnd(symbols, firstLength)
  const distanceEnd = usedEnd(distances, 1)
  const told = new Uint8Array(symbolEnd + distanceEnd)
  told.set(symbols.subarray(0, symbolEnd))
  told.set(distances.subarray(0, distanceEnd), symbolEnd)
  const runs = runsOf(told)
  const counts = new Uint32Array(headerOrder.length)
  for (const run of runs) counts[run & 31] = (counts[run & 31] as number) + 1
  const lengths = codeLengths(counts, longestHeaderCode)
  const codes = codesOf(lengths)
  let ordered = headerOrder.length
  while (lengths[headerOrder[ordered - 1] as number] === 0) ordered--
  const header = [bitsOf(2, 2), bitsOf(symbolEnd - firstLength, 5), bitsOf(distanceEnd - 1, 5), bitsOf(ordered - 4, 4)]
  for (let at = 0; at < ordered; at++) header.push(bitsOf(lengths[headerOrder[at] as number] as number, 3))
  for (const run of runs) {
    const symbol = run & 31
    header.push(bitsOf(codes[symbol] as number, lengths[symbol] as number))
    if (symbol >= 16) header.push(bitsOf(run >> 5, headerExtra[symbol] as number))
  }
  return header
}

/** Where lengths end that are not zero, but not before `atLeast`. */
function usedEnd(lengths: Uint8Array, atLeast: number): number {
  let end = lengths.length
  while (end > atLeast && lengths[end - 1] === 0) end--
  return end
}

/**
 * Code lengths as a header tells them: a length, or that the one before (16) or none (17, 18) comes again; from bit 5 on,
 * how often that is more than the fewest times.
 */
function runsOf(lengths: Uint8Array): number[] {
  const runs: number[] = []
  for (let at = 0; at < lengths.length; ) {
    const length = lengths[at] as number
    let end = at + 1
    while (end < lengths.length && lengths[end] === length) end++
    let rest = end - at
    at = end
    if (length > 0) {
      runs.push(length)
      rest--
    }
    while (rest >= 3) {
      const symbol = length > 0 ? 16 : rest < 11 ? 17 : 18
      const fewest = symbol === 18 ? 11 : 3
      const count = Math.min(rest, fewest + 2 ** (headerExtra[symbol] as number) - 1)
      runs.push(((count - fewest) << 5) | symbol)
      rest -= count
    }
    for (; rest > 0; rest--) runs.push(length)
  }
  return runs
}
