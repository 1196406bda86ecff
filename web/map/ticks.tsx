// Ticks of the time axis and the legend of the colours.

import { memo } from 'react'
import { clock, shortMonths, two, wallTime, weekdays } from '../shell/format.ts'
import { toneNames } from '../thread/palette.ts'
import { type FoldedTime, toFolded, toReal } from './fold.ts'
import type { View } from './view.ts'

export interface Tick {
  /** Folded. */
  at: number
  text: string
  /** The day, where it is not that of the tick before. */
  day?: string
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const steps = [
  second / 10,
  second / 5,
  second / 2,
  second,
  2 * second,
  5 * second,
  10 * second,
  15 * second,
  30 * second,
  minute,
  2 * minute,
  5 * minute,
  10 * minute,
  15 * minute,
  30 * minute,
  hour,
  2 * hour,
  3 * hour,
  6 * hour,
  12 * hour,
  24 * hour,
]

/** `scale`: pixels for a millisecond; `apart`: the least number of pixels between two ticks. */
export function ticksOf(time: FoldedTime, view: View, scale: number, apart: number): Tick[] {
  const step = steps.find(one => one * scale >= apart) ?? 24 * hour
  const ticks: (Tick & { isStart: boolean })[] = []
  const add = (real: number, isStart: boolean) => {
    const at = toFolded(time, real)
    const isNear = () => ticks.length > 0 && (at - (ticks.at(-1)?.at ?? 0)) * scale < apart * 0.8
    // After a fold one cannot count on from the tick before, so this one goes first.
    if (isStart && isNear() && !ticks.at(-1)?.isStart) ticks.pop()
    if (!isNear()) ticks.push({ at, text: clockText(new Date(real), step), isStart })
  }
  for (const [from, to] of shownStretches(time, view)) {
    if (from > time.start) add(from, true)
    const shift = Math.round((from - wallTime(new Date(from)).getTime()) / minute) * minute
    for (let real = Math.ceil((from - shift) / step) * step + shift; real <= to; real += step) add(real, false)
  }
  return withDays(time, [...startTick(time, view, ticks[0]?.at ?? view.to, apart / scale, step), ...ticks])
}

/** Where a session begins, if there is space before the next tick: else the day of a short beginning is said nowhere. */
function startTick(time: FoldedTime, view: View, next: number, apart: number, step: number): Tick[] {
  const hasSpace = view.from <= 0 && next >= apart * 0.8
  return hasSpace ? [{ at: 0, text: clockText(new Date(time.start), step) }] : []
}

function withDays(time: FoldedTime, ticks: readonly Tick[]): Tick[] {
  let last = ''
  return ticks.map(({ at, text }) => {
    const date = wallTime(new Date(Math.round(toReal(time, at))))
    const day = `${weekdays[date.getUTCDay()]} ${date.getUTCDate()} ${shortMonths[date.getUTCMonth()]}`
    const isNew = day !== last
    last = day
    return { at, text, ...(isNew && { day }) }
  })
}

/** Real stretches on view, without the folds. */
function shownStretches(time: FoldedTime, view: View): [number, number][] {
  const from = Math.max(time.start, toReal(time, Math.max(0, view.from)))
  const to = Math.min(time.end, toReal(time, Math.min(time.length, view.to)))
  const stretches: [number, number][] = []
  let start = from
  for (const fold of time.folds) {
    if (fold.to <= from) continue
    if (fold.from >= to) break
    if (fold.from > start) stretches.push([start, fold.from])
    start = Math.max(start, fold.to)
  }
  if (start < to) stretches.push([start, to])
  return stretches
}

function clockText(date: Date, step: number): string {
  if (step >= minute) return clock(date)
  const seconds = `${clock(date)}:${two(date.getSeconds())}`
  return step >= second ? seconds : `${seconds}.${Math.floor(date.getMilliseconds() / 100)}`
}

/** `14:31:07`, in the reader's zone. */
export function clockOf(real: number): string {
  return clockText(new Date(real), second)
}

const drawings: { name: string; className: string; width: number; path: string }[] = [
  { name: 'subagent', className: 'l-agent', width: 26, path: 'M1 2Q5 2 5 6V8Q5 11 9 11H17Q21 11 21 8V6Q21 2 25 2' },
  { name: 'failed', className: 'l-bad', width: 12, path: 'M1 3H11L6 12Z' },
  { name: 'compaction', className: 'l-seam', width: 14, path: 'M4 1L10 13M10 1L4 13' },
  { name: 'abandoned branch', className: 'l-left', width: 22, path: 'M0 11C6 11 5 4 11 4H20M20 1V7' },
  { name: 'idle, folded', className: 'l-fold', width: 14, path: 'M0 6L6 0M0 13L13 0M7 13L13 7' },
]

export const Legend = memo(function Legend() {
  const [subagent, ...others] = drawings.map(({ name, className, width, path }) => (
    <li key={name}>
      <svg width={width} height="14" aria-hidden="true">
        <path className={className} d={path} />
      </svg>
      {name}
    </li>
  ))
  return (
    <details className="map-legend" open={window.innerWidth > 900}>
      <summary>Legend</summary>
      <ul>
        <li>
          <svg width="22" height="14" aria-hidden="true">
            <path className="l-thread" d="M0 7H22" />
            <circle className="l-knot" cx="11" cy="7" r="4" />
          </svg>
          prompt
        </li>
        {subagent}
        {toneNames().map(({ name, colour }) => (
          <li key={name}>
            <svg width="16" height="14" aria-hidden="true">
              <rect x="0" y="4" width="16" height="7" rx="2" style={{ fill: `var(--${colour})` }} />
            </svg>
            {name}
          </li>
        ))}
        {others}
      </ul>
    </details>
  )
})
