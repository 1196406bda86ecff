// The way to an item that somebody asked for, by a link, a found word or a key: the thread, path and filters that show it are
// chosen, the calls around it are opened, and nothing else. How the list scrolls there is in scrolling.ts.

import { useEffect, useRef } from 'react'
import type { EventPlace, Outline, SessionHead } from '../../src/view/reading.ts'
import type { ViewItem } from '../../src/view/view.ts'
import { say } from '../parts/copy.tsx'
import { useReader, useStore } from '../reader.ts'
import { navigate, type Route, routeNow, useRoute } from '../route.ts'
import type { SessionStore } from '../store.ts'
import { type Cursor, hasSlot, itemKey, type OpenItems, type Rows, type Spots, threadPath } from './state.ts'

/** Something to go to. */
export interface Target {
  event: string
  /** Absent: it is asked for. */
  place?: EventPlace
  /** Its position among the errors of its slot, where it is one of them. */
  error?: number
  /** Lower-case words that are marked in it, and for which it is unfolded. */
  words?: readonly string[]
}

export interface LandingNeeds {
  head: SessionHead
  outline: Outline
  rows: Rows
  open: OpenItems
  spots: Spots
  /** False while rows are not the final ones. */
  isReady: boolean
  /** Adds a slot that the filters hide. */
  onShow(slot: number): void
  onLand(cursor: Cursor, row: number, words: readonly string[]): void
}

export interface Landing {
  /** Goes there, through the address where this list cannot show it. */
  go(target: Target): void
  /** Puts an event into the address without going there. */
  note(event: string): void
}

/** Words of a link to a search hit, one per line. */
export function wordsOf(text: string | undefined): string[] {
  return (text ?? '')
    .toLowerCase()
    .split('\n')
    .filter(word => word.trim() !== '')
}

export function useLanding(needs: LandingNeeds): Landing {
  const { isReady } = needs
  const reader = useReader()
  const store = useStore()
  const { query } = useRoute()
  const { event, mark, find } = query
  const done = useRef<string | undefined>(undefined)
  /** What was asked for here and needs other rows first. */
  const pending = useRef<Target | undefined>(undefined)
  const latest = useRef(needs)
  latest.current = needs
  /** Who asks again before the first answer is there means the second only. */
  const runs = useRef(0)
  const go = async (target: Target) => {
    const run = ++runs.current
    const place = target.place ?? (await reader.placeOf(target.event))
    if (run !== runs.current) return
    if (!place) {
      say('That event is not in this session')
      return
    }
    const { head, outline, rows, open, spots, onShow, onLand } = latest.current
    const way = wayWithin(place, outline.thread)
    const better = routeShowing(head, outline, rows, place, way[0])
    const [first] = way
    if (better || (first !== undefined && !hasSlot(rows, first.slot))) {
      pending.current = { ...target, place }
      done.current = undefined
      const route = better ?? routeNow()
      navigate({ ...route, query: { ...route.query, event: target.event } }, { replace: true })
      if (first !== undefined && !better) onShow(first.slot)
      return
    }
    done.current = target.event
    pending.current = undefined
    const words = target.words ?? []
    const cursor = await unfold(store, open, way, { ...target, place })
    if (cursor === undefined || run !== runs.current) return
    spots.mark(cursor.key, words)
    onLand(cursor, first?.slot ?? 0, words)
  }
  const going = useRef(go)
  going.current = go
  const { rows, outline } = needs
  useEffect(() => {
    if (!event || !isReady || done.current === event || !rows || !outline) return
    const known = pending.current?.event === event ? pending.current : undefined
    done.current = event
    going.current(known ?? { event, words: wordsOf(mark ?? find) }).catch(() => say('That event could not be loaded'))
  }, [event, mark, find, isReady, rows, outline])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return {
    go: target => {
      going.current(target).catch(() => say('That event could not be loaded'))
    },
    note: id => {
      clearTimeout(timer.current)
      timer.current = setTimeout(() => {
        const route = routeNow()
        if (route.screen !== 'transcript' || route.query['event'] === id) return
        done.current = id
        const { mark: _mark, ...rest } = route.query
        navigate({ ...route, query: { ...rest, event: id } }, { replace: true })
      }, 500)
    },
  }
}

