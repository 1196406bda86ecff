// `clew repair`: a damaged session as one that Claude Code resumes complete; a new session, or the same file with its former
// bytes in the archive. What is changed is shown line by line, and what a resume sends before and after.

import pc from 'picocolors'
import { repair, repairInPlace } from '../../answers/write/repair.ts'
import { escapeForLine } from '../../base/escape.ts'
import { cutToColumns } from '../../base/width.ts'
import { outputWidth } from '../../render/terminal/style.ts'
import type { RepairReport } from '../../schema/contract-shapes.ts'
import { countOf, sentText } from '../../view/words.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { printJson, printLine, say } from '../terminal/output.ts'
import { printNew } from '../write/new-session.ts'

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  const query = { word: args[0], isForced: options['force'] === true, isDry: options['dryRun'] === true }
  const { report, undo } =
    options['inPlace'] === true
      ? await repairInPlace(globals.clew, query)
      : { report: await repair(globals.clew, query), undo: [] }
  if (globals.json) await printJson(report)
  else await printReport(report, undo, globals)
  return 0
}

async function printReport(report: RepairReport, undo: readonly string[], globals: GlobalOptions): Promise<void> {
  await printChanges(report)
  const { changes, dryRun, written } = report
  const why = changes.length === 0 ? 'nothing is damaged; nothing was written' : 'nothing was written (--dry-run)'
  if (changes.length === 0 || dryRun) {
    if (!globals.quiet) say(`clew: ${why}`)
  } else if (written !== undefined) {
    await printNew(written, [`repaired as "${escapeForLine(written.title ?? '')}"`], globals)
  } else {
    await printLine(`${escapeForLine(report.session)} repaired in place`)
    if (globals.quiet) return
    say('clew: its former bytes are in the archive; to undo, a minute from now:')
    for (const command of undo) say(`clew:   ${escapeForLine(command)}`)
  }
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
