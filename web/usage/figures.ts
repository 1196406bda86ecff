// The figures of the Usage screen: rows of its table and columns of its chart, with marks where a number is a bound or an
// estimate. It counts nothing itself: the numbers are those of `clew usage`.

import { countOf, countText } from '../../src/base/format.ts'
import { totalTokens as tokensOf } from '../../src/model/usage.ts'
import type { UsageAnswerJson, UsageRowJson } from '../../src/server/api/api.ts'
import { certaintyMarks, certaintyOf } from '../../src/view/words.ts'
import type { Column } from '../charts/charts.tsx'
import { toneCount } from '../parts/tool-kind.ts'
import { clock, modelName, shortMonths, wallTime, weekdays } from '../shell/format.ts'
import type { Grouping, UsageAsk } from './controls.tsx'

type Amounts = Omit<UsageRowJson, 'key' | 'label'>
type Bounds = UsageAnswerJson['bounds']

/** Before numbers: `≥` may be more, `≈` contains an estimate, empty where it is exact. */
export interface Marks {
  cost: string
  tokens: string
  output: string
}

export interface TableRow extends Amounts {
  key: string
  name: string
  /** The whole name, where `name` is short. */
  title: string
  marks: Marks
  /** Of the largest row, by what is measured: the length of its bar. */
  share: number
  isRunning: boolean
}

const mostFilledDays = 800
const day = 86_400_000

export function marksOf(
  { partialMessages = 0, modelBreakdowns }: Amounts,
  { isEstimated, unknownModels }: Bounds,
): Marks {
  const isPartial = partialMessages > 0
  const isUnpriced = modelBreakdowns.some(({ modelName }) => unknownModels.includes(modelName))
  const { output, tokens, cost } = certaintyOf({ isPartial, isEstimated: isPartial && isEstimated, isUnpriced })
  return { output: certaintyMarks[output], tokens: certaintyMarks[tokens], cost: certaintyMarks[cost] }
}

/** Time runs back from now; everything else comes by what it cost. */
export function tableRows(answer: UsageAnswerJson, ask: UsageAsk, now: number): TableRow[] {
  const value = measureOf(ask)
  const most = Math.max(0, ...answer.rows.map(value))
  const rows = answer.rows.map(row => ({
    ...row,
    ...nameOf(row, ask.by, now),
    marks: marksOf(row, answer.bounds),
    share: most > 0 ? value(row) / most : 0,
    isRunning: ask.by === 'blocks' && isRunning(row.label, now),
  }))
  if (ask.by === 'daily' || ask.by === 'weekly' || ask.by === 'monthly' || ask.by === 'blocks') return rows.reverse()
  return rows.sort((one, other) => value(other) - value(one) || other.totalTokens - one.totalTokens)
}

/** Columns that the table can be sorted by, as addresses name them. */
export const tableColumns = [
  ['name', ''],
  ['cost', 'Cost'],
  ['tokens', 'Tokens'],
  ['input', 'Input'],
  ['output', 'Output'],
  ['cache-write', 'Cache write'],
  ['cache-read', 'Cache read'],
] as const
export type TableColumn = (typeof tableColumns)[number][0]

export interface TableOrder {
  column: TableColumn
  isAscending: boolean
}

const amountIn: Readonly<Record<Exclude<TableColumn, 'name'>, (row: TableRow) => number>> = {
  cost: row => row.totalCost,
  tokens: row => row.totalTokens,
  input: row => row.inputTokens,
  output: row => row.outputTokens,
  'cache-write': row => row.cacheCreationTokens,
  'cache-read': row => row.cacheReadTokens,
}

/** `cost`, or `-cost` for the smallest first; undefined where the address names no column. */
export function readOrder(text: string | undefined): TableOrder | undefined {
  const isReversed = text?.startsWith('-') === true
  const column = tableColumns.find(([name]) => name === text?.slice(isReversed ? 1 : 0))?.[0]
  // Names run from A to Z, numbers from the largest.
  return column === undefined ? undefined : { column, isAscending: (column === 'name') !== isReversed }
}

