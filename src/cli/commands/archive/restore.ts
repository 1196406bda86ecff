// `clew archive restore`: puts archived files back, where they were or below another folder.

import pc from 'picocolors'
import { incompleteText, type RestoredFile, type RestoreReport, restore } from '../../../answers/care/archive.ts'
import { UserError } from '../../../answers/error.ts'
import { wholeNumber } from '../../../answers/sessions/filters.ts'
import { escapeForLine } from '../../../base/escape.ts'
import { countOf, sizeText } from '../../../view/words.ts'
import type { CommandInput, ExitCode } from '../../command.ts'
import { printJson, printLine, say } from '../../terminal/output.ts'

/** Of files with the same trouble this many are named. */
const listed = 10

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  const isAll = options['all'] === true
  if (isAll && args.length > 0) throw new UserError('restore takes sessions or --all, not both')
  if (!isAll && args.length === 0) throw new UserError('which session? Name some, or --all for everything')
  const generation = wholeNumber(options['generation'], 'generation')
  const to = options['to']
  const { isIncomplete, ...report } = await restore(globals.clew, {
    ...(!isAll && { sessions: args }),
    ...(typeof to === 'string' && { to }),
    ...(generation !== undefined && { generation }),
    isOverwriting: options['overwrite'] === true,
    keepsTimes: options['keepTimes'] === true,
  })
  if (globals.json) await printJson(report)
  else for (const line of reportLines(report)) await printLine(line)
  if (globals.json && report.failed > 0) say(`clew: ${countOf(report.failed, 'file')} could not be restored`)
  if (report.failed > 0) return 2
  if (isIncomplete) say(`clew: ${incompleteText}`)
  const isLess = isIncomplete || report.shortened.length > 0
  return isLess || report.different + report.inUse > 0 || report.files.length === 0 ? 1 : 0
}

function* reportLines(report: RestoreReport): Generator<string> {
  yield* troubleLines(report.files)
  yield* shortenedLines(report)
  const [first, ...more] = report.folders
  const moved = more.length === 0 ? [] : report.folders.filter(({ home, folder }) => home !== folder)
  for (const { home, folder } of moved) yield `${escapeForLine(home)} → ${escapeForLine(folder)}`
  const where = first === undefined || more.length > 0 ? '' : `, in ${escapeForLine(first.folder)}`
  const done = `restored ${countOf(report.restored, 'file')}, ${sizeText(report.bytes)}${where}`
  const parts = [report.restored > 0 ? done : 'nothing was restored']
  if (report.same > 0) parts.push(`${filesAre(report.same)} there already`)
  if (report.different > 0)
    parts.push(pc.yellow(`${filesAre(report.different)} there with other content (--overwrite replaces it)`))
  if (report.inUse > 0) parts.push(pc.yellow(`${filesAre(report.inUse)} in use`))
  if (report.failed > 0) parts.push(pc.red(`${countOf(report.failed, 'file')} failed`))
  yield parts.join('; ')
}

function* shortenedLines({ shortened }: RestoreReport): Generator<string> {
  for (const { home, path, left, archived } of shortened.slice(0, listed)) {
    const of = archived === null ? '' : ` of ${archived}`
    const what =
      left > 0
        ? `the manifest has only ${left}${of} bytes of it`
        : `the manifest has nothing${of === '' ? '' : `${of} bytes`} of it`
    yield `${pc.red(left > 0 ? 'shortened' : 'lost')} ${escapeForLine(`${home}/${path}`)}: ${what}`
  }
  if (shortened.length > listed)
    yield `and ${shortened.length - listed} more that are shortened or lost, which --json names`
  if (shortened.length > 0) yield 'clew archive salvage DIR looks for the rest in the packs'
}

function filesAre(count: number): string {
  return `${countOf(count, 'file')} ${count === 1 ? 'is' : 'are'}`
}

/** A session in use is said once for all of its files; other troubles file by file, as far as that helps. */
function* troubleLines(files: readonly RestoredFile[]): Generator<string> {
  const used = new Map<string, number>()
  for (const { status, session, reason = '' } of files) {
    if (status !== 'in-use') continue
    const who = session === null ? reason : `session ${session}: ${reason}`
    used.set(who, (used.get(who) ?? 0) + 1)
  }
  for (const [who, count] of used) yield `${pc.yellow('in use')} ${escapeForLine(who)} (${countOf(count, 'file')})`
  for (const status of ['different', 'failed'] as const) {
    const found = files.filter(file => file.status === status)
    for (const file of found.slice(0, listed)) yield fileLine(file)
    if (found.length > listed)
      yield `and ${found.length - listed} more that ${status === 'failed' ? 'failed' : 'differ'}`
  }
}

function fileLine({ status, target, reason = '' }: RestoredFile): string {
  const paint = status === 'failed' ? pc.red : pc.yellow
  // Many reasons name the file themselves.
  return `${paint(status)} ${escapeForLine(reason.startsWith(target) ? reason : `${target}: ${reason}`)}`
}
