import { describe, expect, it } from 'vitest'
import { countOf, countText, durationText, leftText, moneyText, shortCount, spanText } from './format.ts'

describe('counts', () => {
  it('are grouped by thousands, or short', () => {
    expect([0, 999, 1000, 1234567.6, -1234].map(countText)).toEqual(['0', '999', '1,000', '1,234,568', '-1,234'])
    expect([9_999, 12_345, 4_500_000, 1.26e9].map(shortCount)).toEqual(['9,999', '12.3k', '4.5M', '1.3G'])
    expect([countOf(1, 'message'), countOf(2000, 'message'), countOf(2, 'entry', 'entries')]).toEqual([
      '1 message',
      '2,000 messages',
      '2 entries',
    ])
  })
})

describe('money', () => {
  it('has cents, and is never nothing for something', () => {
    expect([0, 0.3, 1234.5, 999.999].map(moneyText)).toEqual(['$0.00', '$0.30', '$1,234.50', '$1,000.00'])
    expect([0.00001, 0.0049, 0.005].map(moneyText)).toEqual(['<$0.01', '<$0.01', '$0.01'])
    expect([-1.68, -2e-17].map(moneyText)).toEqual(['-$1.68', '$0.00'])
  })
})

describe('durations', () => {
  it('have two units at most, days from two on', () => {
    const hour = 3_600_000
    const texts = [480, 3_200, 80_000, 2 * hour, 47.75 * hour, 48 * hour, 4614.6 * hour].map(durationText)
    expect(texts).toEqual(['480 ms', '3.2 s', '1 min 20 s', '2 h', '47 h 45 min', '2 d', '192 d 6 h'])
  })
})

describe('spans', () => {
  it('have few characters', () => {
    expect([42_000, 300_000, 12_000_000, 1.1e9].map(spanText)).toEqual(['42s', '5m', '3h 20m', '12d'])
  })
})

describe('time that is left', () => {
  it('is rounded down', () => {
    const texts = [-1, 0.5, 1.9, 47.9, 48, 79].map(hours => leftText(hours * 3_600_000))
    expect(texts).toEqual(['any time now', 'within an hour', 'in 1 h', 'in 47 h', 'in 2 days', 'in 3 days'])
  })
})
