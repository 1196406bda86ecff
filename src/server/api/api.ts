// What the server answers, as types that the web app shares: the one table of routes. Types only; no code.

import type { Instant } from '../../base/instant.ts'
import type { ThreadMarks } from '../../index/search/thread-marks.ts'
import type { Severity } from '../../model/finding.ts'
import type { NewSession, RepairReport } from '../../schema/contract-shapes.ts'
import type {
  ContextAt,
  ErrorPlace,
  EventPlace,
  FileTouched,
  FoundPlace,
  Outline,
  RawRecord,
  SessionHead,
  SlotItems,
} from '../../view/reading.ts'
import type { DiffPart } from '../../view/view.ts'

export type { NewSession, RepairReport }

/** A session in a list. */
export interface ListedSession {
  id: string
  title: string
  /** The directory of its project, else the name of its folder. */
  project: string
  /** What the project is called. */
  projectName: string
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
  /** Of the messages that it sent itself. */
  tokens: number
  /** With the history that it has copies of; absent where that is the same. */
  tokensWithInherited?: number
  costUSD?: number
  bytes: number
  onDisk: boolean
  isArchived: boolean
  deletedOn?: Instant
  tag?: string
  /** Archived in Claude Code. */
  isSetAside?: true
  /** Where along its main thread things happened; absent while that is not indexed. */
  marks?: ThreadMarks
  /** How many sessions were forked or continued from each other, this one included. */
  family?: number
  /** It is listed below this one, the last used of its family. */
  follows?: string
}

export interface SessionList {
  sessions: ListedSession[]
  /** Of all pages, with the same filters. */
  total: number
  /** The position of the first one in the whole list. */
  from: number
  projects: { project: string; name: string; sessions: number; lastAt: Instant }[]
  /** These are the bundled samples, since there are no sessions yet. */
  isSample: boolean
  /** Changes with anything in the list. */
  version: string
  /** The first index is being made: until it is, rows are read from the ends of files and count nothing. */
  indexing?: IndexProgress
}

/** How far the first index is. Archiving comes before indexing. */
export interface IndexProgress {
  what: 'archiving' | 'indexing'
  percent: number
}

