// `clew archive import`: takes an old backup of a Claude home into the archive.

import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import pc from 'picocolors'
import { type ImportReport, importBackup } from '../archive/import.ts'
import { canonicalPlace } from '../archive/place.ts'
import { escapeForLine } from '../base/escape.ts'
import { expandTilde } from '../disk/homes.ts'
import { countOf, sizeText } from '../view/words.ts'
import { archiveMode, archiveRoots, excludeRules, openArchive, telling } from './archive-open.ts'
import type { CommandInput, ExitCode, GlobalOptions } from './command.ts'
import { UserError } from './command.ts'
import { findingLine, printJson, printLine, say } from './output.ts'
import { startProgress } from './progress.ts'

const listed = 10

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  const [named, ...more] = args
  if (named === undefined) throw new UserError('what to import? A folder or a tar with a backup of a Claude home')
  if (more.length > 0) throw new UserError('import takes one folder or tar at a time')
  if (archiveMode(globals) === 'off') throw new UserError('the config says archive off')
  const source = resolve(expandTilde(named, homedir()))
  if (!existsSync(source)) throw new UserError(`there is no ${source}`)
  const progress = startProgress({ what: 'importing', isQuiet: globals.quiet })
  let report: ImportReport
  try {
    report = await telling(() =>
      importBackup(openArchive(globals), source, {
        as: homeFor(options['as'], globals),
        exclude: excludeRules(globals),
        progress: bytes => progress.add(bytes),
      }),
    )
  } finally {
    progress.end()
  }
  if (!globals.quiet) for (const finding of report.findings) say(findingLine(finding))
  if (globals.json) await printJson(report)
  else for (const line of reportLines(report)) await printLine(line)
  if (report.problem !== undefined) return 2
  return report.files === 0 ? 1 : 0
}

/** The home that the files are taken to belong to: the named one, else the first there is, else the usual place. */
function homeFor(named: unknown, globals: GlobalOptions): string {
  if (typeof named === 'string') return canonicalPlace(expandTilde(named, homedir()))
  return canonicalPlace(archiveRoots(globals)[0] ?? join(homedir(), '.claude'))
}

function* reportLines(report: ImportReport): Generator<string> {
  const { files, added, known, bytes, stored, skipped, found, problem } = report
  if (problem !== undefined) yield pc.red(`not read to its end: ${escapeForLine(problem)}`)
  if (files === 0) {
    yield 'no session was found in it'
    return
  }
  for (const { path, reason } of skipped.slice(0, listed)) yield pc.yellow(`skipped ${escapeForLine(path)}: ${reason}`)
  if (skipped.length > listed) yield pc.yellow(`skipped ${skipped.length - listed} more`)
  const from = found.length === 1 ? '' : ` of ${countOf(found.length, 'home')}`
  const parts = [`imported ${countOf(added, 'generation')}${from}, ${sizeText(bytes)} in ${sizeText(stored)}`]
  if (known > 0) parts.push(`${countOf(known, 'file')} were kept already`)
  yield parts.join('; ')
}
