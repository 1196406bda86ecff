// The model of the map: lanes in order, the rows of bars in a lane, and turns. Times are real; fold.ts folds them.

import type { HeadThread, Outline, OutlineCall } from '../../src/view/reading.ts'
import { byStart } from '../parts/tool-kind.ts'
import { firstFrom, turnStarts } from '../thread/model.ts'
import type { FoldedTime } from './fold.ts'

export interface ContextPoint {
  /** Folded time. */
  at: number
  tokens: number
  slot: number
  /** What a compaction left over. */
  isCut?: boolean
}

/** From a prompt to the next one. */
export interface Turn {
  index: number
  /** The slot of its prompt. */
  slot: number
  event: string
  headline: string
  /** Folded: from its prompt to the next one. */
  from: number
  to: number
  /** Real time. */
  startedAt: number
  /** As everywhere else: see `TurnFacts`. */
  durationMs?: number
  calls: number
  failed: number
  subagents: number
  /** The largest context in it. */
  tokens?: number
  isLeft: boolean
  /** Another session sent it. */
  isInherited: boolean
}

export interface MapLane {
  thread: HeadThread
  isMain: boolean
  depth: number
  hue: number
  /** The lane that it was started from; -1 for none. */
  parent: number
  /** Its first and last moment, folded. */
  from: number
  to: number
  /** Absent while it is on its way. */
  outline?: Outline
  /** Folded times of its slots. */
  at: Float64Array
  /** Slots by time. */
  order: Int32Array
  rows: Row[]
  /** Folded times at which something failed, sorted. */
  failures: Float64Array
}

/** A stretch of the main thread that was abandoned for another path. */
export interface LeftPath {
  from: number
  to: number
  slot: number
}

export interface MapScene {
  time: FoldedTime
  lanes: MapLane[]
  turns: Turn[]
  context: ContextPoint[]
  /** The fullest that the context was. */
  contextMost: number
  cuts: { at: number; slot: number; preTokens?: number; postTokens?: number }[]
  left: LeftPath[]
  window?: number
  isLive: boolean
  /** The log has no times: events are in order, a second apart. */
  isOrdered: boolean
}

export const callFailed = 1
export const callLeft = 2
export const callOpen = 4
export const callAgent = 8

/** Columns of bars, sorted by their start. */
interface BarColumns {
  from: Float64Array
  to: Float64Array
  tones: Uint8Array
  flags: Uint8Array
  slots: Int32Array
  /** The position of the call among those of its slot. */
  places: Uint16Array
}

/** Bars that do not overlap. */
export interface Row extends BarColumns {
  /** The longest bar in an overfull row, where bars do overlap; 0 elsewhere. */
  overlap: number
}

/** All bars of a thread. */
export interface Bars extends BarColumns {
  count: number
}

export function newBars(size: number): Bars {
  return {
    count: 0,
    from: new Float64Array(size),
    to: new Float64Array(size),
    tones: new Uint8Array(size),
    flags: new Uint8Array(size),
    slots: new Int32Array(size),
    places: new Uint16Array(size),
  }
}

/** Puts bars into as few rows as they need; what does not fit goes into the last one. */
export function stackBars(bars: Bars, most: number): Row[] {
  const rowOf = new Uint8Array(bars.count)
  const ends: number[] = []
  const counts: number[] = []
  let isOver = false
  for (let at = 0; at < bars.count; at++) {
    const from = bars.from[at] ?? 0
    let row = 0
    while (row < ends.length && (ends[row] ?? 0) > from) row++
    if (row >= most) {
      row = most - 1
      isOver = true
    }
    rowOf[at] = row
    counts[row] = (counts[row] ?? 0) + 1
    ends[row] = Math.max(ends[row] ?? -Infinity, bars.to[at] ?? 0)
  }
  return counts.map((count, row) => toRow(bars, rowOf, row, count, isOver && row === most - 1))
}

