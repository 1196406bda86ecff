// `clew usage`: what sessions used and cost, as a table, comma-separated values or JSON. It asks for cells, has them reported
// and prints; it counts and prices nothing itself.

import pc from 'picocolors'
import { wrapWords } from '../../render/terminal/charts.ts'
import { leastWidth, outputWidth } from '../../render/terminal/style.ts'
import { blocksCsv, usageCsv } from '../../render/usage-csv.ts'
import type { Reconciliation, UsageBlock, UsageBudget, UsageRow } from '../../schema/contract-shapes.ts'
import { type BlockReport, reportBlocks } from '../../usage/blocks.ts'
import { type Budget, checkBudget } from '../../usage/budget.ts'
import type { UsageReport } from '../../usage/report.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { findingLine, isOutputClosed, printCsv, printJson, printLine, say } from '../terminal/output.ts'
import { type UsageData, usageData } from '../usage/data.ts'
import { readUsageQuery, type UsageQuery } from '../usage/options.ts'
import { commonOptions, namedReport, partsBy, type RowForm } from '../usage/rows.ts'
import { blockLines, budgetNote, reportLines, sparks, usageNotes } from '../usage/text.ts'

interface UsageContext {
  query: UsageQuery
  data: UsageData
  globals: GlobalOptions
  width: number
}

