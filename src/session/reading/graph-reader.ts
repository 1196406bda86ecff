// A reader's questions about one session, answered from its graph: in a browser that holds the whole file, and in a server that
// fills in what events say before it asks. It reads nothing itself.

import { sessionDetail } from '../../graph/build/detail.ts'
import { contextOfEvents } from '../../graph/context/context.ts'
import { hasFlag, type SessionEvent } from '../../model/event.ts'
import { eventId, type ThreadId, threadId } from '../../model/ids.ts'
import type { ApiMessage, SessionGraph } from '../../model/session.ts'
import type { UsageMessage } from '../../model/spent.ts'
import { rollUp } from '../../usage/cells.ts'
import { bundledPrices, CostSum, contextWindow } from '../../usage/prices.ts'
import type {
  ContextAt,
  FileTouched,
  FoundPlace,
  HeadThread,
  Outline,
  SessionHead,
  SessionReader,
  SlotItems,
} from '../../view/reading.ts'
import { shownTexts } from '../event-texts.ts'
import { makeUpOf } from '../make-up.ts'
import { filesOf } from './files.ts'
import { outlineOf } from './outline.ts'
import { Slots } from './slots.ts'

/** More places than these are not reported. */
export const mostPlaces = 1000
const snippetLength = 160

export type GraphReader = Omit<SessionReader, 'raw'> & {
  /** How many slots each thread has. */
  slotCounts(): { [thread: string]: number }
  slots: Slots
}

/** What is outside the graph (place, liveness, lineage) is added to the head by the caller. */
export function graphReader(graph: SessionGraph): GraphReader {
  const slots = new Slots(graph)
  const threadOf = (thread: string | undefined): ThreadId => (thread === undefined ? slots.main : threadId(thread))
  return {
    slots,
    slotCounts: () => Object.fromEntries(graph.threads.map(({ id }) => [id, slots.of(id).length])),
    head: async () => headOf(graph),
    outline: async (thread): Promise<Outline> => outlineOf(slots, threadOf(thread)),
    items: async (from, to, thread): Promise<SlotItems> => {
      const id = threadOf(thread)
      return { thread: id, from: Math.max(0, from), slots: slots.items(id, from, to) }
    },
    placeOf: async event => slots.placeOf(eventId(event)) ?? null,
    files: async (): Promise<FileTouched[]> => filesOf(slots),
    contextAt: async event => contextAt(graph, event),
    find: async text => findPlaces(slots, graph.events, text),
  }
}

function headOf(graph: SessionGraph): SessionHead {
  const detail = sessionDetail(graph, { slug: '', files: [], live: false, lineage: [] })
  const { usage, ...rest } = detail
  const cost = costOf(graph)
  const last = detail.models.at(-1)
  const window = last === undefined ? null : contextWindow(bundledPrices, last)
  return {
    id: rest.id,
    title: rest.title,
    titleFrom: rest.titleFrom,
    project: rest.project,
    ...gitBranchOf(graph),
    startedAt: rest.startedAt,
    endedAt: rest.endedAt,
    isLive: false,
    models: rest.models,
    versions: rest.versions,
    threads: threadsOf(graph),
    branches: graph.branches,
    compactions: graph.compactions.map(({ event, thread, at, trigger, preTokens, postTokens }) => ({
      event,
      thread,
      at,
      ...(trigger !== undefined && { trigger }),
      ...(preTokens !== undefined && { preTokens }),
      ...(postTokens !== undefined && { postTokens }),
    })),
    lineage: [],
    counts: countsOf(graph),
    usage: {
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      cacheCreationTokens: usage.cacheCreationTokens,
      cacheReadTokens: usage.cacheReadTokens,
      isOutputFinal: usage.outputFinal,
      costUSD: cost.all.usd(),
      subagentsUSD: cost.subagents.usd(),
      unknownModels: [...cost.all.unknownModels],
    },
    onDisk: false,
    isKept: false,
    ...(window !== null && { contextWindow: window }),
  }
}

function gitBranchOf({ events }: SessionGraph): { gitBranch?: string } {
  const gitBranch = events.findLast(event => event.gitBranch !== undefined)?.gitBranch
  return gitBranch === undefined ? {} : { gitBranch }
}

function countsOf({ events, toolCalls, threads, turns }: SessionGraph): SessionHead['counts'] {
  const errors = events.filter(event => event.kind === 'api-error').length
  return {
    events: events.filter(event => !hasFlag(event, 'copy')).length,
    prompts: turns.length,
    calls: toolCalls.length,
    errors: errors + toolCalls.filter(({ status }) => status === 'failed').length,
    subagents: threads.filter(({ kind }) => kind === 'subagent').length,
  }
}

