import { describe, expect, it } from 'vitest'
import type { UsageAnswerJson, UsageRowJson } from '../../src/server/api/api.ts'
import { otherTime, questionOf, readAsk, sinceDay, withPart } from './controls.tsx'
import {
  columnsOf,
  dayName,
  legendOf,
  marksOf,
  modelTones,
  nextOrder,
  notesOf,
  readOrder,
  sortedRows,
  type TableRow,
  tableRows,
} from './figures.ts'

const now = new Date(2026, 10, 18, 14, 30).getTime()
const row = (
  key: string,
  costUSD: number,
  models: string[] = ['claude-opus-5'],
  partialMessages = 0,
): UsageRowJson => ({
  key,
  label: key,
  inputTokens: 1,
  outputTokens: 2,
  cacheCreationTokens: 3,
  cacheReadTokens: 4,
  totalTokens: 10,
  totalCost: costUSD,
  partialMessages,
  ...{ modelsUsed: models, messages: 1, firstAt: null, lastAt: null },
  modelBreakdowns: models.map(modelName => ({
    modelName,
    ...{ inputTokens: 10 / models.length, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0 },
    cost: costUSD / models.length,
  })),
})
const answer = (rows: UsageRowJson[], bounds: Partial<UsageAnswerJson['bounds']> = {}): UsageAnswerJson => ({
  by: 'daily',
  rows,
  totals: row('', 0),
  bounds: {
    messages: 9,
    messagesWithPartialOutput: 0,
    unknownModels: [],
    pricesDate: '2026-11-01',
    isEstimated: false,
    ...{ syntheticMessages: 0, apiErrors: 0, messagesWithoutTime: 0, from: null, to: null },
    ...bounds,
  },
})

it('days of this year are named without it', () => {
  const row = (key: string) => ({
    key,
    label: key,
    totalCost: 1,
    totalTokens: 1,
    partialMessages: 0,
    modelBreakdowns: [],
  })
  const answer = {
    by: 'daily',
    rows: [row('2025-12-31'), row('2026-02-17')],
    bounds: { isEstimated: false, unknownModels: [] },
  } as unknown as UsageAnswerJson
  const names = tableRows(answer, readAsk({}), Date.parse('2026-11-18T12:00:00Z')).map(({ name }) => name)
  expect(names).toEqual(['Tue 17 Feb', 'Wed 31 Dec 2025'])
})

describe('the order of the table', () => {
  const rows = [
    { key: '2026-02-10', name: 'b10', totalCost: 2, totalTokens: 5 },
    { key: '2026-02-09', name: 'b9', totalCost: 3, totalTokens: 4 },
    { key: '2026-02-11', name: 'a', totalCost: 1, totalTokens: 6 },
  ] as TableRow[]
  const order = (text: string | undefined, isOfTime = false) =>
    sortedRows(rows, readOrder(text), isOfTime).map(({ name }) => name)

  it('is that of any column, the largest or the first name first', () => {
    expect(order('cost')).toEqual(['b9', 'b10', 'a'])
    expect(order('-cost')).toEqual(['a', 'b10', 'b9'])
    expect(order('tokens')).toEqual(['a', 'b10', 'b9'])
    expect(order('name')).toEqual(['a', 'b9', 'b10'])
    expect(order('name', true)).toEqual(['b9', 'b10', 'a'])
    expect(order(undefined)).toEqual(['b10', 'b9', 'a'])
    expect(order('colour')).toEqual(['b10', 'b9', 'a'])
  })

  it('turns round when the same head is pressed again', () => {
    expect(nextOrder('cost', undefined)).toBe('cost')
    expect(nextOrder('cost', readOrder('cost'))).toBe('-cost')
    expect(nextOrder('cost', readOrder('-cost'))).toBe('cost')
    expect(nextOrder('name', readOrder('name'))).toBe('-name')
    expect(nextOrder('tokens', readOrder('-cost'))).toBe('tokens')
  })
})

