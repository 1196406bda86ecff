// What the parts of the session screen share: which items are open, the keys of items, and the rows of the list: the slots
// that the filters let through, by turn.

import { type ComponentType, createContext, useContext, useSyncExternalStore } from 'react'
import { eventKinds } from '../../src/model/event.ts'
import type { CallStatus } from '../../src/model/session.ts'
import type { Outline, SessionHead, TurnFacts } from '../../src/view/reading.ts'
import type { Badge, ThreadPart, ViewItem } from '../../src/view/view.ts'
import { lowerBound, repeatedSlots } from './filter.tsx'

/** Something that parts of the screen watch. */
class Watched {
  #listeners = new Set<() => void>()

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  protected notify(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}

/** Items that were opened or closed by hand; all others are as their kind begins, or all open, or all closed. */
export class OpenItems extends Watched {
  #open = new Map<string, boolean>()
  #all: boolean | undefined
  /** What was opened only because somebody went to it or to something inside, and how it was before. */
  #visited = new Map<string, boolean | undefined>()
  /** Rows in which something was just opened or closed, and when: they grow where the reader looks. */
  #touched = new Map<string, number>()
  /** By thread inside an item: the slot that somebody asked for, which may be far from its beginning. */
  #asked = new Map<string, number>()

  isOpen(key: string, byDefault: boolean): boolean {
    return this.#open.get(key) ?? this.#all ?? byDefault
  }

  set(key: string, isOpen: boolean): void {
    this.#visited.delete(key)
    this.#put(key, isOpen)
    this.notify()
  }

  /** Opens the way to something. What the last visit opened, and nobody touched since, is as it was before. */
  visit(keys: readonly string[]): void {
    for (const [key, before] of this.#visited) {
      if (keys.includes(key)) continue
      this.#visited.delete(key)
      if (before === undefined) this.#open.delete(key)
      else this.#open.set(key, before)
    }
    for (const key of keys) {
      const before = this.#open.get(key)
      if (before ?? this.#all) continue
      this.#visited.set(key, before)
      this.#put(key, true)
    }
    this.notify()
  }

  #put(key: string, isOpen: boolean): void {
    this.#open.set(key, isOpen)
    this.#touched.set(rowOfKey(key), performance.now())
  }

  /** Opens or closes everything there is. */
  setAll(isOpen: boolean): void {
    this.#open.clear()
    this.#visited.clear()
    this.#all = isOpen
    this.notify()
  }

  wasTouched(row: string, withinMs: number): boolean {
    return performance.now() - (this.#touched.get(row) ?? Number.NEGATIVE_INFINITY) < withinMs
  }

  /** `path`: the key of the thread. */
  askFor(path: string, slot: number): void {
    this.#asked.set(path, slot)
    this.notify()
  }

  askedIn(path: string): number | undefined {
    return this.#asked.get(path)
  }
}

const noWords: readonly string[] = []

/** The item that is looked at, and the one that was asked for, with the words that it was asked for. */
export class Spots extends Watched {
  #current: string | undefined
  #marked: string | undefined
  #words = noWords

  get marked(): string | undefined {
    return this.#marked
  }

  isCurrent(key: string): boolean {
    return this.#current === key
  }

  isMarked(key: string): boolean {
    return this.#marked === key
  }

  /** None for other items: only what was asked for is unfolded. */
  wordsIn(key: string): readonly string[] {
    return this.#marked === key ? this.#words : noWords
  }

