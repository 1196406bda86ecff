// Reports of usage: cells, chosen, grouped, added up and priced. The totals come from the same cells in every grouping. It
// knows no clock, reads nothing and paints nothing.

import type { UsageCell } from '../model/spent.ts'
import { Calendar, type CalendarOptions } from './calendar.ts'
import { quarterMillis } from './cells.ts'
import { type Keyer, keyerOf, noDate, type RowKeys, type UsageGrouping, type UsageNames } from './report-keys.ts'
import { compareTexts, isoOf, noModel, type Pricing, shownModel, type UsageAmounts, UsageSum } from './report-sums.ts'
import { toolShares } from './report-tools.ts'

export { type UsageGrouping, type UsageNames, usageGroupings } from './report-keys.ts'
export type { ModelBreakdown, Pricing, UsageAmounts } from './report-sums.ts'

/** Which cells a report is about. */
export interface Selection {
  /** From then on, in milliseconds since 1970; widened to the start of its quarter of an hour, as cells have no finer time. */
  since?: number | undefined
  /** Before then; widened to the end of its quarter of an hour. */
  until?: number | undefined
  /** A part of the project's name, in any case. */
  project?: string | undefined
  /** A part of the model's id, as written or as reports name it, in any case. */
  model?: string | undefined
  /** The session's id, or its start. */
  session?: string | undefined
  /** Anything else. */
  select?: ((cell: UsageCell) => boolean) | undefined
  names?: UsageNames | undefined
}

export interface ReportOptions extends Selection, CalendarOptions, Pricing {
  by: UsageGrouping
  /** A second grouping within each line of the first; one that is not by time. */
  group?: UsageGrouping | undefined
  /** By its name, its cost or its tokens; groupings by time: `key`, others: `cost`. */
  sort?: 'key' | 'cost' | 'tokens' | undefined
  /** `asc` for keys and `desc` for amounts, where absent. */
  order?: 'asc' | 'desc' | undefined
}

export interface UsageRow extends RowKeys, UsageAmounts {
  /** How often the tool of this line was called. */
  calls?: number
}

/** How far the numbers can be trusted, and what they leave out. */
export interface ReportBounds {
  messages: number
  messagesWithPartialOutput: number
  /** Absent where nothing is estimated. */
  estimatedOutputTokens?: number
  unknownModels: string[]
  pricesDate: string
  /** Written by the client in the model's name, API errors among them: they cost nothing and are in no line. */
  syntheticMessages: number
  apiErrors: number
  /** Those among `messages` whose record has no time. */
  messagesWithoutTime: number
  /** First and last message; ISO 8601 in UTC. */
  from: string | null
  to: string | null
}

export interface UsageReport {
  rows: UsageRow[]
  totals: UsageAmounts
  bounds: ReportBounds
}

export function reportUsage(cells: Iterable<UsageCell>, options: ReportOptions): UsageReport {
  const total = new UsageTotal(options)
  const grouped = new Groups(options)
  const isChosen = chooser(options)
  for (const cell of cells) {
    if (isChosen(cell) && total.add(cell)) grouped.add(cell)
  }
  return { rows: grouped.rows(), ...total.result() }
}

/** What `select`, names and times leave of the cells. Cells without a time are in no span. */
export function chooser(options: Selection & Pick<Pricing, 'prices'>): (cell: UsageCell) => boolean {
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY, names, prices, select } = options
  const isSpan = options.since !== undefined || options.until !== undefined
  const [from, to] = [Math.floor(since / quarterMillis), Math.ceil(until / quarterMillis)]
  const project = options.project?.toLowerCase()
  const model = options.model?.toLowerCase()
  return cell => {
    if (isSpan && (cell.quarter === null || cell.quarter < from || cell.quarter >= to)) return false
    if (options.session !== undefined && !cell.session.startsWith(options.session)) return false
    if (project !== undefined && !(names?.projectOf?.(cell.session) ?? '').toLowerCase().includes(project)) return false
    if (model !== undefined && !isModel(cell, model, shownModel(cell, prices))) return false
    return select === undefined || select(cell)
  }
}

function isModel(cell: UsageCell, wanted: string, shown: string): boolean {
  return cell.model.toLowerCase().includes(wanted) || shown.toLowerCase().includes(wanted)
}

/** Totals and bounds of the chosen cells. */
export class UsageTotal {
  private readonly pricing: Pricing
  private readonly sum: UsageSum
  private synthetic = 0
  private errors = 0
  private withoutTime = 0

  constructor(pricing: Pricing) {
    this.pricing = pricing
    this.sum = new UsageSum(pricing)
  }

