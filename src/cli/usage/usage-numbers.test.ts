import { describe, expect, it } from 'vitest'
import { amountText, manyText, moneyText, shortText, tokensText } from './usage-numbers.ts'

describe('numbers of usage', () => {
  it('are grouped by thousands, or short', () => {
    expect([0, 999, 1000, 1234567.6].map(amountText)).toEqual(['0', '999', '1,000', '1,234,568'])
    expect([9_999, 12_345, 4_500_000, 1.26e9].map(shortText)).toEqual(['9,999', '12.3k', '4.5M', '1.3G'])
    expect([tokensText(0, false), tokensText(48_000, true), tokensText(48_000, false)]).toEqual([
      '-',
      '48.0k',
      '48,000',
    ])
    expect([manyText(1, 'message'), manyText(2000, 'message')]).toEqual(['1 message', '2,000 messages'])
  })

  it('are money with cents, and never nothing for something', () => {
    expect([0, 0.3, 1234.5, 999.999].map(moneyText)).toEqual(['$0.00', '$0.30', '$1,234.50', '$1,000.00'])
    expect([0.00001, 0.0049, 0.005].map(moneyText)).toEqual(['<$0.01', '<$0.01', '$0.01'])
    expect([-1.68, -2e-17].map(moneyText)).toEqual(['-$1.68', '$0.00'])
  })
})