  look(key: string | undefined): void {
    if (this.#current === key) return
    this.#current = key
    this.notify()
  }

  mark(key: string | undefined, words: readonly string[] = noWords): void {
    this.#marked = key
    this.#words = words
    this.notify()
  }
}

/** The key of an item: the n-th of a slot. Keys of a nested thread's items begin with that of the thread. */
export function itemKey(path: string, slot: number, n: number): string {
  return `${path}${slot}.${n}`
}

/** The key of the n-th thread inside an item. */
export function threadPath(key: string, n: number): string {
  return `${key}/${n}:`
}

/** The slots that lead to an item, from that of its row on. */
export function slotsOfKey(key: string): number[] {
  return [...key.matchAll(/(\d+)\.\d+/g)].map(([, slot]) => Number(slot))
}

function rowOfKey(key: string): string {
  return key.slice(0, key.indexOf('.'))
}

/** An item on screen. */
export interface Cursor {
  key: string
  thread: string
  slot: number
  n: number
}

/** What the painter of an item is given. */
export interface PainterProps {
  item: ViewItem
  itemKey: string
  /** How many media the event's items before this one hold. */
  mediaFrom: number
  /** The call above it. */
  before?: ViewItem
  /** Of the turn that it begins. */
  turn?: TurnFacts
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
  spots: Spots
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

export interface Rows {
  outline: Outline
  slots: readonly number[]
  /** Slots with a prompt, of those that are shown. */
  prompts: readonly number[]
  /** Slots that say nothing of thinking that is not in the log: the first one of the turn did. */
  repeated: ReadonlySet<number>
  /** The last slot in which somebody spoke or called a tool: what has no result there may still be running. */
  last: number
  count: number
  /** How high each row will be, before it was measured. */
  heights: Uint16Array
}

export function makeRows(outline: Outline, slots: readonly number[]): Rows {
  return {
    outline,
    slots,
    prompts: slots.filter(slot => outline.prompts[slot] !== undefined),
    repeated: repeatedSlots(outline),
    last: lastSpoken(outline),
    count: slots.length + 2,
    heights: heightsOf(outline, slots),
  }
}

const spokenKinds = ['prompt', 'answer', 'command', 'interruption', 'compaction'] as const
const spoken = new Set(spokenKinds.map(kind => eventKinds.indexOf(kind)))

/** The last slot in which somebody spoke or called a tool. */
export function lastSpoken({ kinds }: Outline): number {
  return kinds.findLastIndex(kind => spoken.has(kind))
}

/**
 * A call as it is now: without a result at the end of a session that is being written it runs, and what ran when a session
 * ended runs no more.
 */
export function asOfNow(item: ViewItem, isLive: boolean, isLast: boolean): ViewItem {
  if (item.status === undefined) return item
  const status = statusNow(item.status, isLive, isLast)
  if (status === item.status) return item
  return status === 'running'
    ? withStatus(item, status, 'no result', running)
    : withStatus(item, status, 'running', neverEnded)
}

/** The same for the calls of an outline, which the thread and the map draw. */
export function outlineNow(outline: Outline, isLive: boolean): Outline {
  const last = lastSpoken(outline)
  const changed: Outline['calls'] = {}
  for (const [key, calls] of Object.entries(outline.calls)) {
    const isLast = Number(key) >= last
    if (isLive && !isLast) continue
    const now = calls.map(call => ({ ...call, status: statusNow(call.status, isLive, isLast) }))
    if (now.some(({ status }, at) => status !== calls[at]?.status)) changed[Number(key)] = now
  }
  for (const _ in changed) return { ...outline, calls: { ...outline.calls, ...changed } }
  return outline
}

function statusNow(status: CallStatus, isLive: boolean, isLast: boolean): CallStatus {
  if (status === 'missing' && isLive && isLast) return 'running'
  return status === 'running' && !isLive ? 'missing' : status
}

const running: Badge = { text: 'running', tone: 'accent' }
const neverEnded: Badge = { text: 'no end in the log', tone: 'warn' }

function withStatus(item: ViewItem, status: CallStatus, said: string, says: Badge): ViewItem {
  return { ...item, status, badges: [says, ...item.badges.filter(({ text }) => text !== said)] }
}

/** The slot of a row; undefined for the first and the last, which are none. */
export function slotOf(rows: Rows, index: number): number | undefined {
  return rows.slots[index - 1]
}

/** The row of a slot, or of the next one that is shown. */
export function rowOf(rows: Rows, slot: number): number {
  return Math.min(lowerBound(rows.slots, slot), Math.max(0, rows.slots.length - 1)) + 1
}

export function hasSlot(rows: Rows, slot: number): boolean {
  return rows.slots[lowerBound(rows.slots, slot)] === slot
}

const heights: Readonly<Record<string, number>> = {
  prompt: 92,
  answer: 76,
  'api-error': 64,
  compaction: 64,
  delegation: 120,
  'compact-summary': 30,
}
const lineHeight = 28
const byKind = eventKinds.map(kind => heights[kind] ?? lineHeight)

/** Made once: the list asks for all of them whenever a row was measured. */
function heightsOf({ kinds, calls }: Outline, slots: readonly number[]): Uint16Array {
  const found = new Uint16Array(slots.length + 2).fill(96)
  slots.forEach((slot, at) => {
    const lines = calls[slot]?.length ?? 0
    found[at + 1] = lines > 0 ? Math.min(lines, 1000) * lineHeight + 2 : (byKind[kinds[slot] ?? -1] ?? lineHeight)
  })
  return found
}

/** The value of `sorted` after, or before, `slot`; undefined at the end. */
export function neighbour(sorted: readonly number[], slot: number, direction: 1 | -1): number | undefined {
  const at = lowerBound(sorted, slot)
  if (direction === -1) return sorted[at - 1]
  return sorted[at] === slot ? sorted[at + 1] : sorted[at]
}

const folded = new Set<ViewItem['kind']>(['call', 'result', 'thinking'])

export function startsOpen(item: ViewItem): boolean {
  if (item.kind === 'error' || item.kind === 'damaged') return true
  if (item.isQuiet || folded.has(item.kind)) return false
  const [part] = item.body
  if (item.body.length !== 1 || part === undefined) return item.kind === 'notice' || item.kind === 'hook'
  if (part.type === 'text' || part.type === 'markdown')
    return part.text.length < 400 && part.text.split('\n').length < 7
  return false
}
