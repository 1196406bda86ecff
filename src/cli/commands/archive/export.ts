// `clew archive export`: what is archived, as one tar.

import { homedir } from 'node:os'
import { dirname, resolve } from 'node:path'
import pc from 'picocolors'
import { UserError } from '../../../answers/error.ts'
import type { Archive } from '../../../archive/store/archive.ts'
import { type ExportOptions, type ExportReport, exportArchive, exportToFile } from '../../../archive/transfer/export.ts'
import { escapeForLine } from '../../../base/escape.ts'
import { expandTilde, isFolder } from '../../../disk/discover/homes.ts'
import { countOf, sizeText } from '../../../view/words.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../../command.ts'
import { isOutputClosed, printJson, printLine, say } from '../../terminal/output.ts'
import { startProgress } from '../../terminal/progress.ts'
import { withUserErrors } from '../../user-errors.ts'
import { existingArchive, reportIncomplete } from './archive-open.ts'
import { allNamed } from './archive-sessions.ts'

const listed = 10

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  const [target, ...sessions] = args
  if (!target) throw new UserError('where to? clew archive export FILE.tar, or - for stdout')
  if (options['all'] === true && sessions.length > 0) throw new UserError('export takes sessions or --all, not both')
  if (target === '-' && process.stdout.isTTY) throw new UserError('a tar is nothing for a terminal; name a file')
  if (target === '-' && globals.json) throw new UserError('--json and a tar on stdout do not go together')
  const archive = existingArchive(globals)
  const place = target === '-' ? null : resolve(expandTilde(target, homedir()))
  if (place !== null && !isFolder(dirname(place))) throw new UserError(`there is no folder ${dirname(place)}`)
  const report = await exportWatched(archive, place, sessions, globals)
  if (report === null) return 0
  const text = `exported ${countOf(report.files, 'file')}, ${countOf(report.generations, 'generation')}, ${sizeText(report.bytes)}`
  if (globals.json) await printJson({ file: place, ...report })
  else {
    for (const line of damageLines(report)) say(line)
    if (place !== null) await printLine(`${text} to ${escapeForLine(place)}`)
    else if (!globals.quiet) say(`clew: ${text}`)
  }
  if (report.damaged.length > 0) return 2
  return reportIncomplete(archive) || report.leftOut.length > 0 ? 1 : 0
}

/**
 * Ctrl-C ends it between two files, so that nothing half is left. So does a reader of standard output that has gone: then
 * there is no report, and that is no failure, as with every other output.
 */
async function exportWatched(
  archive: Archive,
  place: string | null,
  names: readonly string[],
  globals: GlobalOptions,
): Promise<ExportReport | null> {
  const progress = startProgress({ what: 'exporting', isQuiet: globals.quiet, leavesSignals: true })
  let isStopped = false
  const stop = () => {
    isStopped = true
    progress.end()
  }
  const isUnread = () => place === null && isOutputClosed()
  process.once('SIGINT', stop)
  try {
    return await withUserErrors(async () => {
      const how: ExportOptions = {
        ...(names.length > 0 && { sessions: await allNamed(archive, names, globals) }),
        progress: bytes => progress.add(bytes),
        isStopped: () => isStopped || isUnread(),
      }
      return place === null ? exportArchive(archive, toStdout, how) : exportToFile(archive, place, how)
    })
  } catch (error) {
    if (isUnread()) return null
    throw error
  } finally {
    process.off('SIGINT', stop)
    progress.end()
  }
}

function toStdout(bytes: Uint8Array): Promise<void> {
  return new Promise((done, fail) => {
    process.stdout.write(bytes, error => (error ? fail(error) : done()))
  })
}

function* damageLines({ damaged, leftOut }: ExportReport): Generator<string> {
  for (const { home, path, number, problem } of damaged.slice(0, listed)) {
    const file = escapeForLine(`${home}/${path}`)
    yield `${pc.red('left out')} ${file}, generation ${number}: ${escapeForLine(problem)}`
  }
  if (damaged.length > listed) yield `${pc.red('left out')} ${damaged.length - listed} more`
  for (const { home, path } of leftOut.slice(0, listed))
    yield `${pc.yellow('left out')} ${escapeForLine(`${home}/${path}`)}: it is not part of a session`
  if (leftOut.length > listed) yield `${pc.yellow('left out')} ${leftOut.length - listed} more`
  if (damaged.length > 0) yield 'clew: damaged files are not in the tar; see clew archive verify'
}
