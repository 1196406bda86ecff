// A session as the items that a reader sees. The order is the file's; what one event shows is decided in the `item-*` and
// `call*` files, and nothing here knows how items are painted.

import type { SessionGraph } from '../model/session.ts'
import { planView } from './plan.ts'
import { selectEvents, type ViewOptions } from './select.ts'
import { ThreadViewer } from './thread.ts'
import type { ViewItem } from './view.ts'

export type { ViewOptions } from './select.ts'

/**
 * The items of the main thread, or of the thread asked for. Subagents' threads are inside the calls that started them; those
 * whose call is not known come last, each in a notice.
 */
export function viewSession(graph: SessionGraph, options: ViewOptions = {}): ViewItem[] {
  return [...viewItems(graph, options)]
}

/** The same one by one, so that a first screen does not wait for the whole session. */
export function* viewItems(graph: SessionGraph, options: ViewOptions = {}): Generator<ViewItem> {
  const plan = planView(graph)
  const main = graph.threads.find(thread => thread.kind === 'main')?.id
  const thread = options.thread ?? main
  if (thread === undefined) return
  const events = plan.eventsOf.get(thread) ?? []
  const isPart = options.turn !== undefined || options.branch !== undefined || options.since != null
  const isShown = isPart ? selectEvents(plan, events, options) : undefined
  yield* new ThreadViewer(plan).items(thread, isShown)
}
