// `clew grep`: every line of text that an expression matches, the latest session first, printed while it is found.

import pc from 'picocolors'
import { mergeDiscoveries } from '../disk/resolve.ts'
import { type EventKind, eventKinds } from '../model/event.ts'
import type { SessionFiles } from '../model/source.ts'
import { type CommandInput, type ExitCode, type GlobalOptions, UserError } from './command.ts'
import { type Filters, keeps, mayKeep, readFilters, readLimit } from './filters.ts'
import { expressionOf } from './grep-expression.ts'
import { type SessionBatches, searchAll } from './grep-hands.ts'
import { requiredTexts } from './grep-literal.ts'
import { type GrepPaint, headingLine, hitLines, sessionLine } from './grep-paint.ts'
import type { GrepHit, GrepOptions, GrepTask } from './grep-scan.ts'
import { discoverRoots, sessionOf } from './input.ts'
import { quickRows } from './list-quick.ts'
import { bytesOf, type ListRow, whenOf } from './list-row.ts'
import { counted, shortIds } from './list-text.ts'
import { clockFor } from './list-times.ts'
import { findingLine, flush, isOutputClosed, printJson, printLine, say } from './output.ts'
import { leastWidth, outputWidth } from './paint-style.ts'
import { type Progress, startProgress } from './progress.ts'
import { tellUnread } from './run-ls.ts'
import { wholeNumber } from './whole-number.ts'

/** What is printed: matching lines, sessions, or numbers. */
type Mode = 'lines' | 'sessions' | 'counts'

interface Asked {
  query: string
  session?: string
  mode: Mode
  limit: number
  filters: Filters
  options: GrepOptions
}

export async function run(input: CommandInput): Promise<ExitCode> {
  const started = performance.now()
  const { globals } = input
  const asked = readAsked(input)
  const { rows, all } = await rowsFor(asked, globals)
  const shown: GrepPaint = {
    width: Math.max(leastWidth, outputWidth()),
    clock: clockFor(globals.timezone),
    shortId: shortIds(all.map(session => session.id)),
  }
  const printer = globals.json ? new JsonPrinter(asked, started) : new TextPrinter(asked, shown)
  const found = await search(rows, asked, printer, globals)
  await printer.end()
  if (found.sessions > 0) {
    if (!globals.json && !globals.quiet) say(pc.dim(foundText(found, asked)))
    return 0
  }
  if (!globals.quiet)
    say(all.length === 0 ? 'clew: no sessions found; --root PATH names a Claude home' : noneText(rows))
  return 1
}

function foundText({ count, sessions, isCut }: Found, { mode }: Asked): string {
  const where = counted(sessions, 'session')
  const text = mode === 'sessions' ? where : `${counted(count, 'matching line')} in ${where}`
  return isCut ? `${text}; stopped at --limit` : text
}

function noneText(rows: readonly ListRow[]): string {
  return `clew: no line matches in ${counted(rows.length, 'session')}`
}

/** Snapshots, prompt histories and lines that are no JSON have no text of a session. */
const kinds = eventKinds.filter(kind => kind !== 'snapshot' && kind !== 'history' && kind !== 'malformed')

function readAsked(input: CommandInput): Asked {
  const { args, options, globals } = input
  const [query = '', session, ...more] = args
  if (more.length > 0) throw new UserError('grep takes an expression and one session; quote an expression with blanks')
  const isFixed = options['fixedStrings'] === true
  const expression = expressionOf({ query, ignoresCase: options['ignoreCase'] === true, isFixed })
  const filters = readFilters(input, Date.now())
  const mode: Mode = options['count'] === true ? 'counts' : options['sessions'] === true ? 'sessions' : 'lines'
  const limit = readLimit(options['limit'])
  const grep: GrepOptions = {
    expression,
    texts: requiredTexts(expression),
    context: readContext(options),
    kinds: readKinds(options['kind']),
    most: mode === 'lines' ? limit : mode === 'sessions' && !globals.json ? 1 : Number.POSITIVE_INFINITY,
    countsOnly: mode !== 'lines',
  }
  for (const key of ['since', 'until'] as const) if (filters[key] !== undefined) grep[key] = filters[key]
  if (filters.tool !== undefined) grep.tool = filters.tool
  const asked: Asked = { query, mode, limit, filters, options: grep }
  if (session !== undefined) asked.session = session
  return asked
}

function readContext(options: Record<string, unknown>): GrepOptions['context'] {
  const read = (name: string) => wholeNumber(options[name], `--${name}`, 0)
  const both = read('context') ?? 0
  return { before: read('before') ?? both, after: read('after') ?? both }
}

function readKinds(value: unknown): EventKind[] {
  const words = (Array.isArray(value) ? value : []).flatMap(word => String(word).split(','))
  return words.map(word => {
    const kind = kinds.find(known => known === word.trim())
    if (kind === undefined) throw new UserError(`--kind ${word}: it is one of ${kinds.join(', ')}`)
    return kind
  })
}

/** The sessions to search, the latest first. */
async function rowsFor(asked: Asked, globals: GlobalOptions): Promise<{ rows: ListRow[]; all: SessionFiles[] }> {
  const all = await sessionsFor(asked, globals)
  const { project, since } = asked.filters
  const place: Filters = { has: [], ...(project === undefined ? {} : { project }) }
  const rows = quickRows(all, globals.source).filter(
    row => keeps(row, place) && mayKeep(row, { has: [], ...(since === undefined ? {} : { since }) }),
  )
  return { rows: rows.sort((one, other) => whenOf(other) - whenOf(one)), all }
}

