// Everything that the map shows, from head and outlines, loaded thread by thread: lanes, bars, marks, links, and how full
// the context was.

import { useEffect, useState } from 'react'
import { eventKinds } from '../../src/model/event.ts'
import type { HeadThread, Outline, SessionHead } from '../../src/view/reading.ts'
import { agentHue } from '../parts/tool-kind.ts'
import { useStore } from '../reader.ts'
import type { SessionStore } from '../store.ts'
import { firstFrom, forksOf, slotsIn } from '../thread/model.ts'
import { toneOf } from '../thread/palette.ts'
import { type FoldedTime, folderOf, foldTime, type Span, toFolded } from './fold.ts'
import {
  type Bars,
  type ContextPoint,
  callAgent,
  flagsOf,
  type LeftPath,
  laneOrder,
  type MapLane,
  type MapScene,
  newBars,
  stackBars,
  turnsOf,
} from './model.ts'

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
  const context = first ? contextPoints(head, first) : []
  return {
    time,
    lanes,
    turns: first ? turnsOf(first, times.get(first.thread.id)) : [],
    context,
    contextMost: context.reduce((most, { tokens }) => Math.max(most, tokens), 0),
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
    addTimes(at, marks)
    addCalls(outlines.get(thread), at, marks, spans)
  }
  return [new Float64Array(marks).sort(), spans]
}

/** Enough of a thread's times to see where it rested: of those close together only some. */
function addTimes(at: Float64Array, marks: number[]): void {
  let kept = Number.NEGATIVE_INFINITY
  let last = kept
  for (let slot = 0; slot < at.length; slot++) {
    const time = at[slot] ?? 0
    const gap = time - last
    if (gap > 10_000 || gap < 0) {
      if (last > kept) marks.push(last)
      marks.push(time)
      kept = time
    } else if (time - kept > 20_000) {
      marks.push(time)
      kept = time
    }
    last = time
  }
  if (last > kept) marks.push(last)
}

