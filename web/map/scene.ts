// A session as the map lays it out: a lane for each agent with its calls as bars, turns, context size, cuts and forks, all
// in folded time. Made once for what is known; it has no pixels.

import { eventKinds } from '../../src/model/event.ts'
import type { HeadThread, Outline, SessionHead } from '../../src/view/reading.ts'
import { agentHue } from '../parts/agent-hue.ts'
import { forksOf, slotsIn } from '../thread/model.ts'
import { type ContextPoint, contextPoints } from './context-points.ts'
import { type FoldedTime, foldTime, type Span, toFolded } from './fold.ts'
import { laneOrder } from './lane-order.ts'
import { type Bar, barTone, callAgent, flagsOf, type Row, stackBars } from './rows.ts'
import { type Turn, turnsOf } from './turns.ts'

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

/** A stretch of the main thread that was left for another path. */
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
  cuts: { at: number; slot: number; preTokens?: number; postTokens?: number }[]
  left: LeftPath[]
  window?: number
  isLive: boolean
  /** The log has no times: events stand in their order, a second apart. */
  isOrdered: boolean
}

const compaction = eventKinds.indexOf('compaction')
const mainRows = 6
const agentRows = 4

export function buildScene(head: SessionHead, outlines: ReadonlyMap<string, Outline>): MapScene {
  const main = head.threads.find(({ kind }) => kind === 'main')
  const own = main && outlines.get(main.id)
  const isOrdered = own !== undefined && own.ids.length > 0 && own.at.every(at => at === null)
  const times = new Map<string, Float64Array>()
  for (const [thread, outline] of outlines) times.set(thread, timesOf(outline, isOrdered))
  const time = foldTime(...whenOf(head, outlines, times, isOrdered))
  const lanes = laneOrder(head.threads).map(({ thread, depth, parent }): MapLane => {
    const outline = outlines.get(thread.id)
    return {
      ...laneOf(thread, outline, times.get(thread.id), time),
      depth,
      parent,
      hue: agentHue(head, thread.id),
    }
  })
  const first = lanes[0]
  return {
    time,
    lanes,
    turns: first ? turnsOf(first, time) : [],
    context: first ? contextPoints(head, first) : [],
    cuts: first ? cutsOf(head, first) : [],
    left: first?.outline ? leftPaths(first, first.outline) : [],
    ...(head.contextWindow !== undefined && { window: head.contextWindow }),
    isLive: head.isLive,
    isOrdered,
  }
}

/** Real times of slots; one without a time has that of the one before. */
function timesOf(outline: Outline, isOrdered: boolean): Float64Array {
  const times = new Float64Array(outline.ids.length)
  let last = isOrdered ? 0 : (outline.at.find(at => at !== null) ?? 0)
  for (let slot = 0; slot < times.length; slot++) {
    last = isOrdered ? slot * 1000 : (outline.at[slot] ?? last)
    times[slot] = last
  }
  return times
}

/** When something happened, and what lasted: what decides on folds. */
function whenOf(
  head: SessionHead,
  outlines: ReadonlyMap<string, Outline>,
  times: ReadonlyMap<string, Float64Array>,
  isOrdered: boolean,
): [Float64Array, Span[]] {
  const marks: number[] = []
  const spans: Span[] = []
  for (const thread of isOrdered ? [] : head.threads) {
    const [from, to] = [millis(thread.startedAt), millis(thread.endedAt)]
    if (outlines.has(thread.id) || thread.isInternal || !(to >= from)) continue
    marks.push(from, to)
    spans.push({ from, to, isSolid: true })
  }
  for (const [thread, at] of times) {
    for (const time of at) marks.push(time)
    addCalls(outlines.get(thread), at, marks, spans)
  }
  return [Float64Array.from(marks).sort(), spans]
}

