// Names, numbers and times as lists show them, in the reader's own zone. It never asks the clock.

import { countOf } from '../../src/base/format.ts'
import type { Instant } from '../../src/base/instant.ts'

/** The last part of a working directory. */
export function projectName(project: string): string {
  const parts = project.split(/[/\\]/).filter(part => part !== '')
  return parts.at(-1) ?? project
}

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
const months = 'January February March April May June July August September October November December'.split(' ')
/** `Jan`, … */
export const shortMonths = months.map(month => month.slice(0, 3))
export const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/** The heading of a session's group. */
export function groupOf(session: { isLive: boolean; endedAt: Instant }, now: number): string {
  if (session.isLive) return 'Now'
  if (session.endedAt === null) return 'No date'
  const at = new Date(session.endedAt)
  const days = daysBetween(at, new Date(now))
  if (days <= 0) return 'Today'
  if (days === 1) return 'Yesterday'
  if (days < 8) return 'Last week'
  const month = months[at.getMonth()] ?? ''
  return at.getFullYear() === new Date(now).getFullYear() ? month : `${month} ${at.getFullYear()}`
}

/** `11:02` today, `Tue` this week, `19 Oct` before, `19 Oct 2025` in another year. */
export function shortWhen(instant: Instant, now: number): string {
  if (instant === null) return ''
  const at = new Date(instant)
  const today = new Date(now)
  const days = daysBetween(at, today)
  if (days <= 0) return clock(at)
  if (days < 7) return `${weekdays[at.getDay()]}`
  const date = `${at.getDate()} ${shortMonths[at.getMonth()]}`
  return at.getFullYear() === today.getFullYear() ? date : `${date} ${at.getFullYear()}`
}

/** The time of day, and of the date what the heading above (see `groupOf`) does not say: `Tue 14:31`, `Mon 19, 14:31`. */
export function whenInGroup(instant: Instant, now: number): string {
  if (instant === null) return ''
  const at = new Date(instant)
  const days = daysBetween(at, new Date(now))
  if (days <= 1) return clock(at)
  if (days < 8) return `${weekdays[at.getDay()]} ${clock(at)}`
  return `${weekdays[at.getDay()]} ${at.getDate()}, ${clock(at)}`
}

/** The same where nothing above says the date: `14:31` today, else `19 Oct, 14:31`. */
export function whenAlone(instant: Instant, now: number): string {
  if (instant === null) return ''
  const at = new Date(instant)
  const today = new Date(now)
  if (daysBetween(at, today) <= 0) return clock(at)
  const date = `${at.getDate()} ${shortMonths[at.getMonth()]}`
  return `${at.getFullYear() === today.getFullYear() ? date : `${date} ${at.getFullYear()}`}, ${clock(at)}`
}

/** A whole date and time, for those who point at a short one. */
export function longWhen(instant: Instant): string {
  if (instant === null) return 'no time in the log'
  const at = new Date(instant)
  return `${weekdays[at.getDay()]} ${at.getDate()} ${months[at.getMonth()]} ${at.getFullYear()}, ${clock(at)}`
}

/** `deleted in 2 days`; undefined where that is far off or unknown. */
export function deletionText(deletedOn: Instant | undefined, now: number): string | undefined {
  return isSoon(deletedOn, now) ? `deleted ${dueText(deletedOn ?? null, now)}` : undefined
}

/** `in 2 days`, `within a day`, `any time now`. */
export function dueText(deletedOn: string | null, now: number): string {
  if (deletedOn === null) return 'unknown'
  const left = Date.parse(deletedOn) - now
  if (left <= 0) return 'any time now'
  if (left < day) return 'within a day'
  return `in ${countOf(Math.ceil(left / day), 'day')}`
}

/** Whether it is deleted within a week. */
export function isSoon(deletedOn: Instant | undefined, now: number): boolean {
  return typeof deletedOn === 'string' && Date.parse(deletedOn) - now <= 7 * day
}

/** How many midnights lie between: 0 on the same day. */
function daysBetween(at: Date, now: Date): number {
  const start = (date: Date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())
  return Math.round((start(now) - start(at)) / day)
}

/** `14:31`. */
export function clock(at: Date): string {
  return `${two(at.getHours())}:${two(at.getMinutes())}`
}

export function two(part: number): string {
  return String(part).padStart(2, '0')
}

/** The day in the reader's zone, `2026-02-17`; `back`: this many days before. */
export function dayOf(now: number, back = 0): string {
  const at = new Date(now)
  const date = new Date(at.getFullYear(), at.getMonth(), at.getDate() - back)
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
