// Time as the map lays it out: hours in which nothing happened are folded to a narrow strip, so that the work is visible.
// Real times are milliseconds since 1970, folded ones milliseconds from the left edge. It knows nothing of pixels.

/** A stretch that was folded. */
export interface Fold {
  /** Real times. */
  from: number
  to: number
  /** Its folded position and width. */
  at: number
  size: number
  /** A call ran all the while: it was not idle. */
  isBusy: boolean
}

export interface FoldedTime {
  start: number
  end: number
  folds: Fold[]
  /** How long everything is when folded. */
  length: number
}

/** A stretch in which something ran. */
export interface Span {
  from: number
  to: number
  /** Never folded: what happened in it is not known yet. */
  isSolid?: boolean
}

const minute = 60_000
const shortestFold = 45_000
const longestKept = 5 * minute
/** While a call runs, a stretch is folded only when it is this many times as long. */
const busyFactor = 4

/** Folds the gaps between `marks` (sorted) that are long for this session. */
export function foldTime(marks: Float64Array, spans: readonly Span[]): FoldedTime {
  const start = marks[0] ?? 0
  const end = marks.at(-1) ?? start
  const work = sumOfShort(marks)
  const idle = Math.max(shortestFold, Math.min(longestKept, work * 0.2))
  const gaps = gapsOver(marks, idle)
  markBusy(gaps, spans)
  const folded = gaps.filter(
    ({ from, to, isBusy, isSolid }) => !isSolid && to - from > (isBusy ? idle * busyFactor : idle),
  )
  const kept = end - start - folded.reduce((sum, { from, to }) => sum + to - from, 0)
  const size = foldSize(kept, folded.length)
  let saved = 0
  const folds = folded.map(({ from, to, isBusy }): Fold => {
    const at = from - start - saved
    saved += to - from - size
    return { from, to, at, size, isBusy }
  })
  return { start, end, folds, length: Math.max(1, end - start - saved) }
}

function sumOfShort(marks: Float64Array): number {
  let sum = 0
  for (let at = 1; at < marks.length; at++) {
    const gap = (marks[at] ?? 0) - (marks[at - 1] ?? 0)
    if (gap <= minute) sum += gap
  }
  return sum
}

interface Gap {
  from: number
  to: number
  isBusy: boolean
  isSolid: boolean
}

function gapsOver(marks: Float64Array, least: number): Gap[] {
  const gaps: Gap[] = []
  for (let at = 1; at < marks.length; at++) {
    const from = marks[at - 1] ?? 0
    const to = marks[at] ?? 0
    if (to - from > least) gaps.push({ from, to, isBusy: false, isSolid: false })
  }
  return gaps
}

function markBusy(gaps: Gap[], spans: readonly Span[]): void {
  for (const span of spans) {
    for (let at = firstAfter(gaps, span.from); at < gaps.length; at++) {
      const gap = gaps[at]
      if (!gap || gap.from >= span.to) break
      if (span.isSolid) gap.isSolid = true
      else if (gap.from >= span.from && gap.to <= span.to) gap.isBusy = true
    }
  }
}

/** The first gap that ends after a time. */
function firstAfter(gaps: readonly Gap[], time: number): number {
  let low = 0
  let high = gaps.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((gaps[middle]?.to ?? 0) > time) high = middle
    else low = middle + 1
  }
  return low
}

/** All folds together take at most a fifth of the width of what is shown. */
function foldSize(kept: number, count: number): number {
  if (count === 0) return 0
  const even = (kept * 0.2) / count
  return Math.max(1000, Math.min(kept * 0.022, even))
}

/** The folded position of a real time. */
export function toFolded(time: FoldedTime, real: number): number {
  const fold = time.folds[lastFold(time.folds, fold => fold.from <= real)]
  if (!fold) return real - time.start
  if (real >= fold.to) return fold.at + fold.size + (real - fold.to)
  return fold.at + (fold.size * (real - fold.from)) / (fold.to - fold.from)
}

/** `toFolded` for many times that mostly follow each other. */
export function folderOf(time: FoldedTime): (real: number) => number {
  let from = Number.POSITIVE_INFINITY
  let to = Number.NEGATIVE_INFINITY
  let shift = 0
  return real => {
    if (real >= from && real <= to) return real + shift
    const place = lastFold(time.folds, fold => fold.from <= real)
    const fold = time.folds[place]
    if (fold && real < fold.to) return toFolded(time, real)
    from = fold ? fold.to : Number.NEGATIVE_INFINITY
    to = time.folds[place + 1]?.from ?? Number.POSITIVE_INFINITY
    shift = fold ? fold.at + fold.size - fold.to : -time.start
    return real + shift
  }
}

/** The real time of a folded position. */
export function toReal(time: FoldedTime, folded: number): number {
  const fold = time.folds[lastFold(time.folds, fold => fold.at <= folded)]
  if (!fold) return time.start + folded
  if (folded >= fold.at + fold.size) return fold.to + (folded - fold.at - fold.size)
  return fold.from + ((fold.to - fold.from) * (folded - fold.at)) / fold.size
}

/** The position of the last fold for which `isBefore` is true; -1 where there is none. */
function lastFold(folds: readonly Fold[], isBefore: (fold: Fold) => boolean): number {
  let low = -1
  let high = folds.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    const fold = folds[middle]
    if (fold && isBefore(fold)) low = middle
    else high = middle - 1
  }
  return low
}

/** The fold at a place, if there is one. */
export function foldAt(time: FoldedTime, folded: number): Fold | undefined {
  const fold = time.folds[lastFold(time.folds, one => one.at <= folded)]
  return fold && folded <= fold.at + fold.size ? fold : undefined
}
