// `clew convert`: sessions in another dialect, as new files, with everything listed that the dialect cannot say.

import { UserError } from '../../answers/error.ts'
import { convert } from '../../answers/write/convert.ts'
import { escapeForLine } from '../../base/escape.ts'
import { countText } from '../../base/format.ts'
import { groupFindings, selectFindings } from '../../check/groups.ts'
import type { Finding } from '../../model/finding.ts'
import type { ConvertReport } from '../../schema/contract-shapes.ts'
import { countOf, sizeText } from '../../view/words.ts'
import type { WireDialect } from '../../write/wire/dialects.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { findingLine, printJson, printLine, say } from '../terminal/output.ts'
import { writeQuery } from '../write/print-change.ts'

export async function run(input: CommandInput): Promise<ExitCode> {
  const { options, globals } = input
  const { to, out } = options as { to?: WireDialect; out?: string }
  if (to === undefined) throw new UserError('missing --to: real, s0, s1, s2, s3 or s4')
  if (out === undefined || out === '') throw new UserError('missing --out: a new .jsonl file, or a home')
  const report = await convert(globals.clew, { ...writeQuery(input), to, out, checks: options['check'] === true })
  await print(report, globals)
  const isBad = report.failed.length > 0 || report.findings?.some(({ severity }) => severity !== 'info') === true
  return isBad ? 1 : 0
}

/** The paths of logs go to stdout, where scripts take them; what was lost is said next to it. */
async function print(report: ConvertReport, { json, quiet }: GlobalOptions): Promise<void> {
  if (json) {
    await printJson(report)
    return
  }
  for (const { files } of report.sessions) await printLine(escapeForLine(files[0] ?? ''))
  for (const { session, why } of report.failed)
    say(`clew: not converted: ${escapeForLine(session)}: ${escapeForLine(why)}`)
  if (report.findings !== undefined) printFindings(report.findings, report.to)
  if (quiet) return
  for (const line of [...lossLines(report), ...outcomeLines(report)]) say(`clew: ${line}`)
}

function printFindings(findings: readonly Finding[], profile: string): void {
  const above = selectFindings(findings, { least: 'warning', rules: [] })
  for (const { count, example } of groupFindings(above))
    say(`${findingLine(example)}${count > 1 ? ` (${count} times)` : ''}`)
  if (above.length === 0) say(`clew: the check found nothing (profile ${profile})`)
}

/** Losses of one kind are one line: how many, what, why, and the first of them. */
function* lossLines({ sessions }: ConvertReport): Generator<string> {
  const groups = new Map<string, { count: number; what: string; why: string; first: string }>()
  for (const { session, losses } of sessions)
    for (const { event, path, why } of losses) {
      const isFile = event === session
      const what = isFile ? 'file' : path === '' ? 'event' : path.replace(/\[\d+\]/g, '[]')
      const group = groups.get(`${what} ${why}`)
      if (group === undefined) groups.set(`${what} ${why}`, { count: 1, what, why, first: isFile ? path : event })
      else group.count++
    }
  if (groups.size === 0) return
  yield 'not the same in the new dialect:'
  for (const { count, what, why, first } of groups.values())
    yield `  ${countText(count)} × ${escapeForLine(what)}: ${escapeForLine(why)} (first: ${escapeForLine(first)})`
}

function* outcomeLines({ sessions, left, dryRun, undo, out }: ConvertReport): Generator<string> {
  const sum = (of: (session: ConvertReport['sessions'][number]) => number): number =>
    sessions.reduce((all, session) => all + of(session), 0)
  if (left.length > 0) yield `${countOf(left.length, 'file')} of no session: not converted`
  const what = `${countOf(sessions.length, 'session')}, ${countOf(
    sum(({ records }) => records),
    'record',
  )}, ${countOf(
    sum(({ files }) => files.length),
    'file',
  )}, ${sizeText(sum(({ bytes }) => bytes))}`
  if (dryRun) yield `nothing was written (--dry-run): ${what}`
  else if (sessions.length > 0) {
    yield `wrote ${what} to ${escapeForLine(out)}; to undo:`
    yield `  ${escapeForLine(undo)}`
  }
}
