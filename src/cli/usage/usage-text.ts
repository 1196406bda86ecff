// Reports of usage as lines for a terminal: rows, the rows below them, totals. Numbers come from the report as they are.

import type { UsageAmounts } from '../../usage/report.ts'
import { leadFor, namingFor, partCells, totalCells } from './usage-leads.ts'
import type { UsageAsk } from './usage-options.ts'
import { keyOf, type NamedReport, partsBy, type RowForm } from './usage-rows.ts'
import type { SessionNames } from './usage-sessions.ts'
import { type TextRow, usageTable } from './usage-table.ts'

export interface TextPaint {
  width: number
  sessions: SessionNames
  /** USD that a row may cost; absent where rows have no budget. */
  rowBudget?: number
  totalBudget?: number
  /** Small pictures of cost over time, by the row's name. */
  sparks: ReadonlyMap<string, string>
}

export function reportLines(report: NamedReport, form: RowForm, ask: UsageAsk, paint: TextPaint): string[] {
  const { width, sparks, rowBudget, totalBudget } = paint
  const lead = leadFor(form, width)
  const naming = namingFor(report, ask, paint.sessions)
  const unknown = unpricedModels(report.bounds.unknownModels, ask)
  const group = partsBy(form, ask)
  const rows = report.rows.flatMap(row => {
    const spark = sparks.get(keyOf(row, form))
    const main: TextRow = {
      ...amountsOf(row, unknown),
      ...shareOf(row, rowBudget),
      ...(spark === undefined ? {} : { spark }),
      kind: 'row',
      lead: lead.cells(row, naming),
    }
    const parts = group === undefined ? [] : (row.groups ?? [])
    return [main, ...parts.map(part => partRow(part, partCells(lead, part, group ?? 'model', naming), unknown))]
  })
  const total: TextRow = {
    ...amountsOf(report.totals, unknown),
    ...shareOf(report.totals, totalBudget),
    kind: 'total',
    lead: totalCells(lead, report.rows.length),
  }
  const hasModelRows = group === 'model' || form === 'model'
  const style = { width, isCompact: ask.isCompact, hasModelRows, shareHead: 'of budget' }
  return usageTable([...rows, total], lead.columns, style)
}

function partRow(part: UsageAmounts, lead: readonly string[], unknown: ReadonlySet<string>): TextRow {
  return { ...amountsOf(part, unknown), kind: 'part', lead }
}

function shareOf({ totalCost }: UsageAmounts, budget: number | undefined): { share?: number } {
  return budget === undefined || budget <= 0 ? {} : { share: totalCost / budget }
}

/** Models that cost something nobody knows. */
export function unpricedModels(unknownModels: readonly string[], { unknownAs }: UsageAsk): ReadonlySet<string> {
  return new Set(unknownAs === undefined ? unknownModels : [])
}

export function amountsOf(row: UsageAmounts, unknown: ReadonlySet<string>): Omit<TextRow, 'kind' | 'lead'> {
  const { inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens, totalTokens } = row
  const isGuessed = row.estimatedOutputTokens !== undefined
  return {
    inputTokens,
    outputTokens,
    cacheCreationTokens,
    cacheReadTokens,
    totalTokens,
    cost: row.totalCost,
    output: isGuessed ? 'estimate' : row.partialMessages === undefined ? 'sure' : 'least',
    isUnpriced: row.modelsUsed.some(model => unknown.has(model)),
    models: row.modelsUsed,
  }
}
