// What a session and its turns cost, from the messages of its graph, by the bundled prices. Sums over many sessions are made
// from the index.

import { hasFlag, type SessionEvent } from '../../model/event.ts'
import { type EventId, eventId, type ThreadId } from '../../model/ids.ts'
import type { ApiMessage, SessionGraph } from '../../model/session.ts'
import type { MessageUsage } from '../../model/usage.ts'
import { rollUp } from '../../usage/cell.ts'
import { bundledPrices, CostSum } from '../../usage/prices.ts'
import type { TurnFacts } from '../../view/reading.ts'

/** Of this session's own messages, by the bundled prices. */
export function costOf({ messages, threads, nodes }: SessionGraph): { all: CostSum; subagents: CostSum } {
  const main = threads.find(({ kind }) => kind === 'main')?.id
  const all = new CostSum(bundledPrices, {})
  const subagents = new CostSum(bundledPrices, {})
  const counted = messages.flatMap(message => toCounted(message, nodes.get(message.events[0] ?? eventId(''))?.event))
  for (const cell of rollUp(counted, { promptSteps: bundledPrices.promptSteps, withTools: false })) {
    all.add(cell)
    if (cell.thread !== main) subagents.add(cell)
  }
  return { all, subagents }
}

function toCounted({ usage, model, thread, costUSD }: ApiMessage, first: SessionEvent | undefined): MessageUsage[] {
  if (usage === undefined || first === undefined) return []
  return [
    {
      key: 0,
      request: 0,
      at: first.at === null ? null : Date.parse(first.at),
      file: 0,
      offset: 0,
      session: first.session,
      thread,
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
      statedNanos: costUSD === undefined ? null : Math.round(costUSD * 1e9),
      visibleTokens: 0,
    },
  ]
}

/** Duration and cost of each turn, by its prompt. What a subagent cost belongs to the turn that started it. */
export function turnFactsOf(graph: SessionGraph): Map<EventId, TurnFacts> {
  const turnAt = new Map(graph.turns.flatMap(({ prompt, events }) => [prompt, ...events].map(id => [id, prompt])))
  const startedIn = turnsOfThreads(graph, turnAt)
  const spent = new Map<EventId, MessageUsage[]>()
  for (const message of graph.messages) {
    const first = graph.nodes.get(message.events[0] ?? eventId(''))?.event
    const turn = startedIn.get(message.thread) ?? (first && turnAt.get(first.id))
    if (turn === undefined) continue
    const known = spent.get(turn)
    const counted = toCounted(message, first)
    if (known) known.push(...counted)
    else spent.set(turn, counted)
  }
  return new Map(
    graph.turns.map(({ prompt, durationMs }) => {
      const sum = new CostSum(bundledPrices, {})
      const messages = spent.get(prompt) ?? []
      const cells = rollUp(messages, { promptSteps: bundledPrices.promptSteps, withTools: false })
      for (const cell of cells) sum.add(cell)
      const isPriced = messages.length > 0 && sum.unknownModels.size === 0
      return [prompt, { ...(durationMs !== undefined && { durationMs }), ...(isPriced && { costUSD: sum.usd() }) }]
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
