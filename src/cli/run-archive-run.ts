// `clew archive run`: keeps what is new in the homes.

import { type KeepReport, keep } from '../archive/keep.ts'
import type { Finding } from '../model/finding.ts'
import { countOf, sizeText } from '../view/words.ts'
import { archiveMode, archiveRoots, excludeRules, openArchive, telling } from './archive-open.ts'
import type { CommandInput, ExitCode, GlobalOptions } from './command.ts'
import { UserError } from './command.ts'
import { findingLine, printJson, printLine, say } from './output.ts'
import { type Progress, startProgress } from './progress.ts'

export async function run({ args, globals }: CommandInput): Promise<ExitCode> {
  if (args.length > 0) throw new UserError(`too many words: "${args.join(' ')}"; --root PATH names what to keep`)
  if (archiveMode(globals) === 'off') {
    throw new UserError('the config says archive off; clew config set archive manual lets it run')
  }
  const roots = archiveRoots(globals)
  if (roots.length === 0) throw new UserError('no Claude home found; --root PATH names one')
  const report = await telling(() => keepWithProgress(roots, globals))
  for (const finding of report.findings) if (!globals.quiet) say(findingLine(finding))
  if (globals.json) await printJson(jsonOf(report))
  else if (!globals.quiet) await printLine(reportText(report))
  if (report.failure !== undefined) throw new UserError(failureText(report))
  return report.findings.some(isLoss) ? 1 : 0
}

/** What is not in the archive though it should be. */
function isLoss(finding: Finding): boolean {
  return finding.code === 'vanished-file' || finding.code === 'unreadable-file' || finding.code === 'missing-root'
}

async function keepWithProgress(roots: readonly string[], globals: GlobalOptions): Promise<KeepReport> {
  let progress: Progress | undefined
  let isStopped = false
  const stop = () => {
    isStopped = true
  }
  process.once('SIGINT', stop)
  try {
    return await keep(openArchive(globals), {
      roots,
      exclude: excludeRules(globals),
      begin: total => {
        progress = startProgress({ what: 'keeping', total, isQuiet: globals.quiet })
      },
      progress: bytes => progress?.add(bytes),
      isStopped: () => isStopped,
    })
  } finally {
    process.off('SIGINT', stop)
    progress?.end()
  }
}

function jsonOf(report: KeepReport) {
  const { failure, ...rest } = report
  return { ...rest, ...(failure !== undefined && { failure: failure.message }) }
}

function failureText(report: KeepReport): string {
  const done = report.committed > 0 ? `; ${countOf(report.committed, 'file')} were kept before that` : ''
  return `${(report.failure?.message ?? '').replace(/\.$/, '')}${done}`
}

/** `kept 148 files, 43 MB in 9.2 MB: 140 new, 8 grown`. */
function reportText(report: KeepReport): string {
  const { added, grown, rewritten, moved, bytes, stored, files, leftOut } = report
  const parts = [
    [added, 'new'],
    [grown, 'grown'],
    [rewritten, 'rewritten (the earlier content stays)'],
    [moved, 'moved'],
  ] as const
  const told = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`)
  const out = leftOut > 0 ? `; ${countOf(leftOut, 'file')} left out by rule` : ''
  const tail = report.isStopped ? '; stopped before the end' : ''
  if (told.length === 0) return `nothing new; ${countOf(files - leftOut, 'file')} looked at${out}${tail}`
  const changed = added + grown + rewritten
  return `kept ${countOf(changed, 'file')}, ${sizeText(bytes)} in ${sizeText(stored)}: ${told.join(', ')}${out}${tail}`
}
