// `clew usage`: what sessions used and cost, as a table, comma-separated values or JSON. It asks for the report and prints it.

import pc from 'picocolors'
import { printedUsage, reportUsage, type UsageAnswer } from '../../answers/usage/report.ts'
import { partsBy, type RowForm } from '../../answers/usage/rows.ts'
import { wrapWords } from '../../render/terminal/charts.ts'
import { leastWidth, outputWidth } from '../../render/terminal/style.ts'
import { blocksCsv, usageCsv } from '../../render/usage-csv.ts'
import type { UsageBudget } from '../../schema/contract-shapes.ts'
import type { Budget } from '../../usage/budget.ts'
import type { UsageReport } from '../../usage/report.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { findingLine, isOutputClosed, printCsv, printJson, printLine, reportUnread, say } from '../terminal/output.ts'
import { blockLines, budgetNote, reportLines, sparks, usageNotes } from '../usage/text.ts'

interface UsageContext extends UsageAnswer {
  globals: GlobalOptions
  width: number
}

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  const answer = await reportUsage(globals.clew, args[0], options)
  const context = { ...answer, globals, width: Math.max(leastWidth, outputWidth()) }
  const { data, budget } = answer
  await reportSources(context)
  if (answer.reconcile !== undefined) return printReconciled(answer.reconcile, context)
  const isFound = await printReport(context)
  const isUnread = !isFound && data.findings.some(finding => finding.severity === 'error')
  if (isUnread) return 2
  // Where nothing was used, a budget is kept.
  if (budget !== null) {
    const over = overBudget(budget)
    if (over !== null && (globals.json || globals.quiet || options['csv'] === true)) say(`clew: ${over}`)
    return budget.isExceeded ? 1 : 0
  }
  return isFound ? 0 : 1
}

/** What the answer is made of, where that is not what people expect. */
async function reportSources({ data, globals: { quiet } }: UsageContext): Promise<void> {
  const { cells, findings, isStale } = data
  if (cells.length === 0) for (const finding of findings) say(findingLine(finding))
  const unread = findings.filter(finding => finding.code.startsWith('unreadable'))
  if (cells.length > 0 && unread.length > 0) reportUnread(unread, quiet)
  if (quiet) return
  if (isStale) say('clew: the index could not be refreshed: what is newest is not counted')
}

/** False where there is nothing to report. */
async function printReport(context: UsageContext): Promise<boolean> {
  const { query, globals, rows, blocks } = context
  const isFound = (rows?.report.rows ?? blocks?.shown ?? []).length > 0
  if (globals.json) await printJson(printedUsage(context))
  else if (query.isCsv) await printCsv(csvOf(context))
  else if (isFound && rows !== undefined) await printRows(rows.form, rows.report, context)
  else if (isFound && blocks !== undefined) {
    await printLines(blockLines(blocks.report, blocks.shown, query, context.width))
    await printNotes(usageNotes(blocks.report.bounds, query), context)
  }
  if (!isFound) sayNothing(context)
  return isFound
}

function csvOf({ query, rows, blocks }: UsageContext): ReturnType<typeof usageCsv> {
  if (blocks !== undefined) return blocksCsv(blocks.shown, blocks.report.tokenLimit !== null)
  return rows === undefined ? [] : usageCsv(rows.report.rows, rows.form, partsBy(rows.form, query))
}

async function printRows(form: RowForm, report: UsageReport, context: UsageContext): Promise<void> {
  const { query, data, width } = context
  const pictures = sparks(report, form, query, data, width)
  const shown = { width, sessions: data.sessions, sparks: pictures, ...budgetOf(form, query.budget) }
  await printLines(reportLines(report, form, query, shown))
  await printNotes([...usageNotes(report.bounds, query)], context)
}

const budgetForms = { day: 'daily', week: 'weekly', month: 'monthly', report: '' } as const

/** What a row may cost: only where rows are the periods that the budget is for. */
function budgetOf(form: RowForm, budget: Budget | undefined): { rowBudget?: number; totalBudget?: number } {
  if (budget === undefined) return {}
  if (budget.per === 'report') return { totalBudget: budget.usd }
  return budgetForms[budget.per] === form ? { rowBudget: budget.usd } : {}
}

async function printReconciled(
  report: NonNullable<UsageAnswer['reconcile']>,
  context: UsageContext,
): Promise<ExitCode> {
  const { query, data, globals, width } = context
  const { reconcileCsv, reconcileLines, reconcileNotes } = await import('../usage/reconcile-text.ts')
  if (globals.json) await printJson(printedUsage(context))
  else if (query.isCsv) await printCsv(reconcileCsv(report))
  else if (report.rows.length > 0) {
    await printLines(reconcileLines(report, data, width))
    await printNotes([...reconcileNotes(report), `prices of ${query.pricing.prices.date}`], context)
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
async function printNotes(notes: readonly string[], { budget, globals, width }: UsageContext): Promise<void> {
  const over = overBudget(budget)
  if (globals.quiet) return
  await printLine('')
  if (over !== null) await printLines(wrapWords(over, width).map(line => pc.red(line)))
  await printLines(notes.flatMap(note => wrapWords(note, width)).map(line => pc.dim(line)))
}

function overBudget(budget: UsageBudget | null): string | null {
  return budget === null ? null : budgetNote(budget)
}