/** What a press on a column's head asks for: that column, or the other way round. */
export function nextOrder(column: TableColumn, order: TableOrder | undefined): string {
  const isFirst = order?.column !== column || order.isAscending !== (column === 'name')
  return isFirst ? column : `-${column}`
}

const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** `isOfTime`: keys, not names, say what is earlier. */
export function sortedRows(rows: readonly TableRow[], order: TableOrder | undefined, isOfTime: boolean): TableRow[] {
  if (order === undefined) return [...rows]
  const { column, isAscending } = order
  const nameIn = (row: TableRow) => (isOfTime ? row.key : row.name)
  const compare =
    column === 'name'
      ? (one: TableRow, other: TableRow) => names.compare(nameIn(one), nameIn(other))
      : (one: TableRow, other: TableRow) => amountIn[column](one) - amountIn[column](other)
  return [...rows].sort((one, other) => (isAscending ? compare(one, other) : compare(other, one)))
}

export function measureOf({ measure }: UsageAsk): (amounts: { totalCost: number; totalTokens: number }) => number {
  return measure === 'cost' ? ({ totalCost }) => totalCost : ({ totalTokens }) => totalTokens
}

function isRunning(label: string, now: number): boolean {
  const end = Date.parse(label.split('/')[1] ?? '')
  return Number.isFinite(end) && end > now
}

function nameOf({ key, label }: UsageRowJson, by: Grouping, now: number): { name: string; title: string } {
  if (by === 'model') return { name: modelName(key), title: key }
  if (by === 'project') return { name: label, title: key }
  if (by === 'blocks') return { name: blockName(label), title: label.replace('/', ' to ') }
  if (by === 'weekly') return { name: `Week of ${withoutYear(dayName(key), now)}`, title: key }
  if (by === 'monthly') return { name: monthName(key), title: key }
  if (by === 'daily') return { name: withoutYear(dayName(key, true), now), title: key }
  return { name: label === '' ? '(unknown)' : label, title: label }
}

/** `2026-02-17` → `17 Feb 2026`; anything else stays as it is. */
export function dayName(key: string, withWeekday = false): string {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(key) ?? []
  if (year === undefined || month === undefined || date === undefined) return key === 'unknown' ? 'No date' : key
  const weekday = weekdays[new Date(Date.UTC(Number(year), Number(month) - 1, Number(date))).getUTCDay()]
  return `${withWeekday ? `${weekday} ` : ''}${Number(date)} ${shortMonths[Number(month) - 1]} ${year}`
}

/** The year of today goes without saying. */
function withoutYear(name: string, now: number): string {
  const year = ` ${wallTime(new Date(now)).getUTCFullYear()}`
  return name.endsWith(year) ? name.slice(0, -year.length) : name
}

function monthName(key: string): string {
  const [, year, month] = /^(\d{4})-(\d\d)$/.exec(key) ?? []
  return year === undefined ? key : `${shortMonths[Number(month) - 1]} ${year}`
}

/** Five hours in the reader's own zone: `17 Feb 2026, 14:00 – 19:00`. */
function blockName(label: string): string {
  const [start, end] = label.split('/').map(text => new Date(text))
  if (!start || Number.isNaN(start.getTime())) return 'No date'
  const day = wallTime(start)
  const date = `${day.getUTCDate()} ${shortMonths[day.getUTCMonth()]} ${day.getUTCFullYear()}`
  return `${date}, ${clock(start)}${end ? ` – ${clock(end)}` : ''}`
}

/** Models by what they cost in all: each keeps its tone in every column; those beyond the last tone share it. */
export function modelTones({ rows }: UsageAnswerJson): Map<string, number> {
  const totals = new Map<string, { cost: number; tokens: number }>()
  for (const part of rows.flatMap(row => row.modelBreakdowns)) {
    const sum = totals.get(part.modelName) ?? { cost: 0, tokens: 0 }
    totals.set(part.modelName, { cost: sum.cost + part.cost, tokens: sum.tokens + tokensOf(part) })
  }
  const order = [...totals].sort(([, one], [, other]) => other.cost - one.cost || other.tokens - one.tokens)
  return new Map(order.map(([model], at) => [model, Math.min(at, toneCount - 1)]))
}

