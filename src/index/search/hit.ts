// What a search gives back: places in sessions where something was said, the best first. Plain data; nothing is escaped.

import type { Instant } from '../../base/instant.ts'
import type { EventKind } from '../../model/event.ts'
import type { TextField } from '../../session/indexed-texts.ts'
import type { QueryProblem } from './problem.ts'

/** One event that has what was asked for. `session` and `event` are what `show` opens. */
export interface SearchHit {
  session: string
  thread: string
  event: string
  kind: EventKind
  at: Instant
  /** One line around what was found; empty where `isUnreadable`. */
  snippet: string
  /** Higher is better; only the order means something. Absent where filters alone were asked for. */
  score?: number
  /** Where the matching words stand in the snippet, as for `slice`. */
  highlights: [from: number, to: number][]
  /** What the text is to a reader. */
  field: TextField
  title: string
  project: { cwd: string | null; slug: string }
  /** Path of the log. */
  file: string
  /** The text stands only in this earlier content of its file: `SESSION@N` opens it. */
  generation?: number
  /** In how many other places the same was written: forks, copies of a home, earlier contents. */
  copies?: number
  /** The file is gone from the disk; the archive has it. */
  isArchived?: true
  /** The bytes can no longer be read. */
  isUnreadable?: true
}

/** How many hits a session has, of those that were looked at. */
export interface SessionHits {
  session: string
  hits: number
}

export interface SearchAnswer {
  total: number
  /** There are more than `total`: only the latest ones were looked at. */
  isTotalLowerBound: boolean
  tookMs: number
  /** Flat: by score. Grouped: the best hit of each session in the order of sessions, then their second ones, and so on. */
  hits: SearchHit[]
  /** Sessions in the order of their best hit, as many as are shown. */
  sessions: SessionHits[]
  /** How many sessions have hits. */
  sessionTotal: number
  /** What is odd about the query, and what to try where nothing was found. */
  problems: QueryProblem[]
}

export interface SearchOptions {
  /** How many hits; how many sessions where `isGrouped`. */
  limit: number
  isGrouped: boolean
  /** Hits of one session that are shown where `isGrouped`. */
  perSession?: number
  /** Only logs below these paths. */
  roots?: readonly string[]
  /** Milliseconds since 1970: age weighs in the rank. */
  now: number
  /** Columns of a snippet. */
  columns?: number
  /** Other limits of the work, for tests. */
  budget?: Partial<Budget>
}

/** How much is looked at before the answer is cut short. */
export interface Budget {
  /** Places that pass all filters: so many are ranked. */
  enough: number
  /** Places that are looked at, latest first, before filters are used to look only where they can hold. */
  first: number
  /** Filters that leave at most so many events are worth being used that way. */
  narrow: number
  /** Words in more texts than this are common: how often they stand in a text is not counted. */
  common: number
  /** Where filters alone were asked for: so many of the newest places. */
  newest: number
}

export const usualBudget: Budget = { enough: 400, first: 1200, narrow: 20_000, common: 4000, newest: 200 }