  /** Whether the cell counts. */
  add(cell: UsageCell): boolean {
    if (cell.isSynthetic || cell.isError) {
      this.synthetic += cell.messages
      if (cell.isError) this.errors += cell.messages
      return false
    }
    if (cell.quarter === null) this.withoutTime += cell.messages
    this.sum.add(cell, shownModel(cell, this.pricing.prices))
    return true
  }

  result(): { totals: UsageAmounts; bounds: ReportBounds } {
    const { sum } = this
    const bounds: ReportBounds = {
      messages: sum.messages,
      messagesWithPartialOutput: sum.partial,
      unknownModels: [...sum.cost().unknownModels].map(model => model || noModel).sort(),
      pricesDate: this.pricing.prices.date,
      syntheticMessages: this.synthetic,
      apiErrors: this.errors,
      messagesWithoutTime: this.withoutTime,
      from: isoOf(sum.firstAt),
      to: isoOf(sum.lastAt),
    }
    if (sum.estimated > 0) bounds.estimatedOutputTokens = sum.estimated
    return { totals: sum.amounts(), bounds }
  }
}

/** A line: of the first grouping, or within one of the second. */
interface Line {
  key: string
  sum: UsageSum
  calls: number
  /** The lines of the second grouping. */
  inner: Map<string, Line>
}

class Groups {
  private readonly options: ReportOptions
  private readonly first: Keyer
  private readonly second: Keyer | null
  private readonly isByTool: boolean
  private readonly lines = new Map<string, Line>()

  constructor(options: ReportOptions) {
    this.options = options
    const { by, group, names = {}, prices } = options
    const context = { calendar: new Calendar(options), names, prices }
    this.first = keyerOf(by, context)
    this.second = group === undefined || group === by ? null : keyerOf(group, context)
    this.isByTool = by === 'tool' || group === 'tool'
  }

  add(cell: UsageCell): void {
    if (!this.isByTool) this.addShare(cell, '', 0)
    else for (const { tool, calls, cell: part } of toolShares(cell)) this.addShare(part, tool, calls)
  }

  private addShare(cell: UsageCell, tool: string, calls: number): void {
    const model = shownModel(cell, this.options.prices)
    const line = this.lineIn(this.lines, this.first.keyOf(cell, tool))
    const lines = this.second === null ? [line] : [line, this.lineIn(line.inner, this.second.keyOf(cell, tool))]
    for (const each of lines) {
      each.sum.add(cell, model)
      each.calls += calls
    }
  }

  private lineIn(lines: Map<string, Line>, key: string): Line {
    let line = lines.get(key)
    if (line === undefined) {
      line = { key, sum: new UsageSum(this.options), calls: 0, inner: new Map() }
      lines.set(key, line)
    }
    return line
  }

  rows(): UsageRow[] {
    const rows: UsageRow[] = []
    for (const line of this.sorted(this.lines, this.first)) {
      const keys = this.keysOf(this.first, line.key)
      if (this.second === null) rows.push(this.rowOf(keys, line))
      else {
        for (const inner of this.sorted(line.inner, this.second)) {
          rows.push(this.rowOf({ ...keys, ...this.keysOf(this.second, inner.key) }, inner))
        }
      }
    }
    return rows
  }

  private keysOf(keyer: Keyer, key: string): RowKeys {
    const keys: RowKeys = { [keyer.field]: key }
    const project = keyer.field === 'session' ? this.options.names?.projectOf?.(key) : null
    if (typeof project === 'string') keys.project = project
    return keys
  }

  private rowOf(keys: RowKeys, line: Line): UsageRow {
    const row: UsageRow = { ...keys, ...line.sum.amounts() }
    if (line.calls > 0) row.calls = line.calls
    return row
  }

  private sorted(lines: ReadonlyMap<string, Line>, keyer: Keyer): Line[] {
    const sort = this.options.sort ?? (keyer.isTime ? 'key' : 'cost')
    // The order of days says nothing about the order within a day.
    const asked = keyer === this.first || this.options.sort !== undefined ? this.options.order : undefined
    const order = asked ?? (sort === 'key' ? 'asc' : 'desc')
    const sign = order === 'asc' ? 1 : -1
    const costs = new Map([...lines.values()].map(line => [line, line.sum.cost().usd()]))
    const amount = (line: Line): number => (sort === 'cost' ? (costs.get(line) ?? 0) : line.sum.totalTokens)
    const isUndated = (line: Line): number => (keyer.isTime && line.key === noDate ? 1 : 0)
    return [...lines.values()].sort((a, b) => {
      const last = isUndated(a) - isUndated(b)
      if (last !== 0) return last
      if (sort === 'key') return sign * compareTexts(a.key, b.key)
      return sign * (amount(a) - amount(b)) || compareTexts(a.key, b.key)
    })
  }
}
