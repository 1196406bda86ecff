// What the server answers, as types that the web app shares: the one table of routes. Types only; nothing here runs.

import type { Instant } from '../../base/instant.ts'
import type {
  ContextAt,
  FileTouched,
  FoundPlace,
  Outline,
  RawRecord,
  SessionHead,
  SlotItems,
} from '../../view/reading.ts'

/** A session in a list. */
export interface ListedSession {
  id: string
  title: string
  project: string
  slug: string
  gitBranch?: string
  startedAt: Instant
  endedAt: Instant
  isLive: boolean
  prompts: number
  calls: number
  subagents: number
  compactions: number
  errors: number
  models: string[]
  tokens: number
  costUSD?: number
  bytes: number
  onDisk: boolean
  isKept: boolean
  deletedOn?: Instant
}

export interface SessionList {
  sessions: ListedSession[]
  /** How many there are in all, with the same filters. */
  total: number
  /** The place of the first one in the list. */
  from: number
  projects: { project: string; sessions: number; lastAt: Instant }[]
  /** The bundled sample history, since there are no sessions yet. */
  isSample: boolean
  /** Changes with anything in the list. */
  version: string
}

export interface SearchHitRow {
  session: string
  thread: string
  event: string
  kind: string
  at: Instant
  title: string
  project: string
  snippet: string
  highlights: [from: number, to: number][]
  copies?: number
  isArchived?: true
}

export interface SearchResult {
  query: string
  total: number
  isTotalLowerBound: boolean
  sessionTotal: number
  tookMs: number
  hits: SearchHitRow[]
  problems: { message: string; suggestion?: string }[]
}

export interface UsageRowJson {
  key: string
  label: string
  inputTokens: number
  outputTokens: number
  cacheCreationTokens: number
  cacheReadTokens: number
  totalTokens: number
  costUSD: number
  partialMessages: number
  models: { model: string; totalTokens: number; costUSD: number }[]
}

export interface UsageAnswerJson {
  by: string
  rows: UsageRowJson[]
  totals: Omit<UsageRowJson, 'key' | 'label'>
  bounds: {
    messages: number
    messagesWithPartialOutput: number
    estimatedOutputTokens?: number
    unknownModels: string[]
    pricesDate: string
    isEstimated: boolean
  }
}

export interface KeepingAnswer {
  hasArchive: boolean
  mode: 'auto' | 'manual' | 'off'
  files: number
  bytes: number
  storedBytes: number
  unkeptBytes: number
  /** What the client is about to delete, the soonest first. */
  expiring: { session: string; title: string; deletedOn: Instant; isKept: boolean }[]
  /** Deleted by the client, kept here. */
  gone: { session: string; title: string; endedAt: Instant; bytes: number }[]
  /** The server was started so that nothing can be changed. */
  isReadOnly: boolean
}

/** Lines of the event stream: `event: <type>`, `data: <JSON>`. */
export type LiveMessage =
  /** Sessions changed or appeared; the list is to be asked for again. */
  | { type: 'list'; version: string; live: string[] }
  /** The session that is followed grew: how many slots its threads have now. */
  | { type: 'grown'; session: string; threads: { [thread: string]: number } }
  | { type: 'ping' }

/** Method and path → what is asked and answered. `:id` is a session's id. Event ids and texts go into the query. */
export interface Routes {
  'GET /api/about': {
    query: Record<never, string>
    answer: { version: string; isSample: boolean; isReadOnly: boolean; timezone: string }
  }
  'GET /api/sessions': {
    query: {
      from?: string
      count?: string
      project?: string
      text?: string
      since?: string
      until?: string
      is?: string
    }
    answer: SessionList
  }
  'GET /api/sessions/:id': { query: Record<never, string>; answer: SessionHead }
  /** Head and the first slots, which come before the whole session is looked at. */
  'GET /api/sessions/:id/first': { query: Record<never, string>; answer: { head: SessionHead; items: SlotItems } }
  'GET /api/sessions/:id/outline': { query: { thread?: string }; answer: Outline }
  'GET /api/sessions/:id/items': { query: { thread?: string; from: string; to: string }; answer: SlotItems }
  'GET /api/sessions/:id/place': { query: { event: string }; answer: { thread: string; slot: number } }
  'GET /api/sessions/:id/raw': { query: { event: string }; answer: RawRecord }
  'GET /api/sessions/:id/files': { query: Record<never, string>; answer: { files: FileTouched[] } }
  'GET /api/sessions/:id/context': { query: { event?: string }; answer: ContextAt }
  'GET /api/sessions/:id/find': { query: { text: string }; answer: { places: FoundPlace[]; isCut: boolean } }
  /** An image or document of an event: bytes, never markup. `n`: its place among the event's media. */
  'GET /api/sessions/:id/media': { query: { event: string; n: string }; answer: never }
  'GET /api/search': { query: { q: string; count?: string }; answer: SearchResult }
  'GET /api/usage': {
    query: { by: string; since?: string; until?: string; project?: string; model?: string; estimate?: string }
    answer: UsageAnswerJson
  }
  'GET /api/keeping': { query: Record<never, string>; answer: KeepingAnswer }
  'POST /api/keeping/run': { query: Record<never, string>; answer: { files: number; bytes: number } }
  'POST /api/sessions/:id/restore': { query: Record<never, string>; answer: { files: number } }
  'POST /api/sessions/:id/forget': { query: Record<never, string>; answer: { files: number } }
  /** The event stream; `session`: the one that is followed. */
  'GET /api/live': { query: { session?: string }; answer: LiveMessage }
}

/** What an error says: what is wrong and what to do. */
export interface Problem {
  error: string
  hint?: string
}
