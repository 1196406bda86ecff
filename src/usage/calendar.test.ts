import { describe, expect, it } from 'vitest'
import fc from '../../test/property.ts'
import { Calendar, readWeekStart } from './calendar.ts'

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
  'Pacific/Apia',
  'America/Sao_Paulo',
  'Africa/Casablanca',
]
const hour = 3_600_000
const dayNumber = (text: string): number => Date.parse(`${text}T00:00Z`) / 86_400_000

/** The date as the platform writes it, asked for one moment only. */
function dateIn(timezone: string, at: number): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' })
  return format.format(at)
}

describe('the day of a moment', () => {
  it('is the one that the zone shows, at any quarter of an hour', () => {
    const quarters = { min: Date.UTC(2009, 0) / 900_000, max: Date.UTC(2030, 0) / 900_000 }
    const calendars = new Map(zones.map(timezone => [timezone, new Calendar({ timezone })]))
    fc.assert(
      fc.property(fc.integer(quarters), fc.constantFrom(...zones), (quarter, timezone) => {
        const calendar = calendars.get(timezone) as Calendar
        const at = quarter * 900_000
        expect(calendar.dateText(calendar.dayOf(at))).toBe(dateIn(timezone, at))
      }),
      { numRuns: 1000 },
    )
  })

  it.each([
    ['Europe/Berlin', '2026-03-29', 23],
    ['Europe/Berlin', '2026-10-25', 25],
    ['America/New_York', '2026-03-08', 23],
    ['America/New_York', '2026-11-01', 25],
    ['Asia/Kolkata', '2026-03-29', 24],
    ['Australia/Lord_Howe', '2026-10-04', 23.5],
    ['Australia/Lord_Howe', '2026-04-05', 24.5],
    ['America/Sao_Paulo', '2018-11-04', 23],
    ['UTC', '2026-03-29', 24],
  ])('in %s lasts on %s %s hours', (timezone, date, hours) => {
    const calendar = new Calendar({ timezone })
    const day = dayNumber(date)
    const [start, end] = [calendar.startOfDay(day), calendar.startOfDay(day + 1)]
    expect((end - start) / hour).toBe(hours)
    expect(calendar.dayOf(start)).toBe(day)
    expect(calendar.dayOf(start - 1)).toBe(day - 1)
    expect(calendar.dayOf(end - 1)).toBe(day)
  })

  it('is every one in turn, for each zone over years', () => {
    for (const timezone of ['Europe/Berlin', 'Australia/Lord_Howe', 'America/Sao_Paulo']) {
      const calendar = new Calendar({ timezone })
      for (let day = dayNumber('2017-01-01'); day < dayNumber('2020-01-01'); day++) {
        expect(calendar.dayOf(calendar.startOfDay(day))).toBe(day)
      }
    }
  })

  it('begins with the next where a zone left one out', () => {
    const calendar = new Calendar({ timezone: 'Pacific/Apia' })
    const gone = calendar.startOfDay(dayNumber('2011-12-30'))
    expect(gone).toBe(calendar.startOfDay(dayNumber('2011-12-31')))
  })

  it('is that of the machine where no zone is asked for', () => {
    const at = Date.UTC(2026, 6, 1, 12)
    const date = new Date(at)
    const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(part => String(part).padStart(2, '0'))
    const calendar = new Calendar()
    expect(calendar.dateText(calendar.dayOf(at))).toBe(parts.join('-'))
  })

  it('survives the ends of time and unknown zones', () => {
    for (const timezone of [undefined, 'Europe/Berlin', 'Mars/Base']) {
      const calendar = new Calendar({ timezone })
      for (const at of [8.64e15, -8.64e15]) {
        expect(calendar.dateText(calendar.dayOf(at))).toMatch(/^[+-]\d{6}-\d\d-\d\d$/)
        expect(Number.isFinite(calendar.startOfDay(calendar.dayOf(at)))).toBe(true)
      }
    }
  })
})

describe('days of the week', () => {
  it('are known by name, beginning or number', () => {
    expect(['monday', 'Mon', ' sun ', '6', 'SATURDAY'].map(readWeekStart)).toEqual([1, 1, 0, 6, 6])
    expect(['', 'm', '7', 'someday', 's'].map(readWeekStart)).toEqual([null, null, null, null, null])
  })
})

describe('weeks and months', () => {
  it.each([
    ['2026-01-01', 1, '2025-12-29'],
    ['2026-01-01', 0, '2025-12-28'],
    ['2026-01-01', 4, '2026-01-01'],
    ['2026-01-01', 5, '2025-12-26'],
    ['2024-02-29', 1, '2024-02-26'],
    ['2023-01-01', 1, '2022-12-26'],
    ['2023-01-01', 0, '2023-01-01'],
    ['1969-12-31', 1, '1969-12-29'],
  ])('the week of %s that starts on day %i begins on %s', (date, weekStart, expected) => {
    const calendar = new Calendar({ timezone: 'UTC', weekStart })
    expect(calendar.dateText(calendar.weekOf(dayNumber(date)))).toBe(expected)
  })

  it('a month is named by its year and number', () => {
    expect(new Calendar({ timezone: 'UTC' }).monthText(dayNumber('2026-02-28'))).toBe('2026-02')
  })
})
