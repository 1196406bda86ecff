import { describe, expect, it } from 'vitest'
import type { UsageAnswerJson, UsageRowJson } from '../../src/server/api/api.ts'
import { glanceOf } from './glance.tsx'

const tokens = { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0 }
const facts = { ...tokens, partialMessages: 0, modelsUsed: [], messages: 1, firstAt: null, lastAt: null }
const row = (key: string, ...models: [model: string, totalTokens: number, costUSD: number][]): UsageRowJson => ({
  key,
  label: key,
  ...facts,
  totalTokens: models.reduce((sum, [, count]) => sum + count, 0),
  totalCost: models.reduce((sum, [, , cost]) => sum + cost, 0),
  modelBreakdowns: models.map(([modelName, inputTokens, cost]) => ({ modelName, ...tokens, inputTokens, cost })),
})
const answer = (rows: UsageRowJson[], bounds: Partial<UsageAnswerJson['bounds']> = {}): UsageAnswerJson => ({
  by: 'daily',
  rows,
  totals: { ...facts, totalTokens: 0, totalCost: 0, modelBreakdowns: [] },
  bounds: {
    messages: 9,
    messagesWithPartialOutput: 0,
    unknownModels: [],
    pricesDate: '',
    isEstimated: false,
    ...{ syntheticMessages: 0, apiErrors: 0, messagesWithoutTime: 0, from: null, to: null },
    ...bounds,
  },
})

describe('glanceOf', () => {
  const days = ['2026-02-01', '2026-02-02', '2026-02-03']

  it('has a bar for each day, also for one without use, as parts of the highest', () => {
    const { days: bars } = glanceOf(
      answer([row('2026-02-01', ['a', 50, 1]), row('2026-02-03', ['a', 60, 1], ['b', 40, 3])]),
      days,
    )
    expect(bars.map(bar => bar.tokens)).toEqual([50, 0, 100])
    expect(bars.map(bar => bar.parts.reduce((sum, part) => sum + part.share, 0))).toEqual([0.5, 0, 1])
  })

  it('sums today and the last seven days', () => {
    const week = Array.from({ length: 9 }, (_, at) => `2026-02-0${at + 1}`)
    const { today, week: cost } = glanceOf(answer(week.map(day => row(day, ['a', 1, 2]))), week)
    expect([today, cost]).toEqual([2, 14])
  })

  it('gives the dearest model the first tone, the same on all days', () => {
    const { models, days: bars } = glanceOf(
      answer([row('2026-02-01', ['a', 5, 1]), row('2026-02-03', ['b', 5, 3], ['a', 5, 1])]),
      days,
    )
    expect(models.map(({ model, tone }) => [model, tone])).toEqual([
      ['b', 0],
      ['a', 1],
    ])
    expect(bars[0]?.parts[0]?.tone).toBe(1)
  })

  it('says when a cost is a lower bound or an estimate, and why', () => {
    expect(glanceOf(answer([]), days).mark).toBe('')
    expect(glanceOf(answer([], { messagesWithPartialOutput: 2 }), days)).toMatchObject({
      mark: '≥ ',
      note: expect.stringContaining('2 answers'),
    })
    expect(glanceOf(answer([], { unknownModels: ['x-1'] }), days).note).toContain('x-1')
    expect(glanceOf(answer([], { isEstimated: true }), days).mark).toBe('≈ ')
  })
})
