// Keeps a row at its place of the window while rows around it get their real heights: after a jump, and at the end of a
// session that grows. The reader's own scrolling always wins.

import type { Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import type { OpenItems } from './state.ts'

export type List = Virtualizer<HTMLDivElement, HTMLDivElement>

/** How long after opening something its row may grow below the reader's eye. */
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

/** A row by its index and how far below the upper edge it stands; or the end. */
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