interface Step {
  thread: string
  slot: number
}

/** The slots from a thread that is on screen to a place; empty where the thread is not around it. */
export function wayWithin({ inside, thread, slot }: EventPlace, shown: string): Step[] {
  const way = [...inside, { thread, slot }]
  const at = way.findIndex(step => step.thread === shown)
  return at < 0 ? [] : way.slice(at)
}

/** Opens what is around the item, and the item where what was asked for is inside of it; closes the way to the last one. */
async function unfold(
  store: SessionStore,
  open: OpenItems,
  way: readonly Step[],
  target: Target & { place: EventPlace },
): Promise<Cursor | undefined> {
  let path = ''
  const opened: string[] = []
  for (const [at, { thread, slot }] of way.entries()) {
    const items = (await store.load(thread, slot)) ?? []
    const next = way[at + 1]
    if (next === undefined) {
      const n = itemOf(items, target)
      const key = itemKey(path, slot, n)
      const isInside = target.place.shownIn !== target.event || (target.words ?? []).length > 0
      if (isInside) opened.push(key)
      open.visit(opened)
      return { key, thread, slot, n }
    }
    const n = items.findIndex(item => threadsIn(item).includes(next.thread))
    const holder = items[n]
    if (holder === undefined) {
      open.visit(opened)
      return { key: itemKey(path, slot, 0), thread, slot, n: 0 }
    }
    const key = itemKey(path, slot, n)
    opened.push(key)
    path = threadPath(key, threadsIn(holder).indexOf(next.thread))
    open.askFor(path, next.slot)
  }
  return undefined
}

function threadsIn(item: ViewItem): string[] {
  return item.body.flatMap(part => (part.type === 'thread' ? [part.thread as string] : []))
}

/** The item of a slot that shows a target: a slot may have several, and an event too. */
export function itemOf(items: readonly ViewItem[], { place, event, error, words }: Target): number {
  if (error !== undefined) {
    const wrong = items.flatMap((item, n) => (isWrong(item) ? [n] : []))
    const found = wrong[error] ?? wrong[0]
    if (found !== undefined) return found
  }
  const wanted = place?.shownIn ?? event
  const own = items.flatMap((item, n) => ((item.id as string) === wanted ? [n] : []))
  const isResult = wanted !== event
  const fitting = isResult ? own.filter(n => items[n]?.kind === 'call') : own
  // One record may answer several calls.
  const searched = isResult ? [...fitting, ...items.keys()] : fitting
  const withWords = searched.find(n => hasWords(items[n] as ViewItem, words ?? []))
  return withWords ?? fitting[0] ?? own[0] ?? 0
}

/** What a reader sees as gone wrong. */
export function isWrong(item: ViewItem): boolean {
  return item.kind === 'error' || ((item.kind === 'call' || item.kind === 'result') && item.status === 'failed')
}

function hasWords({ headline, body }: ViewItem, words: readonly string[]): boolean {
  if (words.length === 0) return false
  const texts = body.flatMap(part => ('text' in part ? [part.text] : []))
  return [headline, ...texts].some(text => words.some(word => text.toLowerCase().includes(word)))
}

/** The address of the thread and path that show a place; undefined where they are on screen already. */
function routeShowing(
  head: SessionHead,
  outline: Outline,
  rows: Rows,
  place: EventPlace,
  first: Step | undefined,
): Route | undefined {
  const route = routeNow()
  if (first === undefined) {
    const outermost = place.inside[0]?.thread ?? place.thread
    const isMain = head.threads.some(thread => thread.id === outermost && thread.kind === 'main')
    return { ...route, query: { ...route.query, thread: isMain ? '' : outermost, branch: '', show: '' } }
  }
  const leaf = outline.branches[first.slot] ?? ''
  if (hasSlot(rows, first.slot) || (route.query['branch'] ?? '') === leaf) return undefined
  return { ...route, query: { ...route.query, branch: leaf } }
}
