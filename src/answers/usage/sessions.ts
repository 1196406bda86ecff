// What sessions used and cost, for lists and for one session: every API message once over all sessions, as in `clew usage`.

import type { SessionFiles } from '../../model/source.ts'
import { rollUp } from '../../usage/cell.ts'
import { noSessionUsage, type SessionUsage, usageBySession } from '../../usage/session-usage.ts'
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
 * What one session sent itself: from the index, else from its logs and those of sessions that may share messages with it.
 * `others`: those sessions.
 */
export async function usageOfSession(
  session: SessionFiles,
  others: readonly SessionFiles[],
  clew: Clew,
): Promise<SessionUsage> {
  const pricing = pricingOf(clew)
  if ((await indexFor(clew)) !== null) {
    const { cells } = await usageCells(clew, {
      promptSteps: pricing.prices.promptSteps,
      withTools: false,
      only: session.id,
    })
    return usageBySession(cells, pricing).get(session.id) ?? noSessionUsage()
  }
  const { scanSessions } = await import('./scan.ts')
  const messages = await scanSessions([session, ...others], clew)
  const cells = rollUp(messages, { promptSteps: pricing.prices.promptSteps, withTools: false })
  return usageBySession(cells, pricing).get(session.id) ?? noSessionUsage()
}
