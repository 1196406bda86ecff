// What has been fetched of one session: its head, outlines, and items in pages of slots. Shown things stay while newer
// ones are asked for, so that a session that grows does not flicker. It paints nothing and does not know who answers.

import type { Outline, SessionHead, SessionReader, SlotItems } from '../src/view/reading.ts'
import type { ViewItem } from '../src/view/view.ts'

/** A reader of one session with the id that its addresses have. */
export type Reader = SessionReader & {
  id: string
  /** Head and first slots in one answer, which comes before the whole session was looked at. */
  first?(): Promise<{ head: SessionHead; items: SlotItems }>
}

/** Something that is there, is on its way, or could not be had. */
export interface Loaded<T> {
  value?: T
  error?: Error
  isLoading: boolean
}

export const pageSlots = 64
const waiting: Loaded<never> = { isLoading: true }

interface Cell<T> {
  state: Loaded<T>
  isBusy: boolean
  /** Asked for again while it was on its way. */
  isDirty: boolean
  notBefore: number
  fetch(): Promise<T>
}

interface ThreadItems {
  slots: Map<number, ViewItem[]>
  /** Pages that came, those that may have changed since, and those on their way. */
  pages: Map<number, 'there' | 'stale' | 'busy'>
  /** Pages that were on their way when the session grew. */
  again: Set<number>
  wanted: [from: number, to: number]
  version: number
  error?: Error
}

export class SessionStore {
  readonly reader: Reader
  #head: Cell<SessionHead>
  #outlines = new Map<string, Cell<Outline>>()
  #items = new Map<string, ThreadItems>()
  #listeners = new Set<() => void>()
  #mainThread: string | undefined

  constructor(reader: Reader) {
    this.reader = reader
    this.#head = cellOf(() => this.#fetchHead())
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The head as far as it is known; the first call asks for it. */
  head(): Loaded<SessionHead> {
    return this.#look(this.#head)
  }

  outline(thread?: string): Loaded<Outline> {
    const key = this.#keyOf(thread)
    let cell = this.#outlines.get(key)
    if (!cell) {
      cell = cellOf(() => this.#fetchOutline(key))
      this.#outlines.set(key, cell)
    }
    return this.#look(cell)
  }

  /** Items of a slot; undefined while they are not there. */
  itemsOf(thread: string | undefined, slot: number): ViewItem[] | undefined {
    return this.#items.get(this.#keyOf(thread))?.slots.get(slot)
  }

  /** Changes with the items of a thread. */
  versionOf(thread: string | undefined): number {
    return this.#items.get(this.#keyOf(thread))?.version ?? 0
  }

  itemsError(thread: string | undefined): Error | undefined {
    return this.#items.get(this.#keyOf(thread))?.error
  }

  /** Asks for the pages of slots `from` to `to` (without it) that are not there; a page is asked for once at a time. */
  want(thread: string | undefined, from: number, to: number): void {
    const key = this.#keyOf(thread)
    const items = this.#threadItems(key)
    items.wanted = [from, to]
    if (items.error) return
    for (let page = Math.floor(Math.max(0, from) / pageSlots); page * pageSlots < to; page++) {
      const state = items.pages.get(page)
      if (state === undefined || state === 'stale') void this.#fetchPage(key, items, page)
    }
  }

  /** Items of a slot, asked for where they are not there; undefined where they cannot be had. */
  load(thread: string | undefined, slot: number): Promise<ViewItem[] | undefined> {
    this.want(thread, slot, slot + 1)
    return new Promise(resolve => {
      const look = () => {
        const found = this.itemsOf(thread, slot)
        const page = this.#items.get(this.#keyOf(thread))?.pages.get(Math.floor(slot / pageSlots))
        if (found === undefined && page === 'busy') return
        stop()
        resolve(found)
      }
      const stop = this.subscribe(look)
      look()
    })
  }

  /** Asks again for what could not be had. */
  retry(): void {
    if (this.#head.state.error) void this.#load(this.#head)
    for (const cell of this.#outlines.values()) if (cell.state.error) void this.#load(cell)
    for (const [key, items] of this.#items) {
      if (!items.error) continue
      delete items.error
      this.want(key === '' ? undefined : key, ...items.wanted)
    }
  }

  /** The session grew: looks again at what growing can change. `threads` absent: everything may have. */
  grown(threads?: { [thread: string]: number }): void {
    if (this.#head.state.value) void this.#load(this.#head)
    for (const [key, cell] of this.#outlines) {
      const known = cell.state.value?.ids.length ?? 0
      const now = threads?.[cell.state.value?.thread ?? key]
      if (cell.state.value && (threads === undefined || now === undefined || now >= known)) void this.#load(cell)
    }
    for (const [key, items] of this.#items) {
      markStale(items)
      this.want(key === '' ? undefined : key, ...items.wanted)
    }
  }

  /** The list of sessions changed: what it says of this one may have, too. `isLive`: as the list says. */
  listed(isLive: boolean): void {
    const head = this.#head.state.value
    if (head && (head.isLive || isLive)) void this.#load(this.#head)
  }

  #keyOf(thread: string | undefined): string {
    return thread === undefined || thread === this.#mainThread ? '' : thread
  }

  #look<T>(cell: Cell<T>): Loaded<T> {
    if (!cell.isBusy && cell.state === waiting) void this.#load(cell)
    return cell.state
  }

  async #load<T>(cell: Cell<T>): Promise<void> {
    if (cell.isBusy) {
      cell.isDirty = true
      return
    }
    cell.isBusy = true
    const delay = cell.notBefore - performance.now()
    if (delay > 0) await new Promise(resolve => setTimeout(resolve, delay))
    cell.isDirty = false
    const started = performance.now()
    try {
      cell.state = { value: await cell.fetch(), isLoading: false }
    } catch (error) {
      cell.state = { ...cell.state, error: asError(error), isLoading: false }
    }
    // What is costly to make is made less often while a session grows.
    const took = performance.now() - started
    cell.notBefore = took < 100 ? 0 : performance.now() + 3 * took
    cell.isBusy = false
    this.#notify()
    if (cell.isDirty) void this.#load(cell)
  }

  async #fetchHead(): Promise<SessionHead> {
    if (!this.reader.first || this.#head.state.value) return this.#learnMain(await this.reader.head())
    const { head, items } = await this.reader.first()
    // What needs a look at the whole session, and at others, comes after it.
    this.#head.isDirty = true
    this.#learnMain(head)
    const main = this.#threadItems('')
    items.slots.forEach((slot, at) => {
      main.slots.set(items.from + at, slot)
    })
    main.version++
    return head
  }

  #learnMain(head: SessionHead): SessionHead {
    this.#mainThread ??= head.threads.find(thread => thread.kind === 'main')?.id
    return head
  }

  /** What comes first is asked for first: the answer about the whole session would hold it up. */
  #firstCame(): Promise<void> {
    if (!this.reader.first || this.head().value || this.head().error) return Promise.resolve()
    return new Promise(resolve => {
      const stop = this.subscribe(() => {
        if (!this.#head.state.value && !this.#head.state.error) return
        stop()
        resolve()
      })
    })
  }

  async #fetchOutline(key: string): Promise<Outline> {
    await this.#firstCame()
    const outline = await this.reader.outline(key === '' ? undefined : key)
    if (key === '') this.#mainThread ??= outline.thread
    return outline
  }

