// The visible part of the map, how it zooms and pans, its place in the address; and the positions of lanes, axis and context
// in pixels. It draws nothing.

import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { navigate, routeNow, useRoute } from '../route.ts'
import type { Palette } from '../thread/palette.ts'
import { type FoldedTime, toFolded, toReal } from './fold.ts'
import type { MapScene } from './model.ts'

/** In folded milliseconds. */
export interface View {
  from: number
  to: number
}

/** The closest look. */
const leastSpan = 250
/** Empty space around the first and the last event, as a share of the whole. */
const margin = 0.012

/** Everything, with a little space at both ends. */
export function fitView(time: FoldedTime): View {
  const space = Math.max(time.length * margin, 40)
  return { from: -space, to: time.length + space }
}

/** Keeps a view within the session and not closer than one can see. */
export function clampView(view: View, time: FoldedTime): View {
  const fit = fitView(time)
  const most = fit.to - fit.from
  const span = Math.min(most, Math.max(Math.min(leastSpan, most), view.to - view.from))
  const from = Math.max(fit.from, Math.min(fit.to - span, view.from + (view.to - view.from - span) / 2))
  return { from, to: from + span }
}

export function isFit(view: View, time: FoldedTime): boolean {
  const fit = fitView(time)
  return view.to - view.from >= (fit.to - fit.from) * 0.999
}

/** Zooms by `factor` (below 1: closer) around a place that stays where it is on screen. */
export function zoomView(view: View, factor: number, around: number, time: FoldedTime): View {
  const fit = fitView(time)
  const span = view.to - view.from
  const next = Math.min(fit.to - fit.from, Math.max(leastSpan, span * factor))
  const share = span === 0 ? 0.5 : (around - view.from) / span
  const from = around - next * share
  return clampView({ from, to: from + next }, time)
}

export function panView(view: View, by: number, time: FoldedTime): View {
  return clampView({ from: view.from + by, to: view.to + by }, time)
}

/** A view of a stretch with some space around it. */
export function viewOf(from: number, to: number, time: FoldedTime, space = 0.06): View {
  const span = Math.max(to - from, leastSpan)
  return clampView({ from: from - span * space, to: from + span * (1 + space) }, time)
}

/** Moves a view, no further than needed, so that a place is on it. */
export function reveal(view: View, at: number, time: FoldedTime): View {
  const space = (view.to - view.from) * 0.08
  if (at < view.from + space) return panView(view, at - view.from - space, time)
  if (at > view.to - space) return panView(view, at - view.to + space, time)
  return view
}

/** The view that an address names; undefined where it names none. Real times, so that folding may change. */
export function readView(query: Record<string, string>, time: FoldedTime): View | undefined {
  const from = Number(query['from'] ?? Number.NaN)
  const to = Number(query['to'] ?? Number.NaN)
  if (!Number.isFinite(from) || !Number.isFinite(to) || to <= from) return
  return clampView({ from: toFolded(time, from), to: toFolded(time, to) }, time)
}

/** What the address says of a view; nothing of one that shows everything. */
export function writeView(view: View, time: FoldedTime): Record<string, string> {
  if (isFit(view, time)) return {}
  return { from: String(Math.round(toReal(time, view.from))), to: String(Math.round(toReal(time, view.to))) }
}

/** Between two views, for a short glide; the span changes evenly by ratio. */
export function between(one: View, other: View, share: number): View {
  const span = (one.to - one.from) ** (1 - share) * (other.to - other.from) ** share
  const middle = ((one.from + one.to) / 2) * (1 - share) + ((other.from + other.to) / 2) * share
  return { from: middle - span / 2, to: middle + span / 2 }
}

const glideMs = 140
const settleMs = 220

export interface ViewControl {
  view: View
  /** At once, for gestures. */
  move(view: View): void
  /** With a glide, for keys and buttons. */
  glide(view: View): void
}

export function useView(time: FoldedTime): ViewControl {
  const { query } = useRoute()
  const [asked, setAsked] = useState<Record<string, string>>(() => pick(query))
  const written = useRef(asked)
  useEffect(() => {
    const now = pick(query)
    if (isSame(now, written.current)) return
    written.current = now
    setAsked(now)
  }, [query])
  const followed = useFollowed(asked, time)
  const view = useMemo(() => readView(followed, time) ?? fitView(time), [followed, time])
  const latest = useRef({ view, time })
  latest.current = { view, time }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const frame = useRef(0)

  const put = useCallback((next: View) => {
    const now = writeView(clampView(next, latest.current.time), latest.current.time)
    setAsked(now)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      written.current = now
      const route = routeNow()
      if (route.screen !== 'map') return
      const { from: _from, to: _to, ...rest } = route.query
      navigate({ ...route, query: { ...rest, ...now } }, { replace: true })
    }, settleMs)
  }, [])
  const move = useCallback(
    (next: View) => {
      cancelAnimationFrame(frame.current)
      put(next)
    },
    [put],
  )
  const glide = useCallback(
    (next: View) => {
      cancelAnimationFrame(frame.current)
      const from = latest.current.view
      const to = clampView(next, latest.current.time)
      if (window.matchMedia('(prefers-reduced-motion: reduce)').matches) return put(to)
      glideOver(from, to, put, frame)
    },
    [put],
  )
  useEffect(() => {
    return () => {
      clearTimeout(timer.current)
      cancelAnimationFrame(frame.current)
    }
  }, [])
  return { view, move, glide }
}

