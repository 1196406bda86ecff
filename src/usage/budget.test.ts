import { describe, expect, it } from 'vitest'
import { checkBudget, readBudget } from './budget.ts'
import { bundledPrices } from './prices.ts'
import { cell } from './report-testing.ts'

describe('a budget', () => {
  it('is an amount, for a period or for all', () => {
    expect(readBudget('20')).toEqual({ usd: 20, per: 'report' })
    expect(readBudget('$12.50/day')).toEqual({ usd: 12.5, per: 'day' })
    expect(readBudget(' 100 USD / Week ')).toEqual({ usd: 100, per: 'week' })
    expect(readBudget('.5/m')).toEqual({ usd: 0.5, per: 'month' })
  })

  it('is none where the text says something else', () => {
    expect(['', 'x', '-5', '5/year', '5/', '1e9', '5 5'].map(readBudget)).toEqual(Array(7).fill(null))
  })
})

describe('what exceeded it', () => {
  // 25 dollars for a million.
  const dollars = (time: string | null, usd: number) =>
    cell({ firstAt: time === null ? null : Date.parse(time), outputTokens: usd * 40_000 })
  const cells = [
    dollars('2026-01-31T23:30Z', 4),
    dollars('2026-02-01T00:30Z', 5),
    dollars('2026-02-02T12:00Z', 6),
    dollars(null, 7),
  ]
  const options = { prices: bundledPrices, timezone: 'UTC' }
  const over = (text: string, more = {}) => {
    const check = checkBudget(cells, { ...options, ...more }, readBudget(text) ?? { usd: 0, per: 'report' })
    return [check.isExceeded, check.periods.filter(period => period.isOver).map(({ period, cost }) => [period, cost])]
  }

  it('is a day, week or month of the time zone that costs more, not as much', () => {
    expect(over('5/day')).toEqual([true, [['2026-02-02', 6]]])
    expect(over('8/day', { timezone: 'America/New_York' })).toEqual([true, [['2026-01-31', 9]]])
    expect(over('6/day')).toEqual([false, []])
    expect(over('8/week')).toEqual([true, [['2026-01-26', 9]]])
    expect(over('10/month')).toEqual([true, [['2026-02', 11]]])
  })

  it('is the whole where no period is named, with messages that have no time', () => {
    expect(over('21')).toEqual([true, [['all', 22]]])
    expect(over('22')).toEqual([false, []])
  })
})
