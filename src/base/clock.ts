// The one clock for people: moments as a time zone shows them. It never asks what time it is.

/** `2026-02-17 23:21:59`. */
export type Clock = (millis: number) => string

/** Making a formatter takes longer than a thousand uses of it. */
const clocks = new Map<string | undefined, Clock>()

/** `timezone`: an IANA name, the machine's own zone where absent. Throws a RangeError where there is no such zone. */
export function clockIn(timezone: string | undefined): Clock {
  const known = clocks.get(timezone) ?? newClock(timezone)
  clocks.set(timezone, known)
  return known
}

function newClock(timezone: string | undefined): Clock {
  // Without a formatter: loading the tables of all zones takes as long as reading some hundred files.
  if (timezone === undefined) return millis => isoSeconds(millis - new Date(millis).getTimezoneOffset() * 60_000)
  if (timezone.toUpperCase() === 'UTC') return isoSeconds
  const format = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone: timezone })
  return millis => format.format(millis)
}

function isoSeconds(millis: number): string {
  return new Date(millis).toISOString().slice(0, 19).replace('T', ' ')
}
