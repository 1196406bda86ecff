// The part of a session that somebody asked for, as a graph of its own: what `viewItems` shows of it, with the subagents inside.
// What belongs to the session as a whole (its branches, state, findings) stays as it is.

import type { SessionEvent } from '../model/event.ts'
import type { EventId, ThreadId } from '../model/ids.ts'
import type { SessionGraph, Thread, ToolCall } from '../model/session.ts'
import { planView, type ViewPlan } from './plan.ts'
import { selectEvents, type ViewOptions } from './select.ts'

/** Whether only a part is asked for. */
export function isPart({ thread, turns, branch, since }: ViewOptions): boolean {
  return [thread, turns, branch, since ?? undefined].some(part => part !== undefined)
}

/** Threads, turns and calls without what is not selected; those in which nothing is are left out. */
export function selectedPart(graph: SessionGraph, options: ViewOptions): SessionGraph {
  const ids = selectedIds(planView(graph), options)
  const isIn = (id: EventId) => ids.has(id)
  const toolCalls = graph.toolCalls.filter(call => isIn(call.requestEvent))
  const calls = new Set(toolCalls.map(call => call.id))
  return {
    ...graph,
    events: graph.events.filter(event => isIn(event.id)),
    messages: graph.messages.filter(message => message.events.some(isIn)),
    toolCalls,
    threads: withSome(graph.threads.map(thread => ({ ...thread, events: thread.events.filter(isIn) }))),
    turns: withSome(
      graph.turns.map(turn => ({
        ...turn,
        events: turn.events.filter(isIn),
        toolCalls: turn.toolCalls.filter(call => calls.has(call)),
      })),
    ),
    compactions: graph.compactions.filter(compaction => isIn(compaction.event)),
  }
}

function withSome<Part extends { events: readonly EventId[] }>(parts: readonly Part[]): Part[] {
  return parts.filter(({ events }) => events.length > 0)
}

function selectedIds(plan: ViewPlan, options: ViewOptions): Set<EventId> {
  const { graph, placement } = plan
  const found = new Set<EventId>()
  const begun = options.thread ?? graph.threads.find(thread => thread.kind === 'main')?.id
  // Grows while it is walked: what is inside a thread comes after it.
  const threads = new Set<ThreadId>(begun === undefined ? [] : [begun])
  const isNarrowed = [options.turns, options.branch, options.since ?? undefined].some(part => part !== undefined)
  for (const thread of threads) {
    const events = plan.eventsOf.get(thread) ?? []
    const isShown = thread === begun && isNarrowed ? selectEvents(plan, events, options) : undefined
    if (isShown === undefined) addAll(threads, placement.atEnd.get(thread))
    for (const event of events) {
      if (isShown?.(event) === false) continue
      found.add(event.id)
      addAll(threads, placement.after.get(event.id))
      for (const call of callsOf(plan, event)) addAll(threads, placement.inCall.get(call))
    }
  }
  return found
}

function addAll(threads: Set<ThreadId>, more: readonly Thread[] = []): void {
  for (const { id } of more) threads.add(id)
}

function callsOf(plan: ViewPlan, event: SessionEvent): ToolCall[] {
  return event.blocks.flatMap(block => (block.type === 'tool-call' ? (plan.callOf(event.id, block.callId) ?? []) : []))
}
