// The bundled prices: one cost worked out by hand for each row, its sum beside it in millionths of a dollar (tokens × USD per
// million).

import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { usualPromptSteps } from '../model/spent.ts'
import { bundledPrices, readPrices } from './prices.ts'
import { makeTable } from './prices-rows.ts'
import tableJson from './prices-table.json' with { type: 'json' }
import { type Given, usdOf } from './prices-testing.ts'

/** Each with 1000 input, 300 output, 2000 5-minute writes, 700 1-hour writes and 10000 cache reads, if not said otherwise. */
const rowCases: [model: string, given: Given, usd: number][] = [
  // 1000×0.1 + 300×0.5 + 2000×0.125 + 700×0.2 + 10000×0.01 = 100 + 150 + 250 + 140 + 100 = 740
  ['claude-haiku-5-5', {}, 0.00074],
  // 1000×0.5 + 300×2.5 + 2000×0.625 + 700×1 + 100000×0.05 = 500 + 750 + 1250 + 700 + 5000 = 8200
  ['claude-haiku-5-5', { cacheReadTokens: 100_000 }, 0.0082],
  // 1000×1 + 300×5 + 2000×1.25 + 700×2 + 10000×0.1 = 1000 + 1500 + 2500 + 1400 + 1000 = 7400
  ['claude-haiku-4-5', {}, 0.0074],
  // 1000×0.8 + 300×4 + 2000×1 + 700×1.6 + 10000×0.08 = 800 + 1200 + 2000 + 1120 + 800 = 5920
  ['claude-3-5-haiku', {}, 0.00592],
  // 1000×2 + 300×10 + 2000×2.5 + 700×4 + 10000×0.2 = 2000 + 3000 + 5000 + 2800 + 2000 = 14800
  ['claude-sonnet-5-5', { at: '2026-10-05' }, 0.0148],
  // 1000×2 + 300×10 + 2000×2.5 + 700×4 + 10000×0.1 = 2000 + 3000 + 5000 + 2800 + 1000 = 13800
  ['claude-sonnet-5-5', { at: '2026-10-06' }, 0.0138],
  // 1000×2 + 300×10 + 2000×2.5 + 700×4 + 10000×0.2 = 2000 + 3000 + 5000 + 2800 + 2000 = 14800
  ['claude-sonnet-5', {}, 0.0148],
  // 1000×6 + 300×22.5 + 2000×7.5 + 700×12 + 200000×0.6 = 6000 + 6750 + 15000 + 8400 + 120000 = 156150
  ['claude-sonnet-4-6', { at: '2026-03-12', cacheReadTokens: 200_000 }, 0.15615],
  // 1000×3 + 300×15 + 2000×3.75 + 700×6 + 10000×0.3 = 3000 + 4500 + 7500 + 4200 + 3000 = 22200
  ['claude-sonnet-4-6', {}, 0.0222],
  // 1000×6 + 300×22.5 + 2000×7.5 + 700×12 + 200000×0.6 = 6000 + 6750 + 15000 + 8400 + 120000 = 156150
  ['claude-sonnet-4-5', { at: '2026-04-29', cacheReadTokens: 200_000 }, 0.15615],
  // 1000×3 + 300×15 + 2000×3.75 + 700×6 + 10000×0.3 = 3000 + 4500 + 7500 + 4200 + 3000 = 22200
  ['claude-sonnet-4-5', {}, 0.0222],
  // 1000×6 + 300×22.5 + 2000×7.5 + 700×12 + 200000×0.6 = 6000 + 6750 + 15000 + 8400 + 120000 = 156150
  ['claude-sonnet-4', { at: '2026-04-29', cacheReadTokens: 200_000 }, 0.15615],
  // 1000×3 + 300×15 + 2000×3.75 + 700×6 + 10000×0.3 = 3000 + 4500 + 7500 + 4200 + 3000 = 22200
  ['claude-sonnet-4', {}, 0.0222],
  // 1000×3 + 300×15 + 2000×3.75 + 700×6 + 10000×0.3 = 3000 + 4500 + 7500 + 4200 + 3000 = 22200
  ['claude-3-7-sonnet', {}, 0.0222],
  // 1000×3 + 300×15 + 2000×3.75 + 700×6 + 10000×0.3 = 3000 + 4500 + 7500 + 4200 + 3000 = 22200
  ['claude-3-5-sonnet', {}, 0.0222],
  // 1000×4 + 300×20 + 2000×5 + 700×8 + 10000×0.2 = 4000 + 6000 + 10000 + 5600 + 2000 = 27600
  ['claude-opus-5-5', {}, 0.0276],
  // 1000×8 + 300×40 + 2000×10 + 700×16 + 10000×0.4 = 8000 + 12000 + 20000 + 11200 + 4000 = 55200
  ['claude-opus-5-5', { isFast: true }, 0.0552],
  // 1000×5 + 300×25 + 2000×6.25 + 700×10 + 10000×0.5 = 5000 + 7500 + 12500 + 7000 + 5000 = 37000
  ['claude-opus-5', {}, 0.037],
  // 1000×10 + 300×50 + 2000×12.5 + 700×20 + 10000×1 = 10000 + 15000 + 25000 + 14000 + 10000 = 74000
  ['claude-opus-5', { isFast: true }, 0.074],
  // 1000×5 + 300×25 + 2000×6.25 + 700×10 + 10000×0.5 = 5000 + 7500 + 12500 + 7000 + 5000 = 37000
  ['claude-opus-4-8', {}, 0.037],
  // 1000×10 + 300×50 + 2000×12.5 + 700×20 + 10000×1 = 10000 + 15000 + 25000 + 14000 + 10000 = 74000
  ['claude-opus-4-8', { isFast: true }, 0.074],
  // 1000×5 + 300×25 + 2000×6.25 + 700×10 + 10000×0.5 = 5000 + 7500 + 12500 + 7000 + 5000 = 37000
  ['claude-opus-4-7', {}, 0.037],
  // 1000×30 + 300×150 + 2000×37.5 + 700×60 + 10000×3 = 30000 + 45000 + 75000 + 42000 + 30000 = 222000
  ['claude-opus-4-7', { isFast: true }, 0.222],
  // 1000×10 + 300×37.5 + 2000×12.5 + 700×20 + 200000×1 = 10000 + 11250 + 25000 + 14000 + 200000 = 260250
  ['claude-opus-4-6', { at: '2026-03-12', cacheReadTokens: 200_000 }, 0.26025],
  // 1000×60 + 300×225 + 2000×75 + 700×120 + 200000×6 = 60000 + 67500 + 150000 + 84000 + 1200000 = 1561500
  ['claude-opus-4-6', { at: '2026-03-12', isFast: true, cacheReadTokens: 200_000 }, 1.5615],
  // 1000×5 + 300×25 + 2000×6.25 + 700×10 + 10000×0.5 = 5000 + 7500 + 12500 + 7000 + 5000 = 37000
  ['claude-opus-4-6', {}, 0.037],
  // 1000×30 + 300×150 + 2000×37.5 + 700×60 + 10000×3 = 30000 + 45000 + 75000 + 42000 + 30000 = 222000
  ['claude-opus-4-6', { isFast: true }, 0.222],
  // 1000×5 + 300×25 + 2000×6.25 + 700×10 + 10000×0.5 = 5000 + 7500 + 12500 + 7000 + 5000 = 37000
  ['claude-opus-4-5', {}, 0.037],
  // 1000×15 + 300×75 + 2000×18.75 + 700×30 + 10000×1.5 = 15000 + 22500 + 37500 + 21000 + 15000 = 111000
  ['claude-opus-4-1', {}, 0.111],
  // 1000×15 + 300×75 + 2000×18.75 + 700×30 + 10000×1.5 = 15000 + 22500 + 37500 + 21000 + 15000 = 111000
  ['claude-opus-4', {}, 0.111],
  // 1000×8 + 300×40 + 2000×10 + 700×16 + 10000×0.2 = 8000 + 12000 + 20000 + 11200 + 2000 = 53200
  ['claude-fable-5-2', {}, 0.0532],
  // 1000×16 + 300×80 + 2000×20 + 700×32 + 10000×0.4 = 16000 + 24000 + 40000 + 22400 + 4000 = 106400
  ['claude-fable-5-2', { isFast: true }, 0.1064],
  // 1000×10 + 300×50 + 2000×12.5 + 700×20 + 10000×0.25 = 10000 + 15000 + 25000 + 14000 + 2500 = 66500
  ['claude-fable-5-1', {}, 0.0665],
  // 1000×10 + 300×50 + 2000×12.5 + 700×20 + 10000×1 = 10000 + 15000 + 25000 + 14000 + 10000 = 74000
  ['claude-fable-5', {}, 0.074],
  // 1000×8 + 300×40 + 2000×10 + 700×16 + 10000×0.2 = 8000 + 12000 + 20000 + 11200 + 2000 = 53200
  ['claude-mythos-5-2', {}, 0.0532],
  // 1000×16 + 300×80 + 2000×20 + 700×32 + 10000×0.4 = 16000 + 24000 + 40000 + 22400 + 4000 = 106400
  ['claude-mythos-5-2', { isFast: true }, 0.1064],
  // 1000×10 + 300×50 + 2000×12.5 + 700×20 + 10000×0.25 = 10000 + 15000 + 25000 + 14000 + 2500 = 66500
  ['claude-mythos-5-1', {}, 0.0665],
  // 1000×10 + 300×50 + 2000×12.5 + 700×20 + 10000×1 = 10000 + 15000 + 25000 + 14000 + 10000 = 74000
  ['claude-mythos-5', {}, 0.074],
]

