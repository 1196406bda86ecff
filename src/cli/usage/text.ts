// Reports of usage for a terminal: which columns a report has, its rows, totals and blocks as a table that fits, small pictures
// of cost over time, and notes below. Numbers come from the report as they are: nothing is added up here.

import pc from 'picocolors'
import { type KnownRows, unknownName } from '../../answers/sessions/known.ts'
import { modelName, shortIds } from '../../answers/sessions/names.ts'
import { type Clock, clockFor } from '../../answers/times.ts'
import type { UsageData } from '../../answers/usage/data.ts'
import type { GroupWord, UsageQuery } from '../../answers/usage/options.ts'
import { commonOptions, isRest, partsBy, type RowForm } from '../../answers/usage/rows.ts'
import { escapeForLine } from '../../base/escape.ts'
import { countOf, countText, moneyText, percent, shortCount, spanText } from '../../base/format.ts'
import { toMillis } from '../../base/instant.ts'
import { columnsOf } from '../../base/width.ts'
import { bar, isPlainTerminal, wrapWords } from '../../render/terminal/charts.ts'
import { type Column, fittedTable } from '../../render/terminal/table.ts'
import type { UsageAmounts, UsageBlock, UsageBounds, UsageBudget, UsageRow } from '../../schema/contract-shapes.ts'
import type { BlockReport } from '../../usage/blocks.ts'
import { Calendar } from '../../usage/calendar.ts'
import { keyOf, type ReportOptions, reportUsage, type UsageReport } from '../../usage/report.ts'
import { certaintyOf } from '../../view/words.ts'

export interface TextPaint {
  width: number
  sessions: KnownRows
  /** USD that a row may cost; absent where rows have no budget. */
  rowBudget?: number
  totalBudget?: number
  /** Small pictures of cost over time, by the row's name. */
  sparks: ReadonlyMap<string, string>
}

export function reportLines(report: UsageReport, form: RowForm, query: UsageQuery, paint: TextPaint): string[] {
  const { width, sparks, rowBudget, totalBudget } = paint
  const lead = leadFor(form, width)
  const naming = namingFor(report, query, paint.sessions)
  const unknown = unpricedModels(report.bounds.unknownModels, query)
  const group = partsBy(form, query)
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
  const style = { width, isCompact: query.isCompact, hasModelRows, shareHead: 'of budget' }
  return usageTable([...rows, total], lead.columns, style)
}

function partRow(part: UsageAmounts, lead: readonly string[], unknown: ReadonlySet<string>): TextRow {
  return { ...amountsOf(part, unknown), kind: 'part', lead }
}

function shareOf({ totalCost }: UsageAmounts, budget: number | undefined): { share?: number } {
  return budget === undefined || budget <= 0 ? {} : { share: totalCost / budget }
}

/** Models without a known price. */
export function unpricedModels(unknownModels: readonly string[], { unknownAs }: UsageQuery): ReadonlySet<string> {
  return new Set(unknownAs === undefined ? unknownModels : [])
}

export function amountsOf(row: UsageAmounts, unknown: ReadonlySet<string>): Omit<TextRow, 'kind' | 'lead'> {
  const { inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens, totalTokens } = row
  const isUnpriced = row.modelsUsed.some(model => unknown.has(model))
  const isEstimated = row.estimatedOutputTokens !== undefined
  return {
    inputTokens,
    outputTokens,
    cacheCreationTokens,
    cacheReadTokens,
    totalTokens,
    cost: row.totalCost,
    certainty: certaintyOf({ isPartial: row.partialMessages !== undefined, isEstimated, isUnpriced }),
    isUnpriced,
    models: row.modelsUsed,
  }
}

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
  certainty: ReturnType<typeof certaintyOf>
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

/** Below this, numbers are written short; names need space too. */
const wideEnough = { oneName: 100, moreNames: 130 }
const sparkHead = 'over time'