function addCalls(outline: Outline | undefined, at: Float64Array, marks: number[], spans: Span[]): void {
  for (let slot = 0; outline && slot < at.length; slot++) {
    const calls = outline.calls[slot]
    const from = at[slot] ?? 0
    if (calls) {
      for (const { durationMs } of calls) {
        if (durationMs === undefined || !(durationMs > 10_000)) continue
        marks.push(from + durationMs)
        if (durationMs > 45_000) spans.push({ from, to: from + durationMs })
      }
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
  const fold = folderOf(time)
  const at = new Float64Array(times?.length ?? 0)
  for (let slot = 0; slot < at.length; slot++) at[slot] = fold(times?.[slot] ?? 0)
  const order = orderOf(at)
  const bars = outline && times ? barsOf(outline, times, time) : newBars(0)
  const isMain = thread.kind === 'main'
  const firstAt = at[order[0] ?? 0] ?? toFolded(time, millis(thread.startedAt))
  const lastAt = at[order.at(-1) ?? 0] ?? toFolded(time, millis(thread.endedAt))
  const to = Math.max(lastAt, lastEnd(bars))
  return {
    thread,
    isMain,
    from: Number.isFinite(firstAt) ? firstAt : 0,
    to: Number.isFinite(to) ? to : 0,
    ...(outline && { outline }),
    at,
    order,
    rows: stackBars(bars, isMain ? mainRows : agentRows),
    failures: new Float64Array((outline?.errors ?? []).flatMap(slot => at[slot] ?? [])).sort(),
  }
}

/** Slots by time; mostly they are in order already. */
function orderOf(at: Float64Array): Int32Array {
  const order = new Int32Array(at.length)
  let isSorted = true
  for (let slot = 0; slot < at.length; slot++) {
    order[slot] = slot
    isSorted &&= slot === 0 || (at[slot] ?? 0) >= (at[slot - 1] ?? 0)
  }
  return isSorted ? order : order.sort((one, other) => (at[one] ?? 0) - (at[other] ?? 0) || one - other)
}

/** When its last call ended; a subagent has its own lane for that. */
function lastEnd(bars: Bars): number {
  let last = Number.NEGATIVE_INFINITY
  for (let at = 0; at < bars.count; at++)
    if (!((bars.flags[at] ?? 0) & callAgent)) last = Math.max(last, bars.to[at] ?? 0)
  return last
}

function barsOf(outline: Outline, times: Float64Array, time: FoldedTime): Bars {
  const order = orderOf(times)
  let size = 0
  for (let slot = 0; slot < times.length; slot++) size += outline.calls[slot]?.length ?? 0
  const bars = newBars(size)
  const fold = folderOf(time)
  const foldEnd = folderOf(time)
  for (const slot of order) {
    const calls = outline.calls[slot]
    if (!calls) continue
    const real = times[slot] ?? 0
    const from = fold(real)
    const isLeft = outline.branches[slot] !== undefined
    for (let place = 0; place < calls.length; place++) {
      const call = calls[place]
      if (!call) continue
      const at = bars.count++
      bars.from[at] = from
      bars.to[at] = call.durationMs !== undefined && call.durationMs > 0 ? foldEnd(real + call.durationMs) : from
      bars.tones[at] = toneOf(call.name)
      bars.flags[at] = flagsOf(call, isLeft)
      bars.slots[at] = slot
      bars.places[at] = place
    }
  }
  return bars
}

function cutsOf(head: SessionHead, { thread, outline, at }: MapLane): MapScene['cuts'] {
  if (!outline) return []
  const known = new Map(head.compactions.filter(one => one.thread === thread.id).map(one => [one.event, one]))
  const cuts: MapScene['cuts'] = []
  outline.kinds.forEach((kind, slot) => {
    if (kind !== compaction) return
    const facts = known.get(outline.ids[slot] ?? '')
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

type ContextLane = Pick<MapLane, 'thread' | 'outline' | 'at'>

export function contextPoints(
  head: Pick<SessionHead, 'compactions'>,
  { thread, outline, at }: ContextLane,
): ContextPoint[] {
  if (!outline) return []
  const answers: ContextPoint[] = slotsIn(outline.context, outline.ids.length).flatMap(slot => {
    const tokens = outline.context[slot]
    const time = at[slot]
    return tokens === undefined || time === undefined ? [] : [{ at: time, tokens, slot }]
  })
  const points = [...answers]
  const cuts = new Map(head.compactions.filter(one => one.thread === thread.id).map(one => [one.event, one]))
  if (cuts.size > 0) {
    outline.ids.forEach((id, slot) => {
      const cut = cuts.get(id)
      const time = at[slot]
      if (!cut || time === undefined) return
      const after = answers.find(point => point.slot > slot)
      const tokens = cut.postTokens ?? after?.tokens
      if (tokens !== undefined) points.push({ at: time, tokens, slot, isCut: true })
    })
  }
  return points.sort((one, other) => one.at - other.at || one.slot - other.slot)
}

/** The point at a time: the last one before it. */
export function pointAt(points: readonly ContextPoint[], time: number): ContextPoint | undefined {
  const times = timesIn(points)
  let at = firstFrom(times, time)
  while (at < times.length && times[at] === time) at++
  return points[at - 1]
}

/** The lowest and highest value in one column of pixels. */
export interface ContextColumn {
  x: number
  least: number
  most: number
  last: number
}

/** The points of a stretch, gathered by pixel; the first one contains what was before. */
export function contextColumns(
  points: readonly ContextPoint[],
  from: number,
  to: number,
  scale: number,
): ContextColumn[] {
  const columns: ContextColumn[] = []
  const before = pointAt(points, from)
  if (before) columns.push({ x: 0, least: before.tokens, most: before.tokens, last: before.tokens })
  let last = columns[0]
  const start = firstFrom(timesIn(points), from)
  for (let at = start; at < points.length; at++) {
    const point = points[at]
    if (!point || point.at > to) break
    const x = Math.round((point.at - from) * scale)
    if (last && last.x === x) {
      last.least = Math.min(last.least, point.tokens)
      last.most = Math.max(last.most, point.tokens)
      last.last = point.tokens
    } else {
      last = { x, least: point.tokens, most: point.tokens, last: point.tokens }
      columns.push(last)
    }
  }
  return columns
}

const columnsKnown = new WeakMap<readonly ContextPoint[], Float64Array>()

function timesIn(points: readonly ContextPoint[]): Float64Array {
  const known = columnsKnown.get(points) ?? toColumn(points)
  columnsKnown.set(points, known)
  return known
}

/** The height of the scale: the window where it is nearly reached, else what was used with space above. */
export function contextTop(most: number, window: number | undefined): number {
  if (window !== undefined && most > window * 0.3) return Math.max(window, most) * 1.1
  return Math.max(1, most * 1.3)
}

function toColumn(points: readonly ContextPoint[]): Float64Array {
  const times = new Float64Array(points.length)
  for (let at = 0; at < points.length; at++) times[at] = points[at]?.at ?? 0
  return times
}

const atOnce = 4
/** While outlines arrive the map is laid out no more often than this. */
const pauseMs = 500

export interface Outlines {
  /** By thread. */
  known: ReadonlyMap<string, Outline>
  isComplete: boolean
  error?: Error
}

const nothing: Outlines = { known: new Map(), isComplete: false }

export function useOutlines(head: SessionHead | undefined): Outlines {
  const store = useStore()
  const [outlines, setOutlines] = useState<Outlines>(nothing)
  useEffect(() => {
    if (!head) return
    const asked = new Set<string>()
    let isStarted = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      timer = undefined
      setOutlines(old => replaced(old, gather(store, head, asked)))
    }
    const onChange = () => {
      const now = gather(store, head, asked)
      if (now.isComplete || (now.known.size > 0 && !isStarted)) {
        clearTimeout(timer)
        look()
      } else timer ??= setTimeout(look, pauseMs)
      isStarted ||= now.known.size > 0
    }
    look()
    const stop = store.subscribe(onChange)
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [store, head])
  return outlines
}

/** What has come; asks for the next ones where few are on their way. */
function gather(store: SessionStore, head: SessionHead, asked: Set<string>): Outlines {
  const known = new Map<string, Outline>()
  let waiting = 0
  let isComplete = true
  let error: Error | undefined
  for (const { thread } of laneOrder(head.threads)) {
    const isMain = thread.kind === 'main'
    if (!asked.has(thread.id) && waiting >= atOnce) {
      isComplete = false
      continue
    }
    asked.add(thread.id)
    const state = store.outline(isMain ? undefined : thread.id)
    if (state.value) known.set(thread.id, state.value)
    else if (state.isLoading) waiting++
    if (isMain && state.error) error = state.error
    if (!state.value && state.isLoading) isComplete = false
    // Nothing else matters before the main thread is there.
    if (isMain && !state.value) break
  }
  return { known, isComplete, ...(error && { error }) }
}

/** The old one where nothing changed, so that nothing is laid out again. */
function replaced(old: Outlines, now: Outlines): Outlines {
  const isSame =
    old.known.size === now.known.size &&
    old.isComplete === now.isComplete &&
    old.error === now.error &&
    [...now.known].every(([thread, outline]) => old.known.get(thread) === outline)
  return isSame ? old : now
}
