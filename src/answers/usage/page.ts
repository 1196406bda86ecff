// Reports of usage as the web app shows them: those of `clew usage`, each row with what it is called.

import { csvLine } from '../../render/csv.ts'
import { blocksCsv, usageCsv } from '../../render/usage-csv.ts'
import type { UsageAmounts, UsageBlock, UsageBounds, UsageRow } from '../../schema/contract-shapes.ts'
import { keyOf, type UsageGrouping } from '../../usage/report.ts'
import type { Clew } from '../clew.ts'
import type { QueryWords, UsageAnswerJson, UsageRowJson } from '../shapes.ts'
import type { UsageData } from './data.ts'
import { reportUsage, type UsageAnswer } from './report.ts'

export async function usageAnswer(clew: Clew, query: QueryWords): Promise<UsageAnswerJson> {
  const answer = await asked(clew, query)
  const { rows, blocks, data } = answer
  if (blocks !== undefined) return answerOf(answer, blocks.shown.flatMap(blockRow), blocks.report)
  if (rows === undefined) throw new Error('a report has rows or blocks')
  const { form, report } = rows
  return answerOf(
    answer,
    report.rows.map(row => rowOf(row, form, data)),
    report,
  )
}

/** As `clew usage --csv` prints it. */
export async function usageCsvText(clew: Clew, query: QueryWords): Promise<string> {
  const { rows, blocks } = await asked(clew, query)
  const lines =
    blocks !== undefined ? blocksCsv(blocks.shown, false) : usageCsv(rows?.report.rows ?? [], rows?.form ?? 'daily')
  return lines.map(cells => `${csvLine(cells)}\n`).join('')
}

function asked(clew: Clew, { by, estimate, ...query }: QueryWords): Promise<UsageAnswer> {
  return reportUsage(clew, by, { ...query, estimate: estimate === '1' || estimate === 'true' })
}

function rowOf(row: UsageRow, by: UsageGrouping, { sessions }: UsageData): UsageRowJson {
  const key = keyOf(row, by)
  const label = by === 'session' ? sessions.title(key) : by === 'project' ? (sessions.projects.nameOf(key) ?? key) : key
  return { key, label, ...amountsOf(row) }
}

/** Gaps between blocks are not rows. */
function blockRow(block: UsageBlock): UsageRowJson[] {
  if (block.kind === 'gap') return []
  const key = block.start ?? 'unknown'
  return [{ key, label: block.end === null ? key : `${key}/${block.end}`, ...amountsOf(block) }]
}

function amountsOf(amounts: UsageAmounts): Omit<UsageRowJson, 'key' | 'label'> {
  return {
    inputTokens: amounts.inputTokens,
    outputTokens: amounts.outputTokens,
    cacheCreationTokens: amounts.cacheCreationTokens,
    cacheReadTokens: amounts.cacheReadTokens,
    totalTokens: amounts.totalTokens,
    costUSD: amounts.totalCost,
    partialMessages: amounts.partialMessages ?? 0,
    models: amounts.modelBreakdowns.map(({ modelName, cost, ...tokens }) => ({
      model: modelName,
      totalTokens: Object.values(tokens).reduce((sum, count) => sum + count, 0),
      costUSD: cost,
    })),
  }
}

function answerOf(
  { query }: UsageAnswer,
  rows: UsageRowJson[],
  { totals, bounds }: { totals: UsageAmounts; bounds: UsageBounds },
): UsageAnswerJson {
  const { messages, messagesWithPartialOutput, estimatedOutputTokens, unknownModels, pricesDate } = bounds
  const { fault } = query.pricing
  return {
    by: query.form,
    rows,
    totals: amountsOf(totals),
    bounds: {
      ...{ messages, messagesWithPartialOutput, unknownModels, pricesDate, isEstimated: query.isEstimated },
      ...(fault !== undefined && { pricesFault: fault }),
      ...(estimatedOutputTokens !== undefined && { estimatedOutputTokens }),
    },
  }
}
