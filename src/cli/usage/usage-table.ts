// Rows of usage as a table that fits the terminal: names, tokens, cost, a bar of the cost. What rows there are and what they
// sum up to comes in; nothing is added here.

import pc from 'picocolors'
import { columnsOf } from '../../base/width.ts'
import { bar, isPlainTerminal, percent } from '../../render/terminal/charts.ts'
import { type Column, tableLines } from '../../render/terminal/table.ts'
import { modelName } from '../list/list-text.ts'
import { type Certainty, marksFor, moneyText, tokensText } from './usage-numbers.ts'

/** One line of the table; `part` is a line below a row, `total` the last one. */
export interface TextRow {
  kind: 'row' | 'part' | 'total'
  /** One for each of the leading columns. */
  lead: readonly string[]
  inputTokens: number
  outputTokens: number
  cacheCreationTokens: number
  cacheReadTokens: number
  totalTokens: number
  cost: number
  output: Certainty
  /** Whether a model in it has no price. */
  isUnpriced: boolean
  /** As logged. */
  models: readonly string[]
  /** Share of what it may use, of a budget or a limit; absent without one. */
  share?: number
  /** It is happening now. */
  isNow?: boolean
  /** Small picture of its cost over time. */
  spark?: string
}

/** A column before the numbers; the first is the row's name. */
export type LeadColumn = Omit<Column<TextRow>, 'cell'>

export interface TableStyle {
  width: number
  isCompact: boolean
  /** Rows are models, or the rows below them are: a column that names models says nothing. */
  hasModelRows: boolean
  /** What `share` is a share of. */
  shareHead?: string
}

/** Below this, numbers are written short; names need room too. */
const wideEnough = { oneName: 100, moreNames: 130 }
const sparkHead = 'over time'

export function usageTable(rows: readonly TextRow[], lead: readonly LeadColumn[], style: TableStyle): string[] {
  const columns = [...leadColumns(lead), ...numberColumns(rows, lead.length, style)]
  const lines = [...tableLines(rows, columns, style.width, pc.dim)].map(line => line.trimEnd())
  if (rows.at(-1)?.kind !== 'total') return lines
  const widest = Math.max(...lines.map(line => columnsOf(plain(line))))
  const rule = pc.dim((isPlainTerminal() ? '-' : '─').repeat(Math.min(widest, style.width)))
  return [...lines.slice(0, -1), rule, ...lines.slice(-1)]
}

/** Without the colours that are in it. */
function plain(text: string): string {
  return text.replace(/\u001b\[\d+m/g, '')
}

function leadColumns(lead: readonly LeadColumn[]): Column<TextRow>[] {
  return lead.map((column, at) => ({
    ...column,
    cell: row => row.lead[at] ?? '',
    paint: (text, row) => toned(text, row, column.paint),
  }))
}

function toned(text: string, row: TextRow, usual: Column<TextRow>['paint']): string {
  // Colours around blanks would keep a line from ending where its text does.
  if (text.trim() === '') return text
  if (row.kind === 'total') return pc.bold(text)
  if (row.kind === 'part') return pc.dim(text)
  if (row.isNow) return pc.green(text)
  return usual === undefined ? text : usual(text, row)
}

function numberColumns(rows: readonly TextRow[], names: number, style: TableStyle): Column<TextRow>[] {
  const enough = names > 1 ? wideEnough.moreNames : wideEnough.oneName
  const isShort = style.isCompact || style.width < enough
  const marks = marksFor(isPlainTerminal())
  const mark = ({ output }: TextRow) => (output === 'sure' ? '' : output === 'least' ? marks.least : marks.estimate)
  const guess = ({ output }: TextRow) => (output === 'estimate' ? marks.estimate : '')
  const number = (name: string, of: (row: TextRow) => string, keep?: number): Column<TextRow> => ({
    name,
    cell: of,
    align: 'right',
    ...(keep === undefined ? {} : { keep }),
    paint: (text, row) => toned(text, row, undefined),
  })
  const tokens = (count: number) => tokensText(count, isShort)
  const columns = [
    number('input', row => tokens(row.inputTokens), 40),
    number('output', row => mark(row) + tokens(row.outputTokens), 45),
    number('cache write', row => tokens(row.cacheCreationTokens), 30),
    number('cache read', row => tokens(row.cacheReadTokens), 35),
    number('tokens', row => guess(row) + tokens(row.totalTokens), 80),
    number('cost', row => guess(row) + costText(row)),
  ]
  const shown = style.isCompact ? columns.slice(-2) : columns
  return [...shown, ...pictureColumns(rows, style), ...(style.isCompact ? [] : modelColumn(style))]
}

/** What has no price is not nothing. */
function costText({ cost, isUnpriced }: TextRow): string {
  if (!isUnpriced) return moneyText(cost)
  return cost === 0 ? '?' : `${moneyText(cost)}+`
}

function pictureColumns(rows: readonly TextRow[], { width, shareHead = 'share' }: TableStyle): Column<TextRow>[] {
  const columns: Column<TextRow>[] = []
  if (rows.some(row => row.share !== undefined)) {
    const cell = ({ share }: TextRow) => (share === undefined ? '' : percent(share))
    const paint: Column<TextRow>['paint'] = (text, row) =>
      (row.share ?? 0) > 1 ? pc.red(text) : toned(text, row, undefined)
    columns.push({ name: shareHead, cell, align: 'right', paint })
  }
  const room = width < 60 ? 6 : width < 100 ? 8 : width < 160 ? 14 : 24
  const largest = Math.max(0, ...rows.filter(row => row.kind === 'row').map(row => row.cost))
  const isOfUse = rows.filter(row => row.kind === 'row').length > 1 && largest > 0
  if (isOfUse) {
    const cell = (row: TextRow) => (row.kind === 'row' ? bar(row.cost, largest, room) : '')
    columns.push({
      name: '',
      cell,
      keep: 60,
      paint: (text, row) => ((row.share ?? 0) > 1 ? pc.red : pc.cyan)(text),
    })
  }
  if (rows.some(row => row.spark !== undefined))
    columns.push({ name: sparkHead, cell: row => row.spark ?? '', keep: 25, paint: pc.green })
  return columns
}

function modelColumn({ hasModelRows, width }: TableStyle): Column<TextRow>[] {
  if (hasModelRows || width < wideEnough.oneName) return []
  const cell = (row: TextRow) => (row.kind === 'row' ? row.models.map(modelName).join(' ') : '')
  return [{ name: 'models', cell, least: 12, most: 48, keep: 20, paint: pc.dim }]
}
