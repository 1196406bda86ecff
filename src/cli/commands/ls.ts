// `clew ls`: lists sessions or projects from the index. Without one, the table comes from the ends of files; `--long`, `--json`,
// `--csv` and filters that need more read full files.

import pc from 'picocolors'
import { type Background, backgroundStates } from '../../disk/discover/background.ts'
import { Retention } from '../../disk/discover/homes.ts'
import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import type { Finding } from '../../model/finding.ts'
import type { SessionId } from '../../model/ids.ts'
import { bytesOf, isOnDisk, type SessionFiles } from '../../model/source.ts'
import { leastWidth, outputWidth } from '../../render/terminal/style.ts'
import { type Column, fittedTable } from '../../render/terminal/table.ts'
import type { ProjectRow, SessionRow } from '../../schema/contract-shapes.ts'
import { byLatest } from '../../session/latest.ts'
import type { Projects } from '../../session/projects.ts'
import { type QuickRow, quickRows } from '../../session/scan/quick-rows.ts'
import { type CommandInput, type ExitCode, type GlobalOptions, UserError } from '../command.ts'
import { discoverRoots } from '../input.ts'
import {
  csvLines,
  fullColumns,
  noteOf,
  projectColumns,
  projectCsv,
  quickColumns,
  type Shown,
  sessionCsv,
} from '../list/columns.ts'
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
} from '../list/filters.ts'
import { indexedRows } from '../list/indexed-rows.ts'
import { shortIds } from '../list/names.ts'
import { byPlace, type ListRow, projectRows, projectsOf, titledElsewhere, toSessionRow } from '../list/rows.ts'
import { clockFor } from '../list/times.ts'
import { archivedIn } from '../session/detail.ts'
import { findingLine, printCsv, printJson, printLine, say } from '../terminal/output.ts'
import { startProgress } from '../terminal/progress.ts'

export interface Listing {
  globals: GlobalOptions
  isCsv: boolean
  isFull: boolean
  isExact: boolean
  isSample: boolean
  /** Only sessions that are no longer on disk are listed. */
  isGone: boolean
  order: Order
  now: number
  /** All sessions there are, shown or not. */
  sessions: readonly SessionFiles[]
  /** Theirs. */
  projects: Projects
}

export async function run(input: CommandInput): Promise<ExitCode> {
  const { args, globals } = input
  const what = args[0] ?? 'sessions'
  if (what !== 'sessions' && what !== 'projects') {
    throw new UserError(`ls lists sessions or projects, not "${what}"; try --project ${what}`)
  }
  const { rows, findings, listing } = await list(input)
  const { order, sessions, isGone } = listing
  if (what === 'projects')
    await printProjects(ordered(projectRows(rows, listing.projects), order, projectKeys), listing)
  else await printSessions(ordered(rows, order, sortKeys), listing)
  if (rows.length > 0) return 0
  if (!globals.quiet) say(nothing(sessions, isGone, globals))
  return findings.some(finding => finding.severity === 'error') ? 2 : 1
}

/** What `clew ls --json` prints; of one session where `only` names it. */
export async function sessionRows(input: Question, only?: SessionId): Promise<SessionRow[]> {
  const { rows, listing } = await list(input, only)
  return printedRows(ordered(rows, listing.order, sortKeys), listing)
}

type Question = Pick<CommandInput, 'options' | 'globals'>

/** The sessions that pass, with all that lists say of them, latest first. */
export async function list(
  input: Question,
  only?: SessionId,
): Promise<{ rows: ListRow[]; findings: Finding[]; listing: Listing }> {
  const { options, globals } = input
  const now = Date.now()
  const filters = readFilters(input, now)
  const order = readOrder(options)
  const isCsv = options['csv'] === true
  const isFull = options['long'] === true || globals.json || isCsv || needsFull(filters, order.sort)
  const isGone = options['gone'] === true
  const { found, sessions, projects, findings, isSample, isExact } = await listed(
    filters,
    { isFull, isGone, only },
    globals,
  )
  const states = backgroundStates(sessions)
  const usageOf = isFull ? await (await import('../usage/sessions.ts')).usageOfSessions(globals) : null
  const rows = found
    .filter(row => passes(row, filters))
    .map(row => withBackground(row, states.get(row.session.id)))
    .map(row => (usageOf === null ? row : { ...row, spent: usageOf(row.session.id) }))
    .sort(byLatest)
  const listing = { globals, isCsv, isFull, isExact, isSample, isGone, order, now, sessions, projects }
  return { rows, findings, listing }
}