describe('the address of the Usage screen', () => {
  it('means days of all time where it says nothing or nonsense', () => {
    expect(readAsk({ by: '__proto__' })).toMatchObject({ by: 'daily', since: '', measure: 'cost', isEstimated: false })
  })

  it('becomes a question: a span begins at midnight, today included', () => {
    const ask = readAsk({ by: 'model', since: '7d', project: '/shop', estimate: '1' })
    expect(questionOf(ask, now)).toEqual({ by: 'model', since: '2026-11-12', project: '=/shop', estimate: '1' })
    expect(sinceDay('2026-01-02', now)).toBe('2026-01-02')
  })

  it('names a time that no chip has', () => {
    const words = (since: string, until = '') => otherTime(readAsk({ since, until }))
    expect([words(''), words('7d')]).toEqual([undefined, undefined])
    expect([
      words('2026-01-02'),
      words('2026-01-02', '2026-01-02'),
      words('', '2026-01-02'),
      words('7d', 'today'),
    ]).toEqual(['since 2026-01-02', 'on 2026-01-02', 'until 2026-01-02', '7d to today'])
  })

  it('leaves out what is usual', () => {
    expect(withPart({ by: 'model', since: '7d' }, { by: 'daily', measure: 'cost', since: '' })).toEqual({})
    expect(withPart({ since: '7d' }, { by: 'tool' })).toEqual({ since: '7d', by: 'tool' })
  })
})

describe('rows', () => {
  it('run back in time, or come by cost', () => {
    const keys = (by: string, rows: UsageRowJson[]) => tableRows(answer(rows), readAsk({ by }), now).map(one => one.key)
    expect(keys('daily', [row('2026-01-01', 1), row('2026-01-02', 9)])).toEqual(['2026-01-02', '2026-01-01'])
    expect(keys('project', [row('/a', 1), row('/b', 9)])).toEqual(['/b', '/a'])
  })

  it('mark lower bounds and estimates, and what has no price', () => {
    const bounds = answer([]).bounds
    expect(marksOf(row('a', 1), bounds)).toEqual({ cost: '', tokens: '', output: '' })
    expect(marksOf(row('a', 1, ['m'], 2), bounds)).toEqual({ cost: '≥ ', tokens: '≥ ', output: '≥ ' })
    expect(marksOf(row('a', 1, ['m'], 2), { ...bounds, isEstimated: true })).toEqual({
      cost: '≈ ',
      tokens: '≈ ',
      output: '≈ ',
    })
    expect(marksOf(row('a', 1, ['m']), { ...bounds, unknownModels: ['m'] })).toEqual({
      cost: '≥ ',
      tokens: '',
      output: '',
    })
  })

  it('know a block that has not ended', () => {
    const block = row(new Date(now - 3_600_000).toISOString(), 1)
    block.label = `${block.key}/${new Date(now + 3_600_000).toISOString()}`
    expect(tableRows(answer([block]), readAsk({ by: 'blocks' }), now)[0]).toMatchObject({ isRunning: true })
  })
})

describe('columns', () => {
  it('hold the days without use as well', () => {
    const columns = columnsOf(answer([row('2026-02-27', 1), row('2026-03-02', 2)]), readAsk({}))
    expect(columns.map(({ label, total }) => [label, total])).toEqual([
      ['27 Feb', 1],
      ['28 Feb', 0],
      ['1 Mar', 0],
      ['2 Mar', 2],
    ])
  })

  it('know the year of a day, and say it of a month', () => {
    const years = (key: string, by: string) => columnsOf(answer([row(key, 1)]), readAsk({ by })).map(({ year }) => year)
    expect(years('2025-02-27', 'daily')).toEqual(['2025'])
    expect(years('2025-02', 'monthly')).toEqual([undefined])
  })

  it('give a model one tone everywhere, the dearest the first', () => {
    const usage = answer([row('2026-02-27', 1, ['a']), row('2026-02-28', 8, ['a', 'b']), row('2026-03-01', 3, ['b'])])
    expect([...modelTones(usage)]).toEqual([
      ['b', 0],
      ['a', 1],
    ])
    const [, second] = columnsOf(usage, readAsk({}))
    expect(second?.parts.map(({ name }) => name)).toEqual(['b', 'a'])
  })
})

describe('the legend', () => {
  it('names models, and those that share the last tone together', () => {
    const models = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const legend = legendOf(modelTones(answer(models.map((model, at) => row(`2026-02-0${at + 1}`, 9 - at, [model])))))
    expect(legend.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e', '2 other models'])
    expect(legend.at(-1)?.title).toBe('f, g')
  })
})

describe('words', () => {
  it('name days as people do', () => {
    expect(dayName('2026-02-17', true)).toBe('Tue 17 Feb 2026')
    expect(dayName('unknown')).toBe('No date')
  })

  it('say what the numbers lack', () => {
    expect(notesOf(answer([]))).toEqual([])
    const notes = notesOf(answer([], { messagesWithPartialOutput: 2, unknownModels: ['claude-next'] }))
    expect(notes[0]).toContain('2 of 9 messages')
    expect(notes[1]).toContain('claude-next')
  })
})
