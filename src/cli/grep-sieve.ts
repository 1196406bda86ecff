// Looks for lines that may match, together with other threads: each takes the next range of a file that nobody took. What
// they agree on lies in memory that they share. Nothing is decoded here.

import { ReadError } from '../disk/read.ts'
import type { ByteSource } from '../model/source.ts'
import { type ByteFilter, type LinePlace, type Range, regionsOf } from './grep-candidates.ts'

export interface Sieve {
  ranges: Range[]
  slots: Slots
}

/**
 * Shared memory: which range is next and how many threads are at work; and for each range, once it was looked at, how many
 * lines may match and one more, how many bytes they have, and where they are.
 */
export interface Slots {
  state: Int32Array
  lines: Int32Array
}

/** The lines of a range that may match, and their bytes; null where there are too many to say. */
export type Sifted = { lines: LinePlace[]; bytes: number } | null

const next = 0
const busy = 1
/** Two numbers, and two for each line. */
const slotLength = 128
const mostLines = slotLength / 2 - 1

export function sieveOf(ranges: Range[]): Sieve {
  const shared = (length: number) => new Int32Array(new SharedArrayBuffer(4 * length))
  return { ranges, slots: { state: shared(2), lines: shared(Math.max(1, ranges.length * slotLength)) } }
}

/** Takes ranges until none is left. */
export function sieveRanges(sieve: Sieve, source: ByteSource, filter: ByteFilter): void {
  while (sieveNext(sieve, source, filter)) {}
}

/** Takes one range; false where none is left. */
export function sieveNext({ ranges, slots }: Sieve, source: ByteSource, filter: ByteFilter): boolean {
  const { state, lines } = slots
  Atomics.add(state, busy, 1)
  try {
    const at = Atomics.add(state, next, 1)
    const range = ranges[at]
    if (range !== undefined) sieveOne(range, lines.subarray(at * slotLength, (at + 1) * slotLength), source, filter)
    return range !== undefined
  } finally {
    Atomics.sub(state, busy, 1)
    Atomics.notify(state, busy)
  }
}

/** Nobody takes any more of its ranges. */
export function stopSieve({ ranges, slots }: Sieve): void {
  Atomics.store(slots.state, next, ranges.length)
}

/** Waits until no thread is at work any more. Only good where the one who asks found nothing left to take. */
export function waitForSieve({ slots: { state } }: Sieve): void {
  for (let left = Atomics.load(state, busy); left > 0; left = Atomics.load(state, busy)) Atomics.wait(state, busy, left)
}

/** What was found in a range; undefined where it was not yet looked at. */
export function siftedAt({ ranges, slots: { lines } }: Sieve, at: number): Sifted | undefined {
  const slot = at * slotLength
  const count = Atomics.load(lines, slot) - 1
  if (count === -1) return undefined
  if (count > mostLines) return null
  const from = ranges[at]?.from ?? 0
  const places = Array.from({ length: count }, (_, index): LinePlace => {
    const place = slot + 2 + 2 * index
    return { offset: from + (lines[place] ?? 0), length: lines[place + 1] ?? 0 }
  })
  return { lines: places, bytes: lines[slot + 1] ?? 0 }
}

function sieveOne(range: Range, slot: Int32Array, source: ByteSource, filter: ByteFilter): void {
  let count = 0
  let bytes = 0
  try {
    for (const region of regionsOf(source, range, filter.place)) {
      for (const line of filter.candidates(region)) {
        if (++count > mostLines) break
        slot[2 * count] = line.offset - range.from
        slot[2 * count + 1] = line.bytes.length
        bytes += line.bytes.length
      }
      if (count > mostLines) break
    }
  } catch (error) {
    if (!(error instanceof ReadError)) throw error
    // What cannot be read is searched all the same, and fails there.
    count = mostLines + 1
  }
  slot[1] = bytes
  Atomics.store(slot, 0, count + 1)
}
