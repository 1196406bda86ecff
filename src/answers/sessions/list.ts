// The list of sessions and projects: which pass the filters, with all that lists say of them. From the index; without one from
// the ends of files, or from full files where more is asked for.

import { type Background, backgroundStates } from '../../disk/discover/background.ts'
import { Retention } from '../../disk/discover/homes.ts'
import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import type { Finding } from '../../model/finding.ts'
import type { SessionId } from '../../model/ids.ts'
import { bytesOf, isOnDisk, type SessionFiles } from '../../model/source.ts'
import type { ProjectRow, SessionRow } from '../../schema/contract-shapes.ts'
import { byLatest } from '../../session/latest.ts'
import type { Projects } from '../../session/projects.ts'
import { type QuickRow, quickRows } from '../../session/scan/quick-rows.ts'
import type { Clew } from '../clew.ts'
import { archivedIn } from '../session/detail.ts'
import {
  type Filters,
  mayPass,
  needsFull,
  type Order,
  ordered,
  passes,
  projectKeys,
  readFilters,
  readOrder,
  sortKeys,
} from './filters.ts'
import { discoverRoots } from './find.ts'
import { indexedRows } from './indexed-rows.ts'
import { byPlace, type ListRow, projectRows, projectsOf, titledElsewhere, toSessionRow } from './rows.ts'

/** What is asked of a list: filters and order by the names of the options of `clew ls`, and how much of each row. */
export interface ListQuery {
  options: Readonly<Record<string, unknown>>
  /** Rows have all facts; without it only what the ends of files say, where there is no index. */
  isFull: boolean
  /** One session alone. */
  only?: SessionId
}

export interface Listing {
  /** Those that pass, the latest first. */
  rows: ListRow[]
  findings: Finding[]
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
}

/** The sessions that pass the filters, latest first; `inOrder` orders and limits them. */
export async function listSessions(clew: Clew, query: ListQuery): Promise<Listing> {
  const { options, only } = query
  const now = Date.now()
  const filters = readFilters(options, clew, now)
  const order = readOrder(options)
  const isFull = query.isFull || needsFull(filters, order.sort)
  const isGone = options['gone'] === true
  const { found, ...listed } = await listedRows(filters, { isFull, isGone, only }, clew)
  const states = backgroundStates(listed.sessions)
  const usageOf = isFull ? await (await import('../usage/sessions.ts')).usageOfSessions(clew) : null
  const rows = found
    .filter(row => passes(row, filters))
    .map(row => withBackground(row, states.get(row.session.id)))
    .map(row => (usageOf === null ? row : { ...row, spent: usageOf(row.session.id) }))
    .sort(byLatest)
  return { ...listed, rows, isFull, isGone, order, now }
}

/** The rows of a list, in its order and up to its limit. */
export function inOrder({ rows, order }: Listing): ListRow[] {
  return ordered(rows, order, sortKeys)
}

/** The projects of the sessions that pass, in the order of the list. */
export function listedProjects({ rows, projects, order }: Listing): ProjectRow[] {
  return ordered(projectRows(rows, projects), order, projectKeys)
}

/** What `clew ls --json` prints. */
export async function sessionRows(
  clew: Clew,
  options: Readonly<Record<string, unknown>> = {},
  only?: SessionId,
): Promise<SessionRow[]> {
  const listing = await listSessions(clew, { options, isFull: true, ...(only !== undefined && { only }) })
  return printedRows(inOrder(listing), listing, clew)
}

/** Rows as `--json` and `--csv` print them. */
export async function printedRows(
  rows: readonly ListRow[],
  { isSample, now, projects }: Pick<Listing, 'isSample' | 'now' | 'projects'>,
  clew: Clew,
): Promise<SessionRow[]> {
  const context = { now, projects, retention: isSample ? null : new Retention(), isArchived: await archivedIn(clew) }
  return rows.flatMap(row => (row.facts ? [toSessionRow(row, row.facts, context)] : []))
}

function withBackground(row: ListRow, background: Background | undefined): ListRow {
  return background === undefined ? row : { ...row, background }
}

/** Rows before filters are applied. */
interface Listed extends Pick<Listing, 'sessions' | 'projects' | 'findings' | 'isSample' | 'isExact'> {
  found: ListRow[]
}

interface Wanted {
  isFull: boolean
  /** Only sessions that are no longer on disk. */
  isGone: boolean
  only?: SessionId | undefined
}

function isWanted(session: SessionFiles, { isGone, only }: Wanted): boolean {
  return (!isGone || !isOnDisk(session)) && (only === undefined || session.id === only)
}

async function listedRows(filters: Filters, wanted: Wanted, clew: Clew): Promise<Listed> {
  // The index does not have the text of prompts and answers.
  const indexed = filters.grep === undefined ? await indexedRows(clew) : null
  if (indexed === null) return readListed(filters, wanted, clew)
  const { rows, index } = indexed
  return {
    found: rows.filter(row => isWanted(row.session, wanted)),
    sessions: rows.map(row => row.session),
    projects: projectsOf(rows),
    findings: index.findings.filter(finding => finding.code.startsWith('unreadable')),
    isSample: index.isSample,
    isExact: true,
  }
}

async function readListed(filters: Filters, wanted: Wanted, clew: Clew): Promise<Listed> {
  const { discoveries, isSample } = await discoverRoots(clew)
  const findings = discoveries.flatMap(discovery => discovery.findings)
  const sessions = mergeDiscoveries(discoveries, clew.source)
  const { rows, projects } = await rowsOf(sessions.sort(byPlace), { filters, ...wanted }, clew)
  return { found: rows, sessions, projects, findings, isSample, isExact: wanted.isFull }
}

/** Rows of those that are wanted. Names of projects, and some titles, depend on all sessions. */
async function rowsOf(
  sessions: readonly SessionFiles[],
  { filters, ...wanted }: Wanted & { filters: Filters },
  clew: Clew,
): Promise<{ rows: ListRow[]; projects: Projects }> {
  // Sessions that the ends of their files rule out are not read.
  const isNarrow =
    filters.project !== undefined || filters.since !== undefined || wanted.isGone || wanted.only !== undefined
  if (wanted.isFull && !isNarrow) {
    const rows = await readRows(sessions, filters, clew)
    return { rows, projects: projectsOf(rows) }
  }
  const all = quickRows(sessions, clew.source)
  const projects = projectsOf(all)
  const quick = all.filter(row => isWanted(row.session, wanted))
  if (!wanted.isFull) return { rows: quick, projects }
  const narrow = quick.filter(row => mayPass(row, filters))
  const read = await readRows(
    narrow.map(row => row.session),
    filters,
    clew,
  )
  return { rows: read.map((row, at) => titledElsewhere(row, narrow[at] as QuickRow)), projects }
}

async function readRows(sessions: readonly SessionFiles[], filters: Filters, clew: Clew): Promise<ListRow[]> {
  const { fullRows } = await import('./full-rows.ts')
  const bytes = sessions.reduce((sum, session) => sum + bytesOf(session), 0)
  const progress = clew.listener.progress('reading', bytes)
  try {
    const options = filters.grep === undefined ? {} : { grep: filters.grep }
    const { rows, findings } = await fullRows(sessions, options, clew, done => progress.add(done))
    progress.end()
    for (const finding of findings) clew.listener.unread(finding)
    return rows
  } finally {
    progress.end()
  }
}
