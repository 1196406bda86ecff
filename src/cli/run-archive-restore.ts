// `clew archive restore`: puts kept files back, where they were or below another folder.

import { homedir } from 'node:os'
import { resolve } from 'node:path'
import pc from 'picocolors'
import { type RestoredFile, type RestoreReport, restoreFiles } from '../archive/restore.ts'
import { escapeForLine } from '../base/escape.ts'
import { expandTilde } from '../disk/homes.ts'
import { countOf, sizeText } from '../view/words.ts'
import { excludeRules, existingArchive, telling } from './archive-open.ts'
import { allNamed } from './archive-sessions.ts'
import type { CommandInput, ExitCode } from './command.ts'
import { UserError } from './command.ts'
import { printJson, printLine } from './output.ts'
import { startProgress } from './progress.ts'
import { wholeNumber } from './whole-number.ts'

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  const isAll = options['all'] === true
  if (isAll && args.length > 0) throw new UserError('restore takes sessions or --all, not both')
  if (!isAll && args.length === 0) throw new UserError('which session? Name some, or --all for everything')
  const archive = existingArchive(globals)
  const generation = wholeNumber(options['generation'], '--generation')
  const to = typeof options['to'] === 'string' ? resolve(expandTilde(options['to'], homedir())) : undefined
  const progress = startProgress({ what: 'restoring', isQuiet: globals.quiet })
  let report: RestoreReport
  try {
    report = await telling(async () =>
      restoreFiles(archive, {
        ...(isAll ? {} : { sessions: await allNamed(archive, args, globals) }),
        ...(to !== undefined && { to }),
        ...(generation !== undefined && { generation }),
        isOverwriting: options['overwrite'] === true,
        keepsTimes: options['keepTimes'] === true,
        exclude: excludeRules(globals),
        progress: bytes => progress.add(bytes),
      }),
    )
  } finally {
    progress.end()
  }
  if (globals.json) await printJson(report)
  else for (const line of reportLines(report)) await printLine(line)
  return report.failed > 0 ? 2 : report.different + report.inUse > 0 || report.files.length === 0 ? 1 : 0
}

function* reportLines(report: RestoreReport): Generator<string> {
  for (const file of report.files) if (file.status !== 'restored' && file.status !== 'same') yield fileLine(file)
  for (const { home, folder } of report.folders.filter(one => one.home !== one.folder))
    yield `${escapeForLine(home)} → ${escapeForLine(folder)}`
  const parts =
    report.restored > 0
      ? [`restored ${countOf(report.restored, 'file')}, ${sizeText(report.bytes)}`]
      : ['nothing was restored']
  if (report.same > 0) parts.push(`${report.same} were there already`)
  if (report.different > 0)
    parts.push(pc.yellow(`${report.different} are there with other content (--overwrite replaces them)`))
  if (report.inUse > 0) parts.push(pc.yellow(`${report.inUse} belong to sessions in use`))
  if (report.failed > 0) parts.push(pc.red(`${report.failed} failed`))
  yield parts.join('; ')
}

function fileLine({ status, target, reason }: RestoredFile): string {
  const paint = status === 'failed' ? pc.red : pc.yellow
  return `${paint(status)} ${escapeForLine(target)}${reason === undefined ? '' : `: ${escapeForLine(reason)}`}`
}
