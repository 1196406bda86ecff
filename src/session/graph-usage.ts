// What one session used, from its graph alone: for a file without its neighbours. Messages that it only has copies of are
// known by what their records state; whether another session has them too is not known here.

import { hasFlag, type SessionEvent } from '../model/event.ts'
import { isInherited } from '../model/origin.ts'
import type { ApiMessage, SessionGraph } from '../model/session.ts'
import type { MessageUsage, UsageCell } from '../model/usage.ts'
import { rollUp } from '../usage/cell.ts'
import { noSessionUsage, type Pricing, type SessionUsage, usageBySession } from '../usage/session-usage.ts'
import { keyOfId, statedNanosOf } from '../usage/statement.ts'

export interface GraphUsage {
  /** Without messages that are marked as copied from another session. */
  own: SessionUsage
  /** With them. */
  all: SessionUsage
}

export function graphUsage(graph: SessionGraph, pricing: Pricing): GraphUsage {
  const all = graph.messages.filter(message => message.usage !== undefined)
  const own = all.filter(({ events }) => !events.every(id => isForeign(graph.nodes.get(id)?.event, graph)))
  const sum = (messages: ApiMessage[]) => usageOfMessages(messages, graph, pricing)
  // Of a log whose name is not its session's, no other has the messages.
  const hasOwn = own.length > 0 || graph.events.some(isInherited)
  return { own: sum(hasOwn ? own : all), all: sum(all) }
}

function isForeign(event: SessionEvent | undefined, { session }: SessionGraph): boolean {
  return isInherited(event) || (event !== undefined && event.session !== session)
}

/** Of some messages of a graph. */
export function usageOfMessages(messages: ApiMessage[], graph: SessionGraph, pricing: Pricing): SessionUsage {
  return usageBySession(cellsOf(messages, graph, pricing), pricing).get(graph.session) ?? noSessionUsage()
}

/** Cells of all messages of one session: what `reportUsage` adds up. */
export function graphCells(graph: SessionGraph, pricing: Pricing): UsageCell[] {
  return cellsOf(graph.messages, graph, pricing)
}

function cellsOf(messages: readonly ApiMessage[], graph: SessionGraph, pricing: Pricing): UsageCell[] {
  const counted = messages.flatMap(message => countedOf(message, graph, pricing))
  return rollUp(counted, { promptSteps: pricing.prices.promptSteps, withTools: false })
}

function countedOf(message: ApiMessage, graph: SessionGraph, { statedOf }: Pricing): MessageUsage[] {
  const { usage, model, thread, events } = message
  const first = events[0] === undefined ? undefined : graph.nodes.get(events[0])?.event
  if (usage === undefined || first === undefined) return []
  const main = graph.threads[0]?.id
  return [
    {
      key: 0,
      request: 0,
      at: first.at === null ? null : Date.parse(first.at),
      file: 0,
      offset: 0,
      session: graph.session,
      thread: thread === main ? graph.session : thread,
      model: model ?? '',
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      cacheCreationTokens: usage.cacheCreationTokens,
      cacheCreation1hTokens: Math.min(usage.cacheCreation1hTokens ?? 0, usage.cacheCreationTokens),
      cacheReadTokens: usage.cacheReadTokens,
      webSearches: usage.webSearches ?? 0,
      isFast: usage.speed === 'fast',
      isUs: usage.inferenceGeo === 'us',
      isFinal: usage.outputFinal,
      isSynthetic: hasFlag(first, 'synthetic'),
      isError: first.kind === 'api-error',
      statedNanos: message.costUSD === 0 ? (statedOf?.(keyOfId(first, message.id)) ?? null) : statedNanosOf(message),
      visibleTokens: 0,
    },
  ]
}