/** Quick at first, then slower, as a hand would. */
function glideOver(from: View, to: View, put: (view: View) => void, frame: { current: number }): void {
  const start = performance.now()
  const step = () => {
    const share = Math.min(1, (performance.now() - start) / glideMs)
    put(share === 1 ? to : between(from, to, 1 - (1 - share) ** 3))
    if (share < 1) frame.current = requestAnimationFrame(step)
  }
  step()
}

function pick({ from, to }: Record<string, string>): Record<string, string> {
  return from !== undefined && to !== undefined ? { from, to } : {}
}

function isSame(one: Record<string, string>, other: Record<string, string>): boolean {
  return one['from'] === other['from'] && one['to'] === other['to']
}

/** A view that reached the end of a session continues with it as it grows. */
function useFollowed(asked: Record<string, string>, time: FoldedTime): Record<string, string> {
  const seen = useRef({ asked, end: time.end })
  if (seen.current.asked !== asked) seen.current = { asked, end: time.end }
  const { end } = seen.current
  return useMemo(() => {
    const to = Number(asked['to'])
    const grown = time.end - end
    if (!(grown > 0) || !(to >= end)) return asked
    return { from: String(Number(asked['from']) + grown), to: String(to + grown) }
  }, [asked, time, end])
}

export interface LaneBox {
  /** From the top of all lanes. */
  top: number
  height: number
  /** Where its thread runs. */
  line: number
  rowTop: number
  rowStep: number
  /** The height of a bar. */
  bar: number
}

export interface MapShape {
  width: number
  height: number
  /** Space for the names of lanes; 0 on narrow screens, where they are in the lanes. */
  gutter: number
  axis: number
  contextTop: number
  contextHeight: number
  /** Where lanes begin. */
  lanesTop: number
  lanes: LaneBox[]
  /** The height of all lanes. */
  lanesHeight: number
}

const axis = 34
const manyLanes = 40
/** How much taller a row becomes at most, and what part of it a subagent's gets. */
const mostStretch = 36
const agentShare = 0.7

export function shapeMap(scene: MapScene, width: number, height: number): MapShape {
  const isNarrow = width < 720
  const plain = arrange(scene, height, isNarrow, 0)
  // What a small session leaves free makes its bars and its area taller.
  const free = height - plain.lanesTop - plain.lanesHeight
  const { lanesTop, ...rest } = free > 40 ? arrange(scene, height, isNarrow, free) : plain
  return {
    width,
    height,
    gutter: isNarrow ? 0 : Math.round(Math.min(240, Math.max(150, width * 0.16))),
    axis,
    contextTop: axis + 6,
    lanesTop,
    ...rest,
  }
}

type Arranged = Pick<MapShape, 'contextHeight' | 'lanesTop' | 'lanes' | 'lanesHeight'>

function arrange(scene: MapScene, height: number, isNarrow: boolean, free: number): Arranged {
  const hasContext = scene.context.length > 1
  const usual = height < 520 ? 56 : Math.round(Math.min(150, height * 0.17))
  const rows = scene.lanes.reduce(
    (sum, lane) => sum + Math.max(1, lane.rows.length) * (lane.isMain ? 1 : agentShare),
    0,
  )
  const forLanes = hasContext ? free * 0.7 : free
  const stretch = Math.min(mostStretch, forLanes / Math.max(1, rows))
  // What the lanes leave is the context's.
  const contextHeight = hasContext ? Math.round(usual + Math.max(0, free - stretch * rows)) : 0
  const isCompact = scene.lanes.length > manyLanes
  let top = 0
  const lanes = scene.lanes.map((lane): LaneBox => {
    const count = Math.max(1, lane.rows.length)
    const box = lane.isMain
      ? mainBox(top, count, (height > 700 ? 15 : 13) + stretch)
      : agentBox(top, count, (isCompact ? 5 : 9) + stretch * agentShare, isNarrow, isCompact)
    top += box.height
    return box
  })
  const lanesTop = axis + 6 + contextHeight + (hasContext ? 12 : 0)
  return { contextHeight, lanesTop, lanes, lanesHeight: top + 16 }
}

function mainBox(top: number, rows: number, rowStep: number): LaneBox {
  const rowTop = 47
  return { top, line: 36, rowTop, rowStep, bar: rowStep - 3, height: rowTop + rows * rowStep + 16 }
}

function agentBox(top: number, rows: number, rowStep: number, isNarrow: boolean, isCompact: boolean): LaneBox {
  const line = isNarrow ? 24 : isCompact ? 7 : 13
  const rowTop = line + (isCompact ? 3 : 6)
  const shown = isCompact ? Math.min(2, rows) : rows
  const height = rowTop + shown * rowStep + (isCompact ? 4 : 10)
  return { top, line, rowTop, rowStep, bar: rowStep - 2, height }
}

/** Pixels for a folded millisecond. */
export function scaleOf(shape: MapShape, view: View): number {
  return (shape.width - shape.gutter) / Math.max(1e-6, view.to - view.from)
}

export function xOf(shape: MapShape, view: View, at: number): number {
  return shape.gutter + (at - view.from) * scaleOf(shape, view)
}

export function atX(shape: MapShape, view: View, x: number): number {
  return view.from + (x - shape.gutter) / scaleOf(shape, view)
}

/** The lane at a height of the plot, with lanes scrolled by `scroll`. */
export function laneAtY(shape: MapShape, y: number, scroll: number): number | undefined {
  if (y < shape.lanesTop) return
  const inside = y - shape.lanesTop + scroll
  const found = shape.lanes.findIndex(({ top, height }) => inside >= top && inside < top + height)
  return found < 0 ? undefined : found
}

export interface MapFrame {
  context: CanvasRenderingContext2D
  palette: Palette
  scene: MapScene
  shape: MapShape
  view: View
  /** How far lanes are scrolled. */
  scroll: number
}
