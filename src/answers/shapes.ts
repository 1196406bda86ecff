// What questions answer to the web app and the library, as types. Types only; no code.

import type { Instant } from '../base/instant.ts'
import type { ThreadMarks } from '../index/search/thread-marks.ts'
import type { Severity } from '../model/finding.ts'
import type { ProjectRow, SessionRow, UsageAmounts } from '../schema/contract-shapes.ts'
import type { UsageReport } from '../usage/report.ts'

/** A query as somebody wrote it, by the names of its parts. Values may be anything. */
export type QueryWords = Readonly<Record<string, string | undefined>>

/** A session in a list, with what only its picture needs. */
export interface PicturedRow extends SessionRow {
  /** Its project's directory, else the name of its folder: equal for sessions of one project. */
  projectKey: string
  /** Where along its main thread things happened; absent while that is not indexed. */
  marks?: ThreadMarks
  /** How many sessions were forked or continued from each other, this one included. */
  family?: number
  /** It is listed below this one, the original of its family. */
  follows?: string
  /** When the last used of its family was used, by which it is placed; absent where that is this one. */
  lastUsed?: { endedAt: Instant; live: boolean }
}

export interface SessionList {
  sessions: PicturedRow[]
  /** Of all pages, with the same filters. */
  total: number
  /** The position of the first one in the whole list. */
  offset: number
  /** Of all sessions, the last used first. */
  projects: ProjectRow[]
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

/** A row or a block of `clew usage --json`, and what it is called. */
export interface UsageRowJson extends UsageAmounts {
  key: string
  label: string
}

export interface UsageAnswerJson extends Pick<UsageReport, 'totals'> {
  by: string
  rows: UsageRowJson[]
  bounds: UsageReport['bounds'] & { isEstimated: boolean }
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
  offset: number
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
  /** When the logs were read; null before the first check. */
  at: Instant
  /** They are being checked, from 0 to 99; what is answered is from the check before. */
  percent?: number
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
  /** Logs are being checked; 100: what was found can be asked for. */
  | { type: 'checking'; percent: number }
  | { type: 'ping' }
