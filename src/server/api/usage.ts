// What was used, for the web app: the same reports as `clew usage` makes, from the sums that the index keeps.

import { threadAgents } from '../../index/search/threads.ts'
import { usageCells } from '../../index/search/usage.ts'
import type { Database } from '../../index/store/port.ts'
import { reportBlocks, type UsageBlock } from '../../usage/blocks.ts'
import {
  type ReportBounds,
  type ReportOptions,
  reportUsage,
  type UsageAmounts,
  type UsageGrouping,
  type UsageRow,
} from '../../usage/report.ts'
import { badQuestion, conflict } from '../http/problem.ts'
import type { Routes, UsageAnswerJson, UsageRowJson } from './api.ts'
import type { ListEntry } from './list.ts'
import { timeOf } from './list.ts'
import type { Scope } from './scope.ts'

export type UsageQuery = Partial<Routes['GET /api/usage']['query']>

export interface UsageContext {
  db: Database
  scope: Scope
  now: number
  timezone?: string
  entryOf(session: string): ListEntry | undefined
}

const groupings = ['daily', 'weekly', 'monthly', 'session', 'project', 'model', 'tool', 'subagent'] as const
const unknown = '(unknown)'
const mainAgent = 'main'

export function usageAnswer(query: UsageQuery, context: UsageContext): UsageAnswerJson {
  const by = query.by ?? 'daily'
  const grouping = groupings.find(known => known === by)
  if (grouping === undefined && by !== 'blocks') {
    throw badQuestion(`There is no usage by "${by}".`, `It is one of ${[...groupings, 'blocks'].join(', ')}.`)
  }
  const { db, scope, now } = context
  const { prices } = scope.settings
  const cells = usageCells(db, {
    promptSteps: prices.promptSteps,
    withTools: by === 'tool',
    withSessions: true,
    ...(scope.isInScope !== undefined && { isInScope: scope.isInScope }),
  })
  if (cells === null) throw conflict('Usage is being counted.', 'Ask again in a moment.')
  const options = commonOptions(query, context)
  if (grouping === undefined) {
    const { blocks, totals, bounds } = reportBlocks(cells, { ...options, now })
    return answerOf(by, blocks.filter(({ kind }) => kind !== 'gap').map(blockRow), totals, bounds, query)
  }
  const { rows, totals, bounds } = reportUsage(cells, { ...options, by: grouping })
  const named = rows.map(row => rowOf(row, grouping, context))
  return answerOf(by, named, totals, bounds, query)
}

function commonOptions(query: UsageQuery, context: UsageContext): Omit<ReportOptions, 'by'> {
  const { settings } = context.scope
  const agents = query.by === 'subagent' ? threadAgents(context.db) : undefined
  const { project, model } = query
  return {
    timezone: context.timezone,
    weekStart: settings.weekStart,
    since: timeOf(query.since, 'since', context),
    until: timeOf(query.until, 'until', context),
    ...(project && { select: cell => isIn(context.entryOf(cell.session), project) }),
    ...(model && { model }),
    prices: settings.prices,
    unknownAs: settings.unknownAs,
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

const fields: Readonly<Record<(typeof groupings)[number], keyof UsageRow>> = {
  daily: 'date',
  weekly: 'period',
  monthly: 'period',
  session: 'session',
  project: 'project',
  model: 'model',
  tool: 'tool',
  subagent: 'subagent',
}

function rowOf(row: UsageRow, by: UsageGrouping & (typeof groupings)[number], context: UsageContext): UsageRowJson {
  const key = String(row[fields[by]] ?? '')
  const label = by === 'session' ? (context.entryOf(key)?.facts.title ?? key) : key
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
  bounds: ReportBounds,
  query: UsageQuery,
): UsageAnswerJson {
  const { messages, messagesWithPartialOutput, estimatedOutputTokens, unknownModels, pricesDate } = bounds
  const told: UsageAnswerJson['bounds'] = {
    messages,
    messagesWithPartialOutput,
    unknownModels,
    pricesDate,
    isEstimated: isOn(query.estimate),
  }
  if (estimatedOutputTokens !== undefined) told.estimatedOutputTokens = estimatedOutputTokens
  return { by, rows, totals: amountsOf(totals), bounds: told }
}
