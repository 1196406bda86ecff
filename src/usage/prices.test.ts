// Costs worked out by hand: each case has its sum next to it, in millionths of a dollar (tokens × USD per million).

import { describe, expect, it } from 'vitest'
import fc from '../../test/property.ts'
import { bundledPrices, type CostOptions, CostSum, contextWindow, costOf } from './prices.ts'
import { cellsOf, type Given, usdOf } from './prices-testing.ts'
import { cell } from './report-testing.ts'

type Case = [says: string, given: Given | Given[], usd: number, options?: CostOptions]

const cacheCases: Case[] = [
  // 10000×6.25
  ['5-minute writes', { cacheCreationTokens: 10_000 }, 0.0625],
  // 10000×10
  ['1-hour writes', { cacheCreationTokens: 10_000, cacheCreation1hTokens: 10_000 }, 0.1],
  // 9999×6.25 + 1×10 = 62493.75 + 10
  ['writes of both kinds', { cacheCreationTokens: 10_000, cacheCreation1hTokens: 1 }, 0.06250375],
  // 10000×10, and no more than the total
  ['more 1-hour writes than writes', { cacheCreationTokens: 10_000, cacheCreation1hTokens: 25_000 }, 0.1],
  // 1000000×0.2
  ['reads', { model: 'claude-opus-5-5', cacheReadTokens: 1_000_000 }, 0.2],
  // 3×0.1
  ['three reads', { model: 'claude-haiku-4-5', cacheReadTokens: 3 }, 0.0000003],
]

const sonnet45 = { model: 'claude-sonnet-4-5', at: '2026-01-15T10:00:00Z' }
const haiku55 = { model: 'claude-haiku-5-5' }

const promptCases: Case[] = [
  // 199999×3
  ['one token under the line', { ...sonnet45, inputTokens: 199_999 }, 0.599997],
  // 200000×3
  ['at the line', { ...sonnet45, inputTokens: 200_000 }, 0.6],
  // 200001×6
  ['one token over the line', { ...sonnet45, inputTokens: 200_001 }, 1.200006],
  // 1×6 + 100000×7.5 + 100000×0.6 = 6 + 750000 + 60000
  [
    'over the line by all three kinds of prompt tokens',
    { ...sonnet45, inputTokens: 1, cacheCreationTokens: 100_000, cacheReadTokens: 100_000 },
    0.810006,
  ],
  // 200001×6 + 1000×22.5 = 1200006 + 22500
  ['output of a long prompt', { ...sonnet45, inputTokens: 200_001, outputTokens: 1000 }, 1.222506],
  // 150000×3 + 100000×15 = 450000 + 1500000
  ['output does not make the prompt longer', { ...sonnet45, inputTokens: 150_000, outputTokens: 100_000 }, 1.95],
  // 150000×3 + 250000×6 = 450000 + 1500000
  [
    'a short and a long prompt in one minute',
    [
      { ...sonnet45, inputTokens: 150_000 },
      { ...sonnet45, inputTokens: 250_000 },
    ],
    1.95,
  ],
  // 99999×0.1
  ['under the line of another model', { ...haiku55, inputTokens: 99_999 }, 0.0099999],
  // 100000×0.1
  ['at the line of another model', { ...haiku55, inputTokens: 100_000 }, 0.01],
  // 100001×0.5
  ['over the line of another model', { ...haiku55, inputTokens: 100_001 }, 0.0500005],
  // 250000×0.5
  ['over the lines of both models', { ...haiku55, inputTokens: 250_000 }, 0.125],
  // 300000×5
  ['a long prompt of a model without a line', { inputTokens: 300_000 }, 1.5],
]