function addCalls(outline: Outline | undefined, at: Float64Array, marks: number[], spans: Span[]): void {
  if (!outline) return
  for (const slot of slotsIn(outline.calls)) {
    for (const { durationMs } of outline.calls[slot] ?? []) {
      const from = at[slot]
      if (durationMs === undefined || !(durationMs > 1000) || from === undefined) continue
      marks.push(from + durationMs)
      if (durationMs > 45_000) spans.push({ from, to: from + durationMs })
    }
  }
}

export function millis(instant: string | null): number {
  return instant === null ? Number.NaN : Date.parse(instant)
}

type LaneContent = Omit<MapLane, 'depth' | 'parent' | 'hue'>

function laneOf(
  thread: HeadThread,
  outline: Outline | undefined,
  times: Float64Array | undefined,
  time: FoldedTime,
): LaneContent {
  const at = (times ?? new Float64Array()).map(real => toFolded(time, real))
  const order = orderOf(at)
  const bars = outline && times ? barsOf(outline, times, time) : []
  const isMain = thread.kind === 'main'
  const firstAt = at[order[0] ?? 0] ?? toFolded(time, millis(thread.startedAt))
  const lastAt = at[order.at(-1) ?? 0] ?? toFolded(time, millis(thread.endedAt))
  const to = bars.reduce((last, bar) => Math.max(last, bar.flags & callAgent ? last : bar.to), lastAt)
  return {
    thread,
    isMain,
    from: Number.isFinite(firstAt) ? firstAt : 0,
    to: Number.isFinite(to) ? to : 0,
    ...(outline && { outline }),
    at,
    order,
    rows: stackBars(bars, isMain ? mainRows : agentRows),
    failures: Float64Array.from((outline?.errors ?? []).flatMap(slot => at[slot] ?? [])).sort(),
  }
}

/** Slots by time; mostly they are in order already. */
function orderOf(at: Float64Array): Int32Array {
  const order = Int32Array.from(at, (_, slot) => slot)
  for (let slot = 1; slot < at.length; slot++) {
    if ((at[slot] ?? 0) < (at[slot - 1] ?? 0)) {
      return order.sort((one, other) => (at[one] ?? 0) - (at[other] ?? 0) || one - other)
    }
  }
  return order
}

function barsOf(outline: Outline, times: Float64Array, time: FoldedTime): Bar[] {
  const bars: Bar[] = []
  let isSorted = true
  let last = -Infinity
  for (const slot of slotsIn(outline.calls)) {
    const real = times[slot]
    if (real === undefined) continue
    const from = toFolded(time, real)
    isSorted &&= from >= last
    last = from
    const isLeft = outline.branches[slot] !== undefined
    outline.calls[slot]?.forEach((call, place) => {
      const to = call.durationMs !== undefined && call.durationMs > 0 ? toFolded(time, real + call.durationMs) : from
      bars.push({ from, to, tone: barTone(call), flags: flagsOf(call, isLeft), slot, place })
    })
  }
  return isSorted ? bars : bars.sort((one, other) => one.from - other.from)
}

function cutsOf(head: SessionHead, { thread, outline, at }: MapLane): MapScene['cuts'] {
  if (!outline) return []
  const told = new Map(head.compactions.filter(one => one.thread === thread.id).map(one => [one.event, one]))
  const cuts: MapScene['cuts'] = []
  outline.kinds.forEach((kind, slot) => {
    if (kind !== compaction) return
    const facts = told.get(outline.ids[slot] ?? '')
    const last = cuts.at(-1)
    if (last && slot - last.slot <= 3 && !facts) return
    if (last && slot - last.slot <= 3 && last.preTokens === undefined) cuts.pop()
    cuts.push({
      at: at[slot] ?? 0,
      slot,
      ...(facts?.preTokens !== undefined && { preTokens: facts.preTokens }),
      ...(facts?.postTokens !== undefined && { postTokens: facts.postTokens }),
    })
  })
  return cuts
}

function leftPaths(lane: MapLane, outline: Outline): LeftPath[] {
  return forksOf(outline).map(({ from, to }) => {
    const start = lane.at[from] ?? 0
    return { from: start, to: Math.max(start, lane.at[to] ?? start), slot: from }
  })
}
