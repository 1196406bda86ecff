// Times as people write and read them in lists: `7d`, `yesterday`, dates in a time zone. Times in logs are read by
// `src/base/instant.ts`.

import type { Instant } from '../../base/instant.ts'
import { type Edge, readWhen, type TimeContext } from '../../index/search/when.ts'
import { UserError } from '../command.ts'

export type Clock = (at: Instant | number) => string

/** `2026-02-17 23:21` in the given zone, else the machine's. One for a whole list: making a formatter is slow. */
export function clockFor(timezone: string | undefined): Clock {
  if (timezone === undefined) return localTime
  if (timezone.toUpperCase() === 'UTC') return at => (at === null ? '-' : isoMinutes(new Date(at)))
  const format = formatter(timezone, { dateStyle: 'short', timeStyle: 'short' })
  return at => (at === null ? '-' : format.format(new Date(at)))
}

function isoMinutes(date: Date): string {
  return date.toISOString().slice(0, 16).replace('T', ' ')
}

/** Without a formatter: loading the tables of all zones takes as long as reading some hundred files. */
function localTime(at: Instant | number): string {
  if (at === null) return '-'
  const date = new Date(at)
  return isoMinutes(new Date(date.getTime() - date.getTimezoneOffset() * 60_000))
}

function formatter(timezone: string | undefined, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('sv-SE', { ...options, ...(timezone === undefined ? {} : { timeZone: timezone }) })
  } catch {
    throw new UserError(`Invalid time zone "${timezone}". Examples: Europe/Berlin, UTC`)
  }
}

/** Milliseconds since 1970 of `--since` or `--until`. */
export function readTime(text: string, edge: Edge, context: TimeContext): number {
  // An unknown zone has an error of its own.
  if (context.timezone !== undefined) formatter(context.timezone, {})
  const found = readWhen(text, edge, context)
  if (found !== undefined) return found
  throw new UserError(
    `Invalid --${edge} "${text}". Examples: 2026-02-17, "2026-02-17 14:30", 7d, 24h, today, yesterday`,
  )
}
