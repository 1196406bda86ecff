import { describe, expect, it } from 'vitest'
import fc from '../../test/property.ts'
import { bundledPrices, modelName, type PriceTable, priceOf, readPrices } from './prices.ts'
import { usdOf } from './prices-testing.ts'

describe('modelName', () => {
  it.each([
    ['claude-opus-4-1', 'claude-opus-4-1'],
    ['claude-opus-4-1-20250805', 'claude-opus-4-1'],
    ['claude-opus-4-1@20250805', 'claude-opus-4-1'],
    ['anthropic.claude-opus-4-1-20250805-v1:0', 'claude-opus-4-1'],
    ['us.anthropic.claude-opus-4-1-20250805-v1:0', 'claude-opus-4-1'],
    ['eu.anthropic.claude-sonnet-4-20250514-v1:0', 'claude-sonnet-4'],
    ['apac.anthropic.claude-3-7-sonnet-20250219-v1:0', 'claude-3-7-sonnet'],
    ['global.anthropic.claude-haiku-4-5-20251001-v1:0', 'claude-haiku-4-5'],
    ['us.anthropic.claude-3-5-sonnet-20241022-v2:0', 'claude-3-5-sonnet'],
    ['us.anthropic.claude-opus-4-6', 'claude-opus-4-6'],
    ['claude-3-5-sonnet-20240620', 'claude-3-5-sonnet'],
    ['claude-sonnet-4-5[1m]', 'claude-sonnet-4-5'],
    ['claude-sonnet-4-5-20250929[1m]', 'claude-sonnet-4-5'],
    ['claude-sonnet-4-5@20250929[1m]', 'claude-sonnet-4-5'],
    ['claude-sonnet-4-5[1m]@20250929', 'claude-sonnet-4-5'],
    ['us.anthropic.claude-sonnet-4-20250514-v1:0[1m]', 'claude-sonnet-4'],
    ['us.anthropic.claude-sonnet-4-20250514[1m]-v1:0', 'claude-sonnet-4'],
    ['claude-sonnet-4-5-20241022', 'claude-sonnet-4-5'],
    ['claude-sonnet-4-0', 'claude-sonnet-4'],
    ['claude-opus-4-0[1m]', 'claude-opus-4'],
    ['global.anthropic.claude-nova-9-20270101-v1:0', 'claude-nova-9'],
    ['<synthetic>', '<synthetic>'],
    ['', ''],
  ])('%s is %s', (id, name) => {
    expect(modelName(id)).toBe(name)
  })

  it.each([
    'Claude-Opus-4-1',
    'claude-opus-4-1-2025',
    'claude-opus-4-1-v3:0',
    'other.claude-opus-4-1',
    'xanthropic.claude-opus-4-1',
    'claude-opus-4-1[2m]',
    'anthropic.',
    '[1m]',
    '__proto__',
    'constructor',
  ])('%s is no known model and stays as written', id => {
    expect(modelName(id)).toBe(id)
    expect(priceOf(bundledPrices, id, null, false, 0)).toBeNull()
  })

  it('takes off each addition once', () => {
    expect(modelName('claude-nova-9-20270101-20270101')).toBe('claude-nova-9-20270101')
  })

  it('gives every text a name, in which one more look finds the same model', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('claude-opus-4', 'anthropic.', 'us.', '-v1:0', '[1m]', '-20250514', 'x') }),
        id => {
          const name = modelName(id)
          if (bundledPrices.models.has(name)) expect(modelName(name)).toBe(name)
          expect(name === '').toBe(id === '')
        },
      ),
    )
  })

  // 1000×15
  it.each([
    'claude-opus-4-0',
    'claude-opus-4-20250514',
    'us.anthropic.claude-opus-4-20250514-v1:0[1m]',
    'claude-opus-4@20250514',
  ])('%s has the price of its model', model => {
    expect(usdOf({ model, inputTokens: 1000 })).toBe(0.015)
  })
})

describe('priceOf', () => {
  const own = (rows: unknown[]): PriceTable => {
    const prices = { output: 1, cacheWrite5m: 1, cacheWrite1h: 1, cacheRead: 1 }
    const read = readPrices({ models: { mine: { rows: rows.map(row => ({ ...prices, ...(row as object) })) } } })
    if ('problems' in read) throw new Error(read.problems.join(' '))
    return read.table
  }
  const input = (table: PriceTable, at: string | null, isFast = false, abovePrompt = 0) =>
    priceOf(table, 'mine', at === null ? null : Date.parse(at), isFast, abovePrompt)?.input

  it('takes the row with the largest size that the prompt is above, in any order of rows', () => {
    const rows = [{ input: 1 }, { input: 3, abovePromptTokens: 300 }, { input: 2, abovePromptTokens: 200 }]
    for (const table of [own(rows), own([...rows].reverse())]) {
      expect([0, 100, 200, 250, 300, 400].map(above => input(table, null, false, above))).toEqual([1, 1, 2, 2, 3, 3])
      expect(table.promptSteps).toEqual([100_000, 200_000, 200, 300].sort((a, b) => a - b))
    }
  })

  it('has none where no row has, and the last one for a message without time', () => {
    const table = own([
      { input: 1, from: '2026-01-01', to: '2026-02-01' },
      { input: 2, from: '2026-02-01', to: '2026-03-01' },
    ])
    expect(input(table, '2025-12-31T23:59:59.999Z')).toBeUndefined()
    expect(input(table, '2026-01-01')).toBe(1)
    expect(input(table, '2026-01-31T23:59:59.999Z')).toBe(1)
    expect(input(table, '2026-02-01')).toBe(2)
    expect(input(table, '2026-03-01')).toBeUndefined()
    expect(input(table, null)).toBe(2)
  })

  it('takes the row that begins later where two hold, then the one that ends earlier', () => {
    const rows = [{ input: 1 }, { input: 2, from: '2026-02-01' }, { input: 3, to: '2026-01-01' }]
    for (const table of [own(rows), own([...rows].reverse())]) {
      expect(input(table, '2025-06-01')).toBe(3)
      expect(input(table, '2026-01-15')).toBe(1)
      expect(input(table, '2026-02-15')).toBe(2)
    }
  })

  it('never takes a fast row for a standard request, and a standard one for fast requests outside of fast rows', () => {
    const table = own([{ input: 1 }, { input: 9, speed: 'fast', from: '2026-02-01' }])
    expect(input(table, '2026-02-15')).toBe(1)
    expect(input(table, '2026-02-15', true)).toBe(9)
    expect(input(table, '2026-01-15', true)).toBe(1)
    expect(input(own([{ input: 9, speed: 'fast' }]), null)).toBeUndefined()
  })
})
