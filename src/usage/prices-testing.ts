// Invented messages and what they cost by the bundled prices, for tests. No test itself.

import { toMillis } from '../base/instant.ts'
import type { MessageUsage, UsageCell } from '../model/usage.ts'
import { rollUp } from './cell.ts'
import { bundledPrices, type CostOptions, CostSum } from './prices.ts'
import { occurrence } from './report-testing.ts'

export type Given = Partial<Omit<MessageUsage, 'at' | 'tools'>> & { at?: string | null }

/** Messages without tokens of a day on which the newest prices apply, but for what is given; as reports get them. */
export function cellsOf(...given: Given[]): UsageCell[] {
  const messages = given.map(({ at = '2026-11-01', ...rest }) => ({
    ...occurrence(),
    session: 'one',
    ...rest,
    at: toMillis(at),
  }))
  return rollUp(messages, { promptSteps: bundledPrices.promptSteps, withTools: false })
}

export function usdOf(given: Given | Given[], options: CostOptions = {}): number {
  const sum = new CostSum(bundledPrices, options)
  for (const cell of cellsOf(...[given].flat())) sum.add(cell)
  return sum.usd()
}
