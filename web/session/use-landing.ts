// Links to an event land exactly: on its thread, its path, with filters that show it. And what is looked at is put into
// the address, so that it can be sent and come back to.

import { useEffect, useRef, useState } from 'react'
import type { Outline, SessionHead } from '../../src/view/reading.ts'
import { say } from '../parts/copy.tsx'
import { useReader } from '../reader.ts'
import { navigate, type Route, routeNow, useRoute } from '../route.ts'
import { readFilter, writeFilter } from './filter.ts'
import { hasSlot, type Rows } from './rows.ts'

export interface Landed {
  slot: number
  event: string
}

export interface LandingNeeds {
  head: SessionHead
  outline: Outline
  rows: Rows
  /** False while rows are not the final ones. */
  isReady: boolean
  onLand(landed: Landed): void
}

/** The event that a link named, once it was found. */
export function useLanding({ head, outline, rows, isReady, onLand }: LandingNeeds): {
  marked: Landed | undefined
  clear(): void
  /** Puts an event into the address without going there. */
  note(event: string): void
} {
  const reader = useReader()
  const { query } = useRoute()
  const { event } = query
  const [marked, setMarked] = useState<Landed>()
  const done = useRef<string | undefined>(undefined)
  const land = useRef(onLand)
  land.current = onLand
  useEffect(() => {
    if (!event || !isReady || done.current === event) return
    let isGone = false
    reader.placeOf(event).then(
      place => {
        if (isGone) return
        if (!place) {
          done.current = event
          say('That event is not in this session')
          return
        }
        const better = routeShowing(head, outline, rows, place)
        if (better) {
          navigate(better, { replace: true })
          return
        }
        done.current = event
        const landed = { slot: place.slot, event }
        setMarked(landed)
        land.current(landed)
      },
      () => say('That event could not be looked up'),
    )
    return () => {
      isGone = true
    }
  }, [event, isReady, reader, head, outline, rows])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return {
    marked,
    clear: () => setMarked(undefined),
    note: id => {
      clearTimeout(timer.current)
      timer.current = setTimeout(() => {
        done.current = id
        const route = routeNow()
        if (route.screen === 'transcript')
          navigate({ ...route, query: { ...route.query, event: id } }, { replace: true })
      }, 500)
    },
  }
}

/** The address under which a place is shown; undefined where it is shown already. */
function routeShowing(
  head: SessionHead,
  outline: Outline,
  rows: Rows,
  place: { thread: string; slot: number },
): Route | undefined {
  const route = routeNow()
  if (place.thread !== outline.thread) {
    const isMain = head.threads.some(thread => thread.id === place.thread && thread.kind === 'main')
    return { ...route, query: { ...route.query, thread: isMain ? '' : place.thread, branch: '', show: '' } }
  }
  if (hasSlot(rows, place.slot)) return
  const leaf = outline.branches[place.slot] ?? ''
  const isQuiet = outline.quiet.includes(place.slot)
  const filter = readFilter(route.query['show'])
  const show = writeFilter({ sorts: new Set(), tools: new Set(), isQuiet: isQuiet || filter.isQuiet })
  const better: Route = { ...route, query: { ...route.query, branch: leaf, show } }
  const isSame = (route.query['branch'] ?? '') === leaf && (route.query['show'] ?? '') === show
  return isSame ? undefined : better
}