async function sessionsFor({ session }: Asked, globals: GlobalOptions): Promise<SessionFiles[]> {
  if (session !== undefined) return [await sessionOf(session, globals)]
  const { discoveries, isSample } = await discoverRoots(globals)
  tellUnread(
    discoveries.flatMap(discovery => discovery.findings),
    globals.quiet,
  )
  if (isSample && !globals.quiet) say('clew: you have no sessions yet; these are of the bundled sample history')
  return mergeDiscoveries(discoveries, globals.source)
}

interface Found {
  count: number
  sessions: number
  /** The limit was reached. */
  isCut: boolean
}

interface Printer {
  /** Called once a session, before its first match. */
  session(row: ListRow): Promise<void>
  hits(row: ListRow, hits: readonly GrepHit[]): Promise<void>
  /** Where numbers are asked for. */
  total(row: ListRow, count: number): Promise<void>
  end(): Promise<void>
}

async function search(
  rows: readonly ListRow[],
  asked: Asked,
  printer: Printer,
  globals: GlobalOptions,
): Promise<Found> {
  const { since, until } = asked.filters
  const times: Filters = { has: [] }
  if (since !== undefined) times.since = since
  if (until !== undefined) times.until = until
  const tasks = rows.map((row): GrepTask => ({ session: row.session, countsTimeless: keeps(row, times) }))
  const total = rows.reduce((sum, row) => sum + row.bytes, 0)
  const progress = startProgress({ what: 'searching', total, isQuiet: globals.quiet })
  const found: Found = { count: 0, sessions: 0, isCut: false }
  try {
    let at = 0
    for await (const session of searchAll(tasks, asked.options, globals)) {
      const row = rows[at++] as ListRow
      await printSession(session, row, { asked, printer, progress, found, isQuiet: globals.quiet })
      progress.add(bytesOf(row.session))
      if (found.isCut || isOutputClosed()) break
    }
  } finally {
    progress.end()
  }
  return found
}

interface Printing {
  asked: Asked
  printer: Printer
  progress: Progress
  found: Found
  isQuiet: boolean
}

async function printSession({ batches }: SessionBatches, row: ListRow, printing: Printing): Promise<void> {
  const { asked, printer, progress, found } = printing
  let count = 0
  for await (const batch of batches) {
    progress.end()
    if (!printing.isQuiet) for (const finding of batch.findings) say(findingLine(finding))
    if (batch.count === 0) continue
    if (count === 0) {
      found.sessions++
      await printer.session(row)
    }
    const hits = asked.mode === 'lines' ? batch.hits.slice(0, asked.limit - found.count) : []
    const added = asked.mode === 'lines' ? hits.length : batch.count
    count += added
    found.count += added
    await printer.hits(row, hits)
    // What is found is seen at once.
    await flush()
    if (isOutputClosed() || (asked.mode === 'lines' && found.count >= asked.limit)) break
  }
  if (count > 0 && asked.mode !== 'lines') {
    await printer.total(row, count)
    await flush()
  }
  if ((asked.mode === 'lines' ? found.count : found.sessions) >= asked.limit) found.isCut = true
}

class TextPrinter implements Printer {
  private readonly asked: Asked
  private readonly paint: GrepPaint
  private isFirst = true

  constructor(asked: Asked, paint: GrepPaint) {
    this.asked = asked
    this.paint = paint
  }

  async session(row: ListRow): Promise<void> {
    if (this.asked.mode !== 'lines') return
    if (!this.isFirst) await printLine('')
    this.isFirst = false
    await printLine(headingLine(row, this.paint))
  }

  async hits(row: ListRow, hits: readonly GrepHit[]): Promise<void> {
    const { before, after } = this.asked.options.context
    for (const hit of hits) {
      for (const line of hitLines(hit, row, this.paint)) await printLine(line)
      if (before + after > 0) await printLine(pc.dim('--'))
      if (isOutputClosed()) return
    }
  }

  async total(row: ListRow, count: number): Promise<void> {
    await printLine(sessionLine(row, whenOf(row), this.asked.mode === 'counts' ? count : undefined, this.paint))
  }

  async end(): Promise<void> {}
}

/** One object, written while it grows: there may be more matches than fit into memory. */
class JsonPrinter implements Printer {
  private readonly asked: Asked
  private readonly started: number
  private count = 0
  private readonly sessions: { session: string; title: string; matches: number }[] = []

  constructor(asked: Asked, started: number) {
    this.asked = asked
    this.started = started
  }

  async session(): Promise<void> {}

  async hits(row: ListRow, hits: readonly GrepHit[]): Promise<void> {
    for (const { thread, event, kind, at, snippet } of hits) {
      await printLine(this.count === 0 ? this.opening() : ',')
      await printJson({ session: row.session.id, thread, event, kind, at, snippet })
      this.count++
    }
  }

  async total(row: ListRow, count: number): Promise<void> {
    this.sessions.push({ session: row.session.id, title: row.title, matches: count })
    this.count += count
  }

  async end(): Promise<void> {
    const { query, mode } = this.asked
    const facts = { total: this.count, tookMs: Math.round(performance.now() - this.started) }
    if (mode !== 'lines') return printJson({ query, ...facts, hits: [], sessions: this.sessions })
    if (this.count === 0) return printJson({ query, ...facts, hits: [] })
    await printLine(`],${JSON.stringify(facts).slice(1)}`)
  }

  private opening(): string {
    return `${JSON.stringify({ query: this.asked.query }).slice(0, -1)},"hits":[`
  }
}
