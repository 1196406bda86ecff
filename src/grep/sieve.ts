// Looks for lines that may match, together with other threads: each takes the next range of a file that nobody took. What
// they agree on lies in memory that they share. Nothing is decoded here.

import { ReadError } from '../disk/read/read.ts'
import type { ByteSource } from '../model/source.ts'
import { type ByteFilter, type LinePlace, type Range, type Region, regionsOf } from './candidates.ts'
import type { Tally } from './tally.ts'

export interface Sieve {
  ranges: Range[]
  slots: Slots
}

/**
 * Shared memory: which range is next and how many threads are at work; and for each range, once it was looked at, what its
 * head tells and where the lines are: those to decode from its front on, those that were counted from its end on.
 */
export interface Slots {
  state: Int32Array
  lines: Int32Array
  /** Where in `lines` the slot of each range begins, and where the last one ends. Not shared. */
  starts: Int32Array
}

/** What bytes tell of a range; null where too many lines may match to say. */
export type Sifted = {
  /** The lines that may match and have to be decoded. */
  lines: LinePlace[]
  /** How many bytes those have. */
  bytes: number
  /** The lines that match and were counted; null where they are too many to be named. */
  counted: LinePlace[] | null
  /** How often those match. */
  matches: number
  /** Whether the ends of a log may have summaries; true where nobody looked for them. */
  hasSummaries: boolean
} | null

/** What looks at lines. */
export interface Looks {
  source: ByteSource
  filter: ByteFilter
  /** Null where lines are more than counted. */
  tally: Tally | null
}

const next = 0
const busy = 1
/** What is told of a slot as a whole, then two numbers for each line. */
const head = { lines: 0, bytes: 1, summaries: 2, counted: 3, matches: 4 }
const headLength = 6
/** More lines are not read one by one, but together with all others. */
export const mostLines = 62
/** Where lines are counted, those that are not may be more: one for so many bytes, up to a limit. */
const bytesPerLine = 8 * 1024
const mostUncounted = 1024

export function sieveOf(ranges: Range[]): Sieve {
  const shared = (length: number) => new Int32Array(new SharedArrayBuffer(4 * length))
  const starts = new Int32Array(ranges.length + 1)
  for (const [at, range] of ranges.entries()) starts[at + 1] = (starts[at] ?? 0) + placeAt(roomOf(range))
  return { ranges, slots: { state: shared(2), lines: shared(Math.max(1, starts[ranges.length] ?? 0)), starts } }
}

/** For how many lines there is room. */
function roomOf({ bytes = 0 }: Range): number {
  return Math.max(mostLines, Math.min(mostUncounted, Math.ceil(bytes / bytesPerLine)))
}

/** Takes ranges until none is left. */
export function sieveRanges(sieve: Sieve, looks: Looks): void {
  while (sieveNext(sieve, looks)) {}
}

/** Takes one range; false where none is left. */
export function sieveNext({ ranges, slots }: Sieve, looks: Looks): boolean {
  const { state } = slots
  Atomics.add(state, busy, 1)
  try {
    const at = Atomics.add(state, next, 1)
    const range = ranges[at]
    if (range !== undefined) sieveOne(range, slotAt(slots, at), looks)
    return range !== undefined
  } finally {
    Atomics.sub(state, busy, 1)
    Atomics.notify(state, busy)
  }
}

/** How many of its ranges, from the first on, somebody took. */
export function begunIn({ ranges, slots }: Sieve): number {
  return Math.min(ranges.length, Atomics.load(slots.state, next))
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
export function siftedAt({ ranges, slots }: Sieve, at: number): Sifted | undefined {
  const slot = slotAt(slots, at)
  const range = ranges[at]
  const count = Atomics.load(slot, head.lines) - 1
  if (range === undefined || count === -1) return undefined
  const room = roomOf(range)
  if (count > room) return null
  const start = range.from
  const placesFrom = (first: number, step: 1 | -1, length: number) =>
    Array.from({ length }, (_, index): LinePlace => {
      const place = placeAt(first + step * index)
      return { offset: start + (slot[place] ?? 0), length: slot[place + 1] ?? 0 }
    })
  const counted = slot[head.counted] ?? 0
  return {
    lines: placesFrom(0, 1, count),
    bytes: slot[head.bytes] ?? 0,
    counted: counted > room - count ? null : placesFrom(room - 1, -1, counted),
    matches: slot[head.matches] ?? 0,
    hasSummaries: slot[head.summaries] !== 0,
  }
}

function slotAt({ lines, starts }: Slots, at: number): Int32Array {
  return lines.subarray(starts[at], starts[at + 1])
}

function placeAt(index: number): number {
  return headLength + 2 * index
}

function sieveOne(range: Range, slot: Int32Array, { source, filter, tally }: Looks): void {
  let count = 0
  let bytes = 0
  let counted = 0
  let matches = 0
  let hasSummaries = range.ends === undefined
  const isCounting = tally !== null && range.isText !== true
  const room = roomOf(range)
  const most = isCounting ? room : mostLines
  const put = (index: number, { offset, bytes: { length } }: Region) => {
    slot[placeAt(index)] = offset - range.from
    slot[placeAt(index) + 1] = length
  }
  try {
    for (const region of regionsOf(source, range, filter.place)) {
      for (const line of filter.candidates(region)) {
        const found = isCounting ? tally.count(line.bytes) : -1
        if (found === -1) {
          if (count === most) count = room + 1
          if (count > room) break
          // Lines that were counted give way.
          put(count++, line)
          bytes += line.bytes.length
        } else if (found > 0) {
          matches += found
          counted++
          if (counted <= room - count) put(room - counted, line)
        }
      }
      if (count > room) break
      hasSummaries ||= mayHaveSummaries(region, range, filter)
    }
  } catch (error) {
    if (!(error instanceof ReadError)) throw error
    // What cannot be read is searched all the same, and fails there.
    count = room + 1
  }
  slot[head.bytes] = bytes
  slot[head.summaries] = hasSummaries ? 1 : 0
  slot[head.counted] = counted
  slot[head.matches] = matches
  Atomics.store(slot, head.lines, count + 1)
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
