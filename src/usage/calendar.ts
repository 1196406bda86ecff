// Days, weeks and months as a time zone's clock shows them, summer time included. It never asks what time it is now, and
// does not read dates that people write.

export interface CalendarOptions {
  /** An IANA name; the machine's zone where absent. */
  timezone?: string | undefined
  /** 0 for Sunday to 6 for Saturday; Monday where absent. */
  weekStart?: number | undefined
}

const dayMillis = 86_400_000
const quarterMillis = 900_000
const quartersPerDay = 96
/** The first and last moment that a date can be. */
const largestMillis = 8.64e15
const weekDays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/** `monday`, `mon`, `1`; 0 for Sunday. Null where it is not a day of the week. */
export function readWeekStart(text: string): number | null {
  const wanted = text.trim().toLowerCase()
  if (/^[0-6]$/.test(wanted)) return Number(wanted)
  const found = wanted.length < 2 ? -1 : weekDays.findIndex(name => name.startsWith(wanted))
  return found < 0 ? null : found
}

/** Days are counted from 1970-01-01 on, as the zone's clock shows them. */
export class Calendar {
  private readonly offsetAt: (at: number) => number
  private readonly weekStart: number
  /** By day of UTC: the offset of all its quarters, or of each. */
  private readonly offsets = new Map<number, number | number[]>()

  /** An unknown zone is taken for UTC. */
  constructor({ timezone, weekStart = 1 }: CalendarOptions = {}) {
    this.offsetAt = offsetReader(timezone)
    this.weekStart = weekStart
  }

  dayOf(at: number): number {
    return Math.floor((at + this.offset(at)) / dayMillis)
  }

  /** Asking for the offset is slow, and zones change it only at quarters of an hour: one answer serves a whole day. */
  private offset(at: number): number {
    const day = Math.floor(at / dayMillis)
    let known = this.offsets.get(day)
    if (known === undefined) {
      known = this.offsetsOf(day)
      this.offsets.set(day, known)
    }
    if (typeof known === 'number') return known
    return known[Math.floor((at - day * dayMillis) / quarterMillis)] ?? 0
  }

  private offsetsOf(day: number): number | number[] {
    const start = day * dayMillis
    const first = this.offsetAt(start)
    if (this.offsetAt(start + dayMillis) === first) return first
    return Array.from({ length: quartersPerDay }, (_, quarter) => this.offsetAt(start + quarter * quarterMillis))
  }

  /** The first quarter of an hour of a day; of the next one where the zone left the day out. */
  startOfDay(day: number): number {
    // No clock is more than 26 hours away from UTC.
    let before = (day * dayMillis) / quarterMillis - 105
    let after = before + 210
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2)
      if (this.dayOf(middle * quarterMillis) < day) before = middle
      else after = middle
    }
    return after * quarterMillis
  }

  /** `2026-02-17`. */
  dateText(day: number): string {
    return isoDate(day)
  }

  /** `2026-02`. */
  monthText(day: number): string {
    return isoDate(day).replace(/-\d\d$/, '')
  }

  /** The first day of the week that a day is in. */
  weekOf(day: number): number {
    // 1970-01-01 was a Thursday.
    return day - modulo(day + 4 - this.weekStart, 7)
  }
}

function isoDate(day: number): string {
  const at = Math.max(-largestMillis, Math.min(largestMillis, day * dayMillis))
  return new Date(at).toISOString().replace(/T.*$/, '')
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by
}

/** How far the zone's clock is ahead of UTC, in milliseconds. */
function offsetReader(timezone: string | undefined): (at: number) => number {
  if (timezone === undefined) return at => -new Date(withinDates(at)).getTimezoneOffset() * 60_000
  const format = timezone.toUpperCase() === 'UTC' ? null : zoneFormat(timezone)
  if (format === null) return () => 0
  return at => {
    const found = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(format.format(withinDates(at)))
    if (!found) return 0
    const size = (Number(found[2]) * 60 + Number(found[3])) * 60 + Number(found[4] ?? 0)
    return (found[1] === '-' ? -size : size) * 1000
  }
}

function withinDates(at: number): number {
  return Math.max(-largestMillis, Math.min(largestMillis, at))
}

function zoneFormat(timezone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' })
  } catch {
    return null
  }
}
