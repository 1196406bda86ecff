// The view of the map as state: what the address says, what gestures make of it, short glides, and following a live end.

import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { navigate, routeNow, useRoute } from '../route.ts'
import { type FoldedTime, toReal } from './fold.ts'
import { between, clampView, fitView, readView, type View, writeView } from './view.ts'

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
