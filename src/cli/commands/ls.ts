// `clew ls`: the sessions or projects there are, from the index. Without one, the table comes from the ends of files;
// `--long`, `--json`, `--csv` and what asks for more read them whole.

import pc from 'picocolors'
import { Retention } from '../../disk/discover/homes.ts'
import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import type { Finding } from '../../model/finding.ts'
import type { SessionFiles } from '../../model/source.ts'
import { csvLine } from '../../render/csv.ts'
import { leastWidth, outputWidth } from '../../render/terminal/style.ts'
import { tableLines } from '../../render/terminal/table.ts'
import { type CommandDeclaration, type CommandInput, type ExitCode, type GlobalOptions, UserError } from '../command.ts'
import { discoverRoots } from '../input.ts'
import {
  type Filters,
  keeps,
  mayKeep,
  needsWhole,
  type Order,
  ordered,
  readFilters,
  readOrder,
  sortKeys,
} from '../list/filters.ts'
import {
  fullColumns,
  projectColumns,
  projectCsv,
  projectCsvHeader,
  quickColumns,
  type Shown,
  sessionCsv,
  sessionCsvHeader,
} from '../list/list-columns.ts'
import { byPlace, indexedRows } from '../list/list-indexed.ts'
import { type ProjectRow, projectKeys, projectRows } from '../list/list-projects.ts'
import { quickRows } from '../list/list-quick.ts'
import { bytesOf, isOnDisk, type ListRow, type SessionRow, toSessionRow } from '../list/list-row.ts'
import { shortIds } from '../list/list-text.ts'
import { clockFor } from '../list/list-times.ts'
import { archivedIn } from '../session/detail.ts'
import { findingLine, printJson, printLine, say } from '../terminal/output.ts'
import { startProgress } from '../terminal/progress.ts'

export const declaration: CommandDeclaration = {
  argument: { name: '[what]', description: '`sessions` (the default) or `projects`' },
  description:
    'Lists sessions, the latest first, from the index. Where there is none, and with --no-index, from the first and last 64 KiB of each file; with --long, --json or --csv, and for filters that need it, files are then read whole: duration, prompts, calls, subagents, models, tokens.',
  options: [
    { flags: '--long', description: 'show all columns' },
    { flags: '--csv', description: 'comma-separated values, all columns' },
    { flags: '--project <text>', description: 'working directory holds this; `.` is this one' },
    { flags: '--since <time>', description: 'used since: 2026-02-17, 7d, 24h, yesterday' },
    { flags: '--until <time>', description: 'begun until; a day counts to its end' },
    { flags: '--model <text>', description: 'a model whose name holds this' },
    { flags: '--branch <text>', description: 'on a git branch whose name holds this' },
    { flags: '--tool <name>', description: 'called this tool' },
    {
      flags: '--has <thing>',
      description: 'has this; repeated: all of them',
      choices: ['error', 'subagent', 'compaction', 'image'],
      isRepeatable: true,
    },
    { flags: '--gone', description: 'no longer on disk: only in the archive' },
    { flags: '--grep <text>', description: 'text or /regex/ in prompts, answers, title' },
    {
      flags: '--sort <key>',
      description: 'order (default: when)',
      choices: ['when', 'size', 'title', 'tokens', 'prompts', 'duration'],
    },
    { flags: '--reverse', description: 'the other way round' },
    { flags: '--limit <n>', description: 'at most so many' },
  ],
  examples: [
    ['clew ls', 'all sessions, the latest first'],
    ['clew ls --has error --sort size', 'where something failed, the largest first'],
    ['clew ls --sort tokens --limit 10', 'the ten largest by tokens'],
    ['clew ls projects', 'where the client was used'],
  ],
  archivesAfterwards: true,
}

interface Listing {
  globals: GlobalOptions
  isCsv: boolean
  isWhole: boolean
  isExact: boolean
  isSample: boolean
  /** Only sessions that are gone were asked for. */
  isGone: boolean
  order: Order
  now: number
  /** All sessions there are, shown or not. */
  sessions: readonly SessionFiles[]
}

