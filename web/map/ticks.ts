// Marks of the time axis: round times in the reader's own zone, never inside a fold, and the day where it changes.

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
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/** `scale`: pixels for a millisecond; `apart`: the least number of pixels between two ticks. */
export function ticksOf(time: FoldedTime, view: View, scale: number, apart: number): Tick[] {
  const step = steps.find(one => one * scale >= apart) ?? 24 * hour
  const ticks: (Tick & { isStart: boolean })[] = []
  const add = (real: number, isStart: boolean) => {
    const at = toFolded(time, real)
    const isNear = () => ticks.length > 0 && (at - (ticks.at(-1)?.at ?? 0)) * scale < apart * 0.8
    // Where work goes on after a fold nobody can count on from the tick before, so that this one goes first.
    if (isStart && isNear() && !ticks.at(-1)?.isStart) ticks.pop()
    if (!isNear()) ticks.push({ at, text: clockText(new Date(real), step), isStart })
  }
  for (const [from, to] of shownStretches(time, view)) {
    if (from > time.start) add(from, true)
    const shift = new Date(from).getTimezoneOffset() * minute
    for (let real = Math.ceil((from - shift) / step) * step + shift; real <= to; real += step) add(real, false)
  }
  return withDays(time, ticks)
}

function withDays(time: FoldedTime, ticks: readonly Tick[]): Tick[] {
  let last = ''
  return ticks.map(({ at, text }) => {
    const date = new Date(Math.round(toReal(time, at)))
    const day = `${weekdays[date.getDay()]} ${date.getDate()} ${months[date.getMonth()]}`
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
  const two = (part: number) => String(part).padStart(2, '0')
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`
  if (step >= minute) return clock
  const seconds = `${clock}:${two(date.getSeconds())}`
  return step >= second ? seconds : `${seconds}.${Math.floor(date.getMilliseconds() / 100)}`
}

/** `14:31:07`, in the reader's zone. */
export function clockOf(real: number): string {
  return clockText(new Date(real), second)
}
