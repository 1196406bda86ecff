// What sessions cost, from the sums that the index keeps: counted once for all sessions, and anew when rows changed.

import { usageCells } from '../../index/search/usage.ts'
import type { Database } from '../../index/store/port.ts'
import type { UsageCell } from '../../model/spent.ts'
import { CostSum } from '../../usage/prices.ts'
import type { Scope } from './scope.ts'

export interface SessionCost {
  inputTokens: number
  outputTokens: number
  cacheCreationTokens: number
  cacheReadTokens: number
  isOutputFinal: boolean
  costUSD: number
  /** Of it, what subagents cost. */
  subagentsUSD: number
  unknownModels: string[]
}

interface Sums {
  all: CostSum
  subagents: CostSum
  cost: SessionCost
}

export class SessionCosts {
  private readonly scope: Scope
  private version = ''
  private costs: ReadonlyMap<string, SessionCost> = new Map()

  constructor(scope: Scope) {
    this.scope = scope
  }

  /** `version`: of the rows that the database has now. Empty where not everything is counted yet. */
  of(db: Database, version: string): ReadonlyMap<string, SessionCost> {
    if (this.version === version) return this.costs
    const { settings, isInScope } = this.scope
    const question = { promptSteps: settings.prices.promptSteps, withTools: false, withSessions: true }
    const cells = usageCells(db, { ...question, ...(isInScope !== undefined && { isInScope }) })
    if (cells === null) return this.costs
    this.costs = this.summed(cells)
    this.version = version
    return this.costs
  }

  /** As it was last counted. */
  lately(session: string): SessionCost | undefined {
    return this.costs.get(session)
  }

  private summed(cells: readonly UsageCell[]): Map<string, SessionCost> {
    const sums = new Map<string, Sums>()
    for (const cell of cells) {
      if (cell.isSynthetic || cell.isError) continue
      let sum = sums.get(cell.session)
      if (sum === undefined) {
        sum = this.newSums()
        sums.set(cell.session, sum)
      }
      addCell(sum, cell)
    }
    return new Map([...sums].map(([session, sum]) => [session, settled(sum)]))
  }

  private newSums(): Sums {
    const { prices, unknownAs } = this.scope.settings
    const options = { unknownAs }
    const tokens = { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0 }
    const cost = { ...tokens, isOutputFinal: true, costUSD: 0, subagentsUSD: 0, unknownModels: [] }
    return { all: new CostSum(prices, options), subagents: new CostSum(prices, options), cost }
  }
}

function addCell({ all, subagents, cost }: Sums, cell: UsageCell): void {
  all.add(cell)
  if (cell.thread !== cell.session) subagents.add(cell)
  cost.inputTokens += cell.inputTokens
  cost.outputTokens += cell.outputTokens
  cost.cacheCreationTokens += cell.cacheCreationTokens
  cost.cacheReadTokens += cell.cacheReadTokens
  if (cell.partial > 0) cost.isOutputFinal = false
}

function settled({ all, subagents, cost }: Sums): SessionCost {
  return {
    ...cost,
    costUSD: all.usd(),
    subagentsUSD: subagents.usd(),
    unknownModels: [...all.unknownModels].sort(),
  }
}
