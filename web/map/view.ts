// The visible part of the map: how it zooms and pans, its animation, and its place in the address.

import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { navigate, routeNow, useRoute } from '../route.ts'
import { type FoldedTime, toFolded, toReal } from './fold.ts'

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

/** A view that reached the end of a session goes on with it as it grows. */
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

/** The real times at both ends of a view. */
export function realEnds(view: View, time: FoldedTime): [from: number, to: number] {
  return [toReal(time, Math.max(0, view.from)), toReal(time, Math.min(time.length, view.to))]
}
