// `clew` alone: what there is, the latest sessions, and what to type next. The text comes from the ends of files; `--json`
// reads the latest sessions whole.

import { homedir } from 'node:os'
import pc from 'picocolors'
import { escapeForLine } from '../base/escape.ts'
import { cutToColumns } from '../base/width.ts'
import { mergeDiscoveries } from '../disk/resolve.ts'
import { Retention } from '../disk/retention.ts'
import type { Discovery, SessionFiles } from '../model/source.ts'
import { sizeText } from '../view/words.ts'
import type { CommandInput, ExitCode, GlobalOptions } from './command.ts'
import { ordered, sortKeys } from './filters.ts'
import { discoverRoots } from './input.ts'
import { overviewColumns } from './list-columns.ts'
import { quickRows } from './list-quick.ts'
import { bytesOf, type ListRow, lastChange, toSessionRow } from './list-row.ts'
import { counted, shortIds } from './list-text.ts'
import { clockFor } from './list-times.ts'
import { findingLine, printJson, printLine, say } from './output.ts'
import { leastWidth, outputWidth } from './paint-style.ts'
import { tellUnread } from './run-ls.ts'
import { tableLines } from './table.ts'

const latest = 10
// Files that were changed last are looked into; copied ones may all have changed at once.
const lookedInto = 200
const weekMs = 7 * 86_400_000

interface Overview {
  discoveries: readonly Discovery[]
  isSample: boolean
  sessions: readonly SessionFiles[]
  /** Sessions that the client will delete within a week. */
  expiring: number
  now: number
}

export async function run({ globals }: CommandInput): Promise<ExitCode> {
  const { discoveries, isSample } = await discoverRoots(globals)
  const sessions = mergeDiscoveries(discoveries).sort((one, other) => lastChange(other) - lastChange(one))
  const findings = discoveries.flatMap(discovery => discovery.findings)
  if (sessions.length === 0) {
    for (const finding of findings) say(findingLine(finding))
    say('clew: no sessions found; --root PATH names a Claude home')
    return findings.some(finding => finding.severity === 'error') ? 2 : 1
  }
  if (!isSample) tellUnread(findings, globals.quiet)
  const now = Date.now()
  const order = { sort: 'when', isReversed: false, limit: latest } as const
  const rows = ordered(quickRows(sessions.slice(0, lookedInto)), order, sortKeys)
  const expiring = isSample ? 0 : expiringWithin(sessions, now + weekMs)
  const overview: Overview = { discoveries, isSample, sessions, expiring, now }
  if (globals.json) await printOverviewJson(overview, rows)
  else await printOverview(overview, rows, globals)
  return 0
}

function expiringWithin(sessions: readonly SessionFiles[], until: number): number {
  const retention = new Retention()
  return sessions.filter(session => (retention.deletedOn(session) ?? Number.POSITIVE_INFINITY) < until).length
}

async function printOverviewJson(overview: Overview, rows: readonly ListRow[]): Promise<void> {
  const { wholeRows } = await import('./list-hands.ts')
  const whole = await wholeRows(
    rows.map(row => row.session),
    {},
  )
  const retention = overview.isSample ? null : new Retention()
  await printJson({
    roots: overview.discoveries.map(found => found.root),
    isSample: overview.isSample,
    counts: {
      projects: projectCount(overview.sessions),
      sessions: overview.sessions.length,
      bytes: overview.sessions.reduce((sum, session) => sum + bytesOf(session), 0),
      deletedWithinWeek: overview.expiring,
    },
    sessions: whole.rows.flatMap(row => (row.facts ? [toSessionRow(row, row.facts, overview.now, retention)] : [])),
  })
}

function projectCount(sessions: readonly SessionFiles[]): number {
  return new Set(sessions.map(session => session.slug)).size
}

async function printOverview(overview: Overview, rows: readonly ListRow[], globals: GlobalOptions): Promise<void> {
  const { sessions } = overview
  const width = Math.max(leastWidth, outputWidth())
  const shortId = shortIds(sessions.map(session => session.id))
  for (const line of headLines(overview, width)) await printLine(line)
  await printLine('')
  const columns = overviewColumns({ clock: clockFor(globals.timezone), shortId })
  for (const line of tableLines(rows, columns, width, pc.dim)) await printLine(line)
  if (sessions.length > rows.length) await printLine(pc.dim(`… ${sessions.length - rows.length} more: clew ls`))
  await printLine('')
  const first = rows[0]
  for (const line of nextLines(first === undefined ? 'last' : shortId(first.session.id), width)) await printLine(line)
}

function* headLines(overview: Overview, width: number): Generator<string> {
  const { discoveries, isSample, sessions, expiring } = overview
  const bytes = sessions.reduce((sum, session) => sum + bytesOf(session), 0)
  const counts = [
    counted(sessions.length, 'session'),
    counted(projectCount(sessions), 'project'),
    sizeText(bytes),
  ].join(' · ')
  if (isSample) {
    yield `${pc.bold('Welcome.')} No sessions of yours are here yet;`
    yield 'look at the bundled sample history:'
    yield counts
    return
  }
  yield pc.bold(counts)
  for (const { root, sessions: here } of discoveries) {
    if (discoveries.length > 1 && here.length === 0) continue
    yield pc.dim(cutToColumns(`in ${escapeForLine(withTilde(root))}`, width))
  }
  if (expiring > 0) yield pc.yellow(cutToColumns(expiringText(expiring, sessions.length), width))
}

function expiringText(expiring: number, all: number): string {
  const which = expiring === all ? 'all of them' : String(expiring)
  return `the client will delete ${which} within a week`
}

function withTilde(path: string): string {
  const home = homedir()
  return home.length > 1 && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path
}

/** Three commands that go on from here. */
function* nextLines(session: string, width: number): Generator<string> {
  const next: [string, string][] = [
    [`clew show ${escapeForLine(session)}`, 'read the latest session'],
    [`clew tree ${escapeForLine(session)}`, 'its shape at a glance'],
    ['clew stats', 'turns, tools, tokens'],
  ]
  const commandWidth = Math.max(...next.map(([command]) => command.length))
  const hasRoom = next.every(([, what]) => commandWidth + 2 + what.length <= width)
  for (const [command, what] of next) {
    yield hasRoom ? `${pc.cyan(command.padEnd(commandWidth))}  ${pc.dim(what)}` : pc.cyan(command)
  }
}
