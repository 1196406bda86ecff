// `clew grep`: every line of text that an expression matches, the latest session first, printed while it is found.

import { dirname } from 'node:path'
import pc from 'picocolors'
import { UserError } from '../../answers/error.ts'
import { allSessions } from '../../answers/sessions/all-sessions.ts'
import { copiedRows } from '../../answers/sessions/copied.ts'
import { type Filters, mayPass, noFilters, passes } from '../../answers/sessions/filters.ts'
import { discoverRoots, sessionOf } from '../../answers/sessions/find.ts'
import { indexedRows } from '../../answers/sessions/indexed-rows.ts'
import { shortIds } from '../../answers/sessions/names.ts'
import { type ListRow, projectsOf } from '../../answers/sessions/rows.ts'
import { clockFor } from '../../answers/times.ts'
import { placesKey } from '../../archive/read/places.ts'
import { escapeForLine } from '../../base/escape.ts'
import { countOf, sizeText } from '../../base/format.ts'
import { largestLine } from '../../decode/lines.ts'
import { allLogs } from '../../disk/discover/merge.ts'
import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import { ReadError, readFinding } from '../../disk/read/read.ts'
import { searchBytes, searchInOrder } from '../../grep/search.ts'
import type { GrepBatch, SessionSearch } from '../../grep/search-session.ts'
import { lineLimitMs, mostSlowLines } from '../../grep/time-limit.ts'
import type { Finding } from '../../model/finding.ts'
import { type ByteSource, bytesOf, mainLogs, type SessionFiles } from '../../model/source.ts'
import { leastWidth, outputWidth } from '../../render/terminal/style.ts'
import { byLatest } from '../../session/latest.ts'
import { type DatedSession, datedSession, quickRows } from '../../session/scan/quick-rows.ts'
import { otherWords } from '../../session/text-kinds.ts'
import { durationText } from '../../view/words.ts'
import { WorkerPool } from '../../worker/pool.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { type GrepQuery, readQuery } from '../grep/options.ts'
import { JsonPrinter, type Printer, TextPrinter } from '../grep/print.ts'

import { findingLine, flush, isOutputClosed, reportUnread, say } from '../terminal/output.ts'
import { type Progress, startProgress } from '../terminal/progress.ts'

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
    // Titles are those of lists: from the index where there is one.
    const dated = sessions.map(session => datedSession(session, globals.clew.source))
    const all = query.session === undefined ? dated : await allSessions(globals.clew)
    const known =
      (await indexedRows(globals.clew))?.rows ??
      (await copiedRows(
        all.map(one => one.session),
        globals.clew,
      ))
    const rows = new FolderRows(sessions, all, globals.clew.source, known)
    const searches = await searchesOf(dated, query, rows, globals)
    const layout = {
      width: Math.max(leastWidth, outputWidth()),
      clock: clockFor(globals.clew.timezone),
      shortId: shortIds(sessions.map(session => session.id)),
      projects: projectsOf(all),
    }
    const printer = globals.json ? new JsonPrinter(query, started) : new TextPrinter(query, layout)
    const results = await search(searches, query, { pool, printer, rows, globals })
    await printer.end()
    await flush()
    if (results.skipped > 0) say(`clew: ${skippedText(results)}`)
    if (results.sessions === 0) {
      if (results.skipped > 0) return 2
      return await reportNone(sessions, query, globals)
    }
    if (!globals.json && !globals.quiet) say(pc.dim(results.summary))
    return results.skipped > 0 ? 2 : 0
  } finally {
    await pool.close()
  }
}

/** Prints what is found until all is searched, or enough is found. */
async function search(
  searches: readonly SessionSearch[],
  query: GrepQuery,
  { pool, printer, rows, globals }: { pool: WorkerPool; printer: Printer; rows: FolderRows; globals: GlobalOptions },
): Promise<Results> {
  const total = searches.reduce((sum, search) => sum + searchBytes(search), 0)
  const progress = startProgress({ what: 'searching', total, isQuiet: globals.quiet })
  const results = new Results(query, printer, progress, globals.quiet)
  const receiver = {
    onProgress: (bytes: number) => progress.add(bytes),
    onBatch: (at: number, batch: GrepBatch) =>
      results.add(rows.rowOf((searches[at] as SessionSearch).session as string), batch),
  }
  try {
    await searchInOrder(searches, query.options, { pool, key: placesKey(globals.clew.home), ...receiver })
  } catch (error) {
    if (!results.isEnded) throw error
  } finally {
    progress.end()
  }
  return results
}

