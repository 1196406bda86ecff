// A damaged session as a new one that Claude Code resumes complete. A repair in place is a matter of src/write/replace.ts.

import type { RepairReport } from '../../schema/contract-shapes.ts'
import { planRepair, writeRepaired } from '../../write/repair-session.ts'
import type { Clew } from '../clew.ts'
import { sessionOf } from '../sessions/find.ts'
import { forceAdvice, withUserErrors } from './errors.ts'
import type { WriteQuery } from './fork.ts'

/** Nothing is written where nothing is damaged. */
export async function repair(clew: Clew, { word, isForced = false, isDry = false }: WriteQuery): Promise<RepairReport> {
  const files = await sessionOf(word, { ...clew, usesSample: false })
  const plan = await withUserErrors(() => planRepair(clew.source, files, { isForced }), forceAdvice)
  if (isDry || plan.report.changes.length === 0) return plan.report
  const written = await withUserErrors(() => writeRepaired(plan, { tree: clew.tree, isDry: false }))
  return { ...plan.report, dryRun: false, written }
}
