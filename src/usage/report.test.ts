import { describe, expect, it } from 'vitest'
import fc from '../../test/property.ts'
import type { MessageUsage, UsageCell } from '../model/usage.ts'
import { reportBlocks } from './blocks.ts'
import { rollUp } from './cell.ts'
import { bundledPrices, type CostMode, costOf } from './prices.ts'
import { type ReportOptions, reportUsage, toolShares, type UsageNames, usageGroupings } from './report.ts'
import { cell } from './report-testing.ts'
import { someMessages } from './testing.ts'

const names: UsageNames = {
  projectOf: session => (session === 'three' ? null : `/home/dev/${session.length > 3 ? 'long' : 'shop'}`),
  agentOf: (_, thread) => (thread === 'main' ? null : thread),
  branchOf: cell => (cell.thread === 'main' ? 'leaf' : null),
}
const base = { prices: bundledPrices, timezone: 'UTC', names }

function report(cells: readonly UsageCell[], options: Partial<ReportOptions> = {}) {
  return reportUsage(cells, { ...base, by: 'daily', ...options })
}

function cellsOf(messages: readonly MessageUsage[]): UsageCell[] {
  return rollUp(messages, { promptSteps: bundledPrices.promptSteps, withTools: true })
}

const tokenFields = ['inputTokens', 'outputTokens', 'cacheCreationTokens', 'cacheReadTokens', 'totalTokens'] as const
type Amounts = Record<(typeof tokenFields)[number] | 'totalCost', number>

function expectSums(rows: readonly Amounts[], totals: Amounts): void {
  for (const field of tokenFields) expect(rows.reduce((sum, row) => sum + row[field], 0)).toBe(totals[field])
  const cost = rows.reduce((sum, row) => sum + row.totalCost, 0)
  expect(Math.abs(cost - totals.totalCost)).toBeLessThanOrEqual(1e-9 * Math.max(1e-9, totals.totalCost))
}

