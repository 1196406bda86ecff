// What sessions used and cost, for lists and for one session: every API message once over all sessions, as in `clew usage`.

import { asString } from '../../base/json.ts'
import type { SessionFiles } from '../../model/source.ts'
import { rollUp } from '../../usage/cell.ts'
import { noSessionUsage, type Pricing, type SessionUsage, usageBySession } from '../../usage/session-usage.ts'
import type { GlobalOptions } from '../command.ts'
import { readConfig } from '../config.ts'
import { indexFor } from '../index-use.ts'
import { usageCells } from './data.ts'
import { knownModel, loadPrices } from './prices.ts'

/** The prices that apply where no option names others. */
export function pricingOf({ home }: Pick<GlobalOptions, 'home'>): Pricing {
  const { table: prices } = loadPrices(home)
  const unknownAs = asString(readConfig(home)['unknownAs'])
  if (unknownAs === undefined) return { prices }
  return { prices, unknownAs: knownModel(prices, unknownAs, 'unknownAs in the config:') }
}

/** What each session sent itself. */
export async function usageOfSessions(globals: GlobalOptions): Promise<(id: string) => SessionUsage> {
  const pricing = pricingOf(globals)
  const { cells } = await usageCells(globals, { promptSteps: pricing.prices.promptSteps, withTools: false })
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
  globals: GlobalOptions,
): Promise<SessionUsage> {
  if ((await indexFor(globals)) !== null) return (await usageOfSessions(globals))(session.id)
  const pricing = pricingOf(globals)
  const { scanSessions } = await import('./scan.ts')
  const messages = await scanSessions([session, ...others], globals)
  const cells = rollUp(messages, { promptSteps: pricing.prices.promptSteps, withTools: false })
  return usageBySession(cells, pricing).get(session.id) ?? noSessionUsage()
}
