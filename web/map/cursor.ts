// Where the keyboard goes on the map: from event to event of the main thread, in the order of time.

import { turnStarts } from '../thread/turn-starts.ts'
import type { MapLane } from './model.ts'
import type { View } from './view.ts'

export type StopKind = 'prompt' | 'error' | 'any'

type StopLane = Pick<MapLane, 'outline' | 'at' | 'order'>

const errorsKnown = new WeakMap<object, Set<number>>()

/** The next slot of a kind after the cursor, or from the edge of the view where there is none. */
export function nextStop(
  lane: StopLane,
  view: View,
  cursor: number | undefined,
  kind: StopKind,
  step: 1 | -1,
): number | undefined {
  const { order, at } = lane
  const start = cursor === undefined ? -1 : order.indexOf(cursor)
  let place = start + step
  if (start < 0) {
    const isInside = (slot: number) => (step > 0 ? (at[slot] ?? 0) >= view.from : (at[slot] ?? 0) <= view.to)
    place = step > 0 ? order.findIndex(isInside) : order.findLastIndex(isInside)
  }
  for (; place >= 0 && place < order.length; place += step) {
    const slot = order[place]
    if (slot !== undefined && isStop(lane, slot, kind)) return slot
  }
  return
}

function isStop({ outline }: StopLane, slot: number, kind: StopKind): boolean {
  if (!outline) return false
  const isStart = turnStarts(outline).has(slot)
  if (kind === 'prompt') return isStart
  const errors = errorsKnown.get(outline) ?? new Set(outline.errors)
  errorsKnown.set(outline, errors)
  if (kind === 'error') return errors.has(slot)
  return isStart || outline.calls[slot] !== undefined || errors.has(slot)
}
