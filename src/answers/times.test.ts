import { describe, expect, it } from 'vitest'
import { type Edge, readLast } from '../index/search/when.ts'
import { clockFor, readTime } from './times.ts'

const now = Date.parse('2026-03-29T12:00:00Z')
const read = (text: string, edge: Edge = 'since', timezone = 'UTC') =>
  new Date(readTime(text, edge, { now, timezone })).toISOString()

describe('a time that somebody wrote', () => {
  it('may be a span back from now', () => {
    expect(read('7d')).toBe('2026-03-22T12:00:00.000Z')
    expect(read('24h')).toBe('2026-03-28T12:00:00.000Z')
    expect(read('30m')).toBe('2026-03-29T11:30:00.000Z')
    expect(read('2w')).toBe('2026-03-15T12:00:00.000Z')
    expect(read('2 weeks')).toBe('2026-03-15T12:00:00.000Z')
    expect(read('1y')).toBe('2025-03-29T12:00:00.000Z')
    // February has no 29th that year.
    expect(read('1mo')).toBe('2026-02-28T12:00:00.000Z')
    expect(read('3mo', 'since', 'Europe/Berlin')).toBe('2025-12-29T13:00:00.000Z')
  })

  it('may be a day, to its end where it is an end', () => {
    expect(read('2026-02-17')).toBe('2026-02-17T00:00:00.000Z')
    expect(read('2026-02-17', 'until')).toBe('2026-02-18T00:00:00.000Z')
    expect(read('2026-12', 'until')).toBe('2027-01-01T00:00:00.000Z')
    expect(read('yesterday')).toBe('2026-03-28T00:00:00.000Z')
    expect(read('today', 'until')).toBe('2026-03-30T00:00:00.000Z')
    // A Sunday.
    expect(read('monday')).toBe('2026-03-23T00:00:00.000Z')
    expect(read('mon', 'until')).toBe('2026-03-24T00:00:00.000Z')
    expect(read('sunday')).toBe('2026-03-29T00:00:00.000Z')
  })

  it('is meant in the zone, summer time included', () => {
    expect(read('2026-02-17', 'since', 'Europe/Berlin')).toBe('2026-02-16T23:00:00.000Z')
    // The day on which the clocks go forward has 23 hours there.
    expect(read('2026-03-29', 'since', 'Europe/Berlin')).toBe('2026-03-28T23:00:00.000Z')
    expect(read('2026-03-29', 'until', 'Europe/Berlin')).toBe('2026-03-29T22:00:00.000Z')
    expect(read('2026-07-01 14:30', 'since', 'Asia/Tokyo')).toBe('2026-07-01T05:30:00.000Z')
    expect(read('2026-07-01T14:30:00+02:00', 'since', 'Asia/Tokyo')).toBe('2026-07-01T12:30:00.000Z')
  })

  it('is an error that says what would work', () => {
    for (const text of ['soon', '', '2026-02-31', '7x', '17.2.2026', '2026']) expect(() => read(text)).toThrow('7d')
    expect(() => read('today', 'since', 'Mars/Olympus')).toThrow('Mars/Olympus')
  })
})

describe('a span of the last days', () => {
  const context = { now: Date.parse('2026-03-30T22:30Z'), timezone: 'Europe/Berlin' }
  const berlin = (text: string) => readTime(text, 'since', context)

  it.each([
    ['1d', '2026-03-31'],
    ['7d', '2026-03-25'],
    ['2w', '2026-03-18'],
    ['1m', '2026-03-01'],
    ['1mo', '2026-03-01'],
    ['3mo', '2026-01-01'],
    ['1y', '2025-04-01'],
    ['yesterday', '2026-03-30'],
    ['monday', '2026-03-30'],
    ['2026-02-17', '2026-02-17'],
  ])('%s begin on %s and end with today', (text, since) => {
    expect(readLast(text, context)).toEqual({ since: berlin(since), until: berlin('2026-04-01') })
  })

  it('hours end now', () => {
    const since = context.now - 86_400_000 + 3_600_000
    expect(readLast('23h', context)).toEqual({ since, until: context.now + 1 })
  })

  it('are nothing where the text says nothing', () => {
    for (const text of ['', '0d', '7', 'd', '-3d', '7 moons']) expect(readLast(text, context)).toBeUndefined()
  })
})

describe('a clock', () => {
  it('shows minutes in its zone', () => {
    expect(clockFor('UTC')('2026-02-17T23:21:59.414Z')).toBe('2026-02-17 23:21')
    expect(clockFor('Asia/Tokyo')('2026-02-17T23:21:59.414Z')).toBe('2026-02-18 08:21')
    expect(clockFor(undefined)(null)).toBe('-')
    const local = new Date(2026, 1, 17, 9, 5)
    expect(clockFor(undefined)(local.getTime())).toBe('2026-02-17 09:05')
  })
})
