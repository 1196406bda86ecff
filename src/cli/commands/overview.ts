// `clew` alone: how many sessions there are, the latest ones, and what to type next, from the index. Without one, the text
// comes from the ends of files, and `--json` reads the latest sessions in full.

import { homedir } from 'node:os'
import { resolve } from 'node:path'
import pc from 'picocolors'
import { scopeOf } from '../../answers/scope.ts'
import { archivedIn, leftOutIn } from '../../answers/session/detail.ts'
import { discoverRoots, rootsFor } from '../../answers/sessions/find.ts'
import { indexedRows } from '../../answers/sessions/indexed-rows.ts'
import { shortIds } from '../../answers/sessions/names.ts'
import {
  type ListContext,
  type ListRow,
  projectsOf,
  titledElsewhere,
  toSessionRow,
} from '../../answers/sessions/rows.ts'
import { clockFor } from '../../answers/times.ts'
import { escapeForLine } from '../../base/escape.ts'
import { countOf } from '../../base/format.ts'
import { cutToColumns } from '../../base/width.ts'
import { isBelow, Retention } from '../../disk/discover/homes.ts'
import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import type { Finding } from '../../model/finding.ts'
import { bytesOf, isOnDisk, type SessionFiles } from '../../model/source.ts'
import { wrapWords } from '../../render/terminal/charts.ts'
import { leastWidth, outputWidth } from '../../render/terminal/style.ts'
import { fittedTable } from '../../render/terminal/table.ts'
import type { Overview as PrintedOverview } from '../../schema/contract-shapes.ts'
import { byLatest } from '../../session/latest.ts'
import type { Projects } from '../../session/projects.ts'
import { datedSession, latestRows } from '../../session/scan/quick-rows.ts'
import { sizeText } from '../../view/words.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { noteOf, overviewColumns } from '../list/columns.ts'
import { findingLine, printJson, printLine, reportUnread, say } from '../terminal/output.ts'

const latest = 10
const weekMs = 7 * 86_400_000

/** Sessions that Claude Code will delete within a week. */
interface Due {
  all: number
  /** In the archive. */
  archived: number
  /** Neither archived nor excluded from it: they will be lost. */
  atRisk: number
}

/** A Claude home, and how many sessions it has. */
interface Root {
  root: string
  sessions: number
}

interface Found {
  roots: Root[]
  isSample: boolean
  sessions: SessionFiles[]
  projects: Projects
  findings: Finding[]
  /** Includes the latest sessions. */
  rows: () => ListRow[]
}

interface Overview {
  roots: readonly Root[]
  isSample: boolean
  sessions: readonly SessionFiles[]
  due: Due
  /** Sessions that are only in the archive. */
  gone: number
  context: ListContext
}

export async function run({ globals }: CommandInput): Promise<ExitCode> {
  const {
    roots,
    isSample,
    sessions,
    findings,
    projects,
    rows: rowsOf,
  } = (await fromIndex(globals)) ?? (await fromFiles(globals))
  if (sessions.length > 0) reportUnread(findings, globals.quiet)
  const now = Date.now()
  const rows = [...rowsOf()].sort(byLatest).slice(0, latest)
  const context = {
    now,
    projects,
    retention: isSample ? null : new Retention(),
    isArchived: await archivedIn(globals.clew),
  }
  const overview: Overview = {
    roots,
    isSample,
    sessions,
    due: await dueOf(sessions, context, globals),
    gone: sessions.filter(session => !isOnDisk(session)).length,
    context,
  }
  if (globals.json) await printOverviewJson(overview, rows, globals)
  else if (sessions.length > 0) await printOverview(overview, rows, globals)
  return sessions.length > 0 ? 0 : reportNothing(findings)
}

function reportNothing(findings: readonly Finding[]): ExitCode {
  for (const finding of findings) say(findingLine(finding))
  say('clew: no sessions found; --root PATH names a Claude home')
  return findings.some(finding => finding.severity === 'error') ? 2 : 1
}

async function fromFiles(globals: GlobalOptions): Promise<Found> {
  const { discoveries, isSample } = await discoverRoots(globals.clew)
  const sessions = mergeDiscoveries(discoveries, globals.clew.source)
  return {
    roots: rootsOf(
      discoveries.map(({ root }) => root),
      sessions,
    ),
    isSample,
    sessions,
    findings: discoveries.flatMap(discovery => discovery.findings),
    projects: projectsOf(sessions.map(session => datedSession(session, globals.clew.source))),
    rows: () => latestRows(sessions, globals.clew.source, latest),
  }
}

async function fromIndex(globals: GlobalOptions): Promise<Found | null> {
  const known = await indexedRows(globals.clew)
  if (known === null) return null
  const { index, rows } = known
  const { roots, archived } = await rootsFor(globals.clew)
  const sessions = rows.map(row => row.session)
  const places = index.isSample ? scopeOf(globals.clew).roots : [...roots, ...archived]
  return {
    roots: rootsOf(places, sessions),
    isSample: index.isSample,
    sessions,
    findings: index.findings.filter(finding => finding.code.startsWith('unreadable')),
    projects: projectsOf(rows),
    rows: () => rows,
  }
}

function rootsOf(roots: readonly string[], sessions: readonly SessionFiles[]): Root[] {
  return roots.map(root => ({
    root,
    sessions: sessions.filter(session => hasFilesIn(session, resolve(root))).length,
  }))
}

