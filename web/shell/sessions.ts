// The list of sessions, in pages: only what is looked at is fetched, and a page that may have changed stays on screen until
// the new one is there. Which of them are shown is the query's business.

import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { IndexProgress, PicturedRow, Routes, SessionList } from '../../src/server/api/api.ts'
import { ask } from '../api.ts'
import { onLive, useLive } from '../live.ts'

export const pageSize = 200
/** A list that changes all the time is asked for no more often than this. */
const againMs = 1000

export type ListQuery = Omit<Routes['GET /api/sessions']['query'], 'offset' | 'limit'>
type AskPage = (query: ListQuery, from: number, count: number) => Promise<SessionList>

export interface ListState {
  /** 0 until the first page is there. */
  total: number
  projects: SessionList['projects']
  isSample: boolean
  /** The first index is being made: rows count nothing yet. */
  indexing: IndexProgress | undefined
  isLoaded: boolean
  error: Error | undefined
  /** Changes with anything in it. */
  version: number
}

const empty: ListState = {
  total: 0,
  projects: [],
  isSample: false,
  indexing: undefined,
  isLoaded: false,
  error: undefined,
  version: 0,
}

export class SessionPages {
  state: ListState = empty
  readonly query: ListQuery
  #ask: AskPage
  #pages = new Map<number, PicturedRow[]>()
  #busy = new Set<number>()
  #stale = new Set<number>()
  #wanted: [from: number, to: number] = [0, 1]
  #listeners = new Set<() => void>()
  #seen = ''
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(query: ListQuery, askPage: AskPage) {
    this.query = query
    this.#ask = askPage
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  row(at: number): PicturedRow | undefined {
    return this.#pages.get(Math.floor(at / pageSize))?.[at % pageSize]
  }

  /** Asks for the pages with rows `from` to `to` (without it) that are not there. */
  want(from: number, to: number): void {
    this.#wanted = [from, to]
    if (this.state.error) return
    for (let page = Math.floor(Math.max(0, from) / pageSize); page * pageSize < to; page++) {
      const isThere = this.#pages.has(page) && !this.#stale.has(page)
      if (!isThere && !this.#busy.has(page)) void this.#fetch(page)
    }
  }

  /** The server says that the list changed: looks again at what is on screen, and at the rest when it is scrolled to. */
  changed(version: string): void {
    if (version === '' || version === this.#seen || this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#seen = version
      this.reload()
    }, againMs)
  }

  reload(): void {
    for (const page of this.#pages.keys()) this.#stale.add(page)
    this.state = { ...this.state, error: undefined }
    this.want(...this.#wanted)
  }

  async #fetch(page: number): Promise<void> {
    this.#busy.add(page)
    this.#stale.delete(page)
    try {
      const answer = await this.#ask(this.query, page * pageSize, pageSize)
      const { sessions, total, projects, isSample, indexing } = answer
      this.#seen = answer.version
      this.#pages.set(page, sessions)
      this.#set({ total, projects, isSample, indexing, isLoaded: true, error: undefined })
    } catch (error) {
      this.#set({ error: error instanceof Error ? error : new Error(String(error)) })
    } finally {
      this.#busy.delete(page)
    }
  }

  #set(part: Partial<ListState>): void {
    this.state = { ...this.state, ...part, version: this.state.version + 1 }
    for (const listener of [...this.#listeners]) listener()
  }
}

/** Sessions that share history are together where nothing else is asked for: see `group` in src/answers/sessions/groups.ts. */
const askServer: AskPage = ({ project, ...query }, from, count) =>
  ask('GET /api/sessions', {
    group: 'family',
    ...query,
    ...(project && { project: keyed(project) }),
    offset: String(from),
    limit: String(count),
  })

/** What names a project in an address: its directory, else its folder. */
export function projectKey({ cwd, slug }: SessionList['projects'][number]): string {
  return cwd ?? slug
}

/** The one project of a key; other text would mean all that it is a part of. */
export function keyed(project: string): string {
  return project === '' ? '' : `=${project}`
}

/** Lists that were looked at lately, so that going back finds them as they were. */
const lately = new Map<string, SessionPages>()
const keptLists = 8

function pagesOf(query: ListQuery): SessionPages {
  const key = JSON.stringify(Object.entries(query).sort())
  const pages = lately.get(key) ?? new SessionPages(query, askServer)
  lately.delete(key)
  lately.set(key, pages)
  for (const old of lately.keys()) if (lately.size > keptLists) lately.delete(old)
  return pages
}

export interface Sessions extends ListState {
  /** What these sessions answer: the query before, until the first of a new one are there. */
  query: ListQuery
  row(at: number): PicturedRow | undefined
  want(from: number, to: number): void
  reload(): void
}

/** The sessions that a query means, kept fresh; until the first of them are there, those of the query before. */
export function useSessions(query: ListQuery): Sessions {
  const asked = pagesOf(query)
  const before = useRef(asked)
  const { isLoaded, error } = useSyncExternalStore(asked.subscribe, () => asked.state)
  useEffect(() => asked.want(0, 1), [asked])
  useEffect(() => {
    if (isLoaded) before.current = asked
  }, [asked, isLoaded])
  const pages = isLoaded || error || !before.current.state.isLoaded ? asked : before.current
  const state = useSyncExternalStore(pages.subscribe, () => pages.state)
  const { version } = useLive()
  useEffect(() => pages.changed(version), [pages, version])
  // Changes while the server could not be reached were not reported.
  useEffect(() => onLive(message => message.type === 'again' && pages.reload()), [pages])
  return {
    ...state,
    query: pages.query,
    row: at => pages.row(at),
    want: (from, to) => pages.want(from, to),
    reload: () => pages.reload(),
  }
}

/** The time now, updated each minute: lists say how long ago things were. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 60_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