export async function run(input: CommandInput): Promise<ExitCode> {
  const { args, options, globals } = input
  const what = args[0] ?? 'sessions'
  if (what !== 'sessions' && what !== 'projects') {
    throw new UserError(`ls lists sessions or projects, not "${what}"; --project ${what} narrows the list`)
  }
  const now = Date.now()
  const filters = readFilters(input, now)
  const order = readOrder(options)
  const isCsv = options['csv'] === true
  const isWhole = options['long'] === true || globals.json || isCsv || needsWhole(filters, order.sort)
  const isGone = options['gone'] === true
  const { found, sought, sessions, findings, isSample, isExact } = await listed(filters, { isWhole, isGone }, globals)
  const rows = found.filter(row => keeps(row, filters))
  const listing: Listing = { globals, isCsv, isWhole, isExact, isSample, isGone, order, now, sessions }
  if (what === 'projects') await printProjects(ordered(projectRows(rows), order, projectKeys), listing)
  else await printSessions(ordered(rows, order, sortKeys), listing)
  if (rows.length > 0) return 0
  if (!globals.quiet) say(nothing(sessions.length, isGone && sought === 0, globals))
  return findings.some(finding => finding.severity === 'error') ? 2 : 1
}

interface Listed {
  /** Rows of those that were asked for, before filters that need rows. */
  found: ListRow[]
  /** How many were. */
  sought: number
  sessions: SessionFiles[]
  findings: Finding[]
  isSample: boolean
  /** All that files tell is known, titles too. */
  isExact: boolean
}

async function listed(
  filters: Filters,
  asked: { isWhole: boolean; isGone: boolean },
  globals: GlobalOptions,
): Promise<Listed> {
  // What stands in prompts and answers, only they tell.
  const indexed = filters.grep === undefined ? await indexedRows(globals) : null
  if (indexed === null) return readListed(filters, asked, globals)
  const { rows, index } = indexed
  const { isSample } = index
  const findings = index.findings.filter(finding => finding.code.startsWith('unreadable'))
  tellUnread(findings, globals.quiet)
  if (isSample && !globals.quiet) say(sampleText)
  const found = asked.isGone ? rows.filter(row => !isOnDisk(row.session)) : rows
  const sessions = rows.map(row => row.session)
  return { found, sought: found.length, sessions, findings, isSample, isExact: true }
}

const sampleText = 'clew: you have no sessions yet; these are of the bundled sample history'

async function readListed(
  filters: Filters,
  { isWhole, isGone }: { isWhole: boolean; isGone: boolean },
  globals: GlobalOptions,
): Promise<Listed> {
  const { discoveries, isSample } = await discoverRoots(globals)
  const findings = discoveries.flatMap(discovery => discovery.findings)
  const sessions = mergeDiscoveries(discoveries, globals.source)
  if (sessions.length > 0) tellUnread(findings, globals.quiet)
  else for (const finding of findings) say(findingLine(finding))
  if (isSample && !globals.quiet) say(sampleText)
  const sought = (isGone ? sessions.filter(session => !isOnDisk(session)) : [...sessions]).sort(byPlace)
  const found = await rowsOf(sought, filters, isWhole, globals)
  return { found, sought: sought.length, sessions, findings, isSample, isExact: isWhole }
}

/** What could not be read is missing in the list: one line says so, `clew doctor` has the rest. */
export function tellUnread(findings: readonly Finding[], isQuiet: boolean): void {
  const first = findings[0]
  if (first === undefined || isQuiet) return
  say(findingLine(first))
  if (findings.length > 1) say(`… and ${findings.length - 1} more of this kind; \`clew doctor\` lists them`)
}

function nothing(found: number, isNoneGone: boolean, { archive }: GlobalOptions): string {
  if (found === 0) return 'clew: no sessions found; --root PATH names a Claude home'
  if (isNoneGone && archive === undefined)
    return 'clew: nothing is archived yet; clew archive run archives your sessions'
  if (isNoneGone) return `clew: none of ${found} sessions is gone from the disk`
  return `clew: none of ${found} sessions fits; try it with fewer filters`
}