const factorCases: Case[] = [
  // 1000×150
  ['fast output', { model: 'claude-opus-4-7', isFast: true, outputTokens: 1000 }, 0.15],
  // 1000×3
  ['fast where there is no fast price', { model: 'claude-sonnet-4-6', isFast: true, inputTokens: 1000 }, 0.003],
  // 300000×6
  ['fast, long, no fast price', { ...sonnet45, isFast: true, inputTokens: 300_000 }, 1.8],
  // 1000×5×1.1 = 5500
  ['the USA', { isUs: true, inputTokens: 1000 }, 0.0055],
  // 1×0.01×1.1 = 0.011
  ['one cache read in the USA', { ...haiku55, isUs: true, cacheReadTokens: 1 }, 0.000000011],
  // (1000×5 + 100×25 + 300×6.25 + 100×10 + 10×0.5)×1.1 = (5000 + 2500 + 1875 + 1000 + 5)×1.1 = 10380×1.1
  [
    'every kind of token in the USA',
    {
      isUs: true,
      inputTokens: 1000,
      outputTokens: 100,
      cacheCreationTokens: 400,
      cacheCreation1hTokens: 100,
      cacheReadTokens: 10,
    },
    0.011418,
  ],
  // 1000×8×1.1 = 8800
  ['fast in the USA', { model: 'claude-opus-5-5', isFast: true, isUs: true, inputTokens: 1000 }, 0.0088],
  // 200001×6×1.1 = 1320006.6
  ['a long prompt in the USA', { ...sonnet45, isUs: true, inputTokens: 200_001 }, 1.3200066],
  // 3×10000
  ['web searches alone', { webSearches: 3 }, 0.03],
  // 1000×5×1.1 + 2×10000 = 5500 + 20000
  ['web searches stay outside the factor', { isUs: true, inputTokens: 1000, webSearches: 2 }, 0.0255],
]

const sonnet55Reads = { model: 'claude-sonnet-5-5', cacheReadTokens: 1_000_000 }
const sonnet46Long = { model: 'claude-sonnet-4-6', inputTokens: 300_000 }
const sonnet4Long = { model: 'claude-sonnet-4-20250514', inputTokens: 300_000 }
const opus46Fast = { model: 'claude-opus-4-6', isFast: true, inputTokens: 300_000 }

const timeCases: Case[] = [
  // 1000000×0.2
  ['one millisecond before a change', { ...sonnet55Reads, at: '2026-10-05T23:59:59.999Z' }, 0.2],
  // 1000000×0.1
  ['at midnight UTC of a change', { ...sonnet55Reads, at: '2026-10-06T00:00:00.000Z' }, 0.1],
  // 1000000×0.1: 00:30 in UTC
  ['midnight of a zone is none', { ...sonnet55Reads, at: '2026-10-05T22:30:00-02:00' }, 0.1],
  // 300000×6
  ['one millisecond before long prompts get cheaper', { ...sonnet46Long, at: '2026-03-12T23:59:59.999Z' }, 1.8],
  // 300000×3
  ['as long prompts get cheaper', { ...sonnet46Long, at: '2026-03-13T00:00:00.000Z' }, 0.9],
  // 300000×6
  ['the same, another model, before', { ...sonnet4Long, at: '2026-04-29T23:59:59.999Z' }, 1.8],
  // 300000×3
  ['the same, another model, after', { ...sonnet4Long, at: '2026-04-30T00:00:00.000Z' }, 0.9],
  // 300000×60
  ['fast and long, before', { ...opus46Fast, at: '2026-03-12T23:59:59.999Z' }, 18],
  // 300000×30
  ['fast and long, after', { ...opus46Fast, at: '2026-03-13T00:00:00.000Z' }, 9],
  // 1000000×0.1
  ['no time has the newest price', { ...sonnet55Reads, at: null }, 0.1],
  // 300000×3
  ['no time and a long prompt', { ...sonnet46Long, at: null }, 0.9],
  // 1000000×0.2 + 1000000×0.1
  [
    'both sides of a change together',
    [
      { ...sonnet55Reads, at: '2026-10-06T00:00:00.000Z' },
      { ...sonnet55Reads, at: '2026-10-05T23:59:59.999Z' },
    ],
    0.3,
  ],
]

const nova = { model: 'claude-nova-9', inputTokens: 1000, webSearches: 1 }
const stated = { inputTokens: 1000, statedNanos: 123_456_789 }
const silent = { inputTokens: 1000 }
const partial = { ...sonnet45, outputTokens: 1, visibleTokens: 101, isFinal: false }

