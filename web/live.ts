// The event stream of the server: one connection for the window, opened again when it breaks. It reports what changed; what
// to ask for then is the listeners' business.

import { useSyncExternalStore } from 'react'
import type { IndexProgress, LiveMessage } from '../src/server/api/api.ts'
import { addressOf } from './api.ts'

export interface LiveState {
  /** Ids of sessions that are being written now. */
  live: string[]
  /** Changes when the list of sessions does; empty until the server said so. */
  version: string
  isConnected: boolean
  /** How far the first index is; absent where there is one. */
  indexing?: IndexProgress | undefined
  /** It was connected, and the server cannot be reached any more. */
  isBroken: boolean
}

type Listener = (message: LiveMessage | { type: 'again' }) => void

let state: LiveState = { live: [], version: '', isConnected: false, isBroken: false }
let source: EventSource | undefined
let followed: string | undefined
let wasConnected = false
let isWatching = false
let retryMs = 1000
let retryTimer: ReturnType<typeof setTimeout> | undefined
const readers = new Set<() => void>()
const listeners = new Set<Listener>()

/** Calls `listener` with every message; `again` after a break, when messages may have been missed. */
export function onLive(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Opens the stream, or reopens it to follow another session. */
export function follow(session: string | undefined): void {
  if (source && followed === session) return
  followed = session
  if (!isWatching) document.addEventListener('visibilitychange', rest)
  isWatching = true
  rest()
}

/** A hidden window has no stream: browsers open only six connections to one server, whatever the tabs. */
function rest(): void {
  if (document.hidden) {
    clearTimeout(retryTimer)
    source?.close()
    source = undefined
  } else {
    connect()
  }
}

function connect(): void {
  clearTimeout(retryTimer)
  source?.close()
  const opened = new EventSource(addressOf('GET /api/live', { session: followed }))
  source = opened
  opened.onopen = () => {
    retryMs = 1000
    change({ isConnected: true, isBroken: false })
    if (wasConnected) send({ type: 'again' })
    wasConnected = true
  }
  opened.onerror = () => {
    change({ isConnected: false, isBroken: wasConnected })
    if (opened.readyState !== EventSource.CLOSED) return
    // The browser gives up after an answer that is not a stream.
    retryTimer = setTimeout(connect, retryMs)
    retryMs = Math.min(retryMs * 2, 30_000)
  }
  for (const type of ['list', 'grown', 'indexing', 'checking', 'ping'] as const) {
    opened.addEventListener(type, event => {
      const message = readMessage(type, event.data)
      if (!message) return
      if (message.type === 'list') change({ version: message.version, live: message.live, indexing: undefined })
      if (message.type === 'indexing') change({ indexing: { what: message.what, percent: message.percent } })
      send(message)
    })
  }
}

/** A message as the server wrote it; undefined where it is none. */
export function readMessage(type: LiveMessage['type'], data: unknown): LiveMessage | undefined {
  try {
    const body: unknown = typeof data === 'string' && data !== '' ? JSON.parse(data) : {}
    if (typeof body !== 'object' || body === null) return
    return { ...body, type } as LiveMessage
  } catch {
    return
  }
}

function change(part: Partial<LiveState>): void {
  state = { ...state, ...part }
  for (const reader of [...readers]) reader()
}

function send(message: LiveMessage | { type: 'again' }): void {
  for (const listener of [...listeners]) listener(message)
}

function subscribe(reader: () => void): () => void {
  readers.add(reader)
  return () => readers.delete(reader)
}

/** What is live. */
export function useLive(): LiveState {
  return useSyncExternalStore(subscribe, () => state)
}
