import { expect, it } from 'vitest'
import { bundledPrices } from './prices.ts'
import { explainedCounts, reconcile } from './reconcile.ts'
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
    { session: 'a', startTime: 1, usd: 0.5, models: [] },
    { session: 'a', startTime: 1, usd: 1.5, models: [] },
    { session: 'a', startTime: 2, usd: 4, models: [] },
    { session: 'b', startTime: null, usd: 1, models: [] },
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
  expect(reconcile(cells, [], options).rows.map(row => row.session)).toEqual(['a'])
  const total = { session: 'a', startTime: 1, usd: 1, models: [] }
  expect(reconcile(cells, [total], { ...options, session: 'x' })).toEqual({ rows: [] })
})

it('has a session of which only Claude Code counted something, unless dates or models are chosen', () => {
  const total = { session: 'c', startTime: 1, usd: 1, models: [] }
  expect(reconcile([], [total], options).rows).toEqual([
    { session: 'c', calculated: 0, totals: { ours: 0, client: 1, difference: -1, processes: 1 } },
  ])
  expect(reconcile([], [total], { ...options, since: 0 }).rows).toEqual([])
  expect(reconcile([], [total], { ...options, model: 'opus' }).rows).toEqual([])
})

it('counts sessions by how far causes explain their difference', () => {
  const row = (difference: number, unexplained?: number, usd?: number) => ({
    session: 's',
    calculated: 0,
    totals: {
      ...{ ours: 0, client: 0, difference, processes: 1 },
      ...(unexplained !== undefined && { unexplained }),
      ...(usd !== undefined && { causes: [{ cause: 'price' as const, usd }] }),
    },
  })
  const rows = [row(0), row(1e-12), row(-1, 0, -1), row(-1, -0.5, -0.5), row(-1, -1), row(-1)]
  expect(explainedCounts(rows)).toEqual({ equal: 2, explained: 1, partly: 1, unexplained: 2 })
})
