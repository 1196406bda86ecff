// Usage for the web app, from the sums in the index: reports as `clew usage` makes them, and what each session cost.

import { threadAgents } from '../../index/search/sessions.ts'
import { usageCells } from '../../index/search/usage.ts'
import type { Database } from '../../index/store/port.ts'
import { csvLine } from '../../render/csv.ts'
import { blocksCsv, usageCsv } from '../../render/usage-csv.ts'
import type { UsageAmounts, UsageBlock, UsageBounds, UsageRow } from '../../schema/contract-shapes.ts'
import { reportBlocks } from '../../usage/blocks.ts'
import { keyOf, type ReportOptions, reportUsage, threadsByAgent, type UsageGrouping } from '../../usage/report.ts'
import { type SessionUsage, usageBySession } from '../../usage/session-usage.ts'
import type { Clew } from '../clew.ts'
import { settingsOf } from '../configured.ts'
import { badRequest, conflict } from '../error.ts'
import { scopeOf } from '../scope.ts'
import { timeOf } from '../sessions/page.ts'
import type { ListEntry } from '../sessions/page-order.ts'
import type { QueryWords, UsageAnswerJson, UsageRowJson } from '../shapes.ts'
import { pricingOf } from './prices.ts'

type UsageQuery = QueryWords

export interface UsageContext {
  db: Database
  clew: Clew
  now: number
  timezone?: string
  entryOf(session: string): ListEntry | undefined
  /** What the project with this key is called. */
  projectName(key: string): string | undefined
}

const groupings = ['daily', 'weekly', 'monthly', 'session', 'project', 'model', 'tool', 'subagent'] as const
const unknown = '(unknown)'
const mainAgent = 'main'

export function usageAnswer(query: UsageQuery, context: UsageContext): UsageAnswerJson {
  const { by, report, blocks } = reportOf(query, context)
  if (report === undefined) {
    const { blocks: rows, totals, bounds } = blocks
    return answerOf(by, rows.filter(({ kind }) => kind !== 'gap').map(blockRow), totals, bounds, query, context)
  }
  const { rows, totals, bounds, grouping } = report
  const named = rows.map(row => rowOf(row, grouping, context))
  return answerOf(by, named, totals, bounds, query, context)
}

/** The same as comma-separated values, as `clew usage --csv` prints them. */
export function usageCsvText(query: UsageQuery, context: UsageContext): string {
  const { report, blocks, threads } = reportOf(query, context)
  const lines =
    report === undefined
      ? blocksCsv(blocks.blocks, false)
      : usageCsv(
          report.rows.map(row => withNames(row, context, threads)),
          report.grouping,
        )
  return lines.map(cells => `${csvLine(cells)}\n`).join('')
}

function withNames(row: UsageRow, { entryOf }: UsageContext, threads: Reported['threads']): UsageRow {
  if (row.subagent !== undefined) return { ...row, threads: threads?.get(row.subagent) ?? 0 }
  const entry = row.session === undefined ? undefined : entryOf(row.session)
  return entry === undefined ? row : { ...row, title: entry.facts.title, project: entry.project }
}

type Reported = { by: string; threads?: ReadonlyMap<string, number> } & (
  | { report: ReturnType<typeof reportUsage> & { grouping: UsageGrouping }; blocks?: undefined }
  | { report?: undefined; blocks: ReturnType<typeof reportBlocks> }
)

function reportOf(query: UsageQuery, context: UsageContext): Reported {
  const by = query.by ?? 'daily'
  const grouping = groupings.find(known => known === by)
  if (grouping === undefined && by !== 'blocks') {
    throw badRequest(`Usage cannot be grouped by "${by}".`, `Use one of ${[...groupings, 'blocks'].join(', ')}.`)
  }
  const { db, clew, now } = context
  const { prices } = pricingOf(clew)
  const { isInScope } = scopeOf(clew)
  const cells = usageCells(db, {
    promptSteps: prices.promptSteps,
    withTools: by === 'tool',
    withSessions: true,
    ...(isInScope !== undefined && { isInScope }),
  })
  if (cells === null) throw conflict('Usage is being counted.', 'Try again in a moment.')
  const options = commonOptions(query, context)
  if (grouping === undefined) return { by, blocks: reportBlocks(cells, { ...options, now }) }
  const report = { ...reportUsage(cells, { ...options, by: grouping }), grouping }
  return { by, report, ...(by === 'subagent' && { threads: threadsByAgent(cells, options) }) }
}

