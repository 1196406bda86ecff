// How long each turn took and what it cost. What a whole session cost is in ../graph-usage.ts.

import { type EventId, eventId, type ThreadId } from '../../model/ids.ts'
import { isInherited } from '../../model/origin.ts'
import type { ApiMessage, SessionGraph } from '../../model/session.ts'
import { type Pricing, shownCost } from '../../usage/session-usage.ts'
import type { TurnFacts } from '../../view/reading.ts'
import { usageOfMessages } from '../graph-usage.ts'

/** By the prompt of each turn. What a subagent cost belongs to the turn that started it. */
export function turnFactsOf(graph: SessionGraph, pricing: Pricing): Map<EventId, TurnFacts> {
  const turnAt = new Map(graph.turns.flatMap(({ prompt, events }) => [prompt, ...events].map(id => [id, prompt])))
  const startedIn = turnsOfThreads(graph, turnAt)
  const sent = new Map<EventId, ApiMessage[]>()
  for (const message of graph.messages) {
    const turn = startedIn.get(message.thread) ?? turnAt.get(message.events[0] ?? eventId(''))
    if (turn === undefined || message.usage === undefined) continue
    const known = sent.get(turn)
    if (known) known.push(message)
    else sent.set(turn, [message])
  }
  return new Map(
    graph.turns.map(({ prompt, durationMs }) => {
      const messages = sent.get(prompt)
      const costUSD = messages && shownCost(usageOfMessages(messages, graph, pricing))
      return [
        prompt,
        {
          ...(durationMs !== undefined && { durationMs }),
          ...(costUSD !== undefined && { costUSD }),
          ...(isInherited(graph.nodes.get(prompt)?.event) && { isInherited: true as const }),
        },
      ]
    }),
  )
}

/** The turn in which each subagent was started, directly or by another one. */
function turnsOfThreads(graph: SessionGraph, turnAt: ReadonlyMap<EventId, EventId>): Map<ThreadId, EventId> {
  const starters = new Map(graph.toolCalls.map(call => [call.id, call]))
  const threads = new Map(graph.threads.map(thread => [thread.id, thread]))
  const found = new Map<ThreadId, EventId>()
  for (const { id, kind } of graph.threads) {
    if (kind === 'main') continue
    const seen = new Set<ThreadId>()
    let thread = threads.get(id)
    while (thread?.call !== undefined && !seen.has(thread.id)) {
      seen.add(thread.id)
      const call = starters.get(thread.call)
      const turn = call && turnAt.get(call.requestEvent)
      if (turn !== undefined) {
        found.set(id, turn)
        break
      }
      thread = call && threads.get(call.thread)
    }
  }
  return found
}
