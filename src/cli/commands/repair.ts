// `clew repair`: a damaged session as one that Claude Code resumes complete; a new session, or the same file with its former
// bytes in the archive. What is changed is shown line by line, and what a resume sends before and after.

import pc from 'picocolors'
import { escapeForLine } from '../../base/escape.ts'
import { cutToColumns } from '../../base/width.ts'
import { buildContext } from '../../graph/context/context.ts'
import type { Context } from '../../model/session.ts'
import { outputWidth } from '../../render/terminal/style.ts'
import type { RepairReport } from '../../schema/contract-shapes.ts'
import { loadSession } from '../../session/load.ts'
import { graphSummary } from '../../session/summary.ts'
import { countOf } from '../../view/words.ts'
import { forkSession } from '../../write/edit/fork.ts'
import { type RepairedFile, type RepairedSession, repairSession, textOf } from '../../write/edit/repaired.ts'
import { replaceLog } from '../../write/replace.ts'
import { refuseInUse } from '../../write/use.ts'
import { type CommandInput, type ExitCode, UserError } from '../command.ts'
import { sessionOf } from '../input.ts'
import { printJson, printLine, say } from '../terminal/output.ts'
import { withUserErrors } from '../write/errors.ts'
import { editOptions, printNew, writeNew } from '../write/new-session.ts'
import { openArchive } from './archive/archive-open.ts'

export async function run(input: CommandInput): Promise<ExitCode> {
  const { args, options, globals } = input
  const files = await sessionOf(args[0], { ...globals, usesSample: false })
  const graph = await loadSession(globals.source, files)
  if (options['force'] !== true)
    await withUserErrors(
      () => refuseInUse(files, graphSummary(graph).endedAt, Date.now()),
      '--force does it all the same.',
    )
  const repaired = await withUserErrors(() => repairSession(globals.source, files, editOptions))
  const sent = { before: sentBy(buildContext(graph)), after: sentBy(buildContext(repaired.session.graph)) }
  const report: RepairReport = { session: files.id, ...changesOf(repaired), ...sent, inPlace: false, dryRun: true }
  if (!globals.json) await printChanges(report)
  if (report.changes.length === 0) return finish(report, input, 'nothing is damaged; nothing was written')
  if (options['dryRun'] === true) return finish(report, input, 'nothing was written (--dry-run)')
  return options['inPlace'] === true ? inPlace(repaired, report, input) : asNewSession(repaired, report, input)
}

async function finish(report: RepairReport, { globals }: CommandInput, message: string): Promise<ExitCode> {
  if (globals.json) await printJson(report)
  else if (!globals.quiet) say(`clew: ${message}`)
  return 0
}

async function asNewSession(
  { session }: RepairedSession,
  report: RepairReport,
  input: CommandInput,
): Promise<ExitCode> {
  const title = `${graphSummary(session.graph).title} (repaired)`
  const fork = await withUserErrors(() => forkSession(session, { ...editOptions, title }))
  const written = await writeNew(session, fork, input)
  if (input.globals.json) await printJson({ ...report, dryRun: false, written })
  else await printNew(written, [`repaired as "${escapeForLine(title)}"`], input.globals)
  return 0
}

async function inPlace({ files }: RepairedSession, report: RepairReport, input: CommandInput): Promise<ExitCode> {
  const { globals } = input
  const archive = openArchive(globals)
  const undo: string[] = []
  for (const { file, before, lines, changes } of files) {
    if (changes.length === 0) continue
    if (file.isArchiveOnly === true)
      throw new UserError(`${escapeForLine(file.path)} is no longer on disk; repair it without --in-place`)
    const number = await withUserErrors(() =>
      replaceLog(archive, file.path, { before, after: textOf(lines) }, { clewHome: globals.home }),
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

function changesOf({ files }: RepairedSession): Pick<RepairReport, 'changes' | 'setAside'> {
  const ofFile = ({ file, changes }: RepairedFile) => changes.map(change => ({ file: file.path, ...change }))
  return { changes: files.flatMap(ofFile), setAside: files.reduce((sum, { setAside }) => sum + setAside, 0) }
}

/** What a resume sends, in numbers. */
function sentBy({ resumable, reason, messages }: Context): RepairReport['before'] {
  const blocks = messages.flatMap(message => message.blocks)
  const count = (type: string): number => blocks.filter(block => block.type === type).length
  const numbers = {
    messages: messages.length,
    texts: count('text'),
    calls: count('tool-call'),
    results: count('tool-result'),
  }
  return { resumable, ...(reason !== undefined && { reason }), ...numbers }
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
  await printLine(`a resume sends  before: ${sentText(before)}`)
  await printLine(`                after:  ${sentText(after)}`)
}

function sentText({ resumable, reason, messages, texts, calls, results }: RepairReport['before']): string {
  if (!resumable) return escapeForLine(reason ?? 'nothing')
  const parts = [
    countOf(messages, 'message'),
    countOf(texts, 'text'),
    countOf(calls, 'call'),
    countOf(results, 'result'),
  ]
  return parts.join(', ')
}
