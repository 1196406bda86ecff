// `clew archive run`: archives what is new in the homes.

import { archiveSettingOf } from '../../../answers/archive-mode.ts'
import { archiveNow, type CaptureReport, printedRun } from '../../../answers/care/archive.ts'
import { UserError } from '../../../answers/error.ts'
import { sentence } from '../../../answers/file-errors.ts'
import type { Finding } from '../../../model/finding.ts'
import { countOf, sizeText } from '../../../view/words.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../../command.ts'
import { findingLine, flush, printJson, printLine, say } from '../../terminal/output.ts'

export async function run({ args, globals }: CommandInput): Promise<ExitCode> {
  if (args.length > 0) throw new UserError(`too many words: "${args.join(' ')}"; --root PATH names what to archive`)
  const { report, isFirst } = await archiveNow(globals.clew)
  // Why it ends with 1 is said in any case.
  for (const finding of report.findings) if (!globals.quiet || isLoss(finding)) say(findingLine(finding))
  if (globals.json) await printJson(printedRun(report))
  else if (!globals.quiet) await printLine(reportText(report))
  if (report.failure !== undefined) throw new UserError(failureText(report))
  if (isFirst && report.added > 0 && !globals.quiet && !globals.json) {
    await flush()
    say(`clew: ${afterFirst(globals)}`)
  }
  if (report.isStopped) {
    say('clew: stopped')
    return 130
  }
  if (report.files === 0 && globals.quiet) say(`clew: ${reportText(report)}`)
  return report.files === 0 || report.findings.some(isLoss) ? 1 : 0
}

/** What is not in the archive though it should be. */
function isLoss(finding: Finding): boolean {
  return finding.code === 'vanished-file' || finding.code === 'unreadable-file' || finding.code === 'missing-root'
}

/** One run archives nothing that comes later: users must know what does. */
function afterFirst(globals: GlobalOptions): string {
  const { mode, isChosen } = archiveSettingOf(globals.clew)
  const until = isChosen ? '' : ', until clew config set archive manual'
  const who =
    mode === 'auto'
      ? `from now on clew archives what is new whenever it reads your sessions${until}`
      : 'only this command archives what is new'
  return `${who}; clew archive install does it without you`
}

function failureText(report: CaptureReport): string {
  const done = report.committed > 0 ? `; ${countOf(report.committed, 'file')} were archived before that` : ''
  return `${sentence(report.failure?.message ?? '')}${done}`
}

/** `archived 148 files, 43 MB in 9.2 MB: 140 new, 8 grown`. */
function reportText(report: CaptureReport): string {
  const { added, grown, rewritten, moved, bytes, stored, files, leftOut } = report
  const parts = [
    [added, 'new'],
    [grown, 'grown'],
    [rewritten, 'rewritten (the earlier content stays)'],
    [moved, 'moved'],
  ] as const
  const counts = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`)
  const out = leftOut > 0 ? `; ${countOf(leftOut, 'file')} left out by rule` : ''
  const tail = report.isStopped ? '; stopped before the end, the next run goes on' : ''
  if (files === 0) return 'nothing to archive: no session was found'
  if (counts.length === 0) return `nothing new; ${countOf(files - leftOut, 'file')} looked at${out}${tail}`
  const changed = added + grown + rewritten
  const what = `archived ${countOf(changed, 'file')}, ${sizeText(bytes)} in ${sizeText(stored)}`
  return `${changed > 0 ? what : 'no new bytes'}: ${counts.join(', ')}${out}${tail}`
}
