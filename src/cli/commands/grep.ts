// `clew grep`: every line of text that an expression matches, the latest session first, printed while it is found.

import { dirname } from 'node:path'
import pc from 'picocolors'
import { type PlacesKey, placesKey } from '../../archive/read/places.ts'
import { countOf } from '../../base/format.ts'
import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import { ReadError } from '../../disk/read/read.ts'
import { mayMatching, type Receiver, searchInOrder } from '../../grep/search.ts'
import type { SessionSearch } from '../../grep/search-session.ts'
import { type ByteSource, bytesOf, mainLogs, type SessionFiles } from '../../model/source.ts'
import { leastWidth, outputWidth } from '../../render/terminal/style.ts'
import { quickRows } from '../../session/scan/quick-rows.ts'
import { WorkerPool } from '../../worker/pool.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { type GrepQuery, readQuery } from '../grep/options.ts'
import { JsonPrinter, type Printer, TextPrinter } from '../grep/print.ts'
import { discoverRoots, sessionOf } from '../input.ts'
import { type Filters, mayPass, passes } from '../list/filters.ts'
import { shortIds } from '../list/names.ts'
import { type ListRow, whenOf } from '../list/rows.ts'
import { clockFor } from '../list/times.ts'
import { readFinding } from '../session/verdict.ts'
import { findingLine, flush, isOutputClosed, say } from '../terminal/output.ts'
import { startProgress } from '../terminal/progress.ts'
import { reportUnread } from './ls.ts'

/** A session to search, with what is shown of it. */
interface SearchedSession extends SessionSearch {
  files: SessionFiles
}

interface RowSearch extends SearchedSession {
  row: ListRow
}

/** Less is searched in this thread: starting others takes as long. */
const leastShared = 24 * 1024 * 1024

export async function run(input: CommandInput): Promise<ExitCode> {
  const started = performance.now()
  const { globals } = input
  const query = readQuery(input)
  const sessions = await sessionsFor(query, globals)
  const bytes = sessions.reduce((sum, session) => sum + bytesOf(session), 0)
  const pool = new WorkerPool(bytes < leastShared ? { size: 0 } : {})
  try {
    const key = placesKey(globals.home)
    const searches = await candidates(await searchesOf(sessions, query, globals), query, { pool, key, globals })
    const layout = {
      width: Math.max(leastWidth, outputWidth()),
      clock: clockFor(globals.timezone),
      shortId: shortIds(sessions.map(session => session.id)),
    }
    const printer = globals.json ? new JsonPrinter(query, started) : new TextPrinter(query, layout)
    const results = new Results(query, printer, globals.quiet)
    await searchInOrder(searches, query.options, { pool, key }, results).catch((error: unknown) => {
      if (!results.isEnded) throw error
    })
    await printer.end()
    if (results.sessions === 0) return reportNone(sessions.length, query, globals)
    if (!globals.json && !globals.quiet) say(pc.dim(results.summary))
    return 0
  } finally {
    await pool.close()
  }
}

async function sessionsFor({ session }: GrepQuery, globals: GlobalOptions): Promise<SessionFiles[]> {
  if (session !== undefined) return [await sessionOf(session, globals)]
  const { discoveries, isSample } = await discoverRoots(globals)
  reportUnread(
    discoveries.flatMap(discovery => discovery.findings),
    globals.quiet,
  )
  if (isSample && !globals.quiet) say('clew: no sessions of yours yet; showing the bundled sample history')
  return mergeDiscoveries(discoveries, globals.source)
}

async function searchesOf(
  sessions: readonly SessionFiles[],
  { session }: GrepQuery,
  { archive, source }: GlobalOptions,
): Promise<SearchedSession[]> {
  // A generation that is named is searched alone.
  const isOneGeneration = /@\d{1,6}$/.test(session ?? '')
  const earlier =
    archive === undefined || isOneGeneration
      ? () => []
      : (await import('../../grep/earlier.ts')).earlierLogs(archive, source)
  return sessions.map(files => ({
    files,
    session: files.id,
    logs: files.logs,
    spills: files.side.filter(file => file.kind === 'tool-result'),
    earlier: files.logs.flatMap(earlier),
    countsTimeless: true,
  }))
}