const ruleCases: Case[] = [
  ['an unknown model', nova, 0],
  // 1000×5 + 1×10000
  ['an unknown model priced as a known one', nova, 0.015, { unknownAs: 'claude-opus-4-5' }],
  // 1000×15 + 1×10000
  ['… named as a provider does', nova, 0.025, { unknownAs: 'us.anthropic.claude-opus-4-1-20250805-v1:0' }],
  ['an unknown model priced as an unknown one', nova, 0, { unknownAs: 'claude-nova-8' }],
  // 1000×5
  ['a known model keeps its price', silent, 0.005, { unknownAs: 'claude-opus-4-1' }],
  ['no model', { ...nova, model: '' }, 0],
  ['<synthetic>', { model: '<synthetic>', inputTokens: 1000, isSynthetic: true, statedNanos: 5 }, 0],
  [
    '<synthetic> priced as a known one',
    { model: '<synthetic>', inputTokens: 1000 },
    0,
    { unknownAs: 'claude-opus-4-5' },
  ],
  ['an API error', { inputTokens: 1000, webSearches: 1, isSynthetic: true, isError: true }, 0],
  ['a stated cost is taken', stated, 0.123456789],
  ['a stated cost is taken by auto', stated, 0.123456789, { mode: 'auto' }],
  // 1000×5
  ['a stated cost is passed over by calculate', stated, 0.005, { mode: 'calculate' }],
  ['a stated cost is shown by display', stated, 0.123456789, { mode: 'display' }],
  // 1000×5
  ['without a stated cost auto calculates', silent, 0.005, { mode: 'auto' }],
  ['without a stated cost display has none', silent, 0, { mode: 'display' }],
  // 123456.789 + 1000×5
  ['auto takes each message by itself', [stated, silent], 0.128456789, { mode: 'auto' }],
  // 2×1000×5
  ['calculate takes all alike', [stated, silent], 0.01, { mode: 'calculate' }],
  ['display adds what is stated', [stated, silent], 0.123456789, { mode: 'display' }],
  ['a stated cost of an unknown model', { ...nova, statedNanos: 7 }, 0.000000007],
  ['a stated cost of nothing', { inputTokens: 1000, statedNanos: 0 }, 0],
  // 1×15
  ['a lower bound', partial, 0.000015],
  // 101×15
  ['a lower bound, estimated', partial, 0.001515, { isEstimated: true }],
]

describe('hand-computed costs', () => {
  it.each([...cacheCases, ...promptCases, ...factorCases, ...timeCases, ...ruleCases])(
    '%s',
    (_says, given, usd, options = {}) => {
      expect(usdOf(given, options)).toBe(usd)
    },
  )
})

describe('costOf', () => {
  const one = (given: Given, options?: CostOptions) => {
    const [first = cell()] = cellsOf(given)
    return costOf(bundledPrices, first, options)
  }

  it('says that the table has no price, also where another model lends one', () => {
    expect(one(nova)).toEqual({ nanos: 0, usd: 0, isUnknown: true })
    // 1000×5 + 1×10000
    expect(one(nova, { unknownAs: 'claude-opus-4-5' })).toEqual({ nanos: 15_000_000, usd: 0.015, isUnknown: true })
  })

  it('calls nothing unknown that needs no price', () => {
    expect(one({ ...nova, statedNanos: 7 })).toEqual({ nanos: 7, usd: 7e-9, isUnknown: false })
    expect(one(nova, { mode: 'display' }).isUnknown).toBe(false)
    expect(one({ model: '<synthetic>', isSynthetic: true }).isUnknown).toBe(false)
    expect(one(silent).isUnknown).toBe(false)
  })

  it('prices neither an API error nor what Claude Code wrote for a model, by whichever mark', () => {
    for (const mark of [{ isError: true }, { isSynthetic: true }, { model: '<synthetic>' }]) {
      const marked = cell({ inputTokens: 1000, webSearches: 1, hasStated: true, statedNanos: 9, ...mark })
      for (const mode of ['auto', 'calculate', 'display'] as const) {
        expect(costOf(bundledPrices, marked, { mode })).toEqual({ nanos: 0, usd: 0, isUnknown: false })
      }
    }
  })

  it('clamps the 1-hour writes of a cell to its writes', () => {
    const odd = cell({ cacheCreationTokens: 10, cacheCreation1hTokens: 99 })
    // 10×10
    expect(costOf(bundledPrices, odd).nanos).toBe(100_000)
  })

  it('stays exact where numbers are not', () => {
    // 9007199254740991×75 = 675539944105574325, of which a number has the first sixteen digits
    const huge = cell({ model: 'claude-opus-4', outputTokens: Number.MAX_SAFE_INTEGER })
    expect(costOf(bundledPrices, huge).usd).toBe(675539944105.5743)
  })

  it('takes amounts that no log should have for nothing', () => {
    const odd = cell({ inputTokens: Number.NaN, outputTokens: -5, cacheReadTokens: Number.NEGATIVE_INFINITY })
    expect(costOf(bundledPrices, odd)).toEqual({ nanos: 0, usd: 0, isUnknown: false })
    expect(costOf(bundledPrices, cell({ statedNanos: -5, hasStated: true })).usd).toBe(0)
  })
})

