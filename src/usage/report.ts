// Reports of usage: cells, chosen, grouped, added up and priced. The totals come from the same cells in every grouping. It
// knows no clock, reads nothing and paints nothing.

import type { UsageCell } from '../model/usage.ts'
import type { UsageAmounts, UsageBounds, UsageKeys, UsageRow } from '../schema/contract-shapes.ts'
import { Calendar, type CalendarOptions } from './calendar.ts'
import { quarterMillis } from './cell.ts'
import { type CostOptions, CostSum, modelName, type PriceTable } from './prices.ts'

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

/** Which cells are added up, by what, and how they are priced. */
export interface ReportOptions extends Selection, CalendarOptions, Pricing {
  by: UsageGrouping
  /** A second grouping within each line of the first; one that is not by time. */
  group?: UsageGrouping | undefined
  /** By its name, its cost or its tokens; groupings by time: `key`, others: `cost`. */
  sort?: 'key' | 'cost' | 'tokens' | undefined
  /** `asc` for keys and `desc` for amounts, where absent. */
  order?: 'asc' | 'desc' | undefined
}

/** Rows with their tokens and costs, and the sums of all. */
export interface UsageReport {
  rows: UsageRow[]
  totals: UsageAmounts
  bounds: UsageBounds
}

/** The rows of a report, from cells. */
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

  result(): { totals: UsageAmounts; bounds: UsageBounds } {
    const { sum } = this
    const bounds: UsageBounds = {
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

  private keysOf(keyer: Keyer, key: string): UsageKeys {
    return { [keyer.field]: key }
  }

  private rowOf(keys: UsageKeys, line: Line): UsageRow {
    const row: UsageRow = { ...keys, ...line.sum.amounts() }
    if (line.calls > 0) row.calls = line.calls
    return row
  }

  private sorted(lines: ReadonlyMap<string, Line>, keyer: Keyer): Line[] {
    const sort = this.options.sort ?? (keyer.isTime ? 'key' : 'cost')
    // The order of days says nothing about the order within a day.
    const given = keyer === this.first || this.options.sort !== undefined ? this.options.order : undefined
    const order = given ?? (sort === 'key' ? 'asc' : 'desc')
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

/** All groupings, as options name them. */
export const usageGroupings = [
  'daily',
  'weekly',
  'monthly',
  'session',
  'project',
  'model',
  'tool',
  'subagent',
  'branch',
  'git-branch',
] as const
export type UsageGrouping = (typeof usageGroupings)[number]

/** The field of a row that names it. */
const keyFields: Readonly<Record<UsageGrouping, keyof UsageKeys>> = {
  daily: 'date',
  weekly: 'period',
  monthly: 'period',
  session: 'session',
  project: 'project',
  model: 'model',
  tool: 'tool',
  subagent: 'subagent',
  branch: 'branch',
  'git-branch': 'gitBranch',
}

/** What a row is called by the grouping. */
export function keyOf(row: UsageRow, grouping: UsageGrouping): string {
  return row[keyFields[grouping]] ?? ''
}

/** What cells do not say themselves. A name that is null or not requested is shown as missing. */
export interface UsageNames {
  projectOf?(session: string): string | null
  /** Null for the main thread. */
  agentOf?(session: string, thread: string): string | null
  branchOf?(cell: UsageCell): string | null
  gitBranchOf?(cell: UsageCell): string | null
}

/** The line of messages without a time; it is always the last. */
export const noDate = 'unknown'

interface KeyContext {
  calendar: Calendar
  names: UsageNames
  prices: PriceTable
}

interface Keyer {
  field: keyof UsageKeys
  isTime: boolean
  /** `tool`: of the share that the cell is. */
  keyOf(cell: UsageCell, tool: string): string
}

function keyerOf(grouping: UsageGrouping, context: KeyContext): Keyer {
  const { calendar, names, prices } = context
  const field = keyFields[grouping]
  const time = (text: (day: number) => string): Keyer => ({ field, isTime: true, keyOf: dayKey(calendar, text) })
  const name = (keyOf: Keyer['keyOf']): Keyer => ({ field, isTime: false, keyOf })
  switch (grouping) {
    case 'daily':
      return time(day => calendar.dateText(day))
    case 'weekly':
      return time(day => calendar.dateText(calendar.weekOf(day)))
    case 'monthly':
      return time(day => calendar.monthText(day))
    case 'session':
      return name(cell => cell.session)
    case 'project':
      return name(cell => names.projectOf?.(cell.session) ?? '(no project)')
    case 'model':
      return name(cell => shownModel(cell, prices))
    case 'tool':
      return name((_, tool) => tool)
    case 'subagent':
      return name(cell => names.agentOf?.(cell.session, cell.thread) ?? '(main thread)')
    case 'branch':
      return name(cell => names.branchOf?.(cell) ?? '(no branch)')
    case 'git-branch':
      return name(cell => names.gitBranchOf?.(cell) ?? '(no branch)')
  }
}

/** Texts of days are made once; a report has many cells of each. */
function dayKey(calendar: Calendar, text: (day: number) => string): Keyer['keyOf'] {
  const texts = new Map<number, string>()
  return cell => {
    if (cell.quarter === null) return noDate
    const day = calendar.dayOf(cell.quarter * quarterMillis)
    let known = texts.get(day)
    if (known === undefined) {
      known = text(day)
      texts.set(day, known)
    }
    return known
  }
}

/** How cells are priced. */
export interface Pricing extends CostOptions {
  prices: PriceTable
}

/** Tokens as reports print them; `outputTokens` with the estimated ones where they were requested. */
type TokenCounts = Omit<UsageAmounts['modelBreakdowns'][number], 'modelName' | 'cost'>

interface ModelSum extends TokenCounts {
  cost: CostSum
}

const noModel = '(no model)'

/** The model as reports name it. */
export function shownModel(cell: Pick<UsageCell, 'model'>, prices: PriceTable): string {
  return cell.model === '' ? noModel : modelName(cell.model, prices)
}

export class UsageSum implements TokenCounts {
  inputTokens = 0
  outputTokens = 0
  cacheCreationTokens = 0
  cacheReadTokens = 0
  webSearches = 0
  messages = 0
  partial = 0
  estimated = 0
  firstAt: number | null = null
  lastAt: number | null = null
  private readonly pricing: Pricing
  private readonly byModel = new Map<string, ModelSum>()

  constructor(pricing: Pricing) {
    this.pricing = pricing
  }

  /** `model`: as `shownModel` says, handed in since it is needed often. */
  add(cell: UsageCell, model: string): void {
    let sum = this.byModel.get(model)
    if (sum === undefined) {
      const cost = new CostSum(this.pricing.prices, this.pricing)
      sum = { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0, cost }
      this.byModel.set(model, sum)
    }
    const estimated = this.pricing.isEstimated ? cell.estimatedMore : 0
    addTokens(sum, cell, estimated)
    addTokens(this, cell, estimated)
    sum.cost.add(cell)
    this.webSearches += cell.webSearches
    this.messages += cell.messages
    this.partial += cell.partial
    this.estimated += estimated
    if (cell.firstAt !== null && (this.firstAt === null || cell.firstAt < this.firstAt)) this.firstAt = cell.firstAt
    if (cell.lastAt !== null && (this.lastAt === null || cell.lastAt > this.lastAt)) this.lastAt = cell.lastAt
  }

  get totalTokens(): number {
    return this.inputTokens + this.outputTokens + this.cacheCreationTokens + this.cacheReadTokens
  }

  cost(): CostSum {
    const cost = new CostSum(this.pricing.prices, this.pricing)
    for (const sum of this.byModel.values()) cost.merge(sum.cost)
    return cost
  }

  amounts(): UsageAmounts {
    const amounts: UsageAmounts = {
      ...tokensOf(this),
      totalTokens: this.totalTokens,
      totalCost: this.cost().usd(),
      modelsUsed: [...this.byModel.keys()].sort(),
      modelBreakdowns: this.breakdowns(),
      messages: this.messages,
      firstAt: isoOf(this.firstAt),
      lastAt: isoOf(this.lastAt),
    }
    if (this.partial > 0) amounts.partialMessages = this.partial
    if (this.estimated > 0) amounts.estimatedOutputTokens = this.estimated
    if (this.webSearches > 0) amounts.webSearches = this.webSearches
    return amounts
  }

  private breakdowns(): UsageAmounts['modelBreakdowns'] {
    const models = [...this.byModel].map(([name, sum]) => ({ modelName: name, ...tokensOf(sum), cost: sum.cost.usd() }))
    return models.sort((a, b) => b.cost - a.cost || compareTexts(a.modelName, b.modelName))
  }
}

function addTokens(sum: TokenCounts, cell: UsageCell, estimated: number): void {
  sum.inputTokens += cell.inputTokens
  sum.outputTokens += cell.outputTokens + estimated
  sum.cacheCreationTokens += cell.cacheCreationTokens
  sum.cacheReadTokens += cell.cacheReadTokens
}

function tokensOf({ inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens }: TokenCounts): TokenCounts {
  return { inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens }
}

/** ISO 8601 in UTC; null where there is no time. */
export function isoOf(at: number | null): string | null {
  return at === null || Math.abs(at) > 8.64e15 ? null : new Date(at).toISOString()
}

/** The same on every machine. */
export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** The row of messages that call none. */
const noTool = '(no tool)'

export interface ToolShare {
  tool: string
  /** Calls of this tool by the cell's messages. */
  calls: number
  /** Amounts are shares; `messages` and `partial` count whole messages that call the tool. */
  cell: UsageCell
}

const shared = [
  'inputTokens',
  'outputTokens',
  'cacheCreationTokens',
  'cacheCreation1hTokens',
  'cacheReadTokens',
  'webSearches',
  'estimatedMore',
  'statedNanos',
] as const

/** One share for each name. What does not divide evenly goes to the first calls in order of their names. */
export function toolShares(cell: UsageCell): ToolShare[] {
  const tools = [...(cell.tools ?? [])].sort()
  if (tools.length === 0) return [{ tool: noTool, calls: 0, cell }]
  const shares: ToolShare[] = []
  for (let from = 0; from < tools.length; ) {
    const tool = tools[from] as string
    const to = endOfRun(tools, from)
    const part = { ...cell }
    for (const field of shared) part[field] = shareOf(cell[field], tools.length, from, to)
    shares.push({ tool, calls: (to - from) * cell.messages, cell: part })
    from = to
  }
  return shares
}

function endOfRun(tools: readonly string[], from: number): number {
  let to = from + 1
  while (to < tools.length && tools[to] === tools[from]) to++
  return to
}

/** What the calls from one to another get of an amount that all share. */
function shareOf(amount: number, calls: number, from: number, to: number): number {
  const each = Math.floor(amount / calls)
  const rest = amount - each * calls
  return each * (to - from) + Math.min(to, rest) - Math.min(from, rest)
}

/** How many threads each kind of agent had, by its name. */
export function threadsByAgent(
  cells: readonly UsageCell[],
  options: Omit<ReportOptions, 'by'>,
): ReadonlyMap<string, number> {
  const agentOf = (session: string, thread: string) =>
    `${options.names?.agentOf?.(session, thread) ?? ''}\n${session} ${thread}`
  const { rows } = reportUsage(cells, { ...options, names: { agentOf }, by: 'subagent' })
  const counts = new Map<string, number>()
  for (const { subagent = '' } of rows) {
    const type = subagent.slice(0, subagent.indexOf('\n'))
    counts.set(type, (counts.get(type) ?? 0) + 1)
  }
  return counts
}