export interface SearchHitRow {
  session: string
  thread: string
  event: string
  /** What the text is called: what `kind:` takes. */
  label: string
  at: Instant
  title: string
  project: string
  projectName: string
  snippet: string
  highlights: [from: number, to: number][]
  /** Folder and name of the file that has the text, where that is not the log. */
  storedIn?: string
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

export interface ArchiveAnswer {
  hasArchive: boolean
  /** When Clew archives by itself. */
  mode: 'auto' | 'manual' | 'off'
  /** Somebody decided that; else it follows from whether there is an archive. */
  isModeChosen: boolean
  files: number
  bytes: number
  storedBytes: number
  unarchivedBytes: number
  /** Sessions on disk that the archive has not, or not all of. */
  unarchivedSessions: number
  /** What Claude Code will delete, the soonest first. */
  expiring: { session: string; title: string; deletedOn: Instant; isArchived: boolean }[]
  /** Deleted by Claude Code, still in the archive. */
  gone: { session: string; title: string; endedAt: Instant; bytes: number }[]
  /** The server was started with --read-only-token. */
  isReadOnly: boolean
}

/** What somebody typed. */
export interface HistoryEntry {
  at: Instant
  project: string | null
  projectName?: string
  /** Long ones are cut. */
  text: string
  /** Absent where its session is gone. */
  session?: string
  title?: string
  /** Where it is in the session; absent where only the prompt history has it. */
  event?: string
  /** The session is a conclusion from project and time. */
  isGuessed?: true
}

export interface HistoryAnswer {
  /** The last first. */
  prompts: HistoryEntry[]
  /** Of all pages, with the same filters. */
  total: number
  from: number
  /** Of all prompts. */
  projects: string[]
}

/** What `clew check` finds, by rule. */
export interface HealthAnswer {
  groups: {
    code: string
    severity: Severity
    says: string
    count: number
    files: number
    /** The first of them. */
    places: {
      message: string
      session?: string
      title?: string
      event?: string
      file?: string
      line?: number
      /** In the session's own log, which can be repaired. */
      isInOwnLog?: true
    }[]
  }[]
  files: number
  records: number
  bytes: number
  /** When the logs were read. */
  at: Instant
}

export type Theme = 'system' | 'light' | 'dark'

/** What people set once, as `clew config` does. */
export interface SettingsAnswer {
  theme: Theme
  /** As set; absent where times are in the machine's own zone. */
  timezone?: string
  machineTimezone: string
  /** When sessions are archived. `isChosen`: somebody said so. */
  archive: { mode: ArchiveAnswer['mode']; isChosen: boolean }
  /** Working directories and files that are not archived. */
  exclude: string[]
  isReadOnly: boolean
}

/** Lines of the event stream: `event: <type>`, `data: <JSON>`. */
export type LiveMessage =
  /** Sessions changed or appeared: load the list again. */
  | { type: 'list'; version: string; live: string[] }
  /** The followed session grew: how many slots its threads have now. */
  | { type: 'grown'; session: string; threads: { [thread: string]: number } }
  /** The first index is being made. */
  | ({ type: 'indexing' } & IndexProgress)
  | { type: 'ping' }

/** Method and path → query and answer. `:id` is a session's id. Event ids and texts are in the query. */
export interface Routes {
  'GET /api/about': {
    query: Record<never, string>
    answer: { version: string; isSample: boolean; isReadOnly: boolean; timezone: string; theme: Theme }
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
      sort?: string
      group?: string
    }
    answer: SessionList
  }
  'GET /api/sessions/:id': { query: Record<never, string>; answer: SessionHead }
  /** Head and first slots, before the whole session is read. */
  'GET /api/sessions/:id/first': { query: Record<never, string>; answer: { head: SessionHead; items: SlotItems } }
  'GET /api/sessions/:id/outline': { query: { thread?: string }; answer: Outline }
  'GET /api/sessions/:id/items': { query: { thread?: string; from: string; to: string }; answer: SlotItems }
  'GET /api/sessions/:id/place': { query: { event: string }; answer: EventPlace }
  'GET /api/sessions/:id/errors': { query: Record<never, string>; answer: { errors: ErrorPlace[] } }
  'GET /api/sessions/:id/raw': { query: { event: string }; answer: RawRecord }
  'GET /api/sessions/:id/files': { query: Record<never, string>; answer: { files: FileTouched[] } }
  /** All changes to a file as one; null where the log does not contain the file. */
  'GET /api/sessions/:id/diff': { query: { path: string }; answer: { diff: DiffPart | null } }
  'GET /api/sessions/:id/context': { query: { event?: string }; answer: ContextAt }
  'GET /api/sessions/:id/find': { query: { text: string }; answer: { places: FoundPlace[]; isCut: boolean } }
  /** The whole session as a file for people. */
  'GET /api/sessions/:id/document': { query: { format: string }; answer: { name: string; text: string } }
  /** An image or document of an event: bytes, never markup. `n`: its position among the event's media. */
  'GET /api/sessions/:id/media': { query: { event: string; n: string }; answer: never }
  /** What a fork would be; `at`: its last event. */
  'GET /api/sessions/:id/fork': { query: { at?: string; title?: string }; answer: NewSession }
  /** What a repair would change; `written` is absent where nothing is damaged. */
  'GET /api/sessions/:id/repair': { query: Record<never, string>; answer: RepairReport }
  'GET /api/search': { query: { q: string; count?: string }; answer: SearchResult }
  'GET /api/usage': {
    query: { by: string; since?: string; until?: string; project?: string; model?: string; estimate?: string }
    answer: UsageAnswerJson
  }
  /** As `clew usage --csv` prints it. */
  'GET /api/usage/csv': { query: Routes['GET /api/usage']['query']; answer: { text: string } }
  'GET /api/archive': { query: Record<never, string>; answer: ArchiveAnswer }
  'GET /api/history': {
    query: { from?: string; count?: string; text?: string; project?: string; since?: string; until?: string }
    answer: HistoryAnswer
  }
  'GET /api/health': { query: Record<never, string>; answer: HealthAnswer }
  'GET /api/settings': { query: Record<never, string>; answer: SettingsAnswer }
  /** Changes one setting and answers with all; lines of `value` are several values, an empty one unsets it. */
  'POST /api/settings': { query: { key: string; value?: string }; answer: SettingsAnswer }
  'POST /api/archive/run': { query: Record<never, string>; answer: { files: number; bytes: number } }
  'POST /api/sessions/:id/restore': { query: Record<never, string>; answer: { files: number } }
  'POST /api/sessions/:id/forget': { query: Record<never, string>; answer: { files: number } }
  /** Writes a new session next to this one, as the route that shows it without writing says. */
  'POST /api/sessions/:id/fork': Routes['GET /api/sessions/:id/fork']
  'POST /api/sessions/:id/repair': Routes['GET /api/sessions/:id/repair']
  /** The event stream; `session`: the one that is followed. */
  'GET /api/live': { query: { session?: string }; answer: LiveMessage }
}

/** Routes that answer JSON. */
export type JsonRoute = Exclude<keyof Routes, 'GET /api/live' | 'GET /api/sessions/:id/media'>
/** Any part of a query may be missing. */
export type RouteQuery<Name extends keyof Routes> = Partial<Routes[Name]['query']>
export type RouteHandlers = {
  [Name in JsonRoute]: (query: RouteQuery<Name>, id: string) => Promise<Routes[Name]['answer']>
}

/** What is wrong and what to do. */
export interface Problem {
  error: string
  hint?: string
}
