// Tokens and money as tables of usage show them: whole or short, with a mark where they are a bound or an estimate. It adds
// nothing up.

import { shortCount } from '../../render/terminal/charts.ts'

/** How sure a number is; `least` may be more, `estimate` contains guessed output. */
export type Certainty = 'sure' | 'least' | 'estimate'

export interface Marks {
  least: string
  estimate: string
}

export function marksFor(isPlain: boolean): Marks {
  return { least: isPlain ? '>=' : '≥', estimate: '~' }
}

/** `12,345`. Asking for the language's own way would load its tables, which takes longer than the report. */
export function amountText(amount: number): string {
  return String(Math.round(amount)).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** `1 message`, `2,340 messages`. */
export function manyText(amount: number, one: string): string {
  return `${amountText(amount)} ${one}${amount === 1 ? '' : 's'}`
}

/** `9,500`, `12.3k`, `4.5M`. */
export function shortText(amount: number): string {
  return amount < 9_999.5 ? amountText(amount) : shortCount(amount)
}

/** Whole or short; a dash for nothing, so that what is there stands out. */
export function tokensText(tokens: number, isShort: boolean): string {
  if (tokens === 0) return '-'
  return isShort ? shortText(tokens) : amountText(tokens)
}

/** `$1,234.50`; never `$0.00` for what did cost something. */
export function moneyText(usd: number): string {
  // Less than the cheapest token: what adding up leaves behind.
  if (Math.abs(usd) < 1e-9) return '$0.00'
  if (usd < 0) return `-${moneyText(-usd)}`
  if (usd < 0.005) return '<$0.01'
  const [whole = '0', cents = '00'] = usd.toFixed(2).split('.')
  return `$${amountText(Number(whole))}.${cents}`
}
