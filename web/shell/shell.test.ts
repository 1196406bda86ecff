import { describe, expect, it } from 'vitest'
import type { PicturedRow, SessionList } from '../../src/server/api/api.ts'
import { dayOf, deletionText, groupOf, modelName, shortWhen, tokensText, whenAlone, whenInGroup } from './format.ts'
import { headingBefore, placesOn, threadLength } from './rows.tsx'
import { pageSize, SessionPages } from './sessions.ts'

// A Wednesday, in whatever zone the tests run.
const now = new Date(2026, 10, 18, 14, 30).getTime()
const at = (month: number, date: number, hour = 9, year = 2026) => new Date(year, month, date, hour, 5).toISOString()

describe('groupOf', () => {
  it('puts sessions under the time that people remember them by', () => {
    const group = (endedAt: string | null, live = false) => groupOf({ endedAt, live }, now)
    expect(group(at(10, 1), true)).toBe('Now')
    expect(group(at(10, 18, 0))).toBe('Today')
    expect(group(at(10, 17, 23))).toBe('Yesterday')
    expect(group(at(10, 12))).toBe('Last week')
    expect(group(at(10, 2))).toBe('November')
    expect(group(at(9, 30))).toBe('October')
    expect(group(at(11, 24, 9, 2025))).toBe('December 2025')
    expect(group(null)).toBe('No date')
  })
})

describe('shortWhen', () => {
  it('says as little as is needed', () => {
    expect(shortWhen(at(10, 18, 9), now)).toBe('09:05')
    expect(shortWhen(at(10, 16), now)).toBe('Mon')
    expect(shortWhen(at(9, 19), now)).toBe('19 Oct')
    expect(shortWhen(at(9, 19, 9, 2024), now)).toBe('19 Oct 2024')
    expect(shortWhen(null, now)).toBe('')
  })
})

describe('the time of a row', () => {
  it('is the time of day, with the part of the date that the heading leaves out', () => {
    expect(whenInGroup(at(10, 18), now)).toBe('09:05')
    expect(whenInGroup(at(10, 17), now)).toBe('09:05')
    expect(whenInGroup(at(10, 12), now)).toBe('Thu 09:05')
    expect(whenInGroup(at(9, 19), now)).toBe('Mon 19, 09:05')
    expect([at(10, 18), at(10, 12), at(9, 19)].map(one => whenInGroup(one, now, true))).toEqual([
      '09:05',
      'Thu',
      'Mon 19',
    ])
    expect(whenAlone(at(10, 18), now)).toBe('09:05')
    expect(whenAlone(at(9, 19), now)).toBe('19 Oct, 09:05')
    expect(whenAlone(at(9, 19, 9, 2024), now)).toBe('19 Oct 2024, 09:05')
  })
})

describe('headings', () => {
  it('begin where the group changes, and never between a session and its forks', () => {
    const rows = [
      { id: 'a', project: 'p', group: 'Today' },
      { id: 'b', project: 'p', group: 'October', follows: 'a' },
      { id: 'c', project: 'p', group: 'Today' },
      { id: 'd', project: 'p', group: 'October' },
    ] as unknown as (PicturedRow & { group: string })[]
    const heading = (row: PicturedRow) => (row as PicturedRow & { group: string }).group
    expect(rows.map((_, place) => headingBefore({ row: one => rows[one] }, place, heading))).toEqual([
      'Today',
      undefined,
      undefined,
      'October',
    ])
  })
})

describe('deletionText', () => {
  it('speaks of what is near', () => {
    expect(deletionText(at(10, 21, 9), now)).toBe('deleted in 2 days')
    expect(deletionText(at(10, 18, 20), now)).toBe('deleted in 5 h')
    expect(deletionText(at(10, 17), now)).toBe('deleted any time now')
    expect(deletionText(at(11, 18), now)).toBeUndefined()
    expect(deletionText(undefined, now)).toBeUndefined()
  })
})

describe('dayOf', () => {
  it('counts back over the border of a month', () => {
    expect(dayOf(now)).toBe('2026-11-18')
    expect(dayOf(now, 18)).toBe('2026-10-31')
  })
})

describe('names', () => {
  it('are short', () => {
    expect(modelName('claude-opus-4-1-20250805')).toBe('opus-4-1')
    expect([999, 14_200, 999_600, 12_300_000, 2.1e9].map(tokensText)).toEqual(['999', '14k', '1.0M', '12M', '2.1B'])
  })
})

describe('the thread in small', () => {
  it('grows with the calls and never leaves its place', () => {
    const lengths = [0, 1, 10, 1000, 1e9].map(threadLength)
    expect(lengths).toEqual([...lengths].sort((one, other) => one - other))
    expect(lengths.at(-1)).toBeLessThan(148)
    expect(placesOn([0, 5, 500, 1000], 100, 3)).toEqual([4, 54, 104])
  })
})

describe('SessionPages', () => {
  const sessionAt = (place: number) => ({ id: `s${place}` }) as unknown as PicturedRow
  const listOf = (total: number) => {
    const asked: number[] = []
    const askPage = async (_: unknown, from: number, count: number): Promise<SessionList> => {
      asked.push(from)
      const sessions = Array.from({ length: Math.min(count, total - from) }, (_one, place) => sessionAt(from + place))
      return { sessions, total, offset: from, projects: [], isSample: false, version: 'v' }
    }
    return { pages: new SessionPages({}, askPage), asked }
  }
  const settle = () => new Promise(resolve => setTimeout(resolve, 5))

  it('fetches only the pages that are looked at, each once', async () => {
    const { pages, asked } = listOf(10_000)
    pages.want(0, 1)
    pages.want(0, 20)
    await settle()
    pages.want(9_000, 9_020)
    await settle()
    pages.want(9_000, 9_020)
    expect(asked).toEqual([0, 9_000])
    expect(pages.state.total).toBe(10_000)
    expect(pages.row(9_001)?.id).toBe('s9001')
    expect(pages.row(pageSize)).toBeUndefined()
  })

  it('keeps rows on screen while it looks again', async () => {
    const { pages, asked } = listOf(10)
    pages.want(0, 5)
    await settle()
    pages.reload()
    expect(pages.row(0)?.id).toBe('s0')
    await settle()
    expect(asked).toEqual([0, 0])
  })
})
