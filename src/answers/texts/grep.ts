// Every line of text that an expression matches, the latest session first, handed on while it is found. What expressions match is
// decided in src/grep; it prints nothing.

import { dirname } from 'node:path'
import { placesKey } from '../../archive/read/places.ts'
import { countOf, sizeText } from '../../base/format.ts'
import { largestLine } from '../../decode/lines.ts'
import { allLogs } from '../../disk/discover/merge.ts'
import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import { ReadError, readFinding } from '../../disk/read/read.ts'
import type { GrepBatch, GrepHit } from '../../grep/hits.ts'
import { searchBytes, searchInOrder } from '../../grep/search.ts'
import type { SessionSearch } from '../../grep/search-session.ts'
import { mostSlowLines } from '../../grep/time-limit.ts'
import type { Finding } from '../../model/finding.ts'
import { type ByteSource, bytesOf, mainLogs, type SessionFiles } from '../../model/source.ts'
import { byLatest } from '../../session/latest.ts'
import type { Projects } from '../../session/projects.ts'
import { type DatedSession, datedSession, quickRows } from '../../session/scan/quick-rows.ts'
import { otherWords } from '../../session/text-kinds.ts'
import { WorkerPool } from '../../worker/pool.ts'
import type { Clew } from '../clew.ts'
import { UserError } from '../error.ts'
import { allSessions } from '../sessions/all-sessions.ts'
import { copiedRows } from '../sessions/copied.ts'
import { type Filters, mayPass, noFilters, passes } from '../sessions/filters.ts'
import { discoverRoots, sessionOf } from '../sessions/find.ts'
import { indexedRows } from '../sessions/indexed-rows.ts'
import { type ListRow, projectsOf } from '../sessions/rows.ts'
import type { PrintedGrep, PrintedLine } from './grep-printed.ts'
import type { GrepQuery } from './grep-query.ts'

/** What was found in a part of a session. */
export interface FoundLines extends Omit<GrepBatch, 'problems' | 'oversized'> {
  row: ListRow
  /** What could not be read. */
  unread: readonly Finding[]
  /** Lines that are too long to be searched. */
  oversized: readonly Finding[]
}

export interface Grep {
  sessions: readonly SessionFiles[]
  /** Of homes and folders. */
  findings: readonly Finding[]
  projects: Projects
  /** Hands on what is found, in order. What `take` throws ends the search. */
  run(take: (found: FoundLines) => Promise<void>, onProgress: (bytes: number) => void): Promise<void>
  /** Of what is searched. */
  bytes: number
  close(): Promise<void>
}

/** Less is searched in this thread: starting others takes as long. */
const leastShared = 24 * 1024 * 1024

/** Close it when done. */
export async function openGrep(clew: Clew, scope: GrepQuery): Promise<Grep> {
  const { sessions, findings } = await sessionsFor(scope, clew)
  const bytes = sessions.reduce((sum, session) => sum + bytesOf(session), 0)
  const pool = new WorkerPool(bytes < leastShared ? { size: 0 } : {})
  pool.start()
  try {
    // Titles and times are those of lists: from the index where there is one.
    const indexed = (await indexedRows(clew))?.rows
    const dated = datedSessions(sessions, indexed ?? [], clew.source)
    const all = scope.session === undefined ? dated : await allSessions(clew)
    const everySession = all.map(one => one.session)
    const known = indexed ?? (await copiedRows(everySession, clew))
    const rows = new FolderRows(sessions, all, clew.source, known)
    const projects = projectsOf(all)
    const searches = await searchesOf(dated, scope, { rows, projects }, clew)
    return {
      sessions,
      findings,
      projects,
      run: (take, onProgress) =>
        searchInOrder(searches, scope.options, {
          pool,
          key: placesKey(clew.home),
          onProgress,
          onBatch: (at, batch) => take(foundIn(rows.rowOf((searches[at] as SessionSearch).session as string), batch)),
        }),
      bytes: searches.reduce((sum, search) => sum + searchBytes(search), 0),
      close: () => pool.close(),
    }
  } catch (error) {
    await pool.close()
    throw error
  }
}

/** What is printed of a matching line. */
export function printedHit({ session }: ListRow, hit: GrepHit): PrintedLine {
  const { thread, event, kind, label, at, line, snippet, generation } = hit
  return { session: session.id, thread, event, kind, label, at, line, snippet, ...(generation && { generation }) }
}

/** All lines, up to the limit. What could not be searched is reported. */
export async function grepLines(clew: Clew, scope: GrepQuery): Promise<PrintedGrep> {
  const grep = await openGrep(clew, scope)
  const hits: PrintedGrep['hits'] = []
  const enough = new Error('enough is found')
  let skipped = 0
  const take = async (found: FoundLines) => {
    for (const finding of [...found.unread, ...found.oversized]) clew.listener.unread(finding)
    hits.push(...found.hits.slice(0, scope.limit - hits.length).map(hit => printedHit(found.row, hit)))
    skipped += found.skipped.length
    if (hits.length >= scope.limit || skipped >= mostSlowLines) throw enough
  }
  try {
    for (const finding of grep.findings) clew.listener.unread(finding)
    await grep.run(take, () => {})
  } catch (error) {
    if (error !== enough) throw error
  } finally {
    await grep.close()
  }
  if (skipped > 0) clew.listener.note(`skipped ${countOf(skipped, 'line')}: the expression is too slow`)
  return { query: scope.query, total: hits.length, hits }
}

