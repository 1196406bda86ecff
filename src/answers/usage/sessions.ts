// What sessions used and cost, for lists and for one session: every API message once over all sessions, as in `clew usage`.

import { asString } from '../../base/json.ts'
import type { SessionFiles } from '../../model/source.ts'
import { rollUp } from '../../usage/cell.ts'
import { noSessionUsage, type Pricing, type SessionUsage, usageBySession } from '../../usage/session-usage.ts'
import type { Clew } from '../clew.ts'
import { indexFor } from '../knows/index-use.ts'
import { readConfig } from '../settings.ts'
import { usageCells } from './data.ts'
import { knownModel, loadPrices } from './prices.ts'

/** The prices that apply where no option names others. */
export function pricingOf({ home }: Pick<Clew, 'home'>): Pricing {
  const { table: prices } = loadPrices(home)
  const unknownAs = asString(readConfig(home)['unknownAs'])
  if (unknownAs === undefined) return { prices }
  return { prices, unknownAs: knownModel(prices, unknownAs, 'unknownAs in the config:') }
}

/** What each session sent itself. */
export async function usageOfSessions(clew: Clew): Promise<(id: string) => SessionUsage> {
  const pricing = pricingOf(clew)
  const { cells } = await usageCells(clew, { promptSteps: pricing.prices.promptSteps, withTools: false })
  const bySession = usageBySession(cells, pricing)
  return id => bySession.get(id) ?? noSessionUsage()
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
  if ((await indexFor(clew)) !== null) return (await usageOfSessions(clew))(session.id)
  const pricing = pricingOf(clew)
  const { scanSessions } = await import('./scan.ts')
  const messages = await scanSessions([session, ...others], clew)
  const cells = rollUp(messages, { promptSteps: pricing.prices.promptSteps, withTools: false })
  return usageBySession(cells, pricing).get(session.id) ?? noSessionUsage()
}
