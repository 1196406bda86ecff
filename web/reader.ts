// How screens ask for the session that they show: a reader over HTTP, the store of what came, and hooks over it. A dropped
// file's reader takes the same place.

import { createContext, useContext, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { Outline, SessionHead } from '../src/view/reading.ts'
import type { ViewItem } from '../src/view/view.ts'
import { ApiError, ask } from './api.ts'
import { type Loaded, type Reader, SessionStore } from './store.ts'

/** Answers for one session from the server. */
export function httpReader(id: string): Reader {
  const of = { id }
  const inThread = (thread?: string) => (thread === undefined ? {} : { thread })
  return {
    id,
    head: () => ask('GET /api/sessions/:id', {}, of),
    first: () => ask('GET /api/sessions/:id/first', {}, of),
    outline: thread => ask('GET /api/sessions/:id/outline', inThread(thread), of),
    items: (from, to, thread) =>
      ask('GET /api/sessions/:id/items', { ...inThread(thread), from: String(from), to: String(to) }, of),
    placeOf: event => ask('GET /api/sessions/:id/place', { event }, of).catch(nullWhenAbsent),
    errors: async () => (await ask('GET /api/sessions/:id/errors', {}, of)).errors,
    raw: event => ask('GET /api/sessions/:id/raw', { event }, of),
    files: async () => (await ask('GET /api/sessions/:id/files', {}, of)).files,
    netDiff: async path => (await ask('GET /api/sessions/:id/diff', { path }, of)).diff,
    contextAt: event => ask('GET /api/sessions/:id/context', event === null ? {} : { event }, of),
    document: format => ask('GET /api/sessions/:id/document', { format }, of),
    find: async text => (await ask('GET /api/sessions/:id/find', { text }, of)).places,
  }
}

function nullWhenAbsent(error: unknown): null {
  if (error instanceof ApiError && error.status === 404) return null
  throw error
}

export const SessionContext = createContext<SessionStore | null>(null)

/** Stores of sessions that were looked at lately, so that going back shows them at once. */
const lately = new Map<string, SessionStore>()
const keptStores = 6

/** The store of a session; made when it is not there. */
export function storeOf(id: string): SessionStore {
  const store = lately.get(id) ?? new SessionStore(httpReader(id))
  lately.delete(id)
  lately.set(id, store)
  for (const old of lately.keys()) if (lately.size > keptStores) lately.delete(old)
  return store
}

/** Puts a reader that is not the server's in its place: the one of a dropped file. */
export function adoptReader(reader: Reader): SessionStore {
  const store = new SessionStore(reader)
  lately.delete(reader.id)
  lately.set(reader.id, store)
  return store
}

export function useStore(): SessionStore {
  const store = useContext(SessionContext)
  if (!store) throw new Error('This part belongs into a session.')
  return store
}

/** The reader of the session on screen. */
export function useReader(): Reader {
  return useStore().reader
}

export function useHead(): Loaded<SessionHead> {
  const store = useStore()
  return useSyncExternalStore(store.subscribe, () => store.head())
}

/** `thread` absent: the main one. */
export function useOutline(thread?: string): Loaded<Outline> {
  const store = useStore()
  return useSyncExternalStore(store.subscribe, () => store.outline(thread))
}

export interface Items {
  /** Items of a slot; undefined while they are on their way. */
  get(slot: number): ViewItem[] | undefined
  /** Asks for slots `from` to `to` (without it). Cheap to call again. */
  want(from: number, to: number): void
  /** Changes when items came. */
  version: number
  error: Error | undefined
  retry(): void
}

export function useItems(thread?: string): Items {
  const store = useStore()
  const version = useSyncExternalStore(store.subscribe, () => store.versionOf(thread))
  return {
    get: slot => store.itemsOf(thread, slot),
    want: (from, to) => store.want(thread, from, to),
    version,
    error: store.itemsError(thread),
    retry: () => store.retry(),
  }
}

export interface Async<T> extends Loaded<T> {
  /** Asks again; what was there stays until the answer comes. */
  reload(): void
}

interface Run {
  deps: readonly unknown[] | undefined
  calledOff: AbortController | undefined
}

/**
 * Runs `fn` when one of `deps` changed and gives its outcome; an older run is called off through its signal.
 * The outcome of other `deps` is never given.
 */
export function useAsync<T>(fn: (signal: AbortSignal) => Promise<T>, deps: readonly unknown[]): Async<T> {
  const run = useRef<Run>({ deps: undefined, calledOff: undefined })
  const [outcome, setOutcome] = useState<{ deps: readonly unknown[]; state: Loaded<T> }>()
  const [, setReloads] = useState(0)
  useEffect(() => {
    if (run.current.deps && isSame(run.current.deps, deps)) return
    run.current.calledOff?.abort()
    const calledOff = new AbortController()
    run.current = { deps, calledOff }
    const end = (state: Loaded<T>) => {
      if (!calledOff.signal.aborted) setOutcome({ deps, state })
    }
    fn(calledOff.signal).then(
      value => end({ value, isLoading: false }),
      (error: unknown) => end({ error: error instanceof Error ? error : new Error(String(error)), isLoading: false }),
    )
  })
  useEffect(
    () => () => {
      run.current.calledOff?.abort()
      run.current = { deps: undefined, calledOff: undefined }
    },
    [],
  )
  const state: Loaded<T> = outcome && isSame(outcome.deps, deps) ? outcome.state : { isLoading: true }
  const reload = () => {
    run.current.deps = undefined
    setReloads(count => count + 1)
  }
  return { ...state, reload }
}

function isSame(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((value, at) => Object.is(value, right[at]))
}

/** True once `isWaiting` has lasted long enough to say so: what comes sooner needs no skeleton. */
export function useSlow(isWaiting: boolean, ms = 300): boolean {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    if (!isWaiting) return
    const timer = setTimeout(() => setSlow(true), ms)
    return () => {
      clearTimeout(timer)
      setSlow(false)
    }
  }, [isWaiting, ms])
  return isWaiting && isSlow
}
