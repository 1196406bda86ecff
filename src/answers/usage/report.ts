// Reports of usage: what sessions used and cost, by day, session, project, model, block, tool, subagent or branch. The one
// answer for the command, the web app and the library; how it is painted is up to them.

import type { Reconciliation, UsageBlock, UsageBudget, UsageRow } from '../../schema/contract-shapes.ts'
import { type BlockReport, reportBlocks } from '../../usage/blocks.ts'
import { checkBudget } from '../../usage/budget.ts'
import type { UsageReport } from '../../usage/report.ts'
import type { Clew } from '../clew.ts'
import { type UsageData, usageData } from './data.ts'
import { readUsageQuery, type UsageQuery } from './options.ts'
import { commonOptions, namedReport, type RowForm } from './rows.ts'

/** What was asked, what it is made of, and the report: rows, blocks, or a comparison with what Claude Code stated. */
export interface UsageAnswer {
  query: UsageQuery
  data: UsageData
  budget: UsageBudget | null
  rows?: { form: RowForm; report: UsageReport }
  blocks?: { report: BlockReport; shown: UsageBlock[] }
  reconcile?: Reconciliation
}

/** `clew usage --json`: rows under the name of the report that was asked for. */
export interface PrintedUsage extends Partial<Record<RowForm, UsageRow[]>> {
  blocks?: UsageBlock[]
  totals?: UsageReport['totals']
  bounds?: UsageReport['bounds']
  budget?: UsageBudget
  /** Of `blocks`: tokens that a block may have. */
  tokenLimit?: number
  reconcile?: Reconciliation
  /** True where the index could not be refreshed: what is newest is not counted. */
  isStale?: boolean
}

/** Rows in the order of the report, `order` where it is given. `by` is `daily` where absent; options are those of the command. */
export async function reportUsage(
  clew: Clew,
  by: string | undefined,
  options: Readonly<Record<string, unknown>>,
): Promise<UsageAnswer> {
  const query = readUsageQuery(clew, by, options, Date.now())
  if (query.session !== undefined) query.session = await sessionNamed(query.session, clew)
  const data = await dataFor(query, clew)
  if (query.isReconciled) {
    const { reconciled } = await import('./reconcile.ts')
    return { query, data, budget: null, reconcile: await reconciled(query, data, clew) }
  }
  const budget = query.budget === undefined ? null : checkBudget(data.cells, commonOptions(query, data), query.budget)
  if (query.form !== 'blocks')
    return { query, data, budget, rows: { form: query.form, report: namedReport(query.form, query, data) } }
  const { tokenLimit, now } = query
  const report = reportBlocks(data.cells, { ...commonOptions(query, data), now, tokenLimit })
  return { query, data, budget, blocks: { report, shown: shownBlocks(report, query) } }
}

/** What `clew usage --json` prints of it. */
export function printedUsage({ query, data, budget, rows, blocks, reconcile }: UsageAnswer): PrintedUsage {
  if (reconcile !== undefined) return { reconcile }
  const { fault } = query.pricing
  const facts = ({ totals, bounds }: Pick<UsageReport, 'totals' | 'bounds'>) => ({
    totals,
    bounds: { ...bounds, ...(fault !== undefined && { pricesFault: fault }) },
    ...(budget !== null && { budget }),
    ...(data.isStale && { isStale: true }),
  })
  if (blocks !== undefined) {
    const { report, shown } = blocks
    return { blocks: shown, ...facts(report), ...(report.tokenLimit !== null && { tokenLimit: report.tokenLimit }) }
  }
  if (rows === undefined) throw new Error('a report has rows, blocks or a comparison')
  return { [rows.form]: printedRows(rows.report, query), ...facts(rows.report) }
}

/** Models are in every row anyway. */
function printedRows({ rows }: UsageReport, { group }: UsageQuery): UsageRow[] {
  return group === undefined ? rows.map(({ groups: _groups, ...row }) => row) : rows
}

const recentMillis = 3 * 86_400_000

function shownBlocks({ blocks }: BlockReport, { onlyActive, onlyRecent, order, now }: UsageQuery): UsageBlock[] {
  const isRecent = ({ end }: UsageBlock) => end !== null && Date.parse(end) > now - recentMillis
  const shown = blocks.filter(block => (!onlyActive || block.isActive) && (!onlyRecent || isRecent(block)))
  // A gap before the first block shows nothing.
  while (shown[0]?.kind === 'gap') shown.shift()
  if (order === 'desc') return shown.reverse()
  if (order !== 'cost') return shown
  return shown.filter(block => block.kind !== 'gap').sort((one, other) => other.totalCost - one.totalCost)
}

/** What few reports need is loaded when it is needed: a report should not wait for code that it does not use. */
async function sessionNamed(text: string, clew: Clew): Promise<string> {
  const { sessionOf } = await import('../sessions/find.ts')
  return (await sessionOf(text, clew)).id
}

async function dataFor(query: UsageQuery, clew: Clew): Promise<UsageData> {
  if (query.form !== 'branch' && query.form !== 'git-branch') return usageData(query, clew)
  const { dataInside } = await import('./branches.ts')
  return dataInside(query, clew)
}
