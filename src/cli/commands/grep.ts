// `clew grep`: every line of text that an expression matches, the latest session first, printed while it is found.

import pc from 'picocolors'
import type { Progress } from '../../answers/clew.ts'
import { UserError } from '../../answers/error.ts'
import { shortIds } from '../../answers/sessions/names.ts'
import { type FoundLines, type Grep, openGrep, refuseUnknownTool } from '../../answers/texts/grep.ts'
import { type GrepQuery, readGrepQuery } from '../../answers/texts/grep-query.ts'
import { clockFor } from '../../answers/times.ts'
import { escapeForLine } from '../../base/escape.ts'
import { countOf } from '../../base/format.ts'
import { lineLimitMs, mostSlowLines } from '../../grep/time-limit.ts'
import type { SessionFiles } from '../../model/source.ts'
import { leastWidth, outputWidth } from '../../render/terminal/style.ts'
import { durationText } from '../../view/words.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { JsonPrinter, type Printer, TextPrinter } from '../grep/print.ts'
import { findingLine, flush, isOutputClosed, reportUnread, say } from '../terminal/output.ts'
import { startProgress } from '../terminal/progress.ts'

export async function run(input: CommandInput): Promise<ExitCode> {
  const started = performance.now()
  const { args, options, globals } = input
  const [words = '', session, ...more] = args
  if (more.length > 0) throw new UserError('grep takes an expression and one session; quote an expression with spaces')
  // Only a terminal has an end of the line.
  const query = readGrepQuery(globals.clew, words, session, options, globals.json || process.stdout.isTTY !== true)
  const grep = await openGrep(globals.clew, query)
  try {
    reportUnread(grep.findings, globals.quiet)
    const layout = {
      width: Math.max(leastWidth, outputWidth()),
      clock: clockFor(globals.clew.timezone),
      shortId: shortIds(grep.sessions.map(session => session.id)),
      projects: grep.projects,
      showsLines: options['lineNumber'] === true,
    }
    const printer = globals.json ? new JsonPrinter(query, started) : new TextPrinter(query, layout)
    const results = await search(grep, query, printer, globals)
    await printer.end()
    await flush()
    if (results.skipped > 0) say(`clew: ${skippedText(results)}`)
    if (results.sessions === 0) {
      if (results.skipped > 0) return 2
      return await reportNone(grep.sessions, query, globals)
    }
    if (!globals.json && !globals.quiet) say(pc.dim(results.summary))
    return results.skipped > 0 ? 2 : 0
  } finally {
    await grep.close()
  }
}

/** Prints what is found until all is searched, or enough is found. */
async function search(grep: Grep, query: GrepQuery, printer: Printer, { quiet }: GlobalOptions): Promise<Results> {
  const progress = startProgress({ what: 'searching', total: grep.bytes, isQuiet: quiet })
  const results = new Results(query, printer, progress, quiet)
  try {
    await grep.run(
      found => results.add(found),
      bytes => progress.add(bytes),
    )
  } catch (error) {
    if (!results.isEnded) throw error
  } finally {
    progress.end()
  }
  return results
}

async function reportNone(
  sessions: readonly SessionFiles[],
  { filters }: GrepQuery,
  { quiet, clew }: GlobalOptions,
): Promise<ExitCode> {
  const isNarrowed = filters.project !== undefined || filters.since !== undefined
  const where = isNarrowed ? '' : ` in ${countOf(sessions.length, 'session')}`
  if (filters.tool !== undefined && sessions.length > 0) await refuseUnknownTool(filters.tool, sessions, clew)
  if (!quiet) {
    const isEmpty = sessions.length === 0
    say(isEmpty ? 'clew: no sessions found; --root PATH names a Claude home' : `clew: no line matches${where}`)
  }
  return 1
}

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

  async add({ row, hits, count, skipped, unread, oversized, isLast }: FoundLines): Promise<void> {
    // Until more is searched: what is printed must not follow on its line.
    this.progress.end()
    for (const finding of [...(this.isQuiet ? [] : unread), ...oversized]) say(findingLine(finding))
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