export function usageTable(rows: readonly TextRow[], lead: readonly LeadColumn[], style: TableStyle): string[] {
  const columns = [...leadColumns(lead), ...numberColumns(rows, lead.length, style)]
  const { lines: fitted, leftOut } = fittedTable(rows, columns, style.width, pc.dim)
  const lines = fitted.map(line => line.trimEnd())
  const notes = leftOut === undefined ? [] : wrapWords(leftOut, style.width).map(line => pc.dim(line))
  if (rows.at(-1)?.kind !== 'total') return [...lines, ...notes]
  const widest = Math.max(...lines.map(line => columnsOf(plain(line))))
  const rule = pc.dim((isPlainTerminal() ? '-' : '─').repeat(Math.min(widest, style.width)))
  return [...lines.slice(0, -1), rule, ...lines.slice(-1), ...notes]
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
  const marks = { sure: '', least: isPlainTerminal() ? '>=' : '≥', estimate: '~' }
  const mark = ({ certainty }: TextRow, number: keyof TextRow['certainty']) => marks[certainty[number]]
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
    number('output', row => mark(row, 'output') + tokens(row.outputTokens), 45),
    number('cache write', row => tokens(row.cacheCreationTokens), 30),
    number('cache read', row => tokens(row.cacheReadTokens), 35),
    number('tokens', row => mark(row, 'tokens') + tokens(row.totalTokens), 80),
    number('cost', row => costText(row, mark(row, 'cost'))),
  ]
  const shown = style.isCompact ? columns.slice(-2) : columns
  return [...shown, ...pictureColumns(rows, style), ...(style.isCompact ? [] : modelColumn(style))]
}

/** Whole or short; a dash for nothing, so that what is there stands out. */
function tokensText(tokens: number, isShort: boolean): string {
  if (tokens === 0) return '-'
  return isShort ? shortCount(tokens) : countText(tokens)
}

/** What has no price is not nothing. */
function costText({ cost, isUnpriced }: TextRow, mark: string): string {
  return isUnpriced && cost === 0 ? '?' : mark + moneyText(cost)
}