async function sessionsFor({ session }: GrepQuery, globals: GlobalOptions): Promise<SessionFiles[]> {
  if (session !== undefined) return [await sessionOf(session, globals.clew)]
  const { discoveries } = await discoverRoots(globals.clew)
  reportUnread(
    discoveries.flatMap(discovery => discovery.findings),
    globals.quiet,
  )
  return mergeDiscoveries(discoveries, globals.clew.source)
}

/** The sessions to search, the latest first: those of the project and time in question. */
async function searchesOf(
  sessions: readonly DatedSession[],
  { session, filters }: GrepQuery,
  rows: FolderRows,
  { clew: { archive, source } }: GlobalOptions,
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
  const isMeant = (row: ListRow) => passes(row, inProject) && mayPass(row, fromSince)
  return sessions
    .filter(one => !isNarrowed || isMeant(rows.rowOf(one.session.id)))
    .sort(byLatest)
    .map(({ session: one }) => {
      const { id, logs, side } = one
      const spills = side.filter(file => file.kind === 'tool-result')
      const countsTimeless = !isNarrowed || passes(rows.rowOf(id), inTime)
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

async function reportNone(
  sessions: readonly SessionFiles[],
  { filters }: GrepQuery,
  { quiet, clew: { source } }: GlobalOptions,
): Promise<ExitCode> {
  const isNarrowed = filters.project !== undefined || filters.since !== undefined
  const where = isNarrowed ? '' : ` in ${countOf(sessions.length, 'session')}`
  if (filters.tool !== undefined && sessions.length > 0) {
    const { toolsOtherThan } = await import('../../grep/tools.ts')
    const tools = toolsOtherThan(filters.tool, sessions, source)
    if (tools !== null) {
      throw new UserError(`no session calls a tool "${filters.tool}"; ${otherWords(filters.tool, tools).hint}`)
    }
  }
  if (!quiet) {
    const isEmpty = sessions.length === 0
    say(isEmpty ? 'clew: no sessions found; --root PATH names a Claude home' : `clew: no line matches${where}`)
  }
  return 1
}

const oversizedText = `The line is longer than ${sizeText(largestLine)} and was not searched.`

function skippedText({ skipped }: Results): string {
  const end = skipped >= mostSlowLines ? '; the search was stopped' : ''
  return `skipped ${countOf(skipped, 'line')}: the expression is too slow, repetitions inside repetitions make it so${end}`
}

/** Prints what is found and stops the search at the limit, or when no one reads the output. */
class Results {
  sessions = 0
  /** Lines on which the expression took too long. */
  skipped = 0
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

  async add(row: ListRow, { hits, count, skipped, problems, oversized, isLast }: GrepBatch): Promise<void> {
    // Until more is searched: what is printed must not follow on its line.
    this.progress.end()
    if (!this.isQuiet) {
      for (const { path, offset, code } of problems) say(findingLine(readFinding(new ReadError(path, offset, code))))
    }
    for (const { path, offset } of oversized) {
      const finding: Finding = {
        code: 'oversized-line',
        severity: 'warning',
        file: path,
        offset,
        message: oversizedText,
      }
      say(findingLine(finding))
    }
    for (const { event, line } of skipped) {
      this.skipped++
      const limit = `took more than ${durationText(lineLimitMs)}`
      say(escapeForLine(`clew: skipped line ${line} of ${event} in session ${row.session.id}: the expression ${limit}`))
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
    if (isOutputClosed() || this.skipped >= mostSlowLines || (this.isAtLimit && (isLast || this.isLines))) this.stop()
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
