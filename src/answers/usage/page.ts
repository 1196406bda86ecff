// Reports of usage as the web app shows them: what `clew usage` prints, each row with what it is called.

import { csvLine } from '../../render/csv.ts'
import { blocksCsv, usageCsv } from '../../render/usage-csv.ts'
import type { UsageBlock, UsageRow } from '../../schema/contract-shapes.ts'
import { keyOf, type UsageGrouping } from '../../usage/report.ts'
import type { Clew } from '../clew.ts'
import type { QueryWords, UsageAnswerJson, UsageRowJson } from '../shapes.ts'
import type { UsageData } from './data.ts'
import { printedUsage, reportUsage, type UsageAnswer } from './report.ts'

export async function usageAnswer(clew: Clew, query: QueryWords): Promise<UsageAnswerJson> {
  const answer = await reportFor(clew, query)
  const { totals, bounds } = printedUsage(answer)
  if (totals === undefined || bounds === undefined) throw new Error('a report has totals')
  const { form, isEstimated } = answer.query
  return { by: form, rows: rowsOf(answer), totals, bounds: { ...bounds, isEstimated } }
}

/** As `clew usage --csv` prints it. */
export async function usageCsvText(clew: Clew, query: QueryWords): Promise<string> {
  const { rows, blocks } = await reportFor(clew, query)
  const lines =
    blocks !== undefined ? blocksCsv(blocks.shown, false) : usageCsv(rows?.report.rows ?? [], rows?.form ?? 'daily')
  return lines.map(cells => `${csvLine(cells)}\n`).join('')
}

function reportFor(clew: Clew, { by, estimate, ...query }: QueryWords): Promise<UsageAnswer> {
  return reportUsage(clew, by, { ...query, estimate: estimate === '1' || estimate === 'true' })
}

function rowsOf({ rows, blocks, data }: UsageAnswer): UsageRowJson[] {
  if (blocks !== undefined) return blocks.shown.filter(({ kind }) => kind !== 'gap').map(namedBlock)
  return rows?.report.rows.map(row => namedRow(row, rows.form, data)) ?? []
}

function namedRow(row: UsageRow, by: UsageGrouping, { sessions }: UsageData): UsageRowJson {
  const key = keyOf(row, by)
  const label = by === 'session' ? sessions.title(key) : by === 'project' ? (sessions.projects.nameOf(key) ?? key) : key
  return { ...row, key, label }
}

function namedBlock(block: UsageBlock): UsageRowJson {
  const key = block.start ?? 'unknown'
  return { ...block, key, label: block.end === null ? key : `${key}/${block.end}` }
}