const models = [
  ...bundledPrices.names.keys(),
  'claude-nova-9',
  '',
  '<synthetic>',
  'us.anthropic.claude-opus-4-6-v1:0[1m]',
]
const count = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.double())
const someCell = fc
  .record({
    quarter: fc.option(fc.integer({ min: 1_900_000, max: 2_000_000 })),
    model: fc.constantFrom(...models),
    isFast: fc.boolean(),
    isUs: fc.boolean(),
    isSynthetic: fc.boolean(),
    abovePrompt: fc.constantFrom(0, ...bundledPrices.promptSteps),
    hasStated: fc.boolean(),
    inputTokens: count,
    outputTokens: count,
    cacheCreationTokens: count,
    cacheCreation1hTokens: count,
    cacheReadTokens: count,
    webSearches: count,
    estimatedMore: count,
    statedNanos: count,
  })
  .map(given => cell(given))
const someOptions: fc.Arbitrary<CostOptions> = fc.record({
  mode: fc.constantFrom('auto', 'calculate', 'display'),
  unknownAs: fc.constantFrom(undefined, 'claude-opus-5', 'claude-nova-8'),
  isEstimated: fc.boolean(),
})

describe('CostSum', () => {
  it('has the same sum in any order and however it is parted', () => {
    fc.assert(
      fc.property(fc.array(someCell), fc.nat(), someOptions, (cells, cut, options) => {
        const forward = new CostSum(bundledPrices, options)
        for (const one of cells) forward.add(one)
        const head = new CostSum(bundledPrices, options)
        const tail = new CostSum(bundledPrices, options)
        const from = cells.length === 0 ? 0 : cut % cells.length
        for (const one of cells.slice(from).reverse()) tail.add(one)
        for (const one of cells.slice(0, from).reverse()) head.add(one)
        tail.merge(head)
        expect(tail.usd()).toBe(forward.usd())
        expect(tail.nanos()).toBe(forward.nanos())
        expect(new Set(tail.unknownModels)).toEqual(new Set(forward.unknownModels))
      }),
    )
  })

  it('is never negative and never no number', () => {
    fc.assert(
      fc.property(someCell, someOptions, (one, options) => {
        const { usd, nanos } = costOf(bundledPrices, one, options)
        expect(usd >= 0 && Number.isFinite(usd)).toBe(true)
        expect(nanos >= 0 && Number.isFinite(nanos)).toBe(true)
      }),
    )
  })

  it('adds ten cents ten times to a dollar', () => {
    const sum = new CostSum(bundledPrices)
    for (let i = 0; i < 10; i++) sum.add(cell({ inputTokens: 20_000 }))
    expect(sum.usd()).toBe(1)
  })

  it('names the models that it has no price for, each once', () => {
    const sum = new CostSum(bundledPrices)
    for (const model of ['claude-nova-9', 'us.anthropic.claude-nova-9-20270101-v1:0', 'claude-opus-5', 'other']) {
      sum.add(cell({ model }))
    }
    expect([...sum.unknownModels]).toEqual(['claude-nova-9', 'other'])
  })
})

describe('contextWindow', () => {
  it.each([
    ['claude-opus-4-5', 200_000],
    ['claude-opus-4-6', 1_000_000],
    ['us.anthropic.claude-3-5-haiku-20241022-v1:0', 200_000],
    ['claude-sonnet-4-5-20250929[1m]', 1_000_000],
    ['claude-nova-9[1m]', 1_000_000],
    ['claude-nova-9', null],
    ['<synthetic>', null],
  ])('%s: %s', (model, tokens) => {
    expect(contextWindow(bundledPrices, model)).toBe(tokens)
  })
})
