// The cursor of the keyboard in the transcript, and the keys that move and use it.

import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { countText } from '../../src/base/format.ts'
import { compareWays, type ErrorPlace, wayTo } from '../../src/view/reading.ts'
import type { ViewItem } from '../../src/view/view.ts'
import { useKeys } from '../keys.ts'
import { copyText, say } from '../parts/copy.tsx'
import { useReader, useStore } from '../reader.ts'
import { type Filter, isShown } from './filter.tsx'
import { copiedFrom } from './items/item.tsx'
import { isWrong, type Target } from './landing.ts'
import { setPreference, usePreferences } from './preferences.ts'
import type { ListHandle } from './scrolling.ts'
import {
  type Cursor,
  itemKey,
  neighbour,
  type OpenItems,
  type Rows,
  type Spots,
  slotsOfKey,
  startsOpen,
} from './state.ts'

export interface Cursoring {
  cursor: Cursor | undefined
  item: ViewItem | undefined
  set(cursor: Cursor | undefined, isFocused?: boolean): void
  /** To the next or previous item. */
  step(direction: 1 | -1): void
  /** To the next or previous of some slots. */
  leap(slots: readonly number[], direction: 1 | -1): boolean
  /** The slots that lead to where the reader is, from the main thread on. */
  here(): number[]
}

export interface CursorNeeds {
  rows: Rows
  thread: string
  filter: Filter
  spots: Spots
  list: RefObject<ListHandle | null>
  place: RefObject<HTMLElement | null>
  /** The slots that lead to this thread from the main one. */
  above: readonly number[]
}

export function useCursor({ rows, thread, filter, spots, list, place, above }: CursorNeeds): Cursoring {
  const store = useStore()
  const [cursor, setCursor] = useState<Cursor>()
  const focusing = useRef<string | undefined>(undefined)
  useLayoutEffect(() => {
    if (focusing.current === undefined) return
    const element = elementOf(place.current, focusing.current)
    if (!element) return
    focusing.current = undefined
    element.focus({ preventScroll: true })
  })
  useKeptFocus(place, list, cursor)
  const set = (next: Cursor | undefined, isFocused = false) => {
    setCursor(next)
    spots.look(next?.key)
    focusing.current = next && isFocused ? next.key : undefined
  }
  /** The cursor, unless it was scrolled away. */
  const seen = () => {
    const [first, last] = list.current?.visible() ?? [0, 0]
    const row = cursor === undefined ? undefined : slotsOfKey(cursor.key)[0]
    return row !== undefined && row >= first && row <= last ? cursor : undefined
  }
  const firstOf = (slot: number): Cursor => {
    const n = Math.max(
      0,
      store.itemsOf(thread, slot)?.findIndex(item => isShown(item, filter, rows.repeated.has(slot))) ?? 0,
    )
    return { key: itemKey('', slot, n), thread, slot, n }
  }
  return {
    cursor,
    item: cursor ? store.itemsOf(cursor.thread, cursor.slot)?.[cursor.n] : undefined,
    set,
    step: direction => {
      const at = seen()
      const next = at ? besides(place.current, at, direction) : firstOnScreen(place.current)
      if (next) {
        set(next, true)
        if (!isOnScreen(place.current, next)) list.current?.landOn(slotsOfKey(next.key)[0] ?? 0, next.key, [])
        return
      }
      const row = at === undefined ? undefined : slotsOfKey(at.key)[0]
      const slot = row === undefined ? undefined : neighbour(rows.slots, row, direction)
      if (slot === undefined) return
      set(firstOf(slot), true)
      list.current?.reveal(slot)
    },
    leap: (slots, direction) => {
      const at = seen()
      const from = at ? slotsOfKey(at.key)[0] : (list.current?.visible()[0] ?? 0) - (direction === 1 ? 1 : 0)
      const slot = neighbour(slots, from ?? 0, direction)
      if (slot === undefined) return false
      set(firstOf(slot), true)
      list.current?.land(slot)
      return true
    },
    here: () => {
      const at = seen()
      return [...above, ...(at ? slotsOfKey(at.key) : [list.current?.visible()[0] ?? 0])]
    },
  }
}

