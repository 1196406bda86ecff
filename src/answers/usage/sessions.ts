// What sessions used and cost, for lists and for one session: every API message once over all sessions, as in `clew usage`.

import type { SessionGraph } from '../../model/session.ts'
import type { SessionFiles } from '../../model/source.ts'
import type { UsageCell } from '../../model/usage.ts'
import { type GraphUsage, graphUsage } from '../../session/graph-usage.ts'
import { rollUp } from '../../usage/cell.ts'
import { noSessionUsage, type Pricing, type SessionUsage, usageBySession } from '../../usage/session-usage.ts'
import type { Clew } from '../clew.ts'
import { UserError } from '../error.ts'
import { indexFor } from '../knows/index-use.ts'
import { memo } from '../memo.ts'
import { usageCells } from './data.ts'
import { pricingOf } from './prices.ts'

/** What each session sent itself. */
export const usageOfSessions = memo(async (clew): Promise<(id: string) => SessionUsage> => {
  const pricing = pricingOf(clew)
  const { cells } = await usageCells(clew, { promptSteps: pricing.prices.promptSteps, withTools: false })
  const bySession = usageBySession(cells, pricing)
  return id => bySession.get(id) ?? noSessionUsage()
})

/** Undefined where not everything is counted yet. */
export function countedUsage(clew: Clew): Promise<((id: string) => SessionUsage) | undefined> {
  return usageOfSessions(clew).catch(error => {
    if (error instanceof UserError && error.kind === 'conflict') return undefined
    throw error
  })
}

/**
 * What one session used: from the index, else from its logs and those of sessions that may share messages with it.
 * `others`: those sessions.
 */
export async function usageOfSession(
  graph: SessionGraph,
  session: SessionFiles,
  others: readonly SessionFiles[],
  clew: Clew,
): Promise<GraphUsage> {
  const pricing = pricingOf(clew)
  const { promptSteps } = pricing.prices
  const index = await indexFor(clew)
  const sum = (cells: UsageCell[], statedOf: Pricing['statedOf']): GraphUsage => ({
    ...graphUsage(graph, { ...pricing, ...(statedOf !== undefined && { statedOf }) }),
    own: usageBySession(cells, pricing).get(session.id) ?? noSessionUsage(),
  })
  if (index !== null) {
    const { statedPriceOf } = await import('../../index/search/usage.ts')
    const { cells } = await usageCells(clew, { promptSteps, withTools: false, only: session.id })
    return sum(cells, key => statedPriceOf(index.db, key))
  }
  const { scanSessions } = await import('./scan.ts')
  const messages = await scanSessions([session, ...others], clew)
  const stated = new Map(messages.map(({ key, statedNanos }) => [key, statedNanos]))
  return sum(rollUp(messages, { promptSteps, withTools: false }), key => stated.get(key) ?? null)
}
