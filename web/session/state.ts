// What a reader did to the transcript: which items are open, and which one is being looked at. It outlives the rows, which
// come and go with scrolling.

import { type ComponentType, createContext, useContext, useSyncExternalStore } from 'react'
import type { SessionHead } from '../../src/view/reading.ts'
import type { ThreadPart, ViewItem } from '../../src/view/view.ts'

/** Items that were opened or closed by hand; all others are as their kind begins. */
export class OpenItems {
  #open = new Map<string, boolean>()
  #listeners = new Set<() => void>()
  /** Rows in which something was just opened or closed, and when: they grow where the reader looks. */
  #touched = new Map<string, number>()

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  isOpen(key: string, byDefault: boolean): boolean {
    return this.#open.get(key) ?? byDefault
  }

  set(key: string, isOpen: boolean): void {
    this.#open.set(key, isOpen)
    this.#touched.set(rowOfKey(key), performance.now())
    for (const listener of [...this.#listeners]) listener()
  }

  wasTouched(row: string, withinMs: number): boolean {
    return performance.now() - (this.#touched.get(row) ?? Number.NEGATIVE_INFINITY) < withinMs
  }
}

/** The key of an item: the n-th of a slot. Keys of a nested thread's items begin with that of the item around it. */
export function itemKey(path: string, slot: number, n: number): string {
  return `${path}${slot}.${n}`
}

function rowOfKey(key: string): string {
  return key.slice(0, key.indexOf('.'))
}

export interface Cursor {
  slot: number
  n: number
}

/** What the painter of an item is given. */
export interface PainterProps {
  item: ViewItem
  itemKey: string
  /** How many media the event's items before this one hold. */
  mediaFrom: number
}

/** What the painter of a subagent's thread is given. */
export interface NestedProps {
  part: ThreadPart
  /** The key of the thread: those of its items begin with it. */
  path: string
}

/** What every item needs to know of the screen around it. */
export interface Around {
  session: string
  head: SessionHead | undefined
  open: OpenItems
  /** Working directory with a slash behind it: paths are shown without it. */
  home: string
  showRaw(event: string): void
  /** Threads contain items, which contain threads: passed in, since modules cannot import each other. */
  Nested: ComponentType<NestedProps>
}

export const AroundContext = createContext<Around | null>(null)

export function useAround(): Around {
  const around = useContext(AroundContext)
  if (!around) throw new Error('This part belongs into a transcript.')
  return around
}

export function useOpen(key: string, byDefault: boolean): [isOpen: boolean, set: (isOpen: boolean) => void] {
  const { open } = useAround()
  const isOpen = useSyncExternalStore(open.subscribe, () => open.isOpen(key, byDefault))
  return [isOpen, next => open.set(key, next)]
}
