// `clew` alone: how many sessions there are, the latest ones, and what to type next.

import { homedir } from 'node:os'
import pc from 'picocolors'
import { shortIds } from '../../answers/sessions/names.ts'
import { type Overview, overviewOf, printedOverview } from '../../answers/sessions/overview.ts'
import { clockFor } from '../../answers/times.ts'
import { escapeForLine } from '../../base/escape.ts'
import { countOf } from '../../base/format.ts'
import { cutToColumns } from '../../base/width.ts'
import type { Finding } from '../../model/finding.ts'
import { bytesOf, isOnDisk } from '../../model/source.ts'
import { wrapWords } from '../../render/terminal/charts.ts'
import { leastWidth, outputWidth } from '../../render/terminal/style.ts'
import { fittedTable } from '../../render/terminal/table.ts'
import { sizeText } from '../../view/words.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { noteOf, overviewColumns } from '../list/columns.ts'
import { findingLine, printJson, printLine, reportUnread, say } from '../terminal/output.ts'

export async function run({ globals }: CommandInput): Promise<ExitCode> {
  const overview = await overviewOf(globals.clew)
  const { sessions, findings } = overview
  if (sessions.length > 0) reportUnread(findings, globals.quiet)
  if (globals.json) await printJson(await printedOverview(overview, globals.clew))
  else if (sessions.length > 0) await printOverview(overview, globals)
  return sessions.length > 0 ? 0 : reportNothing(findings)
}

function reportNothing(findings: readonly Finding[]): ExitCode {
  for (const finding of findings) say(findingLine(finding))
  say('clew: no sessions found; --root PATH names a Claude home')
  return findings.some(finding => finding.severity === 'error') ? 2 : 1
}

async function printOverview(overview: Overview, globals: GlobalOptions): Promise<void> {
  const { sessions, rows } = overview
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
