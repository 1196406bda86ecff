// Looks for lines that may match, together with other threads: each takes the next range of a file that nobody took. What
// they agree on lies in memory that they share. Nothing is decoded here.

import { ReadError } from '../disk/read.ts'
import type { ByteSource } from '../model/source.ts'
import { type ByteFilter, type Range, regionsOf } from './grep-candidates.ts'

export interface Sieve {
  ranges: Range[]
  slots: Slots
}

/**
 * Shared memory: which range is next and how many threads are at work; and for each range how many lines may match, how many
 * bytes they have, and where they begin.
 */
export interface Slots {
  state: Int32Array
  lines: Int32Array
}

/** Where the lines of a range begin that may match, and their bytes; null where there are too many to say. */
export type Sifted = { lines: number[]; bytes: number } | null

const next = 0
const busy = 1
/** Two numbers and the places. */
const slotLength = 64
const mostLines = slotLength - 2

export function sieveOf(ranges: Range[]): Sieve {
  const shared = (length: number) => new Int32Array(new SharedArrayBuffer(4 * length))
  return { ranges, slots: { state: shared(2), lines: shared(Math.max(1, ranges.length * slotLength)) } }
}

/** Takes ranges until none is left. */
export function sieveRanges({ ranges, slots }: Sieve, source: ByteSource, filter: ByteFilter): void {
  const { state, lines } = slots
  Atomics.add(state, busy, 1)
  try {
    for (let at = Atomics.add(state, next, 1); at < ranges.length; at = Atomics.add(state, next, 1)) {
      const range = ranges[at]
      if (range !== undefined) sieveOne(range, lines.subarray(at * slotLength, (at + 1) * slotLength), source, filter)
    }
  } finally {
    Atomics.sub(state, busy, 1)
    Atomics.notify(state, busy)
  }
}

/** Waits until no thread is at work any more. Only good where the one who asks found nothing left to take. */
export function sifted({ ranges, slots }: Sieve): Sifted[] {
  const { state, lines } = slots
  for (let left = Atomics.load(state, busy); left > 0; left = Atomics.load(state, busy)) Atomics.wait(state, busy, left)
  return ranges.map(({ from }, at) => {
    const count = lines[at * slotLength] ?? 0
    if (count > mostLines) return null
    const first = at * slotLength + 2
    return {
      lines: Array.from(lines.subarray(first, first + count), place => from + place),
      bytes: lines[first - 1] ?? 0,
    }
  })
}

function sieveOne(range: Range, slot: Int32Array, source: ByteSource, filter: ByteFilter): void {
  // Who fails leaves it to be searched.
  slot[0] = slotLength
  let count = 0
  let bytes = 0
  try {
    for (const region of regionsOf(source, range, filter.place)) {
      for (const line of filter.candidates(region)) {
        if (++count > mostLines) return
        slot[count + 1] = line.offset - range.from
        bytes += line.bytes.length
      }
    }
  } catch (error) {
    if (error instanceof ReadError) return
    throw error
  }
  slot[0] = count
  slot[1] = bytes
}