export async function run(input: CommandInput): Promise<ExitCode> {
  const context = await contextFor(input)
  const { query, data } = context
  if (query.isReconciled) return printReconciled(context)
  await reportSources(context)
  const budget = budgetFor(context)
  const isFound =
    query.form === 'blocks' ? await printBlocks(context, budget) : await printReport(query.form, context, budget)
  if (!isFound) return data.findings.some(finding => finding.severity === 'error') ? 2 : 1
  return budget?.isExceeded ? 1 : 0
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

/** What `clew usage --json` prints. */
export async function usageAnswer(input: Question): Promise<PrintedUsage> {
  const context = await contextFor(input)
  const { query, data, globals } = context
  if (query.isReconciled) {
    const { reconciled } = await import('../usage/reconcile.ts')
    return { reconcile: await reconciled(query, data, globals) }
  }
  const budget = budgetFor(context)
  if (query.form !== 'blocks') return printedReport(query.form, namedReport(query.form, query, data), context, budget)
  const report = blocksFor(context)
  return printedBlocks(report, shownBlocks(report, query), context, budget)
}

type Question = Pick<CommandInput, 'args' | 'options' | 'globals'>

async function contextFor(input: Question): Promise<UsageContext> {
  const { globals } = input
  const query = readUsageQuery(input, Date.now())
  if (query.session !== undefined) query.session = await sessionNamed(query.session, globals)
  return { query, data: await dataFor(query, globals), globals, width: Math.max(leastWidth, outputWidth()) }
}

function budgetFor({ query, data }: UsageContext): UsageBudget | null {
  return query.budget === undefined ? null : checkBudget(data.cells, commonOptions(query, data), query.budget)
}

/** What few reports need is loaded when it is needed: a report should not wait for code that it does not use. */
async function sessionNamed(text: string, globals: GlobalOptions): Promise<string> {
  const { sessionOf } = await import('../input.ts')
  return (await sessionOf(text, globals)).id
}

async function dataFor(query: UsageQuery, globals: GlobalOptions): Promise<UsageData> {
  if (query.form !== 'branch' && query.form !== 'git-branch') return usageData(query, globals)
  const { dataInside } = await import('../usage/branches.ts')
  return dataInside(query, globals)
}

/** What the answer is made of, where that is not what people expect. */
async function reportSources({ data, globals: { quiet, json } }: UsageContext): Promise<void> {
  const { cells, findings, isSample, isStale } = data
  if (cells.length === 0) for (const finding of findings) say(findingLine(finding))
  const unread = findings.filter(finding => finding.code.startsWith('unreadable'))
  if (cells.length > 0 && unread.length > 0) (await import('./ls.ts')).reportUnread(unread, quiet)
  if (quiet) return
  if (isSample && !json) say('clew: you have no sessions yet; this is the bundled sample history')
  if (isStale) say('clew: the index could not be refreshed: what is newest is not counted')
}

async function printReport(form: RowForm, context: UsageContext, budget: UsageBudget | null): Promise<boolean> {
  const { query, data, globals, width } = context
  const report = namedReport(form, query, data)
  if (globals.json) await printJson(printedReport(form, report, context, budget))
  else if (query.isCsv) await printCsv(usageCsv(report.rows, form, partsBy(form, query)))
  else if (report.rows.length > 0) {
    const pictures = sparks(report, form, query, data, width)
    const shown = { width, sessions: data.sessions, sparks: pictures, ...budgetOf(form, query.budget) }
    await printLines(reportLines(report, form, query, shown))
    await printNotes([...usageNotes(report.bounds, query)], budget, context)
  }
  if (report.rows.length === 0) sayNothing(context)
  return report.rows.length > 0
}

function printedReport(
  form: RowForm,
  report: UsageReport,
  context: UsageContext,
  budget: UsageBudget | null,
): PrintedUsage {
  return { [form]: printedRows(report, context.query), ...facts(report, context, budget) }
}

/** Models are in every row anyway. */
function printedRows({ rows }: UsageReport, { group }: UsageQuery): UsageRow[] {
  return group === undefined ? rows.map(({ groups: _groups, ...row }) => row) : rows
}

function facts(
  { totals, bounds }: Pick<UsageReport, 'totals' | 'bounds'>,
  { data }: UsageContext,
  budget: UsageBudget | null,
) {
  return { totals, bounds, ...(budget !== null && { budget }), ...(data.isStale && { isStale: true }) }
}

const budgetForms = { day: 'daily', week: 'weekly', month: 'monthly', report: '' } as const

/** What a row may cost: only where rows are the periods that the budget is for. */
function budgetOf(form: RowForm, budget: Budget | undefined): { rowBudget?: number; totalBudget?: number } {
  if (budget === undefined) return {}
  if (budget.per === 'report') return { totalBudget: budget.usd }
  return budgetForms[budget.per] === form ? { rowBudget: budget.usd } : {}
}

const recentMillis = 3 * 86_400_000

async function printBlocks(context: UsageContext, budget: UsageBudget | null): Promise<boolean> {
  const { query, globals, width } = context
  const report = blocksFor(context)
  const blocks = shownBlocks(report, query)
  if (globals.json) await printJson(printedBlocks(report, blocks, context, budget))
  else if (query.isCsv) await printCsv(blocksCsv(blocks, report.tokenLimit !== null))
  else if (blocks.length > 0) {
    await printLines(blockLines(report, blocks, query, width))
    await printNotes(usageNotes(report.bounds, query), budget, context)
  }
  if (blocks.length === 0) sayNothing(context)
  return blocks.length > 0
}

function blocksFor({ query, data }: UsageContext): BlockReport {
  const { tokenLimit, now } = query
  return reportBlocks(data.cells, { ...commonOptions(query, data), now, tokenLimit })
}

function printedBlocks(
  report: BlockReport,
  blocks: UsageBlock[],
  context: UsageContext,
  budget: UsageBudget | null,
): PrintedUsage {
  return { blocks, ...facts(report, context, budget), ...limitOf(report) }
}

function limitOf({ tokenLimit }: BlockReport): { tokenLimit?: number } {
  return tokenLimit === null ? {} : { tokenLimit }
}

function shownBlocks({ blocks }: BlockReport, { onlyActive, onlyRecent, order, now }: UsageQuery): UsageBlock[] {
  const isRecent = ({ end }: UsageBlock) => end !== null && Date.parse(end) > now - recentMillis
  const shown = blocks.filter(block => (!onlyActive || block.isActive) && (!onlyRecent || isRecent(block)))
  // A gap before the first block shows nothing.
  while (shown[0]?.kind === 'gap') shown.shift()
  if (order === 'desc') return shown.reverse()
  if (order !== 'cost') return shown
  return shown.filter(block => block.kind !== 'gap').sort((one, other) => other.totalCost - one.totalCost)
}

async function printReconciled(context: UsageContext): Promise<ExitCode> {
  const { query, data, globals, width } = context
  const { reconcileCsv, reconciled, reconcileLines, reconcileNotes } = await import('../usage/reconcile.ts')
  const report = await reconciled(query, data, globals)
  await reportSources(context)
  if (globals.json) await printJson({ reconcile: report })
  else if (query.isCsv) await printCsv(reconcileCsv(report))
  else if (report.rows.length > 0) {
    await printLines(reconcileLines(report, data, width))
    await printNotes([...reconcileNotes(report), `prices of ${query.prices.table.date}`], null, context)
  }
  if (report.rows.length > 0) return 0
  if (!globals.quiet) say('clew: nothing to compare with: Claude Code wrote down no cost here')
  return 1
}

function sayNothing({ query, data, globals }: UsageContext): void {
  if (globals.quiet) return
  if (data.cells.length === 0) say('clew: no usage found; --root PATH names a Claude home')
  else if (query.onlyActive) say('clew: no block is running')
  else say('clew: no usage matches; try fewer filters')
}

async function printLines(lines: readonly string[]): Promise<void> {
  for (const line of lines) {
    if (isOutputClosed()) return
    await printLine(line)
  }
}

/** They belong to the report, so that a report in a file says the same. */
async function printNotes(notes: readonly string[], budget: UsageBudget | null, context: UsageContext): Promise<void> {
  const over = budget === null ? null : budgetNote(budget)
  if (context.globals.quiet) return
  await printLine('')
  if (over !== null) await printLines(wrapWords(over, context.width).map(line => pc.red(line)))
  await printLines(notes.flatMap(note => wrapWords(note, context.width)).map(line => pc.dim(line)))
}
