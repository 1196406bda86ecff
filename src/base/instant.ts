// Points in time: milliseconds since 1970 inside, ISO 8601 in UTC outside. It reads every written form seen in logs and
// never asks the clock.

import type { Brand } from './brand.ts'

/** Milliseconds since 1970-01-01T00:00Z. */
export type Millis = Brand<number, 'Millis'>

/** ISO 8601, UTC, milliseconds (`2026-02-17T23:21:59.414Z`); null where there is no usable time. */
export type Instant = string | null

/** As Claude Code writes it, and surely a date; the end of February is looked at more closely. */
const plainIso =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3])(?::[0-5]\d){2}\.\d{3}Z$/
const looseIso = /^([+-]?\d{4,6})-(\d\d)-(\d\d)([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?\s*(Z|[+-]\d\d:?\d\d)?$/i
const largestMillis = 8.64e15

/** A time as written: ISO text with or without zone (none means UTC), or a number of seconds, milliseconds or microseconds. */
export function toInstant(written: unknown): Instant {
  if (typeof written === 'string' && plainIso.test(written)) return written
  const millis = toMillis(written)
  return millis === null ? null : new Date(millis).toISOString()
}

/** Of an instant, which is always written in full; neighbours mostly are of the same day. */
export function instantToMillis(at: string): number {
  if (at.length !== lengthOfInstant) return Date.parse(at)
  if (at.slice(0, 10) !== day) {
    day = at.slice(0, 10)
    dayMillis = Date.parse(`${day}T00:00:00.000Z`)
  }
  const minutes = digits(at, 11) * 60 + digits(at, 14)
  return dayMillis + (minutes * 60 + digits(at, 17)) * 1000 + digits(at, 20) * 10 + at.charCodeAt(22) - 48
}

const lengthOfInstant = '2026-02-17T23:21:59.414Z'.length
let day = ''
let dayMillis = 0

/** Two of them, as a number. */
function digits(text: string, at: number): number {
  return text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 528
}

/** Like `toInstant`, as a number. */
export function toMillis(written: unknown): Millis | null {
  if (typeof written === 'number') return numberToMillis(written)
  if (typeof written !== 'string') return null
  if (plainIso.test(written)) return Date.parse(written) as Millis
  const text = written.trim()
  if (/^\d{9,17}(\.\d+)?$/.test(text)) return numberToMillis(Number(text))
  const parts = looseIso.exec(text)
  if (!parts || Number(parts[3]) > daysOfMonth(Number(parts[1]), Number(parts[2]))) return null
  const spaced = text.replace(/^(\S+) (\d\d:)/, '$1T$2').replace(/\s+/g, '')
  const zoned = !spaced.includes('T') || /(Z|[+-]\d\d:?\d\d)$/i.test(spaced.slice(11)) ? spaced : `${spaced}Z`
  const millis = Date.parse(zoned)
  return Number.isNaN(millis) ? null : (millis as Millis)
}

/** `Date.parse` would take the 30th of February for the 2nd of March. */
function daysOfMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/** Below 1e11 it counts seconds, below 1e14 milliseconds, else microseconds. */
function numberToMillis(value: number): Millis | null {
  if (!Number.isFinite(value)) return null
  const size = Math.abs(value)
  const millis = size < 1e11 ? value * 1000 : size < 1e14 ? value : value / 1000
  const whole = Math.round(millis)
  return Math.abs(whole) > largestMillis ? null : (whole as Millis)
}