async function rowsOf(
  sessions: readonly SessionFiles[],
  filters: Filters,
  isWhole: boolean,
  globals: GlobalOptions,
): Promise<ListRow[]> {
  if (!isWhole) return quickRows(sessions, globals.source)
  const { wholeRows } = await import('../list/list-hands.ts')
  // What the ends of a file rule out is not read.
  const isNarrow = filters.project !== undefined || filters.since !== undefined
  const wanted = isNarrow
    ? quickRows(sessions, globals.source)
        .filter(row => mayKeep(row, filters))
        .map(row => row.session)
    : sessions
  const bytes = wanted.reduce((sum, session) => sum + bytesOf(session), 0)
  const progress = startProgress({ what: 'reading', total: bytes, isQuiet: globals.quiet })
  let read = 0
  try {
    const options = filters.grep === undefined ? {} : { grep: filters.grep }
    const { rows, findings } = await wholeRows(wanted, options, globals, done => {
      progress.add(done - read)
      read = done
    })
    progress.end()
    if (!globals.quiet) for (const finding of findings) say(findingLine(finding))
    return rows
  } finally {
    progress.end()
  }
}

async function printSessions(rows: readonly ListRow[], listing: Listing): Promise<void> {
  const { globals, isCsv, isWhole } = listing
  if (globals.json) return printJson({ sessions: await printedRows(rows, listing) })
  if (isCsv) return printCsv(sessionCsvHeader, (await printedRows(rows, listing)).map(sessionCsv))
  if (rows.length === 0) return
  const gone = rows.filter(row => !isOnDisk(row.session)).length
  const shown: Shown = {
    clock: clockFor(globals.timezone),
    shortId: shortIds(listing.sessions.map(session => session.id)),
    hasGone: gone > 0,
  }
  await printTable(rows, isWhole ? fullColumns(shown) : quickColumns(shown))
  const notes = listing.isExact ? [] : ['titles are from the ends of files; --long reads them whole']
  if (gone > 0 && !listing.isGone)
    notes.push(`${gone} of ${rows.length} ${gone === 1 ? 'is' : 'are'} only in the archive`)
  for (const note of notes) printNote(note, globals)
}

async function printedRows(rows: readonly ListRow[], { globals, isSample, now }: Listing): Promise<SessionRow[]> {
  const standing = { now, retention: isSample ? null : new Retention(), isArchived: await archivedIn(globals) }
  return rows.flatMap(row => (row.facts ? [toSessionRow(row, row.facts, standing)] : []))
}

async function printProjects(rows: readonly ProjectRow[], listing: Listing): Promise<void> {
  const { globals, isCsv, isWhole } = listing
  if (globals.json) return printJson({ projects: rows })
  if (isCsv) return printCsv(projectCsvHeader, rows.map(projectCsv))
  const hasGone = rows.some(row => row.gone > 0)
  if (rows.length > 0) await printTable(rows, projectColumns(clockFor(globals.timezone), isWhole, hasGone))
}

async function printTable<Row>(rows: readonly Row[], columns: Parameters<typeof tableLines<Row>>[1]): Promise<void> {
  const lines = [...tableLines(rows, columns, Math.max(leastWidth, outputWidth()), pc.dim)]
  const atOnce = 200
  for (let from = 0; from < lines.length; from += atOnce) await printLine(lines.slice(from, from + atOnce).join('\n'))
}

async function printCsv(header: readonly string[], rows: readonly Parameters<typeof csvLine>[0][]): Promise<void> {
  await printLine(csvLine(header))
  for (const row of rows) await printLine(csvLine(row))
}

/** A footnote under a table, on stderr so that the table can be piped. */
function printNote(text: string, globals: GlobalOptions): void {
  if (!globals.quiet) say(pc.dim(text))
}