/** The sessions to search, the latest first: those that may match, of the project and time in question. */
async function candidates(
  searches: readonly SearchedSession[],
  { options, filters }: GrepQuery,
  { pool, key, globals }: { pool: WorkerPool; key: PlacesKey; globals: GlobalOptions },
): Promise<RowSearch[]> {
  const total = searches.reduce((sum, { files }) => sum + bytesOf(files), 0)
  const progress = startProgress({ what: 'searching', total, isQuiet: globals.quiet })
  const left = await mayMatching(searches, options, { pool, key, onProgress: bytes => progress.add(bytes) }).finally(
    () => progress.end(),
  )
  const rows = titledRows(
    left.map(({ files }) => files),
    searches.map(({ files }) => files),
    globals.source,
  )
  const { project, since, until } = filters
  const inProject: Filters = { has: [], ...(project === undefined ? {} : { project }) }
  const fromSince: Filters = { has: [], ...(since === undefined ? {} : { since }) }
  const inTime: Filters = { ...fromSince, ...(until === undefined ? {} : { until }) }
  return left
    .map((search, at): RowSearch => {
      const row = rows[at] as ListRow
      return { ...search, row, countsTimeless: passes(row, inTime) }
    })
    .filter(({ row }) => passes(row, inProject) && mayPass(row, fromSince))
    .sort((one, other) => whenOf(other.row) - whenOf(one.row))
}

/** Titles that a session gets from a summary in another file of its folder come before these. */
const weakTitles: ReadonlySet<ListRow['titleFrom']> = new Set(['summary', 'first-prompt', 'id'])

/** The rows of some sessions. Where one has no title of its own, all sessions of its folder are looked at. */
function titledRows(some: readonly SessionFiles[], all: readonly SessionFiles[], source: ByteSource): ListRow[] {
  if (some.length === all.length) return quickRows(some, source)
  const rows = quickRows(some, source)
  const foldersOf = (session: SessionFiles) => mainLogs(session).map(log => dirname(log.path))
  const folders = new Set(rows.filter(row => weakTitles.has(row.titleFrom)).flatMap(row => foldersOf(row.session)))
  if (folders.size === 0) return rows
  const inFolders = all.filter(session => foldersOf(session).some(folder => folders.has(folder)))
  const retitled = new Map(quickRows(inFolders, source).map(row => [row.session, row]))
  return rows.map(row => retitled.get(row.session) ?? row)
}

function reportNone(found: number, { filters }: GrepQuery, { quiet }: GlobalOptions): ExitCode {
  const isNarrowed = filters.project !== undefined || filters.since !== undefined
  const where = isNarrowed ? '' : ` in ${countOf(found, 'session')}`
  if (!quiet)
    say(found === 0 ? 'clew: no sessions found; --root PATH names a Claude home' : `clew: no line matches${where}`)
  return 1
}

/** Prints what is found and stops the search at the limit, or when no one reads the output. */
class Results implements Receiver<RowSearch> {
  sessions = 0
  /** The search was stopped: what still runs fails. */
  isEnded = false
  private count = 0
  private sessionCount = 0
  private readonly query: GrepQuery
  private readonly printer: Printer
  private readonly isQuiet: boolean

  constructor(query: GrepQuery, printer: Printer, isQuiet: boolean) {
    this.query = query
    this.printer = printer
    this.isQuiet = isQuiet
  }

  async batch(
    { row }: RowSearch,
    { hits, count, problems }: Parameters<Receiver<RowSearch>['batch']>[1],
  ): Promise<void> {
    if (!this.isQuiet) {
      for (const { path, offset, code } of problems) say(findingLine(readFinding(new ReadError(path, offset, code))))
    }
    const shown = this.isLines ? hits.slice(0, this.query.limit - this.count) : []
    const added = shown.length + count
    if (added === 0) return
    if (this.sessionCount === 0) {
      this.sessions++
      await this.printer.session(row)
    }
    this.sessionCount += added
    this.count += added
    await this.printer.hits(row, shown)
    // What is found is seen at once.
    await flush()
    if (isOutputClosed() || (this.isLines && this.count >= this.query.limit)) this.stop()
  }

  async end({ row }: RowSearch): Promise<boolean> {
    if (this.sessionCount > 0 && !this.isLines) {
      await this.printer.total(row, this.sessionCount)
      await flush()
    }
    this.sessionCount = 0
    this.isEnded = isOutputClosed() || this.isAtLimit
    return !this.isEnded
  }

  get summary(): string {
    const where = countOf(this.sessions, 'session')
    const text = this.query.mode === 'sessions' ? where : `${countOf(this.count, 'matching line')} in ${where}`
    return this.isAtLimit ? `${text}; stopped at --limit` : text
  }

  private get isLines(): boolean {
    return this.query.mode === 'lines'
  }

  private get isAtLimit(): boolean {
    return (this.isLines ? this.count : this.sessions) >= this.query.limit
  }

  /** An error ends the task of this session too, which may run in this thread. */
  private stop(): never {
    this.isEnded = true
    throw new Error('the search was stopped')
  }
}
