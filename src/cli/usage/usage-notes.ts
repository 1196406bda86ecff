// What has to be said below a report of usage so that nobody takes its numbers for more than they are: one short line each.

import { escapeForLine } from '../../base/escape.ts'
import type { BudgetCheck } from '../../usage/budget.ts'
import type { ReportBounds } from '../../usage/report.ts'
import { amountText, manyText, moneyText } from './usage-numbers.ts'
import type { UsageAsk } from './usage-options.ts'

const mostNames = 4

/** Text from logs is escaped in it. */
export function usageNotes(bounds: ReportBounds, ask: UsageAsk, isEstimated = ask.isEstimated): string[] {
  return [
    ...outputNote(bounds, isEstimated),
    ...unknownNote(bounds, ask),
    ...apartNote(bounds),
    ...(bounds.messagesWithoutTime > 0 && isOfTime(ask)
      ? [`${manyText(bounds.messagesWithoutTime, 'message')} without a time`]
      : []),
    priceNote(bounds, ask),
  ]
}

function isOfTime({ form }: UsageAsk): boolean {
  return form === 'daily' || form === 'weekly' || form === 'monthly' || form === 'blocks'
}

function outputNote(bounds: ReportBounds, isEstimated: boolean): string[] {
  const { messages, messagesWithPartialOutput: partial, estimatedOutputTokens: estimated } = bounds
  if (partial === 0) return []
  const some = `${amountText(partial)} of ${manyText(messages, 'message')} ${partial === 1 ? 'states' : 'state'}`
  if (!isEstimated) return [`${some} only a placeholder for the output: output is a lower bound; --estimate`]
  return [`${some} only a placeholder for the output: ~${amountText(estimated ?? 0)} output tokens are estimated`]
}

function unknownNote({ unknownModels }: ReportBounds, { unknownAs }: UsageAsk): string[] {
  if (unknownModels.length === 0) return []
  const names = listed(unknownModels)
  if (unknownAs !== undefined) return [`priced as ${escapeForLine(unknownAs)}: ${names}`]
  return [`no price for ${names}: not in the cost; --unknown-as or --prices gives one`]
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).map(name => escapeForLine(name))
  const more = names.length - shown.length
  return shown.join(', ') + (more > 0 ? ` and ${amountText(more)} more` : '')
}

function apartNote({ syntheticMessages, apiErrors }: ReportBounds): string[] {
  const own = syntheticMessages - apiErrors
  const parts = [
    ...(apiErrors > 0 ? [manyText(apiErrors, 'API error')] : []),
    ...(own > 0 ? [`${manyText(own, 'answer')} by the client itself`] : []),
  ]
  return parts.length === 0 ? [] : [`not counted: ${parts.join(', ')}`]
}

function priceNote({ pricesDate }: ReportBounds, { mode, prices }: UsageAsk): string {
  if (mode === 'display') return 'cost as the messages state it; nothing where they do not'
  const from = prices.from.length === 0 ? '' : `, with ${prices.from.map(path => escapeForLine(path)).join(', ')}`
  return `prices of ${escapeForLine(pricesDate)}${from}`
}

/** Which periods cost more than they should; none where nothing did. */
export function budgetNote({ usd, per, periods, isExceeded }: BudgetCheck): string | null {
  if (!isExceeded) return null
  const over = periods.filter(period => period.isOver)
  const budget = `${moneyText(usd)}${per === 'report' ? '' : ` a ${per}`}`
  const first = over
    .slice(0, mostNames)
    .map(({ period, cost }) => `${period === null ? '' : `${period} `}${moneyText(cost)}`)
  const more = over.length - first.length
  return `over the budget of ${budget}: ${first.join(', ')}${more > 0 ? ` and ${amountText(more)} more` : ''}`
}