function elementOf(place: HTMLElement | null, key: string): HTMLElement | null {
  return place?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`) ?? null
}

/** The cursor of an item's element, which names it. */
export function cursorOf(element: HTMLElement): Cursor | undefined {
  const { key, thread, slot, n } = element.dataset
  if (key === undefined || thread === undefined) return undefined
  return { key, thread, slot: Number(slot), n: Number(n) }
}

function itemElements(place: HTMLElement | null): HTMLElement[] {
  return [...(place?.querySelectorAll<HTMLElement>('.transcript-rows .item') ?? [])]
}

/** The item before or after one, as they are on screen, those of open subagents included. */
function besides(place: HTMLElement | null, at: Cursor, direction: 1 | -1): Cursor | undefined {
  const all = itemElements(place)
  const found = all.findIndex(element => element.dataset['key'] === at.key)
  const next = found < 0 ? undefined : all[found + direction]
  return next && cursorOf(next)
}

function firstOnScreen(place: HTMLElement | null): Cursor | undefined {
  const top = place?.querySelector('.transcript-scroll')?.getBoundingClientRect().top ?? 0
  const first = itemElements(place).find(element => element.getBoundingClientRect().bottom > top + 8)
  return first && cursorOf(first)
}

function isOnScreen(place: HTMLElement | null, cursor: Cursor): boolean {
  const element = elementOf(place, cursor.key)
  const outer = place?.querySelector('.transcript-scroll')
  if (!element || !outer) return false
  // Of an item with a subagent in it, its own line counts.
  const box = (element.querySelector(':scope > button, :scope > p') ?? element).getBoundingClientRect()
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

/** Goes from error to error, wherever they are. `version`: how many there are. */
export function useErrors(cursoring: Cursoring, go: (target: Target) => void, version: number) {
  const reader = useReader()
  const known = useRef<{ version: number; places: Promise<ErrorPlace[]> }>(undefined)
  const last = useRef<{ at: number; from: Cursor | undefined }>(undefined)
  return async (direction: 1 | -1) => {
    if (known.current?.version !== version) known.current = { version, places: reader.errors() }
    const places = await known.current.places
    const before = last.current
    const stop = before && places[before.at]
    // Who presses again before the first one is on screen means the one after it.
    const isThere =
      stop !== undefined && (before?.from === cursoring.cursor || compareWays(wayTo(stop), cursoring.here()) === 0)
    const at = nextError(places, isThere ? before?.at : undefined, cursoring, direction)
    const place = places[at]
    if (!place) {
      say(`No ${direction === 1 ? 'further' : 'earlier'} error`)
      return
    }
    last.current = { at, from: cursoring.cursor }
    say(`Error ${countText(at + 1)} of ${countText(places.length)}`)
    go({ event: place.event, place, error: place.n })
  }
}

/** The one after `last`, or the nearest from where the reader is; -1 where there is none. */
export function nextError(
  places: readonly ErrorPlace[],
  last: number | undefined,
  { item, here }: Pick<Cursoring, 'item' | 'here'>,
  direction: 1 | -1,
): number {
  if (last !== undefined) return last + direction
  const way = here()
  const isAtOne = item !== undefined && isWrong(item)
  if (direction === -1) return places.findLastIndex(place => compareWays(wayTo(place), way) < 0)
  return places.findIndex(place => compareWays(wayTo(place), way) >= (isAtOne ? 1 : 0))
}

export interface KeysNeeds {
  cursoring: Cursoring
  rows: Rows
  open: OpenItems
  list: RefObject<ListHandle | null>
  home: string
  raw: string | undefined
  onRaw(event: string | undefined): void
  onError(direction: 1 | -1): void
  onFind(): void
  onInspect(): void
}

export function useTranscriptKeys(needs: KeysNeeds): void {
  const { cursoring, rows, open, list, home, raw, onRaw, onError, onFind, onInspect } = needs
  const { thinking, wrap } = usePreferences()
  const leap = (slots: readonly number[], direction: 1 | -1, what: string) => {
    if (!cursoring.leap(slots, direction)) say(`No ${direction === 1 ? 'further' : 'earlier'} ${what}`)
  }
  const toggle = () => {
    const { cursor, item } = cursoring
    if (!cursor || !item) return false
    open.set(cursor.key, !open.isOpen(cursor.key, startsOpen(item)))
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
      e: () => onError(1),
      E: ['previous error', () => onError(-1)],
      o: toggle,
      Enter: toggle,
      t: ['thinking on or off', () => setPreference('thinking', !thinking)],
      w: ['wrap long lines or not', () => setPreference('wrap', !wrap)],
      O: ['open everything', () => open.setAll(true)],
      C: ['close everything', () => open.setAll(false)],
      r: () => (raw === undefined ? cursoring.item && onRaw(cursoring.item.id) : onRaw(undefined)),
      c: () => {
        if (!cursoring.item) return false
        const { text, what } = copiedFrom(cursoring.item, home)
        void copyText(text, what)
        return true
      },
      f: onFind,
      'Ctrl+F': ['find in this session', onFind],
      i: ['details', onInspect],
      Home: ['beginning', () => list.current?.land(0)],
      End: ['end', () => list.current?.land('end')],
    },
    'Transcript',
  )
}