function pictureColumns(rows: readonly TextRow[], { width, shareHead = 'share' }: TableStyle): Column<TextRow>[] {
  const columns: Column<TextRow>[] = []
  if (rows.some(row => row.share !== undefined)) {
    const cell = ({ share }: TextRow) => (share === undefined ? '' : percent(share))
    const paint: Column<TextRow>['paint'] = (text, row) =>
      (row.share ?? 0) > 1 ? pc.red(text) : toned(text, row, undefined)
    columns.push({ name: shareHead, cell, align: 'right', paint })
  }
  const space = width < 60 ? 6 : width < 100 ? 8 : width < 160 ? 14 : 24
  const largest = Math.max(0, ...rows.filter(row => row.kind === 'row').map(row => row.cost))
  const isOfUse = rows.filter(row => row.kind === 'row').length > 1 && largest > 0
  if (isOfUse) {
    const cell = (row: TextRow) => (row.kind === 'row' ? bar(row.cost, largest, space) : '')
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

export interface Lead {
  columns: LeadColumn[]
  cells(row: UsageRow, naming: Naming): string[]
  /** The column in which the parts of a row are named; the first where absent. */
  partAt?: number
  /** What there are many of, for the line of totals. */
  one?: string
}

export interface Naming {
  shortId: (id: string) => string
  clock: Clock
  /** A project's last folder where no other has the same, else its path. */
  project: (path: string) => string
  /** The same of the project that a session belongs to. */
  projectOf: (session: string) => string
}

export function leadFor(form: RowForm, width: number): Lead {
  // So much of a name is worth more than a further column of numbers.
  const least = width < 60 ? 12 : width < 80 ? 16 : 24
  switch (form) {
    case 'daily':
      return { columns: [{ name: 'date', least, most: 40 }], cells: row => [timeName(row.date)] }
    case 'weekly':
      return { columns: [{ name: 'week of', least, most: 40 }], cells: row => [timeName(row.period)] }
    case 'monthly':
      return { columns: [{ name: 'month', least, most: 40 }], cells: row => [timeName(row.period)] }
    case 'session':
      return sessionLead(least)
    case 'project':
      return single('project', least, 'project', (row, naming) => naming.project(row.project ?? ''))
    case 'model':
      return single('model', least, 'model', row => modelName(row.model ?? ''))
    case 'tool':
      return counting('tool', 'calls', least, row => [row.tool, row.calls])
    case 'subagent':
      return counting('subagent', 'threads', least, row => [row.subagent, row.threads])
    case 'branch':
      return branchLead(least)
    case 'git-branch':
      return single('git branch', least, undefined, row => row.gitBranch ?? '')
  }
}

function single(
  name: string,
  least: number,
  one: string | undefined,
  cell: (row: UsageRow, naming: Naming) => string,
): Lead {
  const cells: Lead['cells'] = (row, naming) => [cell(row, naming)]
  return { columns: [{ name, least, most: 60 }], cells, ...(one === undefined ? {} : { one }) }
}

function counting(
  name: string,
  what: string,
  least: number,
  of: (row: UsageRow) => [name: string | undefined, count: number | undefined],
): Lead {
  const columns: LeadColumn[] = [
    { name, least, most: 40 },
    { name: what, align: 'right', keep: 50 },
  ]
  const cells = (row: UsageRow) => {
    const [called, counted] = of(row)
    return [called ?? '', counted === undefined ? '' : countText(counted)]
  }
  return { columns, cells }
}

const idColumn: LeadColumn = { name: 'session', least: 8, most: 12, paint: pc.cyan }

function sessionLead(least: number): Lead {
  return {
    columns: [
      idColumn,
      { name: 'title', least, most: 50 },
      { name: 'project', least: 8, most: 24, keep: 28 },
      { name: 'last used', least: 10, good: 10, cutsClean: true, keep: 22, paint: pc.dim },
    ],
    cells: (row, { shortId, clock, projectOf }) => {
      return [shortId(row.session ?? ''), row.title ?? '', projectOf(row.session ?? ''), clock(row.lastAt)]
    },
    partAt: 1,
    one: 'session',
  }
}

function branchLead(least: number): Lead {
  return {
    columns: [
      idColumn,
      { name: 'branch', least: 8, most: 9, keep: 90, paint: pc.dim },
      { name: 'first prompt', least, most: 50 },
    ],
    cells: (row, { shortId }) => {
      if (isRest(row)) return ['', '', row.branch ?? '']
      return [shortId(row.session ?? ''), row.isActive ? 'active' : (row.branch ?? '').slice(0, 8), row.label ?? '']
    },
    partAt: 2,
  }
}

/** Messages without a time have a row of their own. */
function timeName(name: string | undefined): string {
  return name === undefined || name === 'unknown' ? '(no time)' : name
}

export function totalCells({ one, partAt = 0 }: Lead, rows: number): string[] {
  if (one === undefined) return ['total']
  const many = countOf(rows, one)
  return partAt > 0 ? ['total', ...Array<string>(partAt - 1).fill(''), many] : [`total, ${many}`]
}

export function partCells({ partAt = 0 }: Lead, part: UsageRow, group: GroupWord, naming: Naming): string[] {
  return [...Array<string>(partAt).fill(''), `  ${partName(part, group, naming)}`]
}

function partName(part: UsageRow, group: GroupWord, naming: Naming): string {
  if (group === 'session') return `${naming.shortId(part.session ?? '')} ${part.title ?? ''}`
  if (group === 'project') return naming.project(part.project ?? '')
  return group === 'model' ? modelName(part.model ?? '') : keyOf(part, group)
}

export function namingFor({ rows }: UsageReport, query: UsageQuery, sessions: KnownRows): Naming {
  const all = rows.flatMap(row => [row, ...(row.groups ?? [])])
  return {
    shortId: shortIds([...sessions.ids, ...all.flatMap(row => row.session ?? [])]),
    clock: clockFor(query.timezone),
    project: key => sessions.projects.nameOf(key) ?? key,
    projectOf: session => sessions.project(session)?.name ?? unknownName,
  }
}

const bars = '▁▂▃▄▅▆▇█'
const mostBars = 24
const pictured: ReadonlySet<RowForm> = new Set(['project', 'model', 'tool', 'subagent', 'git-branch'])
const steps = [
  { by: 'daily', text: (calendar: Calendar, day: number) => calendar.dateText(day) },
  { by: 'weekly', text: (calendar: Calendar, day: number) => calendar.dateText(calendar.weekOf(day)) },
  { by: 'monthly', text: (calendar: Calendar, day: number) => calendar.monthText(day) },
] as const

/** By the row's name; empty where there is no space, or nothing to compare. */
export function sparks(
  report: UsageReport,
  form: RowForm,
  query: UsageQuery,
  data: UsageData,
  width: number,
): Map<string, string> {
  const pictures = new Map<string, string>()
  if (!pictured.has(form) || query.isCompact || width < 120 || isPlainTerminal()) return pictures
  const step = stepFor(report, query)
  if (step === null) return pictures
  const options: ReportOptions = { ...commonOptions(query, data), by: step.by, group: form }
  const costs = new Map<string, Map<string, number>>()
  for (const row of reportUsage(data.cells, options).rows) {
    const own = costs.get(keyOf(row, form)) ?? new Map<string, number>()
    own.set(row.date ?? row.period ?? '', row.totalCost)
    costs.set(keyOf(row, form), own)
  }
  for (const [name, own] of costs) pictures.set(name, picture(step.times.map(time => own.get(time) ?? 0)))
  return pictures
}

/** The finest step that has not too many bars. */
function stepFor(
  { bounds }: UsageReport,
  query: UsageQuery,
): { by: (typeof steps)[number]['by']; times: string[] } | null {
  const [from, to] = [toMillis(bounds.from), toMillis(bounds.to)]
  if (from === null || to === null) return null
  const calendar = new Calendar(query)
  const [first, last] = [calendar.dayOf(from), calendar.dayOf(to)]
  // Records with wild times are no reason to count through millions of days.
  if (last - first > mostBars * 366) return null
  for (const { by, text } of steps) {
    const times = new Set<string>()
    for (let day = first; day <= last && times.size <= mostBars; day++) times.add(text(calendar, day))
    if (times.size <= mostBars) return times.size > 1 ? { by, times: [...times] } : null
  }
  return null
}

/** Highest for the row's own largest value; a blank for nothing. */
function picture(values: readonly number[]): string {
  const largest = Math.max(...values)
  if (largest <= 0) return ''
  return values
    .map(value => (value <= 0 ? ' ' : (bars[Math.min(7, Math.floor((value / largest) * 8))] ?? ' ')))
    .join('')
    .trimEnd()
}

const blockLead: readonly LeadColumn[] = [{ name: 'block from' }, { name: 'used for', align: 'right', keep: 50 }]

export function blockLines(
  report: BlockReport,
  blocks: readonly UsageBlock[],
  query: UsageQuery,
  width: number,
): string[] {
  const clock = clockFor(query.timezone)
  const running = blocks.find(block => block.isActive)
  const about = running === undefined ? [] : activeLines(running, query, clock)
  if (query.onlyActive) return about
  const unknown = unpricedModels(report.bounds.unknownModels, query)
  const rows = blocks.filter(block => block.kind !== 'gap').flatMap(block => blockRows(block, query, unknown, clock))
  const isAll = blocks.length === report.blocks.length
  const total: TextRow = { ...amountsOf(report.totals, unknown), kind: 'total', lead: ['total'] }
  const style = { width, isCompact: query.isCompact, hasModelRows: query.hasBreakdown, shareHead: 'of limit' }
  const table = usageTable(isAll ? [...rows, total] : rows, blockLead, style)
  return about.length > 0 ? [...table, '', ...about] : table
}

function blockRows(block: UsageBlock, query: UsageQuery, unknown: ReadonlySet<string>, clock: Clock): TextRow[] {
  const { limit, isActive } = block
  const row: TextRow = {
    ...amountsOf(block, unknown),
    ...(limit === undefined ? {} : { share: limit.share }),
    ...(isActive ? { isNow: true } : {}),
    kind: 'row',
    lead: [startText(block, clock), usedFor(block)],
  }
  if (!query.hasBreakdown) return [row]
  const parts = block.modelBreakdowns.map(part => ({
    ...row,
    ...part,
    kind: 'part' as const,
    lead: [`  ${modelName(part.modelName)}`],
    totalTokens: part.inputTokens + part.outputTokens + part.cacheCreationTokens + part.cacheReadTokens,
    isUnpriced: unknown.has(part.modelName),
  }))
  return [row, ...parts.map(({ share: _share, ...part }) => part)]
}

function startText({ start, isActive }: UsageBlock, clock: Clock): string {
  if (start === null) return '(no time)'
  return `${clock(start)}${isActive ? ' now' : ''}`
}

function usedFor({ firstAt, lastAt }: UsageBlock): string {
  if (firstAt === null || lastAt === null) return ''
  return spanText(Math.max(0, Date.parse(lastAt) - Date.parse(firstAt)))
}

/** A line each for what is used, how fast, and what it comes to. */
function activeLines(block: UsageBlock, query: UsageQuery, clock: Clock): string[] {
  const { burnRate, projection, limit, end } = block
  const guess = block.estimatedOutputTokens === undefined ? '' : '~'
  const tokens = (amount: number, unit: string) => `${guess}${shortCount(amount)} ${unit}`
  const money = (usd: number) => guess + moneyText(usd)
  const rows: [name: string, tokens: string, cost: string, more: string][] = [
    ['used', tokens(block.totalTokens, 'tokens'), money(block.totalCost), shareText(limit?.share)],
  ]
  if (burnRate !== undefined)
    rows.push(['rate', tokens(burnRate.tokensPerMinute, 'a minute'), `${money(burnRate.costPerHour)} an hour`, ''])
  if (projection !== undefined)
    rows.push([
      'in the end',
      tokens(projection.totalTokens, 'tokens'),
      money(projection.totalCost),
      shareText(limit?.projectedShare),
    ])
  const left =
    end === null ? '' : ` until ${clock(end).slice(11)}, ${spanText(Math.max(0, Date.parse(end) - query.now))} left`
  const wide = (at: 1 | 2) => Math.max(...rows.map(row => row[at].length))
  return [
    pc.bold(pc.green(`running${left}`)),
    ...rows.map(([name, used, cost, more]) =>
      `${pc.dim(name.padEnd(10))}  ${used.padEnd(wide(1))}  ${cost.padEnd(wide(2))}  ${more}`.trimEnd(),
    ),
  ]
}

function shareText(share: number | undefined): string {
  if (share === undefined) return ''
  const text = `${percent(share)} of limit`
  return share > 1 ? pc.red(text) : text
}

const mostNames = 4

/** Text from logs is escaped in it. */
export function usageNotes(bounds: UsageBounds, query: UsageQuery): string[] {
  return [
    ...outputNote(bounds, query.isEstimated),
    ...unknownNote(bounds, query),
    ...apartNote(bounds),
    ...(bounds.messagesWithoutTime > 0 && isOfTime(query)
      ? [`${countOf(bounds.messagesWithoutTime, 'message')} without a time`]
      : []),
    priceNote(bounds, query),
  ]
}

function isOfTime({ form }: UsageQuery): boolean {
  return form === 'daily' || form === 'weekly' || form === 'monthly' || form === 'blocks'
}

function outputNote(bounds: UsageBounds, isEstimated: boolean): string[] {
  const { messages, messagesWithPartialOutput: partial, estimatedOutputTokens: estimated } = bounds
  if (partial === 0) return []
  const some = `the output of ${countText(partial)} of ${countOf(messages, 'message')} is a placeholder`
  if (!isEstimated) return [`${some}: a lower bound; to estimate it: --estimate`]
  return [`${some}: ~${countText(estimated ?? 0)} output tokens are estimated`]
}

function unknownNote({ unknownModels }: UsageBounds, { unknownAs }: UsageQuery): string[] {
  if (unknownModels.length === 0) return []
  const names = listed(unknownModels)
  if (unknownAs !== undefined) return [`priced as ${escapeForLine(unknownAs)}: ${names}`]
  return [`no price for ${names}: not in the cost; --unknown-as or --prices gives one`]
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).map(name => escapeForLine(name))
  const more = names.length - shown.length
  return shown.join(', ') + (more > 0 ? ` and ${countText(more)} more` : '')
}

function apartNote({ syntheticMessages, apiErrors }: UsageBounds): string[] {
  const own = syntheticMessages - apiErrors
  const parts = [
    ...(apiErrors > 0 ? [countOf(apiErrors, 'API error')] : []),
    ...(own > 0 ? [`${countOf(own, 'answer')} by Claude Code itself`] : []),
  ]
  return parts.length === 0 ? [] : [`not counted: ${parts.join(', ')}`]
}

function priceNote({ pricesDate }: UsageBounds, { mode, pricing }: UsageQuery): string {
  if (mode === 'display') return 'cost as the messages state it; nothing where they do not'
  if (pricing.fault !== undefined && pricesDate === '') return 'no prices'
  const from = pricing.from.length === 0 ? '' : `, with ${pricing.from.map(path => escapeForLine(path)).join(', ')}`
  return `prices of ${escapeForLine(pricesDate)}${from}`
}

/** Which periods cost more than they should; none where nothing did. */
export function budgetNote({ usd, per, periods, isExceeded }: UsageBudget): string | null {
  if (!isExceeded) return null
  const over = periods.filter(period => period.isOver)
  const budget = `${moneyText(usd)}${per === 'report' ? '' : ` a ${per}`}`
  const first = over
    .slice(0, mostNames)
    .map(({ period, cost }) => `${period === null ? '' : `${period} `}${moneyText(cost)}`)
  const more = over.length - first.length
  return `over the budget of ${budget}: ${first.join(', ')}${more > 0 ? ` and ${countText(more)} more` : ''}`
}
