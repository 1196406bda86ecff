// `clew archive verify`: whether every bit of the archive is as it was written, and who suffers where it is not.

import pc from 'picocolors'
import { type DamagedPart, type VerifyReport, verifyArchive } from '../archive/verify.ts'
import { escapeForLine } from '../base/escape.ts'
import { countOf, sizeText } from '../view/words.ts'
import { existingArchive, telling } from './archive-open.ts'
import type { CommandInput, ExitCode } from './command.ts'
import { UserError } from './command.ts'
import { findingLine, printJson, printLine } from './output.ts'
import { startProgress } from './progress.ts'

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  if (args.length > 0) throw new UserError(`too many words: "${args.join(' ')}"; verify looks at all that is kept`)
  const archive = existingArchive(globals)
  const isQuick = options['quick'] === true
  const progress = startProgress({ what: 'verifying', isQuiet: globals.quiet })
  let report: VerifyReport
  try {
    report = await telling(() => verifyArchive(archive, { isQuick, progress: bytes => progress.add(bytes) }))
  } finally {
    progress.end()
  }
  if (globals.json) await printJson({ quick: isQuick, ...report })
  else for (const line of reportLines(report, isQuick)) await printLine(line)
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
  if (damaged.length === 0) yield 'no session lost anything by it'
}

function* damagedLines(damaged: readonly DamagedPart[]): Generator<string> {
  for (const { session, home, path, generation, from, bytes, reason } of damaged) {
    const who = session === null ? 'no session' : `session ${session}`
    const what = bytes > 0 ? `bytes ${from} to ${from + bytes}` : 'some of it'
    yield `  ${pc.red(escapeForLine(who))}: ${escapeForLine(`${home}/${path}`)}, generation ${generation}, ${what}: ${escapeForLine(reason)}`
  }
}