function commonOptions(query: UsageQuery, context: UsageContext): Omit<ReportOptions, 'by'> {
  const { prices, unknownAs } = pricingOf(context.clew)
  const agents = query.by === 'subagent' ? threadAgents(context.db) : undefined
  const { project, model } = query
  return {
    timezone: context.timezone,
    weekStart: settingsOf(context.clew).weekStart,
    since: timeOf(query.since, 'since', context),
    until: timeOf(query.until, 'until', context),
    ...(project && { select: cell => isIn(context.entryOf(cell.session), project) }),
    ...(model && { model }),
    prices,
    unknownAs,
    isEstimated: isOn(query.estimate),
    names: {
      projectOf: session => context.entryOf(session)?.project ?? unknown,
      agentOf: (session, thread) => (thread === session ? mainAgent : (agents?.get(`${session} ${thread}`) ?? unknown)),
    },
  }
}

function isIn(entry: ListEntry | undefined, project: string): boolean {
  return entry !== undefined && (entry.project === project || entry.session.slug === project)
}

function isOn(text: string | undefined): boolean {
  return text === '1' || text === 'true' || text === 'yes'
}

function rowOf(row: UsageRow, by: UsageGrouping, context: UsageContext): UsageRowJson {
  const key = keyOf(row, by)
  const label =
    by === 'session'
      ? (context.entryOf(key)?.facts.title ?? key)
      : by === 'project'
        ? (context.projectName(key) ?? key)
        : key
  return { key, label, ...amountsOf(row) }
}

function blockRow(block: UsageBlock): UsageRowJson {
  const key = block.start ?? 'unknown'
  return { key, label: block.end === null ? key : `${key}/${block.end}`, ...amountsOf(block) }
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
  by: string,
  rows: UsageRowJson[],
  totals: UsageAmounts,
  bounds: UsageBounds,
  query: UsageQuery,
  { clew }: UsageContext,
): UsageAnswerJson {
  const { messages, messagesWithPartialOutput, estimatedOutputTokens, unknownModels, pricesDate } = bounds
  const stated: UsageAnswerJson['bounds'] = {
    messages,
    messagesWithPartialOutput,
    unknownModels,
    pricesDate,
    isEstimated: isOn(query.estimate),
  }
  const { fault } = pricingOf(clew)
  if (fault !== undefined) stated.pricesFault = fault
  if (estimatedOutputTokens !== undefined) stated.estimatedOutputTokens = estimatedOutputTokens
  return { by, rows, totals: amountsOf(totals), bounds: stated }
}

/** Computed once for all sessions, and again when rows changed. */
export class SessionCosts {
  private readonly clew: Clew
  private version = ''
  private costs: ReadonlyMap<string, SessionUsage> = new Map()

  constructor(clew: Clew) {
    this.clew = clew
  }

  /** `version`: of the rows in the database. Empty where not everything is counted yet. */
  of(db: Database, version: string): ReadonlyMap<string, SessionUsage> {
    if (this.version === version) return this.costs
    const { isInScope } = scopeOf(this.clew)
    const pricing = pricingOf(this.clew)
    const query = { promptSteps: pricing.prices.promptSteps, withTools: false, withSessions: true }
    const cells = usageCells(db, { ...query, ...(isInScope !== undefined && { isInScope }) })
    if (cells === null) return this.costs
    this.costs = usageBySession(cells, pricing)
    this.version = version
    return this.costs
  }

  /** As of the last count, if there was one. */
  last(): ReadonlyMap<string, SessionUsage> | undefined {
    return this.version === '' ? undefined : this.costs
  }
}
