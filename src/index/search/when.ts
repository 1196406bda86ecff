// Moments as people write them in a query: `7d`, `yesterday`, a date or time in a time zone. Times of the log itself are
// read elsewhere.

import { clockIn } from '../../base/clock.ts'
import { toMillis } from '../../base/instant.ts'

export interface TimeContext {
  /** Milliseconds since 1970. */
  now: number
  timezone?: string | undefined
}

/** Where a span begins, or ends: a day as an end means all of that day. */
export type Edge = 'since' | 'until'

const units: Readonly<Record<string, number>> = {
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
}

/** Milliseconds of a moment as people write it; undefined where the text is none, or the time zone unknown. */
export function readWhen(text: string, edge: Edge, context: TimeContext): number | undefined {
  const wanted = text.trim().toLowerCase()
  const ago = /^(\d{1,6})\s*(m|min|h|d|w)$/.exec(wanted)
  if (ago) return context.now - Number(ago[1]) * (units[ago[2] ?? ''] ?? 0)
  if (wanted === 'now') return context.now
  try {
    return namedDay(wanted, edge, context) ?? writtenDay(wanted, edge, context) ?? writtenTime(wanted, context)
  } catch {
    // The only thing that throws is a zone that this machine does not know.
    return undefined
  }
}

function namedDay(text: string, edge: Edge, context: TimeContext): number | undefined {
  const back = ['today', 'yesterday'].indexOf(text)
  if (back < 0) return undefined
  const today = partsAt(context.now, context.timezone)
  const day = today.day - back + (edge === 'until' ? 1 : 0)
  return zonedMillis({ ...midnight, year: today.year, month: today.month, day }, context.timezone)
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