function toRow(bars: Bars, rowOf: Uint8Array, wanted: number, count: number, isOver: boolean): Row {
  const { count: _count, ...columns } = newBars(count)
  const row: Row = { ...columns, overlap: 0 }
  let into = 0
  for (let at = 0; at < bars.count; at++) {
    if (rowOf[at] !== wanted) continue
    row.from[into] = bars.from[at] ?? 0
    row.to[into] = bars.to[at] ?? 0
    row.tones[into] = bars.tones[at] ?? 0
    row.flags[into] = bars.flags[at] ?? 0
    row.slots[into] = bars.slots[at] ?? 0
    row.places[into] = bars.places[at] ?? 0
    if (isOver) row.overlap = Math.max(row.overlap, (bars.to[at] ?? 0) - (bars.from[at] ?? 0))
    into++
  }
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

/** What is drawn as one: bars that would fall on the same pixels. */
export interface Piece {
  x: number
  width: number
  tone: number
  flags: number
  /** The longest bar in it. */
  at: number
  count: number
  failed: number
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
      last.count++
      last.failed += (row.flags[at] ?? 0) & callFailed
      if (end - start > longest) {
        longest = end - start
        last.tone = row.tones[at] ?? 0
        last.flags = row.flags[at] ?? 0
        last.at = at
      }
      continue
    }
    longest = end - start
    const flags = row.flags[at] ?? 0
    last = { x, width: right - x, tone: row.tones[at] ?? 0, flags, at, count: 1, failed: flags & callFailed }
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

type TurnLane = Pick<MapLane, 'outline' | 'at' | 'to'>

export function turnsOf({ outline, at, to }: TurnLane, times: Float64Array | undefined): Turn[] {
  if (!outline || !times) return []
  const turns: Turn[] = []
  const starts = turnStarts(outline)
  let turn: Turn | undefined
  for (let slot = 0; slot < outline.ids.length; slot++) {
    const here = at[slot] ?? 0
    if (starts.has(slot)) {
      turn = newTurn(outline, slot, here, turns.length, times[slot] ?? 0)
      turns.push(turn)
    }
    if (turn) addSlot(turn, outline, slot)
  }
  turns.forEach((one, place) => {
    const next = turns[place + 1]
    one.to = Math.max(one.from, next?.from ?? to)
  })
  return turns
}

function newTurn(outline: Outline, slot: number, from: number, place: number, startedAt: number): Turn {
  const facts = outline.turnFacts[slot]
  return {
    index: (outline.turns[slot] ?? -1) < 0 ? place : (outline.turns[slot] ?? place),
    slot,
    event: outline.ids[slot] ?? '',
    headline: outline.prompts[slot] ?? '',
    from,
    to: from,
    startedAt,
    ...(facts?.durationMs !== undefined && { durationMs: facts.durationMs }),
    calls: 0,
    failed: 0,
    subagents: 0,
    isLeft: outline.branches[slot] !== undefined,
    isInherited: facts?.isInherited === true,
  }
}

function addSlot(turn: Turn, outline: Outline, slot: number): void {
  const tokens = outline.context[slot]
  if (tokens !== undefined) turn.tokens = Math.max(turn.tokens ?? 0, tokens)
  const calls = outline.calls[slot]
  if (!calls) return
  for (const call of calls) {
    turn.calls++
    if (call.status === 'failed') turn.failed++
    if (call.thread !== undefined) turn.subagents++
  }
}

export interface OrderedLane {
  thread: HeadThread
  depth: number
  /** The place of the lane it hangs from; -1 for the first one. */
  parent: number
}

/** More lanes than these are not drawn. */
const mostLanes = 400

export function laneOrder(threads: readonly HeadThread[]): OrderedLane[] {
  const main = threads.find(({ kind }) => kind === 'main') ?? threads[0]
  if (!main) return []
  const children = childrenOf(threads, main)
  const lanes: OrderedLane[] = []
  const seen = new Set<HeadThread>()
  const waiting: OrderedLane[] = [{ thread: main, depth: 0, parent: -1 }]
  while (waiting.length > 0 && lanes.length < mostLanes) {
    const lane = waiting.pop()
    if (!lane || seen.has(lane.thread)) continue
    seen.add(lane.thread)
    const parent = lanes.push(lane) - 1
    const next = children.get(lane.thread.id) ?? []
    for (const thread of [...next].reverse()) waiting.push({ thread, depth: lane.depth + 1, parent })
  }
  return lanes
}

/** A subagent whose starter is not known hangs from the main thread. */
function childrenOf(threads: readonly HeadThread[], main: HeadThread): Map<string, HeadThread[]> {
  const ids = new Set(threads.map(({ id }) => id))
  const children = new Map<string, HeadThread[]>()
  for (const thread of threads) {
    if (thread === main || thread.isInternal) continue
    const stated = thread.parentThread
    const parent = stated !== undefined && stated !== thread.id && ids.has(stated) ? stated : main.id
    const siblings = children.get(parent) ?? []
    siblings.push(thread)
    children.set(parent, siblings)
  }
  for (const siblings of children.values()) siblings.sort(byStart)
  return children
}
