import { describe, expect, it } from 'vitest'
import fc from '../../test/property.ts'
import { bundledPrices, contextWindow, costOf, modelName, type PriceTable, readPrices } from './prices.ts'
import { cell } from './report-testing.ts'

const row = { input: 1, output: 2, cacheWrite5m: 3, cacheWrite1h: 4, cacheRead: 0.5 }

function tableOf(json: unknown, base?: PriceTable): PriceTable {
  const read = readPrices(json, base)
  if ('problems' in read) throw new Error(read.problems.join(' '))
  return read.table
}

function problemsOf(json: unknown): string[] {
  const read = readPrices(json)
  return 'problems' in read ? read.problems : []
}

const usdOf = (table: PriceTable, model: string, given = {}) =>
  costOf(table, cell({ model, inputTokens: 1_000_000, ...given })).usd

describe('readPrices', () => {
  it('leaves everything as it is where nothing is given', () => {
    expect(tableOf({})).toEqual(bundledPrices)
    expect(tableOf({ models: {} })).toEqual(bundledPrices)
  })

  it('replaces all rows of a model and leaves its aliases, its window and all other models', () => {
    const table = tableOf({ models: { 'claude-sonnet-4-5': { rows: [row] } } })
    expect(usdOf(table, 'claude-sonnet-4-5')).toBe(1)
    expect(usdOf(table, 'claude-sonnet-4-5', { abovePrompt: 200_000 })).toBe(1)
    expect(usdOf(table, 'us.anthropic.claude-sonnet-4-5-20250929-v1:0')).toBe(1)
    expect(contextWindow(table, 'claude-sonnet-4-5')).toBe(200_000)
    expect(usdOf(table, 'claude-sonnet-4')).toBe(3)
    expect(usdOf(bundledPrices, 'claude-sonnet-4-5')).toBe(3)
  })

  it('adds a model, with its names and its prompt sizes', () => {
    const long = { ...row, input: 7, abovePromptTokens: 150_000 }
    const table = tableOf({ models: { 'my model': { aliases: ['mine'], contextWindow: 5, rows: [row, long] } } })
    expect(usdOf(table, 'my model')).toBe(1)
    expect(usdOf(table, 'mine[1m]', { abovePrompt: 150_000 })).toBe(7)
    expect(modelName('mine', table)).toBe('my model')
    expect(contextWindow(table, 'mine')).toBe(5)
    expect(table.promptSteps).toEqual([100_000, 150_000, 200_000])
    expect(costOf(table, cell({ model: 'mine' })).isUnknown).toBe(false)
  })

  it("prices a dated or a provider's id apart where it is given", () => {
    const table = tableOf({
      models: {
        'claude-opus-4-5-20251101': { rows: [row] },
        'eu.anthropic.claude-opus-4-5': { rows: [{ ...row, input: 6 }] },
      },
    })
    expect(usdOf(table, 'claude-opus-4-5')).toBe(5)
    expect(usdOf(table, 'us.anthropic.claude-opus-4-5-20251101-v1:0')).toBe(1)
    expect(usdOf(table, 'eu.anthropic.claude-opus-4-5[1m]')).toBe(6)
  })

  it('moves an alias to the model that it is given to', () => {
    const table = tableOf({ models: { mine: { aliases: ['claude-opus-4-0'], rows: [row] }, 'claude-opus-4': {} } })
    expect(usdOf(table, 'claude-opus-4-0')).toBe(1)
    expect(usdOf(table, 'claude-opus-4')).toBe(15)
    expect(table.models.get('claude-opus-4')?.aliases).toEqual(['claude-opus-4-20250514'])
  })

  it('changes web searches, the factor and the date', () => {
    const table = tableOf({ date: '2027-01-01', webSearchPerRequest: 0.025, usInferenceFactor: 1.25 })
    // 1000000×5×1.25 + 2×25000 = 6250000 + 50000
    expect(usdOf(table, 'claude-opus-4-5', { isUs: true, webSearches: 2 })).toBe(6.3)
    expect(table.date).toBe('2027-01-01')
  })

  it('keeps six decimals of a price and of the factor', () => {
    const table = tableOf({ usInferenceFactor: 1.000001, models: { mine: { rows: [{ ...row, input: 0.000001 }] } } })
    expect(costOf(table, cell({ model: 'mine', inputTokens: 1 })).usd).toBe(1e-12)
    // 1×0.000001×1.000001
    expect(costOf(table, cell({ model: 'mine', inputTokens: 1, isUs: true })).usd).toBe(1.000001e-12)
  })

  it('lays one file over another', () => {
    const first = tableOf({ webSearchPerRequest: 0.02, models: { mine: { rows: [row] } } })
    const second = tableOf({ models: { other: { rows: [row] } } }, first)
    expect(usdOf(second, 'mine', { webSearches: 1 })).toBe(1.02)
    expect(usdOf(second, 'other')).toBe(1)
  })

  it('takes what is only for readers', () => {
    const json = {
      unit: 'USD per 1,000,000 tokens',
      sources: ['a letter'],
      rules: {},
      models: {
        mine: { released: '2026-01-01', note: 'none', contextWindow: null, rows: [{ ...row, from: null, to: null }] },
      },
    }
    expect(usdOf(tableOf(json), 'mine')).toBe(1)
  })

  const inRow = (given: object) => ({ models: { mine: { rows: [{ ...row, ...given }] } } })
  it.each([
    [null, 'The prices are not a JSON object.'],
    [[], 'The prices are not a JSON object.'],
    ['x', 'The prices are not a JSON object.'],
    [{ model: {} }, 'model is not a known key.'],
    [JSON.parse('{"__proto__": 1}'), '__proto__ is not a known key.'],
    [{ 'a key': 1 }, '["a key"] is not a known key.'],
    [{ unit: 'EUR' }, 'unit is not "USD per 1,000,000 tokens".'],
    [{ date: 'yesterday' }, 'date is not a day as YYYY-MM-DD.'],
    [{ webSearchPerRequest: -1 }, 'webSearchPerRequest is not a number from 0 to 1000000.'],
    [{ usInferenceFactor: '1.1' }, 'usInferenceFactor is not a number from 0 to 1000.'],
    [{ models: [] }, 'models is not an object.'],
    [{ models: { mine: 3 } }, 'models.mine is not an object.'],
    [{ models: { mine: {} } }, 'models.mine.rows is missing.'],
    [{ models: { mine: { rows: {} } } }, 'models.mine.rows is not a list.'],
    [{ models: { mine: { rows: [] } } }, 'models.mine.rows is empty.'],
    [{ models: { mine: { rows: [1] } } }, 'models.mine.rows[0] is not an object.'],
    [{ models: { 'a.b': { rows: [row], price: 1 } } }, 'models["a.b"].price is not a known key.'],
    [{ models: { mine: { rows: [row], aliases: 'x' } } }, 'models.mine.aliases is not a list.'],
    [{ models: { mine: { rows: [row], aliases: [{ toString: 1 }] } } }, 'models.mine.aliases[0] is not a name.'],
    [
      { models: { mine: { rows: [row], aliases: ['a', 'a'] } } },
      'models.mine.aliases[1] is an alias that was given before.',
    ],
    [{ models: { mine: { rows: [row], aliases: ['claude-opus-5'] } } }, 'models.mine.aliases[0] is the id of a model.'],
    [
      { models: { mine: { rows: [row], contextWindow: 1.5 } } },
      'models.mine.contextWindow is not a whole number of tokens.',
    ],
    [inRow({ input: -0.1 }), 'models.mine.rows[0].input is not a number from 0 to 1000000.'],
    [inRow({ output: Number.NaN }), 'models.mine.rows[0].output is not a number from 0 to 1000000.'],
    [
      inRow({ cacheRead: Number.POSITIVE_INFINITY }),
      'models.mine.rows[0].cacheRead is not a number from 0 to 1000000.',
    ],
    [inRow({ cacheWrite5m: null }), 'models.mine.rows[0].cacheWrite5m is not a number from 0 to 1000000.'],
    [inRow({ cacheWrite1h: undefined }), 'models.mine.rows[0].cacheWrite1h is missing.'],
    [inRow({ inputs: 1 }), 'models.mine.rows[0].inputs is not a known key.'],
    [inRow({ speed: 'slow' }), 'models.mine.rows[0].speed is neither "standard" nor "fast".'],
    [inRow({ abovePromptTokens: -1 }), 'models.mine.rows[0].abovePromptTokens is not a whole number of tokens.'],
    [inRow({ from: '2026-02-30' }), 'models.mine.rows[0].from is not a day as YYYY-MM-DD.'],
    [inRow({ to: '2026-02-01T00:00:00Z' }), 'models.mine.rows[0].to is not a day as YYYY-MM-DD.'],
    [inRow({ from: '2026-02-01', to: '2026-02-01' }), 'models.mine.rows[0].to is not after its from.'],
  ])('refuses %j', (json, sentence) => {
    expect(problemsOf(json)).toEqual([sentence])
  })

  it('names every problem of a file at once', () => {
    expect(problemsOf({ date: 1, models: { mine: { rows: [{ ...row, input: -1 }, 2] } } })).toHaveLength(3)
  })

  it('never throws, and gives either a table or sentences, for any JSON', () => {
    const keys = fc.constantFrom(
      'models',
      'date',
      'rows',
      'aliases',
      'mine',
      'from',
      'to',
      'speed',
      'input',
      '__proto__',
    )
    const { value } = fc.letrec(tie => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<unknown>(null, true, 0, -1, 1.5, '2026-01-01', 'fast', 'mine', row),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
      ),
    }))
    const near = fc.record({ models: fc.dictionary(keys, fc.record({ rows: fc.array(value), aliases: value })) })
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), value, near), json => {
        const read = readPrices(json)
        if ('problems' in read) expect(read.problems.every(text => /^\S.*\.$/s.test(text))).toBe(true)
        else expect(usdOf(read.table, 'claude-opus-5')).toBeGreaterThanOrEqual(0)
        expect('problems' in read ? read.problems.length : 1).toBeGreaterThan(0)
      }),
    )
  })
})
