// The cursor of the keyboard in the transcript, and the keys that move and use it.

import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { ViewItem } from '../../src/view/view.ts'
import { useKeys } from '../keys.ts'
import { copyText, say } from '../parts/copy.tsx'
import type { Items } from '../reader.ts'
import { type Filter, isShown, lowerBound } from './filter.tsx'
import { copiedFrom } from './items/item.tsx'
import type { ListHandle } from './scrolling.ts'
import { type Cursor, itemKey, neighbour, type OpenItems, type Rows, startsOpen } from './state.ts'

export interface Cursoring {
  cursor: Cursor | undefined
  item: ViewItem | undefined
  set(cursor: Cursor | undefined, isFocused?: boolean): void
  /** To the next or previous item. */
  step(direction: 1 | -1): void
  /** To the next or previous of some slots. */
  leap(slots: readonly number[], direction: 1 | -1): boolean
}

export interface CursorNeeds {
  rows: Rows
  items: Items
  filter: Filter
  list: RefObject<ListHandle | null>
  place: RefObject<HTMLElement | null>
}

export function useCursor({ rows, items, filter, list, place }: CursorNeeds): Cursoring {
  const [cursor, setCursor] = useState<Cursor>()
  const focusing = useRef<string | undefined>(undefined)
  useLayoutEffect(() => {
    if (focusing.current === undefined) return
    const element = place.current?.querySelector<HTMLElement>(`[data-key="${focusing.current}"]`)
    if (!element) return
    focusing.current = undefined
    element.focus({ preventScroll: true })
  })
  useKeptFocus(place, list, cursor)
  const set = (next: Cursor | undefined, isFocused = false) => {
    setCursor(next)
    focusing.current = next && isFocused ? itemKey('', next.slot, next.n) : undefined
  }
  const from = () => {
    const [first, last] = list.current?.visible() ?? [0, 0]
    return cursor && cursor.slot >= first && cursor.slot <= last ? cursor : undefined
  }
  return {
    cursor,
    item: cursor ? items.get(cursor.slot)?.[cursor.n] : undefined,
    set,
    step: direction => {
      const next = stepped(rows, items, filter, from(), list.current?.visible()[0] ?? 0, direction)
      if (!next) return
      set(next, true)
      if (!isOnScreen(place.current, next)) list.current?.reveal(next.slot)
    },
    leap: (slots, direction) => {
      const at = from()?.slot ?? (list.current?.visible()[0] ?? 0) - (direction === 1 ? 1 : 0)
      const slot = neighbour(slots, at, direction)
      if (slot === undefined) return false
      set({ slot, n: firstShown(items.get(slot), filter) }, true)
      list.current?.land(slot)
      return true
    },
  }
}

function stepped(
  rows: Rows,
  items: Items,
  filter: Filter,
  cursor: Cursor | undefined,
  firstVisible: number,
  direction: 1 | -1,
): Cursor | undefined {
  if (!cursor) {
    const slot = rows.slots[lowerBound(rows.slots, firstVisible)]
    return slot === undefined ? undefined : { slot, n: firstShown(items.get(slot), filter) }
  }
  const held = items.get(cursor.slot) ?? []
  for (let n = cursor.n + direction; n >= 0 && n < held.length; n += direction) {
    const item = held[n]
    if (item && isShown(item, filter)) return { slot: cursor.slot, n }
  }
  // Slots whose items are all hidden are passed over.
  let slot = neighbour(rows.slots, cursor.slot, direction)
  while (slot !== undefined && items.get(slot)?.every(item => !isShown(item, filter))) {
    slot = neighbour(rows.slots, slot, direction)
  }
  if (slot === undefined) return
  const list = items.get(slot)
  return { slot, n: direction === 1 ? firstShown(list, filter) : lastShown(list, filter) }
}

function firstShown(items: readonly ViewItem[] | undefined, filter: Filter): number {
  return Math.max(0, items?.findIndex(item => isShown(item, filter)) ?? 0)
}

function lastShown(items: readonly ViewItem[] | undefined, filter: Filter): number {
  return Math.max(0, items?.findLastIndex(item => isShown(item, filter)) ?? 0)
}

function isOnScreen(place: HTMLElement | null, cursor: Cursor): boolean {
  const element = place?.querySelector(`[data-key="${itemKey('', cursor.slot, cursor.n)}"]`)
  const outer = place?.querySelector('.transcript-scroll')
  if (!element || !outer) return false
  const box = element.getBoundingClientRect()
  const window = outer.getBoundingClientRect()
  return box.top > window.top + 60 && box.bottom < window.bottom - 8
}

/** An item that scrolled away takes the focus with it: the list gets it, and keys continue working from there. */
function useKeptFocus(
  place: RefObject<HTMLElement | null>,
  list: RefObject<ListHandle | null>,
  cursor: Cursor | undefined,
): void {
  const wasInside = useRef(false)
  useEffect(() => {
    const isLost = document.activeElement === document.body || document.activeElement === null
    if (isLost && wasInside.current && cursor) list.current?.focus()
    wasInside.current = place.current?.contains(document.activeElement) ?? false
  })
}

export interface KeysNeeds {
  cursoring: Cursoring
  rows: Rows
  open: OpenItems
  list: RefObject<ListHandle | null>
  raw: string | undefined
  onRaw(event: string | undefined): void
  onFind(): void
  onInspect(): void
}

export function useTranscriptKeys(needs: KeysNeeds): void {
  const { cursoring, rows, open, list, raw, onRaw, onFind, onInspect } = needs
  const leap = (slots: readonly number[], direction: 1 | -1, what: string) => {
    if (!cursoring.leap(slots, direction)) say(`No ${direction === 1 ? 'further' : 'earlier'} ${what}`)
  }
  const toggle = () => {
    const { cursor, item } = cursoring
    if (!cursor || !item) return false
    const key = itemKey('', cursor.slot, cursor.n)
    open.set(key, !open.isOpen(key, startsOpen(item)))
    return true
  }
  const step = (direction: 1 | -1) => {
    cursoring.step(direction)
    if (raw !== undefined && cursoring.item) onRaw(cursoring.item.id)
  }
  useKeys(
    {
      j: ['next item', () => step(1)],
      k: ['previous item', () => step(-1)],
      n: () => leap(rows.prompts, 1, 'prompt'),
      p: () => leap(rows.prompts, -1, 'prompt'),
      e: () => leap(rows.errors, 1, 'error'),
      E: ['previous error', () => leap(rows.errors, -1, 'error')],
      o: toggle,
      Enter: toggle,
      r: () => (raw === undefined ? cursoring.item && onRaw(cursoring.item.id) : onRaw(undefined)),
      c: () => {
        if (!cursoring.item) return false
        const { text, what } = copiedFrom(cursoring.item)
        void copyText(text, what)
        return true
      },
      f: onFind,
      i: ['details', onInspect],
      Home: ['beginning', () => list.current?.land(0)],
      End: ['end', () => list.current?.land('end')],
    },
    'Transcript',
  )
}
