import { expect, it } from 'vitest'
import { bundledPrices } from './prices.ts'
import { reconcile } from './reconcile.ts'
import { cell } from './report-testing.ts'

const options = { prices: bundledPrices }
/** 25 dollars for a million. */
const ours = (session: string, usd: number, statedUsd: number | null = null) =>
  cell({
    session,
    outputTokens: usd * 40_000,
    hasStated: statedUsd !== null,
    statedNanos: Math.round((statedUsd ?? 0) * 1e9),
  })

it('sets what messages state next to what they cost, of those messages alone', () => {
  const result = reconcile([ours('a', 2, 2.5), ours('a', 4), ours('b', 1)], [], options)
  const stated = { ours: 2, client: 2.5, difference: -0.5, messages: 1 }
  expect(result).toEqual({ rows: [{ session: 'a', calculated: 6, stated }], stated })
})

it('takes the last total of each process of Claude Code, and adds the processes', () => {
  const totals = [
    { session: 'a', startTime: 1, usd: 0.5 },
    { session: 'a', startTime: 1, usd: 1.5 },
    { session: 'a', startTime: 2, usd: 4 },
    { session: 'b', startTime: null, usd: 1 },
  ]
  const result = reconcile([ours('b', 1), ours('a', 6)], totals, options)
  expect(result.rows).toEqual([
    { session: 'a', calculated: 6, totals: { ours: 6, client: 5.5, difference: 0.5, processes: 2 } },
    { session: 'b', calculated: 1, totals: { ours: 1, client: 1, difference: 0, processes: 1 } },
  ])
  expect(result.totals).toEqual({ ours: 7, client: 6.5, difference: 0.5, processes: 3 })
})

it('leaves out sessions that are not chosen, and what Claude Code wrote itself', () => {
  const cells = [ours('a', 2, 2), { ...ours('b', 1, 1), isSynthetic: true }]
  expect(reconcile(cells, [{ session: 'c', startTime: 1, usd: 1 }], options).rows.map(row => row.session)).toEqual([
    'a',
  ])
  expect(reconcile(cells, [], { ...options, session: 'x' })).toEqual({ rows: [] })
})
