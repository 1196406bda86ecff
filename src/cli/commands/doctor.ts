// `clew doctor`: what was looked at, and every problem with its remedy.

import pc from 'picocolors'
import { modeText } from '../../answers/archive-mode.ts'
import { examine } from '../../answers/care/doctor.ts'
import { escapeForLine } from '../../base/escape.ts'
import { countOf, countText } from '../../base/format.ts'
import { wrapWords } from '../../render/terminal/charts.ts'
import { outputWidth } from '../../render/terminal/style.ts'
import type { DoctorReport } from '../../schema/contract-shapes.ts'
import { sizeText } from '../../view/words.ts'
import type { CommandDeclaration, CommandInput, ExitCode } from '../command.ts'
import { timeText } from '../session/event-text.ts'
import { printJson, printLine } from '../terminal/output.ts'

export async function run({ globals, commands }: CommandInput): Promise<ExitCode> {
  const { isTTY = false, columns = null } = process.stdout
  const report = await examine(globals.clew, { isTerminal: isTTY, columns })
  if (globals.json) await printJson(report)
  else for (const line of reportLines(report, globals.clew.timezone, commands)) await printLine(line)
  return report.problems.some(problem => problem.losesData) ? 1 : 0
}

function* reportLines(
  report: DoctorReport,
  timezone: string | undefined,
  commands: readonly CommandDeclaration[],
): Generator<string> {
  const columns = outputWidth()
  const facts = [
    ...environmentFacts(report),
    ...homeFacts(report),
    ...retentionFacts(report, timezone),
    ...archiveFacts(report, timezone, commands),
    ...indexFacts(report, timezone),
  ]
  const label = 12
  for (const [name, text] of facts) {
    const lines = wrapWords(escapeForLine(text), columns - label)
    for (const [i, line] of lines.entries()) yield `${pc.dim((i === 0 ? name : '').padEnd(label))}${line}`
  }
  yield ''
  if (report.problems.length === 0) yield pc.green('no problems found')
  for (const { severity, losesData, message, remedy } of report.problems) {
    const mark = severity === 'error' ? pc.red('problem ') : pc.yellow('notice  ')
    const text = `${message}${losesData ? ' This loses data.' : ''}`
    for (const [i, line] of wrapWords(escapeForLine(text), columns - 8).entries())
      yield `${i === 0 ? mark : '        '}${line}`
    for (const [i, line] of wrapWords(escapeForLine(remedy), columns - 11).entries())
      yield `        ${i === 0 ? pc.green('→ ') : '  '}${line}`
  }
}

type Fact = [name: string, text: string]

function environmentFacts({ environment, own }: DoctorReport): Fact[] {
  const { node, platform, terminal, columns, isTerminal, colours, locale, timezone } = environment
  const size = isTerminal ? `${columns} columns` : 'output is not a terminal'
  return [
    ['node', `${node}, ${platform}`],
    ['terminal', `${terminal ?? 'not named'}, ${size}; colours ${colours}`],
    ['locale', `${locale ?? 'not set'}; time zone ${timezone}`],
    ['clock', `${environment['clock']}; newest record ${environment['newestRecord'] ?? 'none'}`],
    ['own files', `${own.path}${own.isThere ? '' : ' (does not exist yet)'}`],
  ]
}

function homeFacts({ homes }: DoctorReport): Fact[] {
  return homes.map(({ path, isThere, sessions, files, bytes }, i) => {
    const text = isThere
      ? `${countOf(sessions, 'session')}, ${countOf(files, 'file')}, ${sizeText(bytes)}`
      : 'does not exist'
    return [i === 0 ? 'homes' : '', `${path}: ${text}`]
  })
}

function retentionFacts({ retention }: DoctorReport, timezone: string | undefined): Fact[] {
  const facts: Fact[] = retention.homes.map(({ path, days, isDefault }, i) => [
    i === 0 ? 'retention' : '',
    `${path}: ${countText(days)} days${isDefault ? ' (the default)' : ''}`,
  ])
  const { overdue, withinWeek, withinMonth, next } = retention
  facts.push([
    '',
    `to be deleted: ${countText(overdue)} at the next start, ${countText(withinWeek)} within a week, ${countText(withinMonth)} within 30 days`,
  ])
  for (const { session, deletedOn, archived } of next) {
    const name = /^[0-9a-f]{8}-/.test(session) ? session.slice(0, 8) : session
    facts.push(['', `${timeText(deletedOn, timezone).slice(0, 10)}  ${name}${archived ? '  archived' : ''}`])
  }
  return facts
}

function archiveFacts(
  { archive }: DoctorReport,
  timezone: string | undefined,
  commands: readonly CommandDeclaration[],
): Fact[] {
  const { path, mode, sessions, gone, lastRun, damage, atRisk } = archive
  if (path === null) return [['archive', 'none yet; to create one: clew archive run']]
  const isGone = gone > 0 ? `, ${countText(gone)} of them no longer on disk` : ''
  const facts: Fact[] = [['archive', `${path}: ${countOf(sessions, 'session')}${isGone}`]]
  facts.push(['', `last run ${lastRun === null ? 'never' : timeText(lastRun, timezone)}`])
  if (mode !== null) facts.push(['', `mode ${modeText(mode, commands)}`])
  if (damage.length > 0) facts.push(['', `manifest: ${countText(damage.length)} damaged`])
  facts.push([
    '',
    atRisk === 0 ? 'all sessions due within a week are archived' : `due and not archived: ${countText(atRisk)}`,
  ])
  return facts
}

function indexFacts({ index }: DoctorReport, timezone: string | undefined): Fact[] {
  const { path, bytes, format, sessions, pendingBytes, refreshed, isDamaged } = index
  if (path === null) return [['index', 'none yet; to create one: clew index refresh']]
  const facts: Fact[] = [['index', `${path}: ${sizeText(bytes)}`]]
  if (isDamaged) return [...facts, ['', 'damaged or too old']]
  if (format === null) return [...facts, ['', 'created by a newer Clew']]
  const waiting = pendingBytes === 0 ? 'up to date' : `${sizeText(pendingBytes)} not indexed`
  const last = refreshed === null ? 'not complete yet' : `refreshed ${timeText(refreshed, timezone)}`
  facts.push(['', `${countOf(sessions, 'session')}, ${waiting}; ${last}; format ${format}`])
  return facts
}
