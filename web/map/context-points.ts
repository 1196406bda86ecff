// How full the context window was, over time: what the API counted with each answer, and the drop at each compaction.

import type { SessionHead } from '../../src/view/reading.ts'
import { firstFrom, slotsIn } from '../thread/columns.ts'
import type { ContextPoint, MapLane } from './model.ts'

type ContextLane = Pick<MapLane, 'thread' | 'outline' | 'at'>

export function contextPoints(
  head: Pick<SessionHead, 'compactions'>,
  { thread, outline, at }: ContextLane,
): ContextPoint[] {
  if (!outline) return []
  const answers: ContextPoint[] = slotsIn(outline.context, outline.ids.length).flatMap(slot => {
    const tokens = outline.context[slot]
    const time = at[slot]
    return tokens === undefined || time === undefined ? [] : [{ at: time, tokens, slot }]
  })
  const points = [...answers]
  const cuts = new Map(head.compactions.filter(one => one.thread === thread.id).map(one => [one.event, one]))
  if (cuts.size > 0) {
    outline.ids.forEach((id, slot) => {
      const cut = cuts.get(id)
      const time = at[slot]
      if (!cut || time === undefined) return
      const after = answers.find(point => point.slot > slot)
      const tokens = cut.postTokens ?? after?.tokens
      if (tokens !== undefined) points.push({ at: time, tokens, slot, isCut: true })
    })
  }
  return points.sort((one, other) => one.at - other.at || one.slot - other.slot)
}

/** The point that holds at a time: the last one before it. */
export function pointAt(points: readonly ContextPoint[], time: number): ContextPoint | undefined {
  const times = timesIn(points)
  let at = firstFrom(times, time)
  while (at < times.length && times[at] === time) at++
  return points[at - 1]
}

/** The lowest and highest value in one column of pixels. */
export interface ContextColumn {
  x: number
  least: number
  most: number
  last: number
}

/** The points of a stretch, gathered by pixel; the first one holds what was before. */
export function contextColumns(
  points: readonly ContextPoint[],
  from: number,
  to: number,
  scale: number,
): ContextColumn[] {
  const columns: ContextColumn[] = []
  const before = pointAt(points, from)
  if (before) columns.push({ x: 0, least: before.tokens, most: before.tokens, last: before.tokens })
  let last = columns[0]
  const start = firstFrom(timesIn(points), from)
  for (let at = start; at < points.length; at++) {
    const point = points[at]
    if (!point || point.at > to) break
    const x = Math.round((point.at - from) * scale)
    if (last && last.x === x) {
      last.least = Math.min(last.least, point.tokens)
      last.most = Math.max(last.most, point.tokens)
      last.last = point.tokens
    } else {
      last = { x, least: point.tokens, most: point.tokens, last: point.tokens }
      columns.push(last)
    }
  }
  return columns
}

const columnsKnown = new WeakMap<readonly ContextPoint[], Float64Array>()

function timesIn(points: readonly ContextPoint[]): Float64Array {
  const known = columnsKnown.get(points) ?? toColumn(points)
  columnsKnown.set(points, known)
  return known
}

/** The height of the scale: the window where it is nearly reached, else what was used with room above. */
export function contextTop(most: number, window: number | undefined): number {
  if (window !== undefined && most > window * 0.3) return Math.max(window, most) * 1.1
  return Math.max(1, most * 1.3)
}

function toColumn(points: readonly ContextPoint[]): Float64Array {
  const times = new Float64Array(points.length)
  for (let at = 0; at < points.length; at++) times[at] = points[at]?.at ?? 0
  return times
}
