// The list of sessions and projects: which pass the filters, in which order, and what is said of each. One question, whether it
// is asked for a table, for JSON, or for a page of the web app; who knows the sessions is up to src/answers/knows.

import { backgroundStates } from '../../disk/discover/background.ts'
import { Retention } from '../../disk/discover/homes.ts'
import type { Finding } from '../../model/finding.ts'
import type { SessionId } from '../../model/ids.ts'
import { isBeingWritten, type SessionFiles } from '../../model/source.ts'
import type { ProjectRow, SessionRow } from '../../schema/contract-shapes.ts'
import { byLatest } from '../../session/latest.ts'
import type { Projects } from '../../session/projects.ts'
import { SessionSummary } from '../../session/summary.ts'
import type { Clew } from '../clew.ts'
import { ask } from '../knows/ask.ts'
import type { KnownSessions } from '../knows/knows.ts'
import { archivedIn } from '../session/detail.ts'
import {
  cutToPage,
  needsFull,
  type Order,
  ordered,
  passes,
  projectKeys,
  readFilters,
  readOrder,
  sortKeys,
} from './filters.ts'
import { type ListContext, type ListRow, projectRows, toSessionRow } from './rows.ts'

/** What is asked of a list: filters and order by the names of the options of `clew ls`, and how much of each row. */
export interface ListQuery {
  options: Readonly<Record<string, unknown>>
  /** Rows have all facts; without it only what the ends of files say, where there is no index. */
  isFull: boolean
  /** One session alone. */
  only?: SessionId
}

export interface Listing extends Pick<KnownSessions, 'partial'> {
  /** Those that pass, the latest first. */
  rows: ListRow[]
  /** All there are, the latest first where they are listed from an index. */
  all: readonly ListRow[]
  findings: readonly Finding[]
  order: Order
  now: number
  /** Only sessions that are no longer on disk are listed. */
  isGone: boolean
  /** All sessions there are, listed or not. */
  sessions: readonly SessionFiles[]
  /** Those of all sessions: what one is called depends on the others. */
  projects: Projects
  isSample: boolean
  /** Titles are final: full files were read, or the index is used. */
  isExact: boolean
  isFull: boolean
  context: ListContext
}

/** The sessions that pass the filters, latest first; `inOrder` orders and limits them. */
export async function listSessions(clew: Clew, query: ListQuery): Promise<Listing> {
  const { options, only } = query
  const now = Date.now()
  const filters = readFilters(options, clew, now)
  const order = readOrder(options)
  const isFull = query.isFull || needsFull(filters, order.sort)
  const known = await ask(clew, knows => knows.sessions({ isFull, filters, only }))
  const context = await contextOf(clew, known, now)
  const usageOf = await usageFor(clew, known, isFull)
  const states = backgroundStates(known.sessions)
  const all = known.rows.map(row => {
    const background = states.get(row.session.id)
    const spent = usageOf?.(row.session.id)
    return { ...row, ...(background !== undefined && { background }), ...(spent !== undefined && { spent }) }
  })
  const rows = all.filter(row => passes(row, filters, known.projects, context)).sort(byLatest)
  const isGone = filters.is.includes('gone')
  const { sessions, projects, findings, isSample, isExact, partial } = known
  const listing = { rows, all, findings, order, now, isGone, sessions, projects, isSample, isExact, isFull, context }
  return partial === undefined ? listing : { ...listing, partial }
}

/** What each session sent itself; undefined where it is not asked for, or nothing is counted yet. */
async function usageFor(clew: Clew, { partial }: KnownSessions, isFull: boolean) {
  if (!isFull || partial !== undefined) return undefined
  const { countedUsage } = await import('../usage/sessions.ts')
  return countedUsage(clew)
}

/** What lists say of sessions besides what their records say. */
export async function contextOf(
  clew: Clew,
  { projects, isSample }: Pick<KnownSessions, 'projects' | 'isSample'>,
  now: number,
): Promise<ListContext> {
  const watched = clew.upkeep?.live() ?? null
  return {
    now,
    projects,
    retention: isSample ? null : new Retention(),
    isArchived: await archivedIn(clew),
    isLive: ({ session, endedAt }) =>
      !isSample && (watched === null ? isBeingWritten(session, endedAt, now) : watched.has(session.id)),
  }
}

/** The rows of a list, in its order and up to its limit. */
export function inOrder({ rows, order }: Listing): ListRow[] {
  return cutToPage(ordered(rows, order, sortKeys), order)
}

/** The projects of the sessions that pass, in the order of the list. */
export function listedProjects({ rows, projects, order }: Listing): ProjectRow[] {
  return cutToPage(ordered(projectRows(rows, projects), order, projectKeys), order)
}

/** What `clew ls --json` prints. */
export async function sessionRows(
  clew: Clew,
  options: Readonly<Record<string, unknown>> = {},
  only?: SessionId,
): Promise<SessionRow[]> {
  const listing = await listSessions(clew, { options, isFull: true, ...(only !== undefined && { only }) })
  return printedRows(inOrder(listing), listing)
}

/** Rows as `--json`, `--csv` and the web app have them. A row of which nothing is counted yet counts nothing. */
export function printedRows(
  rows: readonly ListRow[],
  { context, partial }: Pick<Listing, 'context' | 'partial'>,
): SessionRow[] {
  return rows.flatMap(row => {
    const facts = row.facts ?? (partial === undefined ? undefined : new SessionSummary(row.session.id).row())
    return facts === undefined ? [] : [toSessionRow(row, facts, context)]
  })
}
