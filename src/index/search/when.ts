// Moments as people write them, in queries and options: `7d`, `3mo`, `monday`, a date or time in a time zone. Times of the log
// itself are read by src/base/instant.ts.

import { clockIn } from '../../base/clock.ts'
import { toMillis } from '../../base/instant.ts'

export interface TimeContext {
  /** Milliseconds since 1970. */
  now: number
  timezone?: string | undefined
}

/** Where a span begins, or ends: a day as an end means all of that day. */
export type Edge = 'since' | 'until'

/** What people may write, for messages. */
export const timeExamples = '2026-02-17, "2026-02-17 14:30", 24h, 7d, 2w, 3mo, 1y, monday, yesterday'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Of fixed length, in milliseconds, or as long as the calendar says, in months. */
const units: readonly { pattern: RegExp; millis?: number; months?: number }[] = [
  { pattern: /^m(in(ute)?s?)?$/, millis: minuteMs },
  { pattern: /^h(ours?)?$/, millis: hourMs },
  { pattern: /^d(ays?)?$/, millis: dayMs },
  { pattern: /^w(eeks?)?$/, millis: 7 * dayMs },
  { pattern: /^mo(nths?)?$/, months: 1 },
  { pattern: /^y(ears?)?$/, months: 12 },
]

interface Back {
  millis: number
  months: number
}

/** `7d`, `3mo`, `2 weeks`; undefined where the text is no such span. */
function readBack(text: string): Back | undefined {
  const found = /^(\d{1,6})\s*([a-z]+)$/.exec(text)
  const unit = found === null ? undefined : units.find(({ pattern }) => pattern.test(found[2] ?? ''))
  const count = Number(found?.[1])
  return unit === undefined ? undefined : { millis: count * (unit.millis ?? 0), months: count * (unit.months ?? 0) }
}

/** Milliseconds of a moment as people write it; undefined where the text is none, or the time zone unknown. */
export function readWhen(text: string, edge: Edge, context: TimeContext): number | undefined {
  const wanted = text.trim().toLowerCase()
  if (wanted === 'now') return context.now
  try {
    const back = readBack(wanted)
    if (back !== undefined) return momentBefore(back, context)
    return namedDay(wanted, edge, context) ?? writtenDay(wanted, edge, context) ?? writtenTime(wanted, context)
  } catch {
    // The only thing that throws is a zone that this machine does not know.
    return undefined
  }
}

/** From `since` on, before `until`; milliseconds since 1970. */
export interface TimeSpan {
  since: number
  until: number
}

/**
 * The last `7d`, `2w`, `3mo` or `1y`: whole days that end with today, of which the first is the day after the one of the same
 * number. The last `24h` end now. Any other time is where the span begins. `3m` are months here: so it was always read.
 */
export function readLast(text: string, context: TimeContext): TimeSpan | undefined {
  const wanted = text.trim().toLowerCase()
  const since = readWhen(wanted, 'since', context)
  const until = readWhen('today', 'until', context)
  if (since === undefined || until === undefined) return undefined
  const back = readBack(wanted.replace(/^(\d+)\s*m$/, '$1mo'))
  if (back === undefined) return { since, until }
  if (back.millis + back.months === 0) return undefined
  if (back.millis > 0 && back.millis % dayMs !== 0) return { since, until: context.now + 1 }
  const now = partsAt(context.now, context.timezone)
  const days = back.millis / dayMs
  const first = { ...monthsBefore(now, back.months), ...midnight }
  return { since: zonedMillis({ ...first, day: first.day + 1 - days }, context.timezone), until }
}

function momentBefore({ millis, months }: Back, { now, timezone }: TimeContext): number {
  return months === 0 ? now - millis : zonedMillis(monthsBefore(partsAt(now, timezone), months), timezone)
}

/** The same time of the day of the same number this many months ago, or of the last day of that month. */
function monthsBefore(parts: Parts, months: number): Parts {
  const month = parts.month - months
  const lastDay = new Date(Date.UTC(parts.year, month, 0)).getUTCDate()
  return { ...parts, month, day: Math.min(parts.day, lastDay) }
}

const weekDays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/** `today`, `yesterday`, or the last day of that name, which may be today. */
function namedDay(text: string, edge: Edge, context: TimeContext): number | undefined {
  const today = partsAt(context.now, context.timezone)
  const back = daysBack(text, new Date(Date.UTC(today.year, today.month - 1, today.day)).getUTCDay())
  if (back === undefined) return undefined
  const day = today.day - back + (edge === 'until' ? 1 : 0)
  return zonedMillis({ ...midnight, year: today.year, month: today.month, day }, context.timezone)
}

function daysBack(text: string, weekDay: number): number | undefined {
  if (text === 'today') return 0
  if (text === 'yesterday') return 1
  const named = text.length < 3 ? -1 : weekDays.findIndex(name => name.startsWith(text))
  return named < 0 ? undefined : (weekDay - named + 7) % 7
}

/** `2026-02-17` or `2026-02`. */
function writtenDay(text: string, edge: Edge, context: TimeContext): number | undefined {
  const found = /^(\d{4})-(\d\d)(?:-(\d\d))?$/.exec(text)
  if (!found) return undefined
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3] ?? 1)]
  const isMonth = found[3] === undefined
  const date = new Date(Date.UTC(year, month - 1, day))
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  const step = edge === 'until' ? 1 : 0
  const parts = { ...midnight, year, month: month + (isMonth ? step : 0), day: day + (isMonth ? 0 : step) }
  return zonedMillis(parts, context.timezone)
}

/** With a zone of its own as it says, else in the zone asked for. */
function writtenTime(text: string, context: TimeContext): number | undefined {
  const utc = toMillis(text.toUpperCase())
  if (utc === null || !/^\d{4}-\d\d-\d\d[t ]\d\d:\d\d/.test(text)) return undefined
  if (/(z|[+-]\d\d:?\d\d)$/.test(text.slice(11))) return utc
  const date = new Date(utc)
  const parts: Parts = {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
  }
  return zonedMillis(parts, context.timezone) + date.getUTCMilliseconds()
}

interface Parts {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
}
const midnight = { hour: 0, minute: 0, second: 0 }

/** The moment at which a zone's clock shows this. Days and months beyond their end continue into the next. */
function zonedMillis(parts: Parts, timezone: string | undefined): number {
  const { year, month, day, hour, minute, second } = parts
  if (timezone === undefined) return new Date(year, month - 1, day, hour, minute, second).getTime()
  const shown = Date.UTC(year, month - 1, day, hour, minute, second)
  const guess = shown - offsetAt(shown, timezone)
  // Next to a change of summer time the first guess may be on its wrong side.
  return shown - offsetAt(guess, timezone)
}

/** How far a zone's clock is ahead of UTC, in milliseconds. */
function offsetAt(at: number, timezone: string): number {
  const { year, month, day, hour, minute, second } = partsAt(at, timezone)
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000
}

function partsAt(at: number, timezone: string | undefined): Parts {
  const numbers = clockIn(timezone)(at).match(/\d+/g)?.map(Number) ?? []
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = numbers
  return { year, month, day, hour, minute, second }
}
