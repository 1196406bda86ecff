// Where the list scrolls by itself: a row stays in place while rows around it get their real heights, the event in the
// address is shown, and the end of a live session stays on screen while the reader is there.

import type { Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Outline, SessionHead } from '../../src/view/reading.ts'
import { say } from '../parts/copy.tsx'
import { useReader } from '../reader.ts'
import { navigate, type Route, routeNow, useRoute } from '../route.ts'
import { readFilter, writeFilter } from './filter.tsx'
import { hasSlot, type OpenItems, type Rows } from './state.ts'

/** What others may do with the list. */
export interface ListHandle {
  /** Puts a slot below the upper edge; `end` is the end. */
  land(slot: number | 'end'): void
  /** Scrolls only as far as needed to see a slot. */
  reveal(slot: number): void
  /** The first and last slot on screen. */
  visible(): [from: number, to: number]
  isAtEnd(): boolean
  focus(): void
}

export type List = Virtualizer<HTMLDivElement, HTMLDivElement>

/** How long after opening something its row may grow downwards. */
const openingMs = 5000

/**
 * What is read stays where it is when rows above it get other heights. What is opened in a row that begins above the window
 * grows downwards. All changes of a frame are made up for at once: the list itself would count all rows for each.
 */
export function useSteady(list: List, scroller: RefObject<HTMLDivElement | null>, open: OpenItems): void {
  const shift = useRef(0)
  list.shouldAdjustScrollPositionOnItemSizeChange = (row, delta) => {
    if (row.start >= (list.scrollOffset ?? 0) || open.wasTouched(String(row.key), openingMs)) return false
    if (shift.current === 0) {
      queueMicrotask(() => {
        if (scroller.current) scroller.current.scrollTop += shift.current
        shift.current = 0
      })
    }
    shift.current += delta
    return false
  }
}

/** A row by its index and its distance from the upper edge; or the end. */
export type Pin = { index: number; below: number } | 'end'

export interface Pinning {
  pin(to: Pin): void
  release(): void
  isPinned(): boolean
}

/** How long a place is held: pages and pictures may come late. */
const holdMs = 5000

export function usePin(list: List, scroller: RefObject<HTMLDivElement | null>): Pinning {
  const held = useRef<{ to: Pin; until: number } | undefined>(undefined)
  const apply = useRef(() => {})
  apply.current = () => {
    const outer = scroller.current
    const pinned = held.current
    if (!outer || !pinned) return
    if (pinned.to !== 'end' && performance.now() > pinned.until) {
      held.current = undefined
      return
    }
    const target = offsetOf(list, outer, pinned.to)
    if (target !== undefined && Math.abs(outer.scrollTop - target) > 1) outer.scrollTop = target
  }
  useLayoutEffect(() => apply.current())
  useEffect(() => {
    const outer = scroller.current
    if (!outer) return
    const letGo = () => {
      held.current = undefined
    }
    const onKey = (event: KeyboardEvent) => {
      if (/^(Arrow|Page|Home|End| )/.test(event.key)) letGo()
    }
    outer.addEventListener('wheel', letGo, { passive: true })
    outer.addEventListener('touchmove', letGo, { passive: true })
    outer.addEventListener('mousedown', letGo)
    outer.addEventListener('keydown', onKey)
    return () => {
      outer.removeEventListener('wheel', letGo)
      outer.removeEventListener('touchmove', letGo)
      outer.removeEventListener('mousedown', letGo)
      outer.removeEventListener('keydown', onKey)
    }
  }, [scroller])
  const pinning = useRef<Pinning>({
    pin: to => {
      held.current = { to, until: performance.now() + holdMs }
      apply.current()
    },
    release: () => {
      held.current = undefined
    },
    isPinned: () => held.current !== undefined,
  })
  return pinning.current
}

function offsetOf(list: List, outer: HTMLElement, to: Pin): number | undefined {
  const most = Math.max(0, list.getTotalSize() - outer.clientHeight)
  if (to === 'end') return most
  const row = list.measurementsCache[to.index]
  return row === undefined ? undefined : Math.max(0, Math.min(most, row.start - to.below))
}

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
      () => say('That event could not be loaded'),
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

export interface Following {
  /** Slots that came below since the reader left the end. */
  newBelow: number
  /** Called by the list after scrolling. */
  seen(isAtEnd: boolean): void
}

export function useFollow(
  list: RefObject<ListHandle | null>,
  count: number,
  isLive: boolean,
  starts: boolean,
): Following {
  const isAtEnd = useRef(false)
  const [known, setKnown] = useState(count)
  const [hasStarted, setStarted] = useState(false)
  useEffect(() => {
    if (hasStarted || count === 0) return
    setStarted(true)
    setKnown(count)
    if (isLive && starts) {
      isAtEnd.current = true
      list.current?.land('end')
    }
  }, [hasStarted, count, isLive, starts, list])
  useEffect(() => {
    if (!hasStarted || count <= known || !isAtEnd.current) return
    setKnown(count)
    list.current?.land('end')
  }, [count, known, hasStarted, list])
  return {
    newBelow: hasStarted ? Math.max(0, count - known) : 0,
    seen: atEnd => {
      isAtEnd.current = atEnd
      if (atEnd && known !== count) setKnown(count)
      if (atEnd && isLive && hasStarted) list.current?.land('end')
    },
  }
}
