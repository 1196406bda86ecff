// What lies under a point of the map: a call, an event, a fold, the context, a turn. It finds; what it says is in words.ts.

import type { OutlineCall } from '../../src/view/reading.ts'
import { turnStarts } from '../thread/turn-starts.ts'
import { pointAt } from './context-points.ts'
import { type Fold, foldAt } from './fold.ts'
import { atX, type LaneBox, laneAtY, type MapShape, scaleOf } from './geometry.ts'
import type { ContextPoint, MapLane, MapScene, Turn } from './model.ts'
import { barAt } from './rows.ts'
import type { View } from './view.ts'

export type Hit =
  | { type: 'call'; lane: number; row: number; slot: number; call: OutlineCall; from: number; to: number }
  | { type: 'slot'; lane: number; slot: number; at: number }
  | { type: 'lane'; lane: number; at: number }
  | { type: 'fold'; fold: Fold; at: number }
  | { type: 'context'; point: ContextPoint; at: number }
  | { type: 'turn'; turn: Turn; at: number }

/** How far from a thin bar one may point. */
const slackPixels = 4

export function hitAt(
  scene: MapScene,
  shape: MapShape,
  view: View,
  x: number,
  y: number,
  scroll: number,
): Hit | undefined {
  if (x < shape.gutter) {
    const lane = laneAtY(shape, y, scroll)
    const found = lane === undefined ? undefined : scene.lanes[lane]
    return lane === undefined || !found ? undefined : { type: 'lane', lane, at: found.from }
  }
  const at = atX(shape, view, x)
  const slack = slackPixels / scaleOf(shape, view)
  const lane = laneAtY(shape, y, scroll)
  const box = lane === undefined ? undefined : shape.lanes[lane]
  const found = lane === undefined ? undefined : scene.lanes[lane]
  if (lane !== undefined && box && found) {
    const inLane = y - shape.lanesTop + scroll - box.top
    const hit = hitInLane(found, lane, box, at, slack, inLane)
    if (hit) return hit
  }
  const fold = foldAt(scene.time, at)
  if (fold) return { type: 'fold', fold, at }
  if (y >= shape.contextTop && y < shape.contextTop + shape.contextHeight) {
    const point = pointAt(scene.context, at)
    if (point) return { type: 'context', point, at }
  }
  const turn = turnAt(scene.turns, at)
  return turn && { type: 'turn', turn, at }
}

function hitInLane(found: MapLane, lane: number, box: LaneBox, at: number, slack: number, y: number): Hit | undefined {
  const row = Math.floor((y - box.rowTop) / box.rowStep)
  const bars = found.rows[row]
  const place = bars && barAt(bars, at, slack)
  if (bars && place !== undefined) {
    const slot = bars.slots[place] ?? 0
    const call = found.outline?.calls[slot]?.[bars.places[place] ?? 0]
    if (call) return { type: 'call', lane, row, slot, call, from: bars.from[place] ?? at, to: bars.to[place] ?? at }
  }
  if (Math.abs(y - box.line) <= 8) {
    const slot = slotNear(found, at, slack * 1.5)
    if (slot !== undefined) return { type: 'slot', lane, slot, at: found.at[slot] ?? at }
  }
  const isInside = at >= found.from - slack && at <= found.to + slack
  return !found.isMain && isInside ? { type: 'lane', lane, at } : undefined
}

/** The slot nearest to a time; a prompt before others. */
export function slotNear(lane: MapLane, at: number, slack: number): number | undefined {
  const { order, outline } = lane
  let best: number | undefined
  let nearest = Number.POSITIVE_INFINITY
  for (let place = firstInOrder(lane, at - slack); place < order.length; place++) {
    const slot = order[place] ?? 0
    const time = lane.at[slot] ?? 0
    if (time > at + slack) break
    const away = Math.abs(time - at) - (outline && turnStarts(outline).has(slot) ? slack * 2 : 0)
    if (away >= nearest) continue
    nearest = away
    best = slot
  }
  return best
}

function firstInOrder({ order, at }: MapLane, least: number): number {
  let low = 0
  let high = order.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((at[order[middle] ?? 0] ?? 0) < least) low = middle + 1
    else high = middle
  }
  return low
}

export function turnAt(turns: readonly Turn[], at: number): Turn | undefined {
  let low = -1
  let high = turns.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((turns[middle]?.from ?? 0) <= at) low = middle
    else high = middle - 1
  }
  return turns[low]
}

/** The event that opening a hit leads to. */
export function eventOf(scene: MapScene, hit: Hit): string | undefined {
  const idOf = (lane: MapLane | undefined, slot: number) => lane?.outline?.ids[slot]
  if (hit.type === 'call' || hit.type === 'slot') return idOf(scene.lanes[hit.lane], hit.slot)
  if (hit.type === 'context') return idOf(scene.lanes[0], hit.point.slot)
  if (hit.type === 'turn') return hit.turn.event
  if (hit.type === 'lane') return idOf(scene.lanes[hit.lane], 0) ?? scene.lanes[hit.lane]?.thread.startEvent
  const after = scene.lanes[0] && slotNear(scene.lanes[0], hit.fold.at + hit.fold.size, hit.fold.size * 0.1 + 1)
  return after === undefined ? undefined : idOf(scene.lanes[0], after)
}
