// Times as a list says them, in the reader's own zone: which group a session belongs to, when it ended, when it will be
// deleted. It never asks the clock.

import type { Instant } from '../../src/base/instant.ts'

const day = 86_400_000
const months = 'January February March April May June July August September October November December'.split(' ')
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

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
  const date = `${at.getDate()} ${(months[at.getMonth()] ?? '').slice(0, 3)}`
  return at.getFullYear() === today.getFullYear() ? date : `${date} ${at.getFullYear()}`
}

/** A whole date and time, for those who point at a short one. */
export function longWhen(instant: Instant): string {
  if (instant === null) return 'no time in the log'
  const at = new Date(instant)
  return `${weekdays[at.getDay()]} ${at.getDate()} ${months[at.getMonth()]} ${at.getFullYear()}, ${clock(at)}`
}

/** `deleted in 2 days`; undefined where that is far off or unknown. */
export function deletionText(deletedOn: Instant | undefined, now: number, withinDays = 7): string | undefined {
  if (deletedOn === undefined || deletedOn === null) return
  const left = Date.parse(deletedOn) - now
  if (left > withinDays * day) return
  if (left <= 0) return 'may be deleted any time'
  if (left < day) return 'deleted within a day'
  const days = Math.ceil(left / day)
  return `deleted in ${days} days`
}

/** How many midnights lie between: 0 on the same day. */
function daysBetween(at: Date, now: Date): number {
  const start = (date: Date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())
  return Math.round((start(now) - start(at)) / day)
}

function clock(at: Date): string {
  return `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`
}

/** The day in the reader's zone, `2026-02-17`; `back`: so many days before. */
export function dayOf(now: number, back = 0): string {
  const at = new Date(now)
  const date = new Date(at.getFullYear(), at.getMonth(), at.getDate() - back)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