/** From the ends of files only where no row says it. */
function datedSessions(
  sessions: readonly SessionFiles[],
  rows: readonly ListRow[],
  source: ByteSource,
): DatedSession[] {
  const byId = new Map(rows.map(row => [row.session.id, row]))
  return sessions.map(session => {
    const row = byId.get(session.id)
    return row === undefined ? datedSession(session, source) : { session, cwd: row.cwd, endedAt: row.endedAt }
  })
}

/** An error that names other tools where no session calls this one. */
export async function refuseUnknownTool(tool: string, sessions: readonly SessionFiles[], clew: Clew): Promise<void> {
  const { toolsOtherThan } = await import('../../grep/tools.ts')
  const tools = toolsOtherThan(tool, sessions, clew.source)
  if (tools !== null) throw new UserError(`no session calls a tool "${tool}"; ${otherWords(tool, tools).hint}`)
}

const oversizedText = `The line is longer than ${sizeText(largestLine)} and was not searched.`

function foundIn(row: ListRow, { problems, oversized, ...found }: GrepBatch): FoundLines {
  return {
    ...found,
    row,
    unread: problems.map(({ path, offset, code }) => readFinding(new ReadError(path, offset, code))),
    oversized: oversized.map(({ path, offset }) => {
      return { code: 'oversized-line', severity: 'warning', file: path, offset, message: oversizedText }
    }),
  }
}

async function sessionsFor(
  { session }: GrepQuery,
  clew: Clew,
): Promise<{ sessions: SessionFiles[]; findings: Finding[] }> {
  if (session !== undefined) return { sessions: [await sessionOf(session, clew)], findings: [] }
  const { discoveries } = await discoverRoots(clew)
  const findings = discoveries.flatMap(discovery => discovery.findings)
  return { sessions: mergeDiscoveries(discoveries, clew.source), findings }
}

/** The sessions to search, the latest first: those of the project and time in question. */
async function searchesOf(
  sessions: readonly DatedSession[],
  { session, filters }: GrepQuery,
  { rows, projects }: { rows: FolderRows; projects: Projects },
  { archive, source }: Clew,
): Promise<SessionSearch[]> {
  // A generation that is named is searched alone.
  const isOneGeneration = /@\d{1,6}$/.test(session ?? '')
  const contents =
    archive === undefined || isOneGeneration
      ? null
      : (await import('../../grep/earlier.ts')).logContents(archive, source)
  const { project, since, until } = filters
  const inProject: Filters = { ...noFilters, ...(project === undefined ? {} : { project }) }
  const fromSince: Filters = { ...noFilters, ...(since === undefined ? {} : { since }) }
  const inTime: Filters = { ...fromSince, ...(until === undefined ? {} : { until }) }
  const isNarrowed = project !== undefined || since !== undefined || until !== undefined
  const isMeant = (row: ListRow) => passes(row, inProject, projects) && mayPass(row, fromSince, projects)
  return sessions
    .filter(one => !isNarrowed || isMeant(rows.rowOf(one.session.id)))
    .sort(byLatest)
    .map(({ session: one }) => {
      const { id, logs, side } = one
      const spills = side.filter(file => file.kind === 'tool-result')
      const countsTimeless = !isNarrowed || passes(rows.rowOf(id), inTime, projects)
      // A copy says what another log says, but what it said before may be its own.
      const earlier = allLogs(one).flatMap(log => contents?.(log).earlier ?? [])
      return { session: id, logs, spills, earlier, countsTimeless }
    })
}

/** Rows of sessions, made for the folders that something is found in: sessions of one folder may name each other. */
class FolderRows {
  private readonly byFolder = new Map<string, SessionFiles[]>()
  private readonly folders = new Map<string, string>()
  private readonly rows = new Map<string, ListRow>()
  private readonly source: ByteSource

  /** `all`: those that may name one of the sessions. */
  constructor(
    sessions: readonly SessionFiles[],
    all: readonly DatedSession[],
    source: ByteSource,
    known: readonly ListRow[] = [],
  ) {
    this.source = source
    for (const row of known) this.rows.set(row.session.id, row)
    for (const session of [...sessions, ...all.map(one => one.session)]) {
      if (this.folders.has(session.id)) continue
      const folder = dirname(mainLogs(session)[0]?.path ?? '')
      this.folders.set(session.id, folder)
      const others = this.byFolder.get(folder)
      if (others === undefined) this.byFolder.set(folder, [session])
      else others.push(session)
    }
  }

  rowOf(session: string): ListRow {
    const known = this.rows.get(session)
    if (known !== undefined) return known
    const folder = this.byFolder.get(this.folders.get(session) ?? '') ?? []
    for (const row of quickRows(folder, this.source)) this.rows.set(row.session.id, row)
    const row = this.rows.get(session)
    if (row === undefined) throw new Error('a session has a row')
    return row
  }
}