/** What the tones mean; models that share one are together. */
export function legendOf(toneOf: ReadonlyMap<string, number>): { tone: number; name: string; title: string }[] {
  const models = new Map<number, string[]>()
  for (const [model, tone] of toneOf) models.set(tone, [...(models.get(tone) ?? []), model])
  return [...models].map(([tone, names]) => {
    const [only = ''] = names
    const name = names.length === 1 ? modelName(only) : countOf(names.length, 'other model')
    return { tone, name, title: names.join(', ') }
  })
}

/** Columns from the first to the last, days without use included, so that time is even. */
export function columnsOf(answer: UsageAnswerJson, ask: UsageAsk): Column[] {
  const toneOf = modelTones(answer)
  const value = measureOf(ask)
  const timed = answer.rows.filter(({ key }) => key !== 'unknown' && key !== '')
  const rows: readonly DayRow[] = ask.by === 'daily' ? withEmptyDays(timed) : timed
  return rows.map(row => ({
    key: row.key,
    label: shortLabel(row.key, ask.by),
    ...(ask.by === 'monthly' ? {} : { year: yearOf(row.key) }),
    total: value(row),
    parts: row.modelBreakdowns
      .map(part => ({
        name: part.modelName,
        value: ask.measure === 'cost' ? part.cost : tokensOf(part),
        tone: toneOf.get(part.modelName) ?? toneCount - 1,
      }))
      .sort((one, other) => one.tone - other.tone),
  }))
}

/** What a column shows of a row. */
type DayRow = Pick<UsageRowJson, 'key' | 'totalCost' | 'totalTokens' | 'modelBreakdowns'>

function withEmptyDays(rows: readonly DayRow[]): DayRow[] {
  const first = Date.parse(rows[0]?.key ?? '')
  const last = Date.parse(rows.at(-1)?.key ?? '')
  if (!Number.isFinite(first) || !Number.isFinite(last) || (last - first) / day > mostFilledDays) return [...rows]
  const byDay = new Map(rows.map(row => [row.key, row]))
  const filled: DayRow[] = []
  for (let at = first; at <= last; at += day) {
    const key = new Date(at).toISOString().slice(0, 10)
    filled.push(byDay.get(key) ?? { key, totalCost: 0, totalTokens: 0, modelBreakdowns: [] })
  }
  return filled
}

/** `2026`; empty where the key is no date. */
function yearOf(key: string): string {
  return /^(\d{4})-\d\d/.exec(key)?.[1] ?? ''
}

function shortLabel(key: string, by: Grouping): string {
  if (by === 'monthly') return monthName(key)
  if (by === 'blocks') {
    const at = wallTime(new Date(key))
    return Number.isNaN(at.getTime()) ? '' : `${at.getUTCDate()} ${shortMonths[at.getUTCMonth()]}`
  }
  const [date = '', month = ''] = dayName(key).split(' ')
  return `${date} ${month}`
}

/** Notes on how exact the numbers are. */
export function notesOf({ bounds }: UsageAnswerJson): string[] {
  const { messages, messagesWithPartialOutput: partial, estimatedOutputTokens, unknownModels, isEstimated } = bounds
  const notes: string[] = []
  if (partial > 0) {
    const some = `${countText(partial)} of ${countOf(messages, 'message')} ${partial === 1 ? 'states' : 'state'} only a placeholder for the output`
    notes.push(
      isEstimated
        ? `${some}: ≈ ${countText(estimatedOutputTokens ?? 0)} output tokens are estimated.`
        : `${some}: output, its sum with other tokens and cost are lower bounds, marked ≥.`,
    )
  }
  if (unknownModels.length > 0) {
    notes.push(
      `No price is known for ${unknownModels.join(', ')}: not in the cost. \`clew usage --unknown-as\` prices it.`,
    )
  }
  return notes
}
