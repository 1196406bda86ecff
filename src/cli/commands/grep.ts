// `clew grep`: every line of text that an expression matches, the latest session first, printed while it is found.

import pc from 'picocolors'
import { placesKey } from '../../archive/read/places.ts'
import { countOf } from '../../base/format.ts'
import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import { ReadError, readFinding } from '../../disk/read/read.ts'
import { searchBytes, searchInOrder } from '../../grep/search.ts'
import type { GrepBatch, SessionSearch } from '../../grep/search-session.ts'
import { bytesOf, type SessionFiles } from '../../model/source.ts'
import { leastWidth, outputWidth } from '../../render/terminal/style.ts'
import { byLatest } from '../../session/latest.ts'
import { quickRows } from '../../session/scan/quick-rows.ts'
import { WorkerPool } from '../../worker/pool.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { type GrepQuery, readQuery } from '../grep/options.ts'
import { JsonPrinter, type Printer, TextPrinter } from '../grep/print.ts'
import { discoverRoots, sessionOf } from '../input.ts'
import { type Filters, mayPass, passes } from '../list/filters.ts'
import { shortIds } from '../list/names.ts'
import { type ListRow, projectsOf } from '../list/rows.ts'
import { clockFor } from '../list/times.ts'

import { findingLine, flush, isOutputClosed, say } from '../terminal/output.ts'
import { type Progress, startProgress } from '../terminal/progress.ts'
import { reportUnread } from './ls.ts'

/** A session to search, with what is shown of it. */
interface RowSearch {
  row: ListRow
  search: SessionSearch
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
  pool.start()
  try {
    const searches = await searchesOf(sessions, query, globals)
    const layout = {
      width: Math.max(leastWidth, outputWidth()),
      clock: clockFor(globals.timezone),
      shortId: shortIds(sessions.map(session => session.id)),
      projects: projectsOf(searches.map(({ row }) => row)),
    }
    const printer = globals.json ? new JsonPrinter(query, started) : new TextPrinter(query, layout)
    const results = await search(searches, query, { pool, printer, globals })
    await printer.end()
    if (results.sessions === 0) return reportNone(sessions.length, query, globals)
    if (!globals.json && !globals.quiet) say(pc.dim(results.summary))
    return 0
  } finally {
    await pool.close()
  }
}

/** Prints what is found until all is searched, or enough is found. */
async function search(
  searches: readonly RowSearch[],
  query: GrepQuery,
  { pool, printer, globals }: { pool: WorkerPool; printer: Printer; globals: GlobalOptions },
): Promise<Results> {
  const total = searches.reduce((sum, { search }) => sum + searchBytes(search), 0)
  const progress = startProgress({ what: 'searching', total, isQuiet: globals.quiet })
  const results = new Results(query, printer, progress, globals.quiet)
  const receiver = {
    onProgress: (bytes: number) => progress.add(bytes),
    onBatch: (at: number, batch: GrepBatch) => results.add((searches[at] as RowSearch).row, batch),
  }
  try {
    const plain = searches.map(({ search }) => search)
    await searchInOrder(plain, query.options, { pool, key: placesKey(globals.home), ...receiver })
  } catch (error) {
    if (!results.isEnded) throw error
  } finally {
    progress.end()
  }
  return results
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

/** The sessions to search, the latest first: those of the project and time in question. */
async function searchesOf(
  sessions: readonly SessionFiles[],
  { session, filters }: GrepQuery,
  { archive, source }: GlobalOptions,
): Promise<RowSearch[]> {
  // A generation that is named is searched alone.
  const isOneGeneration = /@\d{1,6}$/.test(session ?? '')
  const earlier =
    archive === undefined || isOneGeneration
      ? () => []
      : (await import('../../grep/earlier.ts')).earlierLogs(archive, source)
  const { project, since, until } = filters
  const inProject: Filters = { has: [], ...(project === undefined ? {} : { project }) }
  const fromSince: Filters = { has: [], ...(since === undefined ? {} : { since }) }
  const inTime: Filters = { ...fromSince, ...(until === undefined ? {} : { until }) }
  return quickRows(sessions, source)
    .filter(row => passes(row, inProject) && mayPass(row, fromSince))
    .sort(byLatest)
    .map(row => {
      const { id, logs, side } = row.session
      const spills = side.filter(file => file.kind === 'tool-result')
      const countsTimeless = passes(row, inTime)
      return { row, search: { session: id, logs, spills, earlier: logs.flatMap(earlier), countsTimeless } }
    })
}

function reportNone(found: number, { filters }: GrepQuery, { quiet }: GlobalOptions): ExitCode {
  const isNarrowed = filters.project !== undefined || filters.since !== undefined
  const where = isNarrowed ? '' : ` in ${countOf(found, 'session')}`
  if (!quiet)
    say(found === 0 ? 'clew: no sessions found; --root PATH names a Claude home' : `clew: no line matches${where}`)
  return 1
}

/** Prints what is found and stops the search at the limit, or when no one reads the output. */
class Results {
  sessions = 0
  /** The search was stopped: what still runs fails. */
  isEnded = false
  private count = 0
  private sessionCount = 0
  private readonly query: GrepQuery
  private readonly printer: Printer
  private readonly progress: Progress
  private readonly isQuiet: boolean

  constructor(query: GrepQuery, printer: Printer, progress: Progress, isQuiet: boolean) {
    this.query = query
    this.printer = printer
    this.progress = progress
    this.isQuiet = isQuiet
  }

  async add(row: ListRow, { hits, count, problems, isLast }: GrepBatch): Promise<void> {
    // Until more is searched: what is printed must not follow on its line.
    this.progress.end()
    if (!this.isQuiet) {
      for (const { path, offset, code } of problems) say(findingLine(readFinding(new ReadError(path, offset, code))))
    }
    const shown = this.isLines ? hits.slice(0, this.query.limit - this.count) : []
    const added = shown.length + count
    if (added > 0) {
      if (this.sessionCount === 0) {
        this.sessions++
        await this.printer.session(row)
      }
      this.sessionCount += added
      this.count += added
      await this.printer.hits(row, shown)
    }
    if (isLast) {
      if (this.sessionCount > 0 && !this.isLines) await this.printer.total(row, this.sessionCount)
      this.sessionCount = 0
    }
    // What is found is seen at once.
    await flush()
    if (isOutputClosed() || (this.isAtLimit && (isLast || this.isLines))) this.stop()
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
