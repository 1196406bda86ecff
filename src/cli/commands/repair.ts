// `clew repair`: a damaged session as one that Claude Code resumes complete; a new session, or the same file with its former
// bytes in the archive. What is changed is shown line by line, and what a resume sends before and after.

import pc from 'picocolors'
import { openArchive } from '../../answers/care/archive-open.ts'
import { UserError } from '../../answers/error.ts'
import { sessionOf } from '../../answers/sessions/find.ts'
import { forceAdvice, withUserErrors } from '../../answers/write/errors.ts'
import { escapeForLine } from '../../base/escape.ts'
import { cutToColumns } from '../../base/width.ts'
import { outputWidth } from '../../render/terminal/style.ts'
import type { RepairReport } from '../../schema/contract-shapes.ts'
import { countOf, sentText } from '../../view/words.ts'
import { textOf } from '../../write/edit/repaired.ts'
import { planRepair, type RepairPlan, writeRepaired } from '../../write/repair-session.ts'
import { replaceLog } from '../../write/replace.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { printJson, printLine, say } from '../terminal/output.ts'
import { printNew } from '../write/new-session.ts'

export async function run(input: CommandInput): Promise<ExitCode> {
  const { args, options, globals } = input
  const files = await sessionOf(args[0], { ...globals.clew, usesSample: false })
  const isForced = options['force'] === true
  const plan = await withUserErrors(() => planRepair(globals.clew.source, files, { isForced }), forceAdvice)
  const { report } = plan
  if (!globals.json) await printChanges(report)
  if (report.changes.length === 0) return finish(report, input, 'nothing is damaged; nothing was written')
  if (options['dryRun'] === true) return finish(report, input, 'nothing was written (--dry-run)')
  return options['inPlace'] === true ? inPlace(plan, input) : asNewSession(plan, input)
}

async function finish(report: RepairReport, { globals, options }: CommandInput, message: string): Promise<ExitCode> {
  if (globals.json) await printJson({ ...report, inPlace: options['inPlace'] === true })
  else if (!globals.quiet) say(`clew: ${message}`)
  return 0
}

async function asNewSession(plan: RepairPlan, { globals }: CommandInput): Promise<ExitCode> {
  const written = await withUserErrors(() => writeRepaired(plan, { tree: globals.clew.tree, isDry: false }))
  if (globals.json) await printJson({ ...plan.report, dryRun: false, written })
  else await printNew(written, [`repaired as "${escapeForLine(written.title ?? '')}"`], globals)
  return 0
}

async function inPlace({ repaired, report }: RepairPlan, { globals }: CommandInput): Promise<ExitCode> {
  const archive = openArchive(globals.clew)
  const undo: string[] = []
  for (const { file, before, lines, changes } of repaired.files) {
    if (changes.length === 0) continue
    if (file.isArchiveOnly === true)
      throw new UserError(`${escapeForLine(file.path)} is no longer on disk; repair it without --in-place`)
    const number = await withUserErrors(() =>
      replaceLog(archive, file.path, { before, after: textOf(lines) }, { clewHome: globals.clew.home }),
    )
    undo.push(`clew archive restore ${report.session}@${number} --overwrite`)
  }
  if (globals.json) {
    await printJson({ ...report, dryRun: false, inPlace: true, undo: undo[0] ?? '' })
    return 0
  }
  await printLine(`${escapeForLine(report.session)} repaired in place`)
  if (globals.quiet) return 0
  say('clew: its former bytes are in the archive; to undo, a minute from now:')
  for (const command of undo) say(`clew:   ${escapeForLine(command)}`)
  return 0
}

async function printChanges({ changes, setAside, before, after }: RepairReport): Promise<void> {
  const columns = outputWidth()
  const shown = (text: string): string => cutToColumns(escapeForLine(text), columns - 4)
  for (const { line, kind, what, before: old, after: next } of changes) {
    await printLine(
      cutToColumns(`${pc.cyan(line === 0 ? 'file' : `line ${line}`)}  ${kind}: ${escapeForLine(what)}`, columns),
    )
    if (old !== undefined) await printLine(pc.red(`  - ${shown(old)}`))
    if (next !== undefined) await printLine(pc.green(`  + ${shown(next)}`))
  }
  if (setAside > 0) await printLine(`${countOf(setAside, 'record')} softly deleted: stored, but not sent`)
  await printLine(`a resume sends  before: ${escapeForLine(sentText(before))}`)
  await printLine(`                after:  ${escapeForLine(sentText(after))}`)
}
