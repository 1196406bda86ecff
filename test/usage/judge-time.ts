// The judge's own clock reading and calendar: written times to milliseconds by arithmetic, and days of a time zone through
// Intl, message by message. It shares no code with the tool that it judges.

const isoForm = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?\s*(?:(Z)|([+-])(\d\d):?(\d\d))?$/i

/** Milliseconds since 1970; null where nothing usable is written. */
export function millisOf(written: unknown): number | null {
  if (typeof written === 'number') return millisOfNumber(written)
  if (typeof written !== 'string') return null
  const text = written.trim()
  if (/^\d{9,17}$/.test(text)) return millisOfNumber(Number(text))
  const found = isoForm.exec(text)
  if (found === null) return null
  const part = (place: number) => Number(found[place] ?? 0)
  const millis = Number(`${found[7] ?? ''}000`.slice(0, 3))
  const day = new Date(Date.UTC(part(1), part(2) - 1, part(3)))
  if (day.getUTCDate() !== part(3) || part(4) > 23 || part(5) > 59 || part(6) > 59) return null
  const ahead = (part(10) * 60 + part(11)) * (found[9] === '-' ? -1 : 1)
  return day.getTime() + ((part(4) * 60 + part(5) - ahead) * 60 + part(6)) * 1000 + millis
}

function millisOfNumber(value: number): number {
  if (value < 1e11) return Math.round(value * 1000)
  return Math.round(value < 1e14 ? value : value / 1000)
}

const calendars = new Map<string, Intl.DateTimeFormat>()

/** `2026-03-29`, as a calendar on the wall of that zone shows. */
export function dayOf(at: number, zone: string): string {
  let calendar = calendars.get(zone)
  if (calendar === undefined) {
    calendar = new Intl.DateTimeFormat('en-US', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' })
    calendars.set(zone, calendar)
  }
  const part = new Map(calendar.formatToParts(at).map(({ type, value }) => [type, value]))
  return `${part.get('year')?.padStart(4, '0')}-${part.get('month')}-${part.get('day')}`
}

/** The day on which the week of a day begins; `first` 0 is Sunday, 1 Monday. */
export function weekOf(day: string, first = 1): string {
  const date = new Date(`${day}T00:00:00Z`)
  while (date.getUTCDay() !== first) date.setUTCDate(date.getUTCDate() - 1)
  return date.toISOString().slice(0, 10)
}

/** Which block of five hours each time is in, by the time that block begins: the full hour of its first message. */
export function blocksOf(times: readonly number[]): Map<number, number> {
  const starts = new Map<number, number>()
  let start = Number.NEGATIVE_INFINITY
  for (const at of [...times].sort((one, other) => one - other)) {
    if (at >= start + 5 * 3_600_000) start = at - (((at % 3_600_000) + 3_600_000) % 3_600_000)
    starts.set(at, start)
  }
  return starts
}
