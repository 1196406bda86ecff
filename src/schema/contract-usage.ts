// Shapes of what `clew usage` prints. Loose like all others.

import { z } from 'zod'
import { count, instant, maybe, text, texts } from './contract-words.ts'

const tokens = () => ({
  inputTokens: count(),
  outputTokens: count().describe('a lower bound where `partialMessages` is there and nothing was estimated'),
  cacheCreationTokens: count(),
  cacheReadTokens: count(),
})

const amounts = () => ({
  ...tokens(),
  totalTokens: count(),
  totalCost: count().describe('USD'),
  modelsUsed: texts(),
  modelBreakdowns: z.array(z.looseObject({ modelName: text(), ...tokens(), cost: count() })),
  messages: count().describe('API messages, each once'),
  partialMessages: maybe(count()).describe('those whose output is a lower bound'),
  estimatedOutputTokens: maybe(count()).describe('how many of `outputTokens` are an estimate'),
  webSearches: maybe(count()),
  firstAt: instant(),
  lastAt: instant(),
})

/** One of these names the row; `groups` have two. */
const keys = () => ({
  date: maybe(text()),
  period: maybe(text()),
  session: maybe(text()),
  project: maybe(text()),
  model: maybe(text()),
  tool: maybe(text()),
  subagent: maybe(text()),
  branch: maybe(text()),
  gitBranch: maybe(text()),
})

const rowKeys = () => ({
  ...keys(),
  ...amounts(),
  calls: maybe(count()).describe('of the tool'),
  title: maybe(text()).describe('of the session'),
  isActive: maybe(z.boolean()).describe('of a branch: whether the session goes on with it'),
  label: maybe(text()).describe('of a branch: how its first prompt begins'),
  threads: maybe(count()).describe('of a type of subagent'),
})

export const usageRow = () =>
  z.looseObject({ ...rowKeys(), groups: maybe(z.array(z.looseObject(rowKeys()))).describe('with `--group`') })

export const usageTotals = () => z.looseObject(amounts())

export const usageBounds = () =>
  z.looseObject({
    messages: count(),
    messagesWithPartialOutput: count(),
    estimatedOutputTokens: maybe(count()),
    unknownModels: texts(),
    pricesDate: text(),
    syntheticMessages: count(),
    apiErrors: count(),
    messagesWithoutTime: count(),
    from: instant(),
    to: instant(),
  })

export const usageBlock = () =>
  z.looseObject({
    kind: z.enum(['block', 'gap', 'undated']),
    start: instant(),
    end: instant(),
    isActive: z.boolean(),
    ...amounts(),
    burnRate: maybe(z.looseObject({ tokensPerMinute: count(), freshTokensPerMinute: count(), costPerHour: count() })),
    projection: maybe(z.looseObject({ totalTokens: count(), totalCost: count(), remainingMinutes: count() })),
    limit: maybe(z.looseObject({ limit: count(), remaining: count(), share: count(), projectedShare: maybe(count()) })),
  })

const comparison = () => ({ ours: count(), client: count(), difference: count() })
const stated = () => maybe(z.looseObject({ ...comparison(), messages: count() }))
const totals = () => maybe(z.looseObject({ ...comparison(), processes: count() }))

export const usageReconcile = () =>
  z.looseObject({
    rows: z.array(z.looseObject({ session: text(), calculated: count(), stated: stated(), totals: totals() })),
    stated: stated(),
    totals: totals(),
  })

export const usageBudget = () =>
  z.looseObject({
    usd: count(),
    per: z.enum(['report', 'day', 'week', 'month']),
    periods: z.array(z.looseObject({ period: text(), cost: count(), isOver: z.boolean() })),
    isExceeded: z.boolean(),
  })
