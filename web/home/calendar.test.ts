import { expect, it } from 'vitest'
import type { UsageRowJson } from '../../src/server/api/api.ts'
import { calendarOf, weeks } from './calendar.tsx'

const row = (key: string, totalTokens: number) => ({ key, totalTokens, totalCost: totalTokens / 1000 }) as UsageRowJson

it('is whole weeks that end today, each day once', () => {
  // A Wednesday.
  const days = calendarOf([row('2026-11-18', 5), row('2026-03-01', 9), row('2020-01-01', 7)], '2026-11-18')
  expect(days).toHaveLength((weeks - 1) * 7 + 3)
  expect([days[0]?.day, days.at(-1)?.day]).toEqual(['2025-11-24', '2026-11-18'])
  expect(new Date(days[0]?.day ?? '').getUTCDay()).toBe(1)
  expect(new Set(days.map(({ day }) => day)).size).toBe(days.length)
  expect(days.filter(({ level }) => level > 0).map(({ day }) => day)).toEqual(['2026-03-01', '2026-11-18'])
})

it('puts a quarter of the days with use on each level', () => {
  const rows = Array.from({ length: 8 }, (_, at) => row(`2026-11-0${at + 1}`, (at + 1) * 10))
  const levels = calendarOf(rows, '2026-11-08').slice(-8)
  expect(levels.map(({ level }) => level)).toEqual([1, 1, 2, 2, 3, 3, 4, 4])
})
