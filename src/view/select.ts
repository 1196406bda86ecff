// Which events are shown when only a part of a session was asked for: a turn, a branch, or what is new.

import { type Instant, type Millis, toMillis } from '../base/instant.ts'
import type { SessionEvent } from '../model/event.ts'
import type { EventId, ThreadId } from '../model/ids.ts'
import type { SessionGraph } from '../model/session.ts'
import type { ViewPlan } from './plan.ts'

/** What to show of a session; everything of the main thread where nothing is said. */
export interface ViewOptions {
  thread?: ThreadId
  /** Indexes of the first and the last turn, as in SessionGraph.turns. */
  turns?: readonly [first: number, last: number]
  /** The leaf of a branch. */
  branch?: EventId
  /** Only what happened at or after this time. */
  since?: Instant
}

export type Selection = (event: SessionEvent) => boolean

export function selectEvents(plan: ViewPlan, events: readonly SessionEvent[], options: ViewOptions): Selection {
  const tests: Selection[] = []
  const { turns, branch } = options
  if (turns !== undefined) tests.push(event => isBetween(plan.turnOf.get(event.id), turns))
  if (branch !== undefined) tests.push(onBranch(plan.graph, branch))
  const since = toMillis(options.since ?? null)
  if (since !== null) tests.push(sinceTime(plan, events, since))
  return event => tests.every(test => test(event))
}

function isBetween(turn: number | undefined, [first, last]: readonly [number, number]): boolean {
  return turn !== undefined && turn >= first && turn <= last
}

/** Records without a time are as new as the one before them; a call is as new as its result. */
function sinceTime(plan: ViewPlan, events: readonly SessionEvent[], since: Millis): Selection {
  const fresh = new Set<SessionEvent>()
  let last: Millis | null = null
  for (const event of events) {
    last = toMillis(event.at) ?? last
    const isFresh =
      (last !== null && last >= since) || event.blocks.some(block => hasFreshResult(plan, event, block, since))
    if (isFresh) fresh.add(event)
  }
  return event => fresh.has(event)
}

function hasFreshResult(
  plan: ViewPlan,
  event: SessionEvent,
  block: SessionEvent['blocks'][number],
  since: Millis,
): boolean {
  const call = block.type === 'tool-call' ? plan.callOf(event.id, block.callId) : undefined
  const at = call === undefined ? null : toMillis(plan.resultOf(call)?.event.at)
  return at !== null && at >= since
}

/**
 * The way from the root to a leaf, with what hangs on it (results, hooks, attachments). Left out is what belongs to another
 * leaf alone, with all below it. Records outside the tree belong to every branch.
 */
function onBranch(graph: SessionGraph, leaf: EventId): Selection {
  const side = new Map<EventId, boolean>()
  markUp(graph, leaf, side, true)
  for (const branch of graph.branches) if (branch.leaf !== leaf) markUp(graph, branch.leaf, side, false)
  for (const id of graph.nodes.keys()) settle(graph, id, side)
  return event => side.get(event.id) ?? !graph.nodes.has(event.id)
}

function markUp(graph: SessionGraph, from: EventId, side: Map<EventId, boolean>, isOn: boolean): void {
  let id: EventId | null = graph.nodes.has(from) ? from : null
  while (id !== null && !side.has(id)) {
    side.set(id, isOn)
    id = graph.nodes.get(id)?.parent ?? null
  }
}

/** A node without a mark goes with its nearest marked ancestor; trees that end in no branch are shown. */
function settle(graph: SessionGraph, from: EventId, side: Map<EventId, boolean>): void {
  const path: EventId[] = []
  let id: EventId | null = from
  while (id !== null && !side.has(id)) {
    path.push(id)
    id = graph.nodes.get(id)?.parent ?? null
  }
  const isOn = id === null ? true : (side.get(id) ?? true)
  for (const node of path) side.set(node, isOn)
}
