// Names, numbers and times as the app shows them, in the time zone that the settings name. It never asks the clock.

import { leftText } from '../../src/base/format.ts'
import type { Instant } from '../../src/base/instant.ts'

/** `claude-opus-4-1-20250805` → `opus-4-1`. */
export function modelName(model: string): string {
  return model.replace(/^claude-/, '').replace(/-\d{8}$/, '')
}

/** `980`, `14k`, `1.2M`: tokens where the exact number would only be noise. */
export function tokensText(tokens: number): string {
  if (tokens < 1000) return String(Math.round(tokens))
  if (tokens < 999_500) return `${tokens < 9950 ? (tokens / 1000).toFixed(1) : Math.round(tokens / 1000)}k`
  if (tokens < 999_500_000) return `${(tokens / 1e6).toFixed(tokens < 9_950_000 ? 1 : 0)}M`
  return `${(tokens / 1e9).toFixed(1)}B`
}

const day = 86_400_000

let zoned: Intl.DateTimeFormat | undefined

/** Times are shown in this zone from now on; in the browser's own where it is undefined or unknown. */
export function setTimezone(timeZone: string | undefined): void {
  try {
    const parts = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const
    zoned =
      timeZone === undefined ? undefined : new Intl.DateTimeFormat('en-US', { ...parts, timeZone, hourCycle: 'h23' })
  } catch {
    zoned = undefined
  }
}

/** What a calendar and a clock in the zone show: read its parts as if it were UTC. */
export function wallTime(at: Date): Date {
  if (zoned === undefined) {
    return new Date(Date.UTC(at.getFullYear(), at.getMonth(), at.getDate(), at.getHours(), at.getMinutes()))
  }
  if (Number.isNaN(at.getTime())) return at
  const parts = new Map(zoned.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  return new Date(Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute')))
}
const months = 'January February March April May June July August September October November December'.split(' ')
/** `Jan`, … */
export const shortMonths = months.map(month => month.slice(0, 3))
export const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/** The heading of a session's group. */
export function groupOf(session: { live: boolean; endedAt: Instant }, now: number): string {
  if (session.live) return 'Now'
  if (session.endedAt === null) return 'No date'
  const at = wallTime(new Date(session.endedAt))
  const days = daysBetween(at, wallTime(new Date(now)))
  if (days <= 0) return 'Today'
  if (days === 1) return 'Yesterday'
  if (days < 8) return 'Last week'
  const month = months[at.getUTCMonth()] ?? ''
  return at.getUTCFullYear() === wallTime(new Date(now)).getUTCFullYear() ? month : `${month} ${at.getUTCFullYear()}`
}

/** `11:02` today, `Tue` this week, `19 Oct` before, `19 Oct 2025` in another year. */
export function shortWhen(instant: Instant, now: number): string {
  if (instant === null) return ''
  const at = wallTime(new Date(instant))
  const today = wallTime(new Date(now))
  const days = daysBetween(at, today)
  if (days <= 0) return timeIn(at)
  if (days < 7) return `${weekdays[at.getUTCDay()]}`
  const date = `${at.getUTCDate()} ${shortMonths[at.getUTCMonth()]}`
  return at.getUTCFullYear() === today.getUTCFullYear() ? date : `${date} ${at.getUTCFullYear()}`
}

/** The time of day, and of the date what the heading above (see `groupOf`) does not say: `Tue 14:31`, `Mon 19, 14:31`; short: `Tue`, `Mon 19`. */
export function whenInGroup(instant: Instant, now: number, isShort = false): string {
  if (instant === null) return ''
  const at = wallTime(new Date(instant))
  const days = daysBetween(at, wallTime(new Date(now)))
  if (days <= 1) return timeIn(at)
  const weekday = weekdays[at.getUTCDay()]
  if (days < 8) return isShort ? `${weekday}` : `${weekday} ${timeIn(at)}`
  return isShort ? `${weekday} ${at.getUTCDate()}` : `${weekday} ${at.getUTCDate()}, ${timeIn(at)}`
}

/** The same where nothing above says the date: `14:31` today, else `19 Oct, 14:31`. */
export function whenAlone(instant: Instant, now: number): string {
  if (instant === null) return ''
  const at = wallTime(new Date(instant))
  const today = wallTime(new Date(now))
  if (daysBetween(at, today) <= 0) return timeIn(at)
  const date = `${at.getUTCDate()} ${shortMonths[at.getUTCMonth()]}`
  return `${at.getUTCFullYear() === today.getUTCFullYear() ? date : `${date} ${at.getUTCFullYear()}`}, ${timeIn(at)}`
}

/** A whole date and time, for those who point at a short one. */
export function longWhen(instant: Instant): string {
  if (instant === null) return 'no time in the log'
  const at = wallTime(new Date(instant))
  return `${weekdays[at.getUTCDay()]} ${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}, ${timeIn(at)}`
}

/** `deleted in 2 days`; undefined where that is far off or unknown. */
export function deletionText(deletedOn: Instant | undefined, now: number): string | undefined {
  return isSoon(deletedOn, now) ? `deleted ${dueText(deletedOn ?? null, now)}` : undefined
}

/** `in 2 days`; `unknown` where that is not known. */
export function dueText(deletedOn: string | null, now: number): string {
  return deletedOn === null ? 'unknown' : leftText(Date.parse(deletedOn) - now)
}

/** Whether it is deleted within a week. */
export function isSoon(deletedOn: Instant | undefined, now: number): boolean {
  return typeof deletedOn === 'string' && Date.parse(deletedOn) - now <= 7 * day
}

/** How many midnights lie between: 0 on the same day. */
function daysBetween(at: Date, now: Date): number {
  const start = (date: Date) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate())
  return Math.round((start(now) - start(at)) / day)
}

/** `14:31`. */
export function clock(at: Date): string {
  return timeIn(wallTime(at))
}

function timeIn(wall: Date): string {
  return `${two(wall.getUTCHours())}:${two(wall.getUTCMinutes())}`
}

/** `14:31:07`. */
export function clockWithSeconds(at: Date): string {
  return `${clock(at)}:${two(at.getSeconds())}`
}

export function two(part: number): string {
  return String(part).padStart(2, '0')
}

/** The day in the zone, `2026-02-17`; `back`: this many days before. */
export function dayOf(now: number, back = 0): string {
  const at = wallTime(new Date(now))
  const date = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() - back))
  return date.toISOString().slice(0, 10)
}
