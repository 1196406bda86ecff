// Calls of one thread as bars: those that ran at the same time lie in different rows, so that none hides another. Long
// columns, sorted by time within a row, for quick finding.

import type { OutlineCall } from '../../src/view/reading.ts'
import { toneOf } from '../thread/palette.ts'

export const callFailed = 1
export const callLeft = 2
export const callOpen = 4
export const callAgent = 8

/** Bars that do not overlap, in order. */
export interface Row {
  from: Float64Array
  to: Float64Array
  tones: Uint8Array
  flags: Uint8Array
  slots: Int32Array
  /** The place of the call among those of its slot. */
  places: Uint16Array
  /** The longest bar in an overfull row, where bars do overlap; 0 elsewhere. */
  overlap: number
}

export interface Bar {
  from: number
  to: number
  tone: number
  flags: number
  slot: number
  place: number
}

/** Puts bars, sorted by their start, into as few rows as they need; what does not fit goes into the last one. */
export function stackBars(bars: readonly Bar[], most: number): Row[] {
  const rows: Bar[][] = []
  const ends: number[] = []
  let isOver = false
  for (const bar of bars) {
    let row = ends.findIndex(end => end <= bar.from)
    if (row < 0 && rows.length < most) row = rows.length
    if (row < 0) {
      row = most - 1
      isOver = true
    }
    const list = rows[row] ?? []
    list.push(bar)
    rows[row] = list
    ends[row] = Math.max(ends[row] ?? -Infinity, bar.to)
  }
  return rows.map((list, at) => toRow(list, isOver && at === most - 1))
}

function toRow(bars: readonly Bar[], isOver: boolean): Row {
  const row: Row = {
    from: Float64Array.from(bars, bar => bar.from),
    to: Float64Array.from(bars, bar => bar.to),
    tones: Uint8Array.from(bars, bar => bar.tone),
    flags: Uint8Array.from(bars, bar => bar.flags),
    slots: Int32Array.from(bars, bar => bar.slot),
    places: Uint16Array.from(bars, bar => bar.place),
    overlap: 0,
  }
  if (isOver) for (const { from, to } of bars) row.overlap = Math.max(row.overlap, to - from)
  return row
}

export function flagsOf(call: OutlineCall, isLeft: boolean): number {
  return (
    (call.status === 'failed' ? callFailed : 0) |
    (isLeft ? callLeft : 0) |
    (call.status === 'running' || call.status === 'missing' ? callOpen : 0) |
    (call.thread === undefined ? 0 : callAgent)
  )
}

export function barTone(call: OutlineCall): number {
  return toneOf(call.name)
}

/** The first place in sorted numbers whose number is at least `least`. */
export function firstFrom(sorted: { [at: number]: number; length: number }, least: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < least) low = middle + 1
    else high = middle
  }
  return low
}

/** What is drawn as one: bars that would fall on the same pixels. */
export interface Piece {
  x: number
  width: number
  tone: number
  flags: number
  /** The longest bar in it. */
  at: number
}

/** The bars of a row between two times as pieces of at least `least` pixels; never more pieces than pixels. */
export function piecesOf(row: Row, from: number, to: number, scale: number, least: number): Piece[] {
  const pieces: Piece[] = []
  let last: Piece | undefined
  let longest = 0
  for (let at = firstFrom(row.from, from - row.overlap - spanBefore(row, from)); at < row.from.length; at++) {
    const start = row.from[at] ?? 0
    if (start > to) break
    const end = row.to[at] ?? start
    if (end < from) continue
    const x = (start - from) * scale
    const right = Math.max(x + least, (end - from) * scale)
    if (last && x < last.x + last.width + 0.5 && (last.width <= least * 2 || right <= last.x + last.width)) {
      last.width = Math.max(last.width, right - last.x)
      last.flags |= (row.flags[at] ?? 0) & callFailed
      if (end - start > longest) {
        longest = end - start
        last.tone = row.tones[at] ?? 0
        last.at = at
      }
      continue
    }
    longest = end - start
    last = { x, width: right - x, tone: row.tones[at] ?? 0, flags: row.flags[at] ?? 0, at }
    pieces.push(last)
  }
  return pieces
}

/** Bars of a row do not overlap, so that at most one begins before a time and reaches beyond it. */
function spanBefore(row: Row, time: number): number {
  const before = firstFrom(row.from, time) - 1
  return before < 0 ? 0 : Math.max(0, time - (row.from[before] ?? time))
}

/** The bar of a row at a time, or the nearest within `slack`. */
export function barAt(row: Row, time: number, slack: number): number | undefined {
  let best: number | undefined
  let nearest = Number.POSITIVE_INFINITY
  const first = Math.max(0, firstFrom(row.from, time - slack - row.overlap) - 1)
  for (let at = first; at < row.from.length; at++) {
    const from = row.from[at] ?? 0
    if (from > time + slack) break
    const away = Math.max(0, from - time, time - (row.to[at] ?? from))
    if (away <= slack && away < nearest) {
      nearest = away
      best = at
    }
  }
  return best
}