describe('the bundled prices', () => {
  const tokens = { inputTokens: 1000, outputTokens: 300, cacheCreationTokens: 2700, cacheCreation1hTokens: 700 }

  it.each(rowCases)('%s %o', (model, given, usd) => {
    expect(usdOf({ model, ...tokens, cacheReadTokens: 10_000, ...given })).toBe(usd)
  })

  it('have a case here for every row', () => {
    const rows = [...bundledPrices.models].flatMap(([id, model]) => model.rows.map(() => id))
    expect(rowCases.map(([model]) => model)).toEqual(rows)
  })

  it('are read without a problem, with their date', () => {
    const empty = makeTable({ date: '', webSearchPerRequest: 0, usInferenceFactor: 1 }, [])
    expect(readPrices(tableJson, empty)).toEqual({ table: bundledPrices })
    expect(bundledPrices.date).toBe('2026-11-15')
    expect(bundledPrices.models.size).toBe(24)
  })

  it('change at the prompt sizes that the index parts its cells by', () => {
    expect(bundledPrices.promptSteps).toEqual(usualPromptSteps)
  })

  it('are those that were gathered', () => {
    const path = resolve(process.cwd(), '../shared/prices.json')
    if (!existsSync(path)) {
      console.log('skipped: no gathered prices')
      return
    }
    const empty = makeTable({ date: '', webSearchPerRequest: 0, usInferenceFactor: 1 }, [])
    expect(readPrices(JSON.parse(readFileSync(path, 'utf8')), empty)).toEqual({ table: bundledPrices })
  })
})
