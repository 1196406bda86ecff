// The order of lanes: the main thread, then each subagent below the one that started it, the earlier first.

import type { HeadThread } from '../../src/view/reading.ts'

export interface OrderedLane {
  thread: HeadThread
  depth: number
  /** The place of the lane it hangs from; -1 for the first one. */
  parent: number
}

/** More lanes than these are not drawn. */
const mostLanes = 400

export function laneOrder(threads: readonly HeadThread[]): OrderedLane[] {
  const main = threads.find(({ kind }) => kind === 'main') ?? threads[0]
  if (!main) return []
  const children = childrenOf(threads, main)
  const lanes: OrderedLane[] = []
  const seen = new Set<HeadThread>()
  const waiting: OrderedLane[] = [{ thread: main, depth: 0, parent: -1 }]
  while (waiting.length > 0 && lanes.length < mostLanes) {
    const lane = waiting.pop()
    if (!lane || seen.has(lane.thread)) continue
    seen.add(lane.thread)
    const parent = lanes.push(lane) - 1
    const next = children.get(lane.thread.id) ?? []
    for (const thread of [...next].reverse()) waiting.push({ thread, depth: lane.depth + 1, parent })
  }
  return lanes
}

/** A subagent whose starter is not known hangs from the main thread. */
function childrenOf(threads: readonly HeadThread[], main: HeadThread): Map<string, HeadThread[]> {
  const ids = new Set(threads.map(({ id }) => id))
  const children = new Map<string, HeadThread[]>()
  for (const thread of threads) {
    if (thread === main || thread.isInternal) continue
    const stated = thread.parentThread
    const parent = stated !== undefined && stated !== thread.id && ids.has(stated) ? stated : main.id
    const siblings = children.get(parent) ?? []
    siblings.push(thread)
    children.set(parent, siblings)
  }
  for (const siblings of children.values()) siblings.sort(byStart)
  return children
}

function byStart(one: HeadThread, other: HeadThread): number {
  return (one.startedAt ?? '').localeCompare(other.startedAt ?? '')
}
