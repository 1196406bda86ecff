import { describe, expect, it } from 'vitest'
import type { UsageCell } from '../model/usage.ts'
import { type BlockOptions, reportBlocks } from './blocks.ts'
import { bundledPrices } from './prices.ts'
import { cell } from './report-testing.ts'

const at = (time: string): number => Date.parse(`2026-02-${time}Z`)
/** Opus 4.5: a million of output costs 25 dollars. */
const cellAt = (time: string, outputTokens = 0, more: Partial<UsageCell> = {}): UsageCell =>
  cell({ firstAt: at(time), outputTokens, ...more })

function blocks(cells: readonly UsageCell[], options: Partial<BlockOptions> = {}) {
  return reportBlocks(cells, { prices: bundledPrices, now: at('28T00:00'), ...options })
}

/** Kind, hours of the day, messages. */
function shape(cells: readonly UsageCell[], options: Partial<BlockOptions> = {}): string[] {
  return blocks(cells, options).blocks.map(({ kind, start, end, messages, isActive }) =>
    [kind, start?.slice(8, 16) ?? '-', end?.slice(8, 16) ?? '-', messages, ...(isActive ? ['active'] : [])].join(' '),
  )
}

describe('blocks', () => {
  it('begin at the full hour of their first message and last five hours', () => {
    expect(shape([cellAt('17T10:47'), cellAt('17T14:59:59.999')])).toEqual(['block 17T10:00 17T15:00 2'])
  })

  it('end for a message at the very end, which begins the next', () => {
    expect(shape([cellAt('17T10:47'), cellAt('17T15:00')])).toEqual([
      'block 17T10:00 17T15:00 1',
      'block 17T15:00 17T20:00 1',
    ])
  })

  it('are not parted by gaps of five hours or less', () => {
    expect(shape([cellAt('17T10:30'), cellAt('17T14:30'), cellAt('17T19:29')])).toEqual([
      'block 17T10:00 17T15:00 2',
      'block 17T19:00 18T00:00 1',
    ])
  })

  it('are parted by a gap where more than five hours pass, also over days', () => {
    expect(shape([cellAt('17T10:30'), cellAt('17T14:30'), cellAt('18T03:29')])).toEqual([
      'block 17T10:00 17T15:00 2',
      'gap 17T15:00 18T03:00 0',
      'block 18T03:00 18T08:00 1',
    ])
    // Five hours and a minute, but no time is left between the blocks.
    expect(shape([cellAt('17T10:00'), cellAt('17T15:01')])).toEqual([
      'block 17T10:00 17T15:00 1',
      'block 17T15:00 17T20:00 1',
    ])
  })

  it('begin by messages in order of time, in whatever order cells come', () => {
    const cells = [cellAt('17T12:00'), cellAt('17T09:50'), cellAt('17T14:10')]
    expect(shape(cells)).toEqual(['block 17T09:00 17T14:00 2', 'block 17T14:00 17T19:00 1'])
    expect(shape(cells.toReversed())).toEqual(shape(cells))
  })

  it('stay where they are when only a part of the messages is asked for', () => {
    const cells = [cellAt('17T10:30', 0, { session: 'one' }), cellAt('17T12:30', 0, { session: 'two' })]
    expect(shape(cells, { session: 'two' })).toEqual(['block 17T10:00 17T15:00 1'])
    expect(shape(cells, { since: at('17T12:00') })).toEqual(['block 17T10:00 17T15:00 1'])
    expect(shape(cells, { since: at('18T12:00') })).toEqual([])
  })

  it('keep messages without a time apart, and leave out what Claude Code wrote itself', () => {
    const cells = [
      cellAt('17T10:30'),
      cell({ firstAt: null, inputTokens: 5 }),
      cellAt('20T10:00', 0, { isSynthetic: true }),
    ]
    expect(shape(cells)).toEqual(['block 17T10:00 17T15:00 1', 'undated - - 1'])
    expect(blocks(cells).bounds).toMatchObject({ messages: 2, syntheticMessages: 1, messagesWithoutTime: 1 })
  })
})

describe('the active block', () => {
  const cells = [cellAt('17T10:30', 60_000), cellAt('17T11:30', 60_000)]

  it('is the one that now is in', () => {
    expect(shape(cells, { now: at('17T12:00') })).toEqual(['block 17T10:00 17T15:00 2 active'])
    expect(shape(cells, { now: at('17T14:59:59') })).toEqual(['block 17T10:00 17T15:00 2 active'])
    expect(shape(cells, { now: at('17T15:00') })).toEqual(['block 17T10:00 17T15:00 2'])
  })

  it('is used at a rate over its activity, and leads to a projection at its end', () => {
    const [block] = blocks(cells, { now: at('17T12:00') }).blocks
    expect(block?.totalCost).toBe(3)
    expect(block?.burnRate).toEqual({ tokensPerMinute: 2000, freshTokensPerMinute: 2000, costPerHour: 3 })
    expect(block?.projection).toEqual({ totalTokens: 120_000 + 2000 * 180, totalCost: 12, remainingMinutes: 180 })
  })

  it('has a rate even after a single message, and no projection once it is over', () => {
    const [block] = blocks([cellAt('17T10:30', 600)]).blocks
    expect(block?.burnRate?.tokensPerMinute).toBe(600)
    expect(block?.projection).toBeUndefined()
  })

  it('leaves the cache out of the rate of fresh tokens', () => {
    const cached = [cellAt('17T10:30', 100, { cacheReadTokens: 5000 }), cellAt('17T10:40', 0)]
    expect(blocks(cached).blocks[0]?.burnRate).toMatchObject({ tokensPerMinute: 510, freshTokensPerMinute: 10 })
  })
})

describe('the limit', () => {
  const cells = [cellAt('15T10:00', 500), cellAt('16T10:00', 800), cellAt('17T10:00', 450), cellAt('17T10:30', 450)]
  const now = at('17T11:00')

  it('may be a number', () => {
    const report = blocks(cells, { now, tokenLimit: 1000 })
    expect(report.tokenLimit).toBe(1000)
    const limits = report.blocks.filter(block => block.kind === 'block').map(block => block.limit)
    expect(limits).toEqual([
      { limit: 1000, remaining: 500, share: 0.5 },
      { limit: 1000, remaining: 200, share: 0.8 },
      { limit: 1000, remaining: 100, share: 0.9, projectedShare: 0.9 + 0.03 * 240 },
    ])
  })

  it('may be the largest block before the active one', () => {
    const report = blocks(cells, { now, tokenLimit: 'max' })
    expect(report.tokenLimit).toBe(800)
    expect(report.blocks.at(-1)?.limit).toMatchObject({ remaining: -100, share: 900 / 800 })
  })

  it('is none where there is no earlier block, and where it is not asked for', () => {
    expect(blocks(cells.slice(2), { now, tokenLimit: 'max' }).tokenLimit).toBeNull()
    expect(blocks(cells, { now, tokenLimit: 0 }).tokenLimit).toBeNull()
    expect(blocks(cells, { now }).blocks[0]).not.toHaveProperty('limit')
  })
})
