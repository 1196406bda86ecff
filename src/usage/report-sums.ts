// Sums of cells for one line of a report: tokens and cost, in all and by model. Amounts are whole and costs exact, so that
// every way of parting the same cells comes to the same totals. Which cells belong together is decided elsewhere.

import type { UsageCell } from '../model/spent.ts'
import { type CostOptions, CostSum, modelName, type PriceTable } from './prices.ts'

/** Tokens as reports print them; `outputTokens` with the estimated ones where they were asked for. */
export interface TokenCounts {
  inputTokens: number
  outputTokens: number
  cacheCreationTokens: number
  cacheReadTokens: number
}

export interface ModelBreakdown extends TokenCounts {
  modelName: string
  cost: number
}

/** What every line of a report says. */
export interface UsageAmounts extends TokenCounts {
  totalTokens: number
  /** USD. */
  totalCost: number
  /** Sorted. */
  modelsUsed: string[]
  /** The most expensive first. */
  modelBreakdowns: ModelBreakdown[]
  /** API messages, each once. */
  messages: number
  /** How many of them have a lower bound for their output; absent where none. */
  partialMessages?: number
  /** How many of `outputTokens` are an estimate; absent where none. */
  estimatedOutputTokens?: number
  /** Absent where none. */
  webSearches?: number
  /** The first and last message with a time; ISO 8601 in UTC. */
  firstAt: string | null
  lastAt: string | null
}

/** How cells are priced. */
export interface Pricing extends CostOptions {
  prices: PriceTable
}

interface ModelSum extends TokenCounts {
  cost: CostSum
}

export const noModel = '(no model)'

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

  /** `model`: as `shownModel` says, handed in since it is asked for often. */
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

  private breakdowns(): ModelBreakdown[] {
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
