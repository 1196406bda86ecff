// What each session used and cost, from cells: the messages that it sent itself, each counted once over all sessions. A fork's
// copies of messages belong to the session that sent them; with them it is `withInherited`, where that is more.

import { ownPurpose } from '../model/agent.ts'
import type { Usage } from '../model/event.ts'
import { noUsage, totalTokens, type UsageCell } from '../model/usage.ts'
import { CostSum, type PriceTable } from './prices.ts'

export interface SessionUsage {
  usage: Usage
  costUSD: number
  /** Of it, what subagents cost that a call started. */
  subagentsUSD: number
  /** Of it, what Claude Code's own agents cost, by what they were for: `compact`, `prompt_suggestion`. */
  ownAgentsUSD: ReadonlyMap<string, number>
  /** Models without a price, sorted. */
  unknownModels: string[]
}

/** How models are priced. */
export interface Pricing {
  prices: PriceTable
  /** The model at whose prices unknown ones are priced. */
  unknownAs?: string | undefined
  /** What records of any session state as the price of a message, by its key, in billionths of a dollar: a copy may lack it. */
  statedOf?: (key: number) => number | null
}

/** By session; a session that sent nothing has no entry. */
export function usageBySession(cells: Iterable<UsageCell>, pricing: Pricing): Map<string, SessionUsage> {
  const sums = new Map<string, Sums>()
  for (const cell of cells) {
    if (cell.isSynthetic || cell.isError) continue
    let sum = sums.get(cell.session)
    if (sum === undefined) {
      sum = new Sums(pricing)
      sums.set(cell.session, sum)
    }
    sum.add(cell)
  }
  return new Map([...sums].map(([session, sum]) => [session, sum.total()]))
}

/** Nothing used. */
export function noSessionUsage(): SessionUsage {
  return { usage: noUsage(), costUSD: 0, subagentsUSD: 0, ownAgentsUSD: new Map(), unknownModels: [] }
}

/** The cost as it is reported: none where nothing has a price. */
export function shownCost({ costUSD, unknownModels }: SessionUsage): number | undefined {
  return costUSD > 0 || unknownModels.length === 0 ? costUSD : undefined
}

/** What the files of a session state with all copied history; undefined where that is no more than its own. */
export function inheritedUsage<All extends Usage>(own: Usage, all: All): All | undefined {
  return totalTokens(all) > totalTokens(own) ? all : undefined
}

/** Adds the tokens of a cell to a sum, which is final only where every message's output is. */
export function addCell(sum: Usage, cell: UsageCell): void {
  sum.inputTokens += cell.inputTokens
  sum.outputTokens += cell.outputTokens
  sum.cacheCreationTokens += cell.cacheCreationTokens
  sum.cacheReadTokens += cell.cacheReadTokens
  sum.outputFinal &&= cell.partial === 0
  if (cell.cacheCreationTokens > 0) {
    const hour = cell.cacheCreation1hTokens
    sum.cacheCreation5mTokens = (sum.cacheCreation5mTokens ?? 0) + cell.cacheCreationTokens - hour
    sum.cacheCreation1hTokens = (sum.cacheCreation1hTokens ?? 0) + hour
  }
  if (cell.webSearches > 0) sum.webSearches = (sum.webSearches ?? 0) + cell.webSearches
}

class Sums {
  private readonly all: CostSum
  private readonly subagents: CostSum
  private readonly ownAgents = new Map<string, CostSum>()
  private readonly usage = noUsage()
  private readonly pricing: Pricing

  constructor(pricing: Pricing) {
    this.pricing = pricing
    this.all = this.costs()
    this.subagents = this.costs()
  }

  add(cell: UsageCell): void {
    this.all.add(cell)
    if (cell.thread !== cell.session) this.sumOf(cell.thread).add(cell)
    addCell(this.usage, cell)
  }

  total(): SessionUsage {
    const { all, subagents, usage } = this
    const ownAgentsUSD = new Map([...this.ownAgents].sort().map(([purpose, sum]) => [purpose, sum.usd()]))
    const unknownModels = [...all.unknownModels].sort()
    return { usage, costUSD: all.usd(), subagentsUSD: subagents.usd(), ownAgentsUSD, unknownModels }
  }

  private sumOf(thread: string): CostSum {
    const purpose = ownPurpose(thread)
    if (purpose === undefined) return this.subagents
    const sum = this.ownAgents.get(purpose) ?? this.costs()
    this.ownAgents.set(purpose, sum)
    return sum
  }

  private costs(): CostSum {
    const { prices, unknownAs } = this.pricing
    return new CostSum(prices, { unknownAs })
  }
}
