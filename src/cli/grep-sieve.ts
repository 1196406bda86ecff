// Looks for lines that may match, together with other threads: each takes the next range of a file that nobody took. What
// they agree on lies in memory that they share. Nothing is decoded here.

import { ReadError } from '../disk/read.ts'
import type { ByteSource } from '../model/source.ts'
import { type ByteFilter, type LinePlace, type Range, type Region, regionsOf } from './grep-candidates.ts'

export interface Sieve {
  ranges: Range[]
  slots: Slots
}

/**
 * Shared memory: which range is next and how many threads are at work; and for each range, once it was looked at, how many
 * lines may match and one more, how many bytes they have, whether there may be summaries, and where the lines are.
 */
export interface Slots {
  state: Int32Array
  lines: Int32Array
}

/** What bytes tell of a range; null where too many lines may match to say. */
export type Sifted = {
  /** The lines that may match. */
  lines: LinePlace[]
  /** How many bytes those have. */
  bytes: number
  /** Whether the ends of a log may have summaries; true where nobody looked for them. */
  hasSummaries: boolean
} | null

const next = 0
const busy = 1
/** What is told of a slot as a whole, then two numbers for each line. */
const headLength = 4
const slotLength = 128
const mostLines = (slotLength - headLength) / 2

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
    const place = slot + headLength + 2 * index
    return { offset: from + (lines[place] ?? 0), length: lines[place + 1] ?? 0 }
  })
  return { lines: places, bytes: lines[slot + 1] ?? 0, hasSummaries: lines[slot + 2] !== 0 }
}

function sieveOne(range: Range, slot: Int32Array, source: ByteSource, filter: ByteFilter): void {
  let count = 0
  let bytes = 0
  let hasSummaries = range.ends === undefined
  try {
    for (const region of regionsOf(source, range, filter.place)) {
      for (const line of filter.candidates(region)) {
        if (count++ === mostLines) break
        const place = headLength + 2 * (count - 1)
        slot[place] = line.offset - range.from
        slot[place + 1] = line.bytes.length
        bytes += line.bytes.length
      }
      if (count > mostLines) break
      hasSummaries ||= mayHaveSummaries(region, range, filter)
    }
  } catch (error) {
    if (!(error instanceof ReadError)) throw error
    // What cannot be read is searched all the same, and fails there.
    count = mostLines + 1
  }
  slot[1] = bytes
  slot[2] = hasSummaries ? 1 : 0
  Atomics.store(slot, 0, count + 1)
}

/** As far as it is one of the ends of its log. */
function mayHaveSummaries({ bytes, offset }: Region, { ends }: Range, filter: ByteFilter): boolean {
  if (ends === undefined) return true
  const { length } = bytes
  const headTo = Math.min(length, ends.headTo - offset)
  const tailFrom = Math.max(0, headTo, ends.tailFrom - offset)
  return (
    (headTo > 0 && filter.hasSummary(bytes, 0, headTo)) ||
    (tailFrom < length && filter.hasSummary(bytes, tailFrom, length))
  )
}
