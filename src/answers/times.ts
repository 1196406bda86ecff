// Times as people write and read them in lists: `7d`, `yesterday`, dates in a time zone. Times in logs are read by
// `src/base/instant.ts`.

import { clockIn } from '../base/clock.ts'
import type { Instant } from '../base/instant.ts'
import { type Edge, readWhen, type TimeContext, timeExamples } from '../index/search/when.ts'
import { UserError } from './error.ts'

export type Clock = (at: Instant | number) => string

/** `2026-02-17 23:21` in the given zone, else the machine's. */
export function clockFor(timezone: string | undefined): Clock {
  const clock = knownClock(timezone)
  return at => (at === null ? '-' : clock(new Date(at).getTime()).slice(0, 16))
}

function knownClock(timezone: string | undefined): (millis: number) => string {
  try {
    return clockIn(timezone)
  } catch {
    throw new UserError(`Invalid time zone "${timezone}". Examples: Europe/Berlin, UTC`)
  }
}

/** Milliseconds since 1970 of `--since` or `--until`. */
export function readTime(text: string, edge: Edge, context: TimeContext): number {
  // An unknown zone has an error of its own.
  knownClock(context.timezone)
  const found = readWhen(text, edge, context)
  if (found !== undefined) return found
  throw new UserError(`Invalid --${edge} "${text}". Examples: ${timeExamples}`)
}
