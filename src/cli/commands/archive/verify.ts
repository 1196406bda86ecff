// `clew archive verify`: whether every bit of the archive is as it was written, and who suffers where it is not.

import pc from 'picocolors'
import {
  type DamagedPart,
  type MendReport,
  type SalvagePlan,
  unknownFolder,
  type VerifyReport,
  verify,
} from '../../../answers/care/archive.ts'
import { UserError } from '../../../answers/error.ts'
import { escapeForLine } from '../../../base/escape.ts'
import { countOf, sizeText } from '../../../view/words.ts'
import type { CommandInput, ExitCode } from '../../command.ts'
import { findingLine, printJson, printLine, say } from '../../terminal/output.ts'

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  if (args.length > 0) throw new UserError(`too many words: "${args.join(' ')}"; verify checks everything`)
  const isQuick = options['quick'] === true
  if (isQuick && options['mend'] === true) throw new UserError('--mend reads everything; it does not go with --quick')
  const { mended, ...report } = await verify(globals.clew, { isQuick, mends: options['mend'] === true })
  if (globals.json) {
    await printJson({ quick: isQuick, ...report, ...(mended !== undefined && { mended }) })
    if (!report.isIntact) say('clew: the archive is damaged; clew archive verify --mend repairs what it can')
  } else {
    if (mended !== undefined) await printLine(mendedText(mended))
    for (const line of reportLines(report, isQuick)) await printLine(line)
    if (mended === undefined && !report.isIntact) await printLine('clew archive verify --mend repairs what it can')
  }
  return report.isIntact ? 0 : 1
}

function* reportLines(report: VerifyReport, isQuick: boolean): Generator<string> {
  for (const finding of report.findings) yield findingLine(finding)
  const { segments, packs, frames, generations, bytes, stored, damaged, isIntact } = report
  const looked = `${countOf(segments, 'segment')}, ${countOf(packs, 'pack')}, ${countOf(frames, 'frame')}, ${countOf(generations, 'generation')}`
  if (isIntact) {
    const how = isQuick ? 'the manifest is intact; what is stored was not read' : 'every byte is as it was written'
    yield `${how}: ${looked}, ${sizeText(bytes)} in ${sizeText(stored)}`
    return
  }
  yield* damagedLines(damaged)
  yield pc.red(`damaged: ${looked} looked at`)
  if (report.mayLackMore) {
    yield 'what the lost part of the manifest said is written nowhere else: what else is lost is not known'
    if (report.salvage !== undefined) yield salvageText(report.salvage)
  } else if (damaged.length === 0) yield 'no session lost anything by it'
}

function salvageText({ files, bytes }: SalvagePlan): string {
  const known = files.filter(({ path }) => !path.startsWith(unknownFolder)).length
  const whose =
    known === files.length ? `of ${countOf(known, 'file')}` : `of ${countOf(known, 'file')}, and of unknown ones`
  return `the packs still have ${sizeText(bytes)} that the manifest lost, ${whose}: clew archive salvage DIR puts them together`
}

function mendedText({ lines, frames, packs, lost, linesLost }: MendReport): string {
  const parts = [
    [lines, 'line'],
    [frames, 'frame'],
    [packs, 'pack'],
  ] as const
  const done = parts.filter(([count]) => count > 0).map(([count, word]) => countOf(count, word))
  const gone = [
    ...(lost > 0 ? [countOf(lost, 'frame')] : []),
    ...(linesLost > 0 ? [`${countOf(linesLost, 'line')} of the manifest`] : []),
  ]
  const rest = gone.length > 0 ? `; ${gone.join(' and ')} lost for good` : ''
  return `${done.length > 0 ? `repaired ${done.join(', ')}` : 'nothing could be repaired'}${rest}`
}

function* damagedLines(damaged: readonly DamagedPart[]): Generator<string> {
  for (const { session, home, path, generation, from, bytes, reason } of damaged) {
    const who = session === null ? 'no session' : `session ${session}`
    const what = bytes > 0 ? `bytes ${from} to ${from + bytes}` : 'some of it'
    yield `  ${pc.red(escapeForLine(who))}: ${escapeForLine(`${home}/${path}`)}, generation ${generation}, ${what}: ${escapeForLine(reason)}`
  }
}