function withBackground(row: ListRow, background: Background | undefined): ListRow {
  return background === undefined ? row : { ...row, background }
}

interface Listed {
  /** Before filters are applied. */
  found: ListRow[]
  sessions: SessionFiles[]
  /** Those of all sessions: what one is called depends on the others. */
  projects: Projects
  findings: Finding[]
  isSample: boolean
  /** Titles are final: full files were read, or the index is used. */
  isExact: boolean
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

async function listed(filters: Filters, options: Wanted, globals: GlobalOptions): Promise<Listed> {
  // The index does not have the text of prompts and answers.
  const indexed = filters.grep === undefined ? await indexedRows(globals) : null
  if (indexed === null) return readListed(filters, options, globals)
  const { rows, index } = indexed
  const { isSample } = index
  const findings = index.findings.filter(finding => finding.code.startsWith('unreadable'))
  reportUnread(findings, globals.quiet)
  if (isSample && !globals.quiet) say(sampleText)
  const found = rows.filter(row => isWanted(row.session, options))
  const sessions = rows.map(row => row.session)
  return { found, sessions, projects: projectsOf(rows), findings, isSample, isExact: true }
}

const sampleText = 'clew: no sessions of yours yet; showing the bundled sample history'

async function readListed(filters: Filters, options: Wanted, globals: GlobalOptions): Promise<Listed> {
  const { discoveries, isSample } = await discoverRoots(globals)
  const findings = discoveries.flatMap(discovery => discovery.findings)
  const sessions = mergeDiscoveries(discoveries, globals.source)
  if (sessions.length > 0) reportUnread(findings, globals.quiet)
  else for (const finding of findings) say(findingLine(finding))
  if (isSample && !globals.quiet) say(sampleText)
  const { rows, projects } = await rowsOf(sessions.sort(byPlace), { filters, ...options }, globals)
  return { found: rows, sessions, projects, findings, isSample, isExact: options.isFull }
}

/** Sessions that could not be read are missing in the list: one line reports it, `clew doctor` lists them. */
export function reportUnread(findings: readonly Finding[], isQuiet: boolean): void {
  const first = findings[0]
  if (first === undefined || isQuiet) return
  say(findingLine(first))
  if (findings.length > 1) say(`… and ${findings.length - 1} more of this kind; \`clew doctor\` lists them`)
}

function nothing(sessions: readonly SessionFiles[], isGone: boolean, { archive }: GlobalOptions): string {
  const { length } = sessions
  if (length === 0) return 'clew: no sessions found; --root PATH names a Claude home'
  const hasGone = sessions.some(session => !isOnDisk(session))
  if (isGone && !hasGone && archive === undefined)
    return 'clew: nothing is archived yet; clew archive run archives your sessions'
  if (isGone && !hasGone) return `clew: all ${length} sessions are still on disk`
  return `clew: none of ${length} sessions matches; try fewer filters`
}

/** Rows of those that are wanted. Names of projects, and some titles, depend on all sessions. */
async function rowsOf(
  sessions: readonly SessionFiles[],
  { filters, ...wanted }: Wanted & { filters: Filters },
  globals: GlobalOptions,
): Promise<{ rows: ListRow[]; projects: Projects }> {
  // Sessions that the ends of their files rule out are not read.
  const isNarrow =
    filters.project !== undefined || filters.since !== undefined || wanted.isGone || wanted.only !== undefined
  if (wanted.isFull && !isNarrow) {
    const rows = await readRows(sessions, filters, globals)
    return { rows, projects: projectsOf(rows) }
  }
  const all = quickRows(sessions, globals.source)
  const projects = projectsOf(all)
  const quick = all.filter(row => isWanted(row.session, wanted))
  if (!wanted.isFull) return { rows: quick, projects }
  const narrow = quick.filter(row => mayPass(row, filters))
  const read = await readRows(
    narrow.map(row => row.session),
    filters,
    globals,
  )
  return { rows: read.map((row, at) => titledElsewhere(row, narrow[at] as QuickRow)), projects }
}

async function readRows(
  sessions: readonly SessionFiles[],
  filters: Filters,
  globals: GlobalOptions,
): Promise<ListRow[]> {
  const { fullRows } = await import('../list/full-rows.ts')
  const bytes = sessions.reduce((sum, session) => sum + bytesOf(session), 0)
  const progress = startProgress({ what: 'reading', total: bytes, isQuiet: globals.quiet })
  try {
    const options = filters.grep === undefined ? {} : { grep: filters.grep }
    const { rows, findings } = await fullRows(sessions, options, globals, done => progress.add(done))
    progress.end()
    if (!globals.quiet) for (const finding of findings) say(findingLine(finding))
    return rows
  } finally {
    progress.end()
  }
}

async function printSessions(rows: readonly ListRow[], listing: Listing): Promise<void> {
  const { globals, isCsv, isFull } = listing
  if (globals.json) return printJson({ sessions: await printedRows(rows, listing) })
  if (isCsv) return printCsv(csvLines(sessionCsv, await printedRows(rows, listing)))
  if (rows.length === 0) return
  const gone = rows.filter(row => !isOnDisk(row.session)).length
  const shown: Shown = {
    clock: clockFor(globals.timezone),
    shortId: shortIds(listing.sessions.map(session => session.id)),
    hasGone: gone > 0,
    hasNotes: rows.some(row => noteOf(row) !== ''),
    projects: listing.projects,
  }
  const leftOut = await printTable(rows, isFull ? fullColumns(shown) : quickColumns(shown))
  const notes = listing.isExact ? [] : ['Titles and times may be incomplete without an index; --long reads full files']
  if (gone > 0 && !listing.isGone)
    notes.push(`${gone} of ${rows.length} ${gone === 1 ? 'is' : 'are'} only in the archive`)
  if (leftOut !== undefined) notes.push(leftOut)
  for (const note of notes) printNote(note, globals)
}

/** As `--json` and `--csv` print them. */
export async function printedRows(
  rows: readonly ListRow[],
  { globals, isSample, now, projects }: Listing,
): Promise<SessionRow[]> {
  const context = { now, projects, retention: isSample ? null : new Retention(), isArchived: await archivedIn(globals) }
  return rows.flatMap(row => (row.facts ? [toSessionRow(row, row.facts, context)] : []))
}

async function printProjects(rows: readonly ProjectRow[], listing: Listing): Promise<void> {
  const { globals, isCsv, isFull } = listing
  if (globals.json) return printJson({ projects: rows })
  if (isCsv) return printCsv(csvLines(projectCsv, rows))
  const hasGone = rows.some(row => row.gone > 0)
  if (rows.length === 0) return
  const leftOut = await printTable(rows, projectColumns(clockFor(globals.timezone), isFull, hasGone))
  if (leftOut !== undefined) printNote(leftOut, globals)
}

/** Returns what was left out, in words. */
async function printTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): Promise<string | undefined> {
  const { lines, leftOut } = fittedTable(rows, columns, Math.max(leastWidth, outputWidth()), pc.dim)
  const atOnce = 200
  for (let from = 0; from < lines.length; from += atOnce) await printLine(lines.slice(from, from + atOnce).join('\n'))
  return leftOut
}

/** A footnote under a table, on stderr so that the table can be piped. */
function printNote(text: string, globals: GlobalOptions): void {
  if (!globals.quiet) say(pc.dim(text))
}