function hasFilesIn({ logs, side }: SessionFiles, root: string): boolean {
  return [...logs, ...side].some(({ path }) => isBelow(path, root))
}

async function dueOf(
  sessions: readonly SessionFiles[],
  { now, retention, isArchived }: ListContext,
  globals: GlobalOptions,
): Promise<Due> {
  const due = sessions.filter(session => (retention?.deletedOn(session) ?? Number.POSITIVE_INFINITY) < now + weekMs)
  const unarchived = due.filter(session => !isArchived(session))
  const isLeftOut = await leftOutIn(globals.clew)
  const atRisk = unarchived.filter(session => !isLeftOut(session)).length
  return { all: due.length, archived: due.length - unarchived.length, atRisk }
}

async function printOverviewJson(overview: Overview, rows: readonly ListRow[], globals: GlobalOptions): Promise<void> {
  const full = rows.every(row => row.facts !== undefined) ? rows : await readFull(rows, globals)
  const { usageOfSessions } = await import('../../answers/usage/sessions.ts')
  const usageOf = await usageOfSessions(globals.clew)
  const printed: PrintedOverview = {
    roots: overview.roots.map(({ root }) => root),
    isSample: overview.isSample,
    counts: {
      projects: overview.context.projects.size,
      sessions: overview.sessions.length,
      bytes: overview.sessions.reduce((sum, session) => sum + bytesOf(session), 0),
      deletedWithinWeek: overview.due.all,
      lostWithinWeek: overview.due.atRisk,
      gone: overview.gone,
    },
    sessions: full.flatMap(row =>
      row.facts ? [toSessionRow({ ...row, spent: usageOf(row.session.id) }, row.facts, overview.context)] : [],
    ),
  }
  await printJson(printed)
}

async function readFull(rows: readonly ListRow[], globals: GlobalOptions): Promise<ListRow[]> {
  const { fullRows } = await import('../../answers/sessions/full-rows.ts')
  const sessions = rows.map(row => row.session)
  const full = (await fullRows(sessions, {}, globals.clew)).rows
  return full.map((row, at) => titledElsewhere(row, rows[at] as ListRow))
}

async function printOverview(overview: Overview, rows: readonly ListRow[], globals: GlobalOptions): Promise<void> {
  const { sessions } = overview
  const width = Math.max(leastWidth, outputWidth())
  const shortId = shortIds(sessions.map(session => session.id))
  for (const line of headLines(overview, width)) await printLine(line)
  await printLine('')
  const columns = overviewColumns({
    clock: clockFor(globals.clew.timezone),
    shortId,
    hasGone: rows.some(row => !isOnDisk(row.session)),
    hasNotes: rows.some(row => noteOf(row) !== ''),
    projects: overview.context.projects,
  })
  const { lines, leftOut } = fittedTable(rows, columns, width, pc.dim)
  for (const line of lines) await printLine(line)
  for (const line of leftOut === undefined ? [] : wrapWords(leftOut, width)) await printLine(pc.dim(line))
  if (sessions.length > rows.length) await printLine(pc.dim(`… ${sessions.length - rows.length} more: clew ls`))
  await printLine('')
  const first = rows[0]
  for (const line of nextLines(first === undefined ? 'last' : shortId(first.session.id), width)) await printLine(line)
}

function* headLines(overview: Overview, width: number): Generator<string> {
  const { roots, isSample, sessions, gone } = overview
  const bytes = sessions.reduce((sum, session) => sum + bytesOf(session), 0)
  const counts = [
    countOf(sessions.length, 'session'),
    countOf(overview.context.projects.size, 'project'),
    sizeText(bytes),
  ].join(' · ')
  if (isSample) {
    yield `${pc.bold('Welcome.')} ${counts}`
    return
  }
  yield pc.bold(counts)
  for (const { root, sessions: here } of roots) {
    if (roots.length > 1 && here === 0) continue
    yield pc.dim(cutToColumns(`in ${escapeForLine(withTilde(root))}`, width))
  }
  if (gone > 0) yield pc.dim(`${gone} of them only in the archive`)
  yield* dueLines(overview, width)
}

/** A warning only where something would be lost. */
function* dueLines({ due, sessions }: Overview, width: number): Generator<string> {
  const { all, archived, atRisk } = due
  const which = (count: number) => (count === sessions.length ? 'all of them' : count)
  if (atRisk > 0) {
    const part = atRisk < all ? ' that are not archived' : ''
    const text = `Claude Code will delete ${which(atRisk)} within a week${part}; clew archive run archives them`
    for (const line of wrapWords(text, width)) yield pc.yellow(line)
  } else if (archived > 0) {
    yield pc.dim(cutToColumns(`Claude Code will delete ${which(archived)} within a week; the archive has them`, width))
  }
}

function withTilde(path: string): string {
  const home = homedir()
  return home.length > 1 && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path
}

/** Three commands to try next. */
function* nextLines(session: string, width: number): Generator<string> {
  const next: [string, string][] = [
    [`clew show ${escapeForLine(session)}`, 'read the latest session'],
    [`clew tree ${escapeForLine(session)}`, 'its structure at a glance'],
    ['clew stats', 'turns, tools, tokens'],
  ]
  const commandWidth = Math.max(...next.map(([command]) => command.length))
  const fits = next.every(([, what]) => commandWidth + 2 + what.length <= width)
  for (const [command, what] of next) {
    yield fits ? `${pc.cyan(command.padEnd(commandWidth))}  ${pc.dim(what)}` : pc.cyan(command)
  }
}
