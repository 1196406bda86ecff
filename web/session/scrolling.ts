// Where the list scrolls by itself: a row stays in place while rows around it get their real heights, an item that was asked
// for stays on screen while it unfolds, and so does the end of a live session while the reader is there. Which item is asked
// for is decided in landing.ts.

import type { Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { rangesIn } from './find.tsx'
import type { OpenItems } from './state.ts'

/** What others may do with the list. */
export interface ListHandle {
  /** Puts a slot below the upper edge; `end` is the end. */
  land(slot: number | 'end'): void
  /** Puts an item of a slot's row on screen, and in it the first of these words. */
  landOn(slot: number, key: string, words: readonly string[]): void
  /** Scrolls only as far as needed to see a slot. */
  reveal(slot: number): void
  /** The first and last slot on screen. */
  visible(): [from: number, to: number]
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

/** A row by its index, or an item in it, and its distance from the upper edge; or the end. */
export type Pin = { index: number; below: number; key?: string; words?: readonly string[] } | 'end'

export interface Pinning {
  pin(to: Pin): void
  release(): void
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
  })
  return pinning.current
}

function offsetOf(list: List, outer: HTMLElement, to: Pin): number | undefined {
  const most = Math.max(0, list.getTotalSize() - outer.clientHeight)
  if (to === 'end') return most
  const row = list.measurementsCache[to.index]
  if (row === undefined) return undefined
  const inside = to.key === undefined ? 0 : placeInRow(outer, to.key, to.words ?? [], to.below)
  return Math.max(0, Math.min(most, row.start + inside - to.below))
}

/**
 * How far below the beginning of its row an item is; where its words are too far below that to be seen, a little above them.
 * The row's own place is the list's business: rows above it may not be measured yet.
 */
function placeInRow(outer: HTMLElement, key: string, words: readonly string[], below: number): number {
  const item = outer.querySelector(`[data-key="${CSS.escape(key)}"]`)
  const row = item?.closest('.row')
  if (!item || !row) return 0
  const zero = row.getBoundingClientRect().top
  const start = item.getBoundingClientRect().top - zero
  const [range] = words.length === 0 ? [] : rangesIn(item, words, 1)
  const found = range?.getBoundingClientRect()
  if (!found || found.height === 0) return start
  const isSeen = found.bottom - zero - start < outer.clientHeight - below - 40
  return isSeen ? start : found.top - zero - outer.clientHeight / 3 + below
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