function threadsOf(graph: SessionGraph): HeadThread[] {
  const starts = new Map(graph.toolCalls.map(call => [call.id as string, call.requestEvent as string]))
  const calls = new Map<string, number>()
  for (const { thread } of graph.toolCalls) calls.set(thread, (calls.get(thread) ?? 0) + 1)
  return graph.threads.map(thread => {
    const times = thread.events.flatMap(id => graph.nodes.get(id)?.event.at ?? [])
    const startEvent = thread.call === undefined ? undefined : starts.get(thread.call)
    return {
      id: thread.id,
      kind: thread.kind,
      ...(thread.agentType !== undefined && { agentType: thread.agentType }),
      ...(thread.description !== undefined && { description: thread.description }),
      ...(thread.parentThread !== undefined && { parentThread: thread.parentThread }),
      ...(startEvent !== undefined && { startEvent }),
      ...(thread.linkedBy !== undefined && { linkedBy: thread.linkedBy }),
      ...(thread.isInternal === true && { isInternal: true }),
      ...(thread.async === true && { isAsync: true }),
      startedAt: times.reduce<string | null>((first, at) => (first === null || at < first ? at : first), null),
      endedAt: times.reduce<string | null>((last, at) => (last === null || at > last ? at : last), null),
      events: thread.events.length,
      calls: calls.get(thread.id) ?? 0,
    }
  })
}

/** Of this session's own messages, by the bundled prices. */
function costOf({ messages, threads, nodes }: SessionGraph): { all: CostSum; subagents: CostSum } {
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

function toCounted({ usage, model, thread, costUSD }: ApiMessage, first: SessionEvent | undefined): UsageMessage[] {
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

/** An answer is in the window as a whole: the last of its records, for any of them. */
function lastOfMessage({ events }: SessionGraph, event: string): number {
  const at = events.findIndex(({ id }) => (id as string) === event)
  const id = events[at]?.message?.id
  return id === undefined ? at : events.findLastIndex(({ message }) => message?.id === id)
}

/** What was in the window when an event was written: what a resume would have sent then. */
function contextAt(graph: SessionGraph, event: string | null): ContextAt {
  const at = event === null ? -1 : lastOfMessage(graph, event)
  const events = at < 0 ? graph.events : graph.events.slice(0, at + 1)
  const context = contextOfEvents(graph.session, events)
  const { tokens, isEstimated, parts, lastRequestTokens } = makeUpOf(context, events)
  const model = events.findLast(one => one.message?.model !== undefined && !hasFlag(one, 'synthetic'))?.message?.model
  const window = model === undefined ? null : contextWindow(bundledPrices, model)
  return {
    event: at < 0 ? null : event,
    tokens,
    isEstimated,
    ...(lastRequestTokens !== undefined && { counted: lastRequestTokens }),
    ...(window !== null && { window }),
    parts: parts.map(part => ({
      kind: part.kind,
      ...(part.tool !== undefined && { tool: part.tool }),
      tokens: part.tokens,
      blocks: part.blocks,
      isEstimated: part.isEstimated,
    })),
  }
}

/** Places in some of the session's events, in their order, whatever case the text is written in. */
export function findPlaces(slots: Slots, events: readonly SessionEvent[], wanted: string): FoundPlace[] {
  const places: FoundPlace[] = []
  const text = wanted.toLowerCase()
  if (text === '') return places
  for (const event of events) {
    if (hasFlag(event, 'copy')) continue
    const found = shownTexts(event).find(one => one.text.toLowerCase().includes(text))
    const place = found === undefined ? undefined : slots.placeOf(event.id)
    if (found === undefined || place === undefined) continue
    places.push({ ...place, event: event.id, kind: event.kind, ...snippetOf(found.text, text) })
    if (places.length >= mostPlaces) break
  }
  return places
}

function snippetOf(text: string, wanted: string): Pick<FoundPlace, 'snippet' | 'highlights'> {
  const at = text.toLowerCase().indexOf(wanted)
  const from = Math.max(0, at - Math.floor((snippetLength - wanted.length) / 2))
  const before = text.slice(from, at).replace(/\s+/g, ' ').trimStart()
  const match = text.slice(at, at + wanted.length).replace(/\s+/g, ' ')
  const after = text.slice(at + wanted.length, from + snippetLength).replace(/\s+/g, ' ')
  return { snippet: `${before}${match}${after}`, highlights: [[before.length, before.length + match.length]] }
}