describe('totals', () => {
  const pricing = fc.record({
    mode: fc.constantFrom<CostMode>('auto', 'calculate', 'display'),
    isEstimated: fc.boolean(),
    unknownAs: fc.constantFrom(undefined, 'claude-haiku-4-5'),
    timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kolkata'),
    weekStart: fc.constantFrom(0, 1, 6),
  })

  it('are the same in every grouping, and the sum of its lines', () => {
    fc.assert(
      fc.property(someMessages, pricing, (messages, options) => {
        const cells = cellsOf(messages)
        const { totals, bounds } = report(cells, { ...options, by: 'daily' })
        for (const by of usageGroupings) {
          const grouped = report(cells, { ...options, by })
          expect(grouped.totals).toEqual(totals)
          expect(grouped.bounds).toEqual(bounds)
          expectSums(grouped.rows, totals)
          for (const row of grouped.rows) {
            const breakdowns = row.modelBreakdowns.map(each => ({
              ...each,
              totalCost: each.cost,
              totalTokens: tokensIn(each),
            }))
            expectSums(breakdowns, row)
          }
        }
        const blocks = reportBlocks(cells, { ...base, ...options, now: Date.UTC(2025, 10, 1) })
        expect(blocks.totals).toEqual(totals)
        expectSums(blocks.blocks, totals)
      }),
      { numRuns: 60 },
    )
  })

  it('are the same with a second grouping', () => {
    const groups = usageGroupings.filter(group => !/ly$/.test(group))
    fc.assert(
      fc.property(
        someMessages,
        fc.constantFrom(...usageGroupings),
        fc.constantFrom(...groups),
        (messages, by, group) => {
          const { rows, totals } = report(cellsOf(messages), { by, group })
          expectSums(rows, totals)
          expect(totals).toEqual(report(cellsOf(messages)).totals)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('do not depend on the order of cells, nor on how finely they are parted', () => {
    fc.assert(
      fc.property(someMessages, messages => {
        const apart = messages.flatMap(message => cellsOf([message]))
        for (const by of ['weekly', 'model', 'session'] as const) {
          const expected = report(cellsOf(messages), { by })
          expect(report(cellsOf(messages.toReversed()), { by })).toEqual(expected)
          expect(report(apart, { by })).toEqual(expected)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('are those of the messages that count, priced one by one', () => {
    fc.assert(
      fc.property(someMessages, messages => {
        const counted = messages.filter(message => !message.isSynthetic)
        const { totals, bounds } = report(cellsOf(messages))
        expect(totals.inputTokens).toBe(counted.reduce((sum, message) => sum + message.inputTokens, 0))
        expect(totals.messages).toBe(counted.length)
        expect(bounds.syntheticMessages).toBe(messages.length - counted.length)
        expect(bounds.apiErrors).toBe(messages.filter(message => message.isError).length)
        expect(bounds.messagesWithoutTime).toBe(counted.filter(message => message.at === null).length)
        const cost = counted.reduce((sum, message) => {
          const [single] = cellsOf([message])
          return sum + costOf(bundledPrices, single as UsageCell).usd
        }, 0)
        expect(totals.totalCost).toBeCloseTo(cost, 8)
      }),
      { numRuns: 60 },
    )
  })
})

function tokensIn(row: {
  inputTokens: number
  outputTokens: number
  cacheCreationTokens: number
  cacheReadTokens: number
}): number {
  return row.inputTokens + row.outputTokens + row.cacheCreationTokens + row.cacheReadTokens
}

describe('days', () => {
  const around = (timezone: string, moments: readonly string[]) => {
    const cells = moments.map(moment => cell({ firstAt: Date.parse(moment), inputTokens: 1 }))
    return report(cells, { timezone }).rows.map(row => [row.date, row.messages])
  }

  it('have 23 or 25 hours where the clock is changed', () => {
    const hours = (from: string, count: number) =>
      Array.from({ length: count }, (_, hour) => new Date(Date.parse(from) + hour * 3_600_000).toISOString())
    expect(around('Europe/Berlin', hours('2026-03-28T23:00Z', 24))).toEqual([
      ['2026-03-29', 23],
      ['2026-03-30', 1],
    ])
    expect(around('America/New_York', hours('2026-11-01T04:00Z', 26))).toEqual([
      ['2026-11-01', 25],
      ['2026-11-02', 1],
    ])
  })

  it('change at half hours in zones that are half an hour off', () => {
    const moments = ['2026-02-17T18:15Z', '2026-02-17T18:30Z']
    expect(around('Asia/Kolkata', moments).map(([date]) => date)).toEqual(['2026-02-17', '2026-02-18'])
  })

  it('put messages without a time last, in either order, and out of any span', () => {
    const cells = [
      cell({ firstAt: null, inputTokens: 4 }),
      cell({ inputTokens: 2 }),
      cell({ firstAt: 0, inputTokens: 1 }),
    ]
    expect(report(cells).rows.map(row => row.date)).toEqual(['1970-01-01', '2026-02-17', 'unknown'])
    expect(report(cells, { order: 'desc' }).rows.map(row => row.date)).toEqual(['2026-02-17', '1970-01-01', 'unknown'])
    expect(report(cells, { since: 0 }).totals.inputTokens).toBe(3)
    expect(report(cells, { until: 1 }).totals.inputTokens).toBe(1)
  })

  it('gather into weeks and months', () => {
    const cells = ['2025-12-31T12:00Z', '2026-01-01T12:00Z', '2026-01-04T12:00Z', '2026-01-05T12:00Z'].map(moment =>
      cell({ firstAt: Date.parse(moment) }),
    )
    const periods = (options: Partial<ReportOptions>) =>
      report(cells, options).rows.map(row => [row.period, row.messages])
    expect(periods({ by: 'weekly' })).toEqual([
      ['2025-12-29', 3],
      ['2026-01-05', 1],
    ])
    expect(periods({ by: 'weekly', weekStart: 0 })).toEqual([
      ['2025-12-28', 2],
      ['2026-01-04', 2],
    ])
    expect(periods({ by: 'monthly' })).toEqual([
      ['2025-12', 1],
      ['2026-01', 3],
    ])
  })
})

describe('lines', () => {
  it('name models without date and provider, the most expensive first', () => {
    const cells = [
      cell({ model: 'claude-haiku-4-5-20251001', inputTokens: 1_000_000 }),
      cell({ model: 'claude-opus-4-5-20251101', outputTokens: 1_000_000 }),
      cell({ model: 'claude-opus-4-5', outputTokens: 1_000_000 }),
      cell({ model: 'mystery', inputTokens: 1 }),
    ]
    const { rows, bounds } = report(cells)
    expect(rows[0]?.modelsUsed).toEqual(['claude-haiku-4-5', 'claude-opus-4-5', 'mystery'])
    expect(rows[0]?.modelBreakdowns.map(each => [each.modelName, each.cost])).toEqual([
      ['claude-opus-4-5', 50],
      ['claude-haiku-4-5', 1],
      ['mystery', 0],
    ])
    expect(bounds.unknownModels).toEqual(['mystery'])
    expect(rows[0]?.totalCost).toBe(51)
  })

  it('say how much of them is a lower bound, and what the estimate adds', () => {
    const cells = [cell({ messages: 3, partial: 2, outputTokens: 10, estimatedMore: 90 })]
    expect(report(cells).rows[0]).toMatchObject({ outputTokens: 10, totalTokens: 10, partialMessages: 2 })
    expect(report(cells).bounds).not.toHaveProperty('estimatedOutputTokens')
    const estimated = report(cells, { isEstimated: true })
    expect(estimated.rows[0]).toMatchObject({ outputTokens: 100, totalTokens: 100, estimatedOutputTokens: 90 })
    expect(estimated.bounds).toMatchObject({ messagesWithPartialOutput: 2, estimatedOutputTokens: 90 })
    expect(estimated.totals.totalCost).toBeGreaterThan(report(cells).totals.totalCost)
  })

  it('are ordered by cost unless they are times, and by what is asked for', () => {
    const cells = [
      cell({ session: 'cheap', inputTokens: 10 }),
      cell({ session: 'dear', outputTokens: 9 }),
      cell({ session: 'middle', outputTokens: 5 }),
    ]
    const sessions = (options: Partial<ReportOptions>) =>
      report(cells, { by: 'session', ...options }).rows.map(row => row.session)
    expect(sessions({})).toEqual(['dear', 'middle', 'cheap'])
    expect(sessions({ order: 'asc' })).toEqual(['cheap', 'middle', 'dear'])
    expect(sessions({ sort: 'key' })).toEqual(['cheap', 'dear', 'middle'])
    expect(sessions({ sort: 'tokens' })).toEqual(['cheap', 'dear', 'middle'])
  })

  it('carry both names where a second grouping is asked for', () => {
    const cells = [cell({ thread: 'main' }), cell({ session: 'three', thread: 'agent-1' })]
    const { rows } = report(cells, { group: 'project' })
    expect(rows.map(({ date, project }) => [date, project])).toEqual([
      ['2026-02-17', '(no project)'],
      ['2026-02-17', '/home/dev/shop'],
    ])
    expect(report(cells, { by: 'session' }).rows[0]).toMatchObject({ session: 'one' })
    expect(report(cells, { by: 'subagent' }).rows.map(row => row.subagent)).toEqual(['(main thread)', 'agent-1'])
  })

  it('are of the sessions, projects and models that were asked for', () => {
    const cells = [
      cell({ session: 'one', model: 'claude-opus-4-5-20251101' }),
      cell({ session: 'seven', model: 'claude-haiku-4-5' }),
    ]
    const sessions = (options: Partial<ReportOptions>) =>
      report(cells, { by: 'session', ...options }).rows.map(row => row.session)
    expect(sessions({ project: 'SHOP' })).toEqual(['one'])
    expect(sessions({ model: 'Haiku' })).toEqual(['seven'])
    expect(sessions({ model: '20251101' })).toEqual(['one'])
    expect(sessions({ session: 'se' })).toEqual(['seven'])
    expect(sessions({ select: each => each.session === 'one' })).toEqual(['one'])
    expect(sessions({ project: 'nowhere' })).toEqual([])
  })
})

describe('tools', () => {
  it('share a message by call, what is left over going to the first', () => {
    const shares = toolShares(cell({ tools: ['Bash', 'Read', 'Read'], messages: 2, inputTokens: 11, outputTokens: 3 }))
    expect(shares.map(share => [share.tool, share.calls, share.cell.inputTokens, share.cell.outputTokens])).toEqual([
      ['Bash', 2, 4, 1],
      ['Read', 4, 7, 2],
    ])
  })

  it('leave the rest to messages that call none', () => {
    const cells = [
      cell({ tools: ['Bash'], inputTokens: 5 }),
      cell({ tools: [], inputTokens: 7 }),
      cell({ tools: null }),
    ]
    expect(report(cells, { by: 'tool' }).rows.map(row => [row.tool, row.inputTokens, row.calls])).toEqual([
      ['(no tool)', 7, undefined],
      ['Bash', 5, 1],
    ])
  })
})

it('reports tens of thousands of cells in well under a second', { tags: 'deep' }, () => {
  const cells = Array.from({ length: 50_000 }, (_, i) =>
    cell({
      firstAt: Date.UTC(2025, 0) + i * 900_000,
      session: `s${i % 500}`,
      inputTokens: i,
      model: 'claude-opus-4-5-20251101',
    }),
  )
  const start = performance.now()
  expect(report(cells, { timezone: 'Europe/Berlin' }).rows.length).toBeGreaterThan(500)
  const elapsed = performance.now() - start
  console.log(`50,000 cells reported in ${Math.round(elapsed)} ms`)
  expect(elapsed).toBeLessThan(3000)
})