  async #fetchPage(key: string, items: ThreadItems, page: number): Promise<void> {
    items.pages.set(page, 'busy')
    try {
      const from = page * pageSlots
      const answer = await this.reader.items(from, from + pageSlots, key === '' ? undefined : key)
      answer.slots.forEach((slot, at) => {
        items.slots.set(answer.from + at, slot)
      })
      items.pages.set(page, items.again.delete(page) ? 'stale' : 'there')
    } catch (error) {
      items.pages.delete(page)
      items.error = asError(error)
    }
    items.version++
    this.#notify()
    if (items.pages.get(page) === 'stale') this.want(key === '' ? undefined : key, ...items.wanted)
  }

  #threadItems(key: string): ThreadItems {
    let items = this.#items.get(key)
    if (!items) {
      items = { slots: new Map(), pages: new Map(), again: new Set(), wanted: [0, 0], version: 0 }
      this.#items.set(key, items)
    }
    return items
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}

/** Pages that growing can change: short ones, and those with a call whose outcome was not there yet. */
function markStale(items: ThreadItems): void {
  for (const [page, state] of items.pages) {
    if (state === 'busy') items.again.add(page)
    else if (mayChange(items, page)) items.pages.set(page, 'stale')
  }
}

function mayChange(items: ThreadItems, page: number): boolean {
  for (let slot = page * pageSlots; slot < (page + 1) * pageSlots; slot++) {
    const shown = items.slots.get(slot)
    if (!shown || shown.some(item => item.status === 'running' || item.status === 'missing')) return true
  }
  return false
}

function cellOf<T>(fetch: () => Promise<T>): Cell<T> {
  return { state: waiting, isBusy: false, isDirty: false, notBefore: 0, fetch }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
