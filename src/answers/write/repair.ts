// A damaged session as one that Claude Code resumes complete: a new one, or the same files with their former bytes in the
// archive. What is changed is decided in src/write/edit.

import { lstatSync } from 'node:fs'
import type { Places } from '../../archive/read/places.ts'
import { escapeForLine } from '../../base/escape.ts'
import type { SessionFiles } from '../../model/source.ts'
import type { RepairReport } from '../../schema/contract-shapes.ts'
import { textOf } from '../../write/edit/repaired.ts'
import { planRepair, writeRepaired } from '../../write/repair-session.ts'
import { replaceLog } from '../../write/replace.ts'
import { openArchive } from '../care/archive-open.ts'
import type { Clew } from '../clew.ts'
import { UserError } from '../error.ts'
import { forceAdvice, withUserErrors } from './errors.ts'
import { filesOf, type WriteQuery } from './fork.ts'

/** `written` is absent where nothing is damaged; a dry run says what would be written. */
export async function repair(clew: Clew, query: WriteQuery): Promise<RepairReport> {
  const files = await filesOf(clew, query)
  return withUserErrors(() => repairFiles(clew, files, query), forceAdvice)
}

/** The same of a session that is known. Throws errors of the writer. */
export async function repairFiles(
  { source, tree }: Places,
  files: SessionFiles,
  { isForced = false, isDry = false }: Omit<WriteQuery, 'word'>,
): Promise<RepairReport> {
  const plan = await planRepair(source, files, { isForced })
  if (plan.report.changes.length === 0) return plan.report
  return { ...plan.report, dryRun: isDry, written: await writeRepaired(plan, { tree, isDry }) }
}

/** Its own files are replaced, what they were before is archived. `undo`: a command for each file. */
export async function repairInPlace(clew: Clew, query: WriteQuery): Promise<{ report: RepairReport; undo: string[] }> {
  const { isForced = false, isDry = false } = query
  const files = await filesOf(clew, query)
  const { repaired, report } = await withUserErrors(() => planRepair(clew.source, files, { isForced }), forceAdvice)
  const undo: string[] = []
  if (isDry || report.changes.length === 0) return { report: { ...report, inPlace: true }, undo }
  const archive = openArchive(clew)
  for (const { file, before, lines, changes } of repaired.files) {
    if (changes.length === 0) continue
    if (file.isArchiveOnly === true)
      throw new UserError(`${escapeForLine(file.path)} is no longer on disk; repair it without --in-place`)
    if (isLink(file.path)) throw new UserError(`${escapeForLine(file.path)} is a link; repair it without --in-place`)
    const number = await withUserErrors(() =>
      replaceLog(archive, file.path, { before, after: textOf(lines) }, { clewHome: clew.home }),
    )
    undo.push(`clew archive restore ${report.session}@${number} --overwrite`)
  }
  return { report: { ...report, dryRun: false, inPlace: true, undo: undo[0] ?? '' }, undo }
}

/** What it links to is in no home, or in another place of one: the archive could not give it back by this path. */
function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}
