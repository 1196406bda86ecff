// The last year as days: how much was used on each, and a way to its sessions. Weeks are columns, in two bands of half a
// year. The numbers are those of `clew usage daily`.

import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { countOf, moneyText } from '../../src/base/format.ts'
import type { UsageAnswerJson } from '../../src/server/api/api.ts'
import { ask } from '../api.ts'
import { useAsync } from '../reader.ts'
import { navigate, routeNow } from '../route.ts'
import { dayOf, shortMonths, tokensText } from '../shell/format.ts'
import { useNow } from '../shell/sessions.ts'
import { dayName } from '../usage/figures.ts'

export interface CalendarDay {
  /** `2026-02-17`. */
  day: string
  tokens: number
  costUSD: number
  /** 0 where nothing was used, else from 1 to 4: a quarter of the days with use is on each. */
  level: number
}

export const weeks = 52
const bandWeeks = 26

/** Whole weeks that end with the one of `today`, a Monday first; days to come are left out. */
export function calendarOf(rows: UsageAnswerJson['rows'], today: string): CalendarDay[] {
  const byDay = new Map(rows.map(row => [row.key, row]))
  const levelOf = levels(rows.map(row => row.totalTokens))
  const last = Date.parse(today)
  const sinceMonday = (new Date(last).getUTCDay() + 6) % 7
  const first = last - ((weeks - 1) * 7 + sinceMonday) * 86_400_000
  const days: CalendarDay[] = []
  for (let at = first; at <= last; at += 86_400_000) {
    const day = new Date(at).toISOString().slice(0, 10)
    const row = byDay.get(day)
    const tokens = row?.totalTokens ?? 0
    days.push({ day, tokens, costUSD: row?.totalCost ?? 0, level: levelOf(tokens) })
  }
  return days
}

function levels(values: readonly number[]): (value: number) => number {
  const used = values.filter(value => value > 0).sort((one, other) => one - other)
  const borders = [0.25, 0.5, 0.75].map(share => used[Math.floor(used.length * share)] ?? 0)
  return value => (value <= 0 ? 0 : 1 + borders.filter(border => value >= border && used.length > 3).length)
}

/** `isDue`: nothing that people wait for more is under way. */
export function Activity({ isDue }: { isDue: boolean }) {
  const now = useNow()
  const today = dayOf(now)
  const usage = useAsync(
    async signal =>
      isDue ? ask('GET /api/usage', { by: 'daily', since: dayOf(now, weeks * 7) }, { signal }) : undefined,
    [today, isDue],
  )
  if (!usage.value) return null
  const days = calendarOf(usage.value.rows, today)
  if (days.every(({ level }) => level === 0)) return null
  return (
    <section className="activity" aria-label="Activity of a year">
      <h2 className="row-heading glance-heading">
        <span>Activity</span>
        <span>a year</span>
      </h2>
      <Days days={days} />
    </section>
  )
}

const step = 10
const cell = 8
const top = 12
const bandHeight = top + 7 * step

/** One stop of the keyboard: arrows go from day to day, Enter shows the sessions of one. */
function Days({ days }: { days: readonly CalendarDay[] }) {
  const [at, setAt] = useState(days.length - 1)
  const [pointed, setPointed] = useState<number>()
  const [isActive, setActive] = useState(false)
  const chosen = days[at]
  const shown = pointed ?? (isActive ? at : undefined)
  const open = (place: number) => {
    const { day } = days[place] ?? {}
    if (day !== undefined) navigate({ screen: 'home', query: { ...routeNow().query, since: day, until: day } })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const by: { [key: string]: number } = { ArrowLeft: -7, ArrowRight: 7, ArrowUp: -1, ArrowDown: 1 }
    const to = event.key === 'Home' ? 0 : event.key === 'End' ? days.length - 1 : at + (by[event.key] ?? 0)
    if (event.key === 'Enter') open(at)
    else if (to === at) return
    else setAt(Math.max(0, Math.min(days.length - 1, to)))
    event.preventDefault()
    event.stopPropagation()
  }
  const onPointer = (event: PointerEvent<HTMLElement>) => setPointed(placeUnder(event, days.length))
  return (
    <>
      <div
        className="activity-days"
        role="slider"
        tabIndex={0}
        aria-label="Day; Enter shows its sessions"
        aria-valuemin={1}
        aria-valuemax={days.length}
        aria-valuenow={at + 1}
        aria-valuetext={chosen ? dayText(chosen) : ''}
        onKeyDown={onKeyDown}
        onFocus={() => setActive(true)}
        onBlur={() => setActive(false)}
        onPointerMove={onPointer}
        onPointerLeave={() => setPointed(undefined)}
        onClick={event => {
          const place = placeUnder(event, days.length)
          if (place === undefined) return
          setAt(place)
          open(place)
        }}
      >
        {[0, bandWeeks].map(from => (
          <Band key={from} days={days} from={from * 7} chosen={shown} />
        ))}
      </div>
      <p className="activity-says">{shown === undefined ? yearText(days) : dayText(days[shown] ?? days[0])}</p>
    </>
  )
}

function Band({ days, from, chosen }: { days: readonly CalendarDay[]; from: number; chosen: number | undefined }) {
  const part = days.slice(from, from + bandWeeks * 7)
  return (
    <svg className="activity-band" viewBox={`0 0 ${bandWeeks * step} ${bandHeight}`} aria-hidden="true">
      {monthStarts(part).map(({ at, name }) => (
        <text key={name} className="activity-month" x={Math.floor(at / 7) * step} y={8}>
          {name}
        </text>
      ))}
      {part.map(({ day, level }, at) => (
        <rect
          key={day}
          className="activity-day"
          data-level={level}
          data-chosen={from + at === chosen}
          x={Math.floor(at / 7) * step}
          y={top + (at % 7) * step}
          width={cell}
          height={cell}
          rx={1.5}
        />
      ))}
    </svg>
  )
}

/** The weeks in which a month begins. */
function monthStarts(days: readonly CalendarDay[]): { at: number; name: string }[] {
  const starts = days.flatMap(({ day }, at) => (day.endsWith('-01') ? [{ at, name: monthOf(day) }] : []))
  return starts.filter(({ at }) => at / 7 < bandWeeks - 1)
}

function monthOf(day: string): string {
  return shortMonths[Number(day.slice(5, 7)) - 1] ?? ''
}

/** The day under the pointer; undefined between bands and behind the last day. */
function placeUnder(
  event: { currentTarget: HTMLElement; clientX: number; clientY: number },
  count: number,
): number | undefined {
  const bands = [...event.currentTarget.children]
  for (const [n, band] of bands.entries()) {
    const box = band.getBoundingClientRect()
    const scale = (bandWeeks * step) / box.width
    const week = Math.floor(((event.clientX - box.left) * scale) / step)
    const row = Math.floor(((event.clientY - box.top) * scale - top) / step)
    if (row < 0 || row > 6 || week < 0 || week >= bandWeeks) continue
    const place = (n * bandWeeks + week) * 7 + row
    if (place < count) return place
  }
  return undefined
}

function dayText(day: CalendarDay | undefined): string {
  if (!day) return ''
  const name = dayName(day.day, true)
  return day.tokens === 0 ? `${name}: nothing` : `${name}: ${tokensText(day.tokens)} tokens, ${moneyText(day.costUSD)}`
}

function yearText(days: readonly CalendarDay[]): string {
  return `${countOf(days.filter(({ level }) => level > 0).length, 'day')} with use`
}
