// Answers about one session from its graph: head, outline, items, files, context, find. Used in the browser, which has the
// whole file, and in the server, which fills in texts first. It reads nothing itself.

import { contextOfEvents } from '../../graph/context/context.ts'
import { fileCalls, touchedFile } from '../../graph/touched-file.ts'
import { type Block, hasFlag, type SessionEvent } from '../../model/event.ts'
import { eventId, type ThreadId, threadId } from '../../model/ids.ts'
import { isInherited } from '../../model/origin.ts'
import type { CallFile, Context, SessionGraph, ToolCall } from '../../model/session.ts'
import { totalTokens } from '../../model/usage.ts'
import { bundledPrices } from '../../usage/prices.ts'
import { type Pricing, type SessionUsage, shownCost } from '../../usage/session-usage.ts'
import { firstWords } from '../../view/branches.ts'
import {
  type ContextAt,
  type ContextBlock,
  compareWays,
  type FileStep,
  type FileTouched,
  type FoundPlace,
  type HeadThread,
  type HeadUsage,
  type Outline,
  type SessionHead,
  type SessionReader,
  type SlotItems,
  wayTo,
} from '../../view/reading.ts'
import type { ViewItem } from '../../view/view.ts'
import { callCommand } from '../call-command.ts'
import { writtenBy } from '../detail.ts'
import { shownTexts } from '../event-texts.ts'
import { graphUsage } from '../graph-usage.ts'
import { inheritedCounts } from '../inherited.ts'
import { Account, promptTokens, type WeighedBlock } from '../make-up.ts'
import { type Placed, type Project, Projects } from '../projects.ts'
import { graphSummary, type SummaryRow } from '../summary.ts'
import { contextWindowOf } from '../window.ts'
import { netDiff } from './net-diff.ts'
import { errorsOf, firstLine, outlineOf, Slots } from './slots.ts'

/** Of one search. */
export const mostPlaces = 1000
const snippetLength = 160

export type GraphReader = Omit<SessionReader, 'raw' | 'document'> & {
  /** How many slots each thread has. */
  slotCounts(): { [thread: string]: number }
  slots: Slots
}

/** What the graph does not know (place, liveness, lineage) is added to the head by the caller. */
export function graphReader(graph: SessionGraph, pricing: Pricing = { prices: bundledPrices }): GraphReader {
  const slots = new Slots(graph, pricing)
  const threadOf = (thread: string | undefined): ThreadId => (thread === undefined ? slots.main : threadId(thread))
  return {
    slots,
    slotCounts: () => Object.fromEntries(graph.threads.map(({ id }) => [id, slots.of(id).length])),
    head: async () => headOf(slots, pricing),
    outline: async (thread): Promise<Outline> => outlineOf(slots, threadOf(thread)),
    items: async (from, to, thread): Promise<SlotItems> => {
      const id = threadOf(thread)
      return { thread: id, from: Math.max(0, from), slots: slots.items(id, from, to) }
    },
    placeOf: async event => slots.wholePlaceOf(eventId(event)) ?? null,
    errors: async () => errorsOf(slots),
    files: async (): Promise<FileTouched[]> => filesOf(slots),
    netDiff: async path => netDiff(slots.plan, path),
    contextAt: async event => contextAt(slots, event, pricing),
    find: async text => inReadingOrder(findPlaces(slots, graph.events, text)),
  }
}

function headOf(slots: Slots, pricing: Pricing): SessionHead {
  const { graph } = slots.plan
  const row = graphSummary(graph)
  const { own, all } = graphUsage(graph, pricing)
  const window = contextWindowOf(graph, pricing)
  const inherited = inheritedCounts(graph)
  return {
    id: row.id,
    title: row.title,
    titleFrom: row.titleFrom,
    project: headProject({ cwd: row.cwd, slug: '' }),
    ...(row.gitBranch !== undefined && { gitBranch: row.gitBranch }),
    startedAt: row.startedAt,
    endedAt: row.endedAt,
    isLive: false,
    models: row.models,
    versions: [...writtenBy(graph.events).versions],
    threads: threadsOf(slots),
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
    counts: countsOf(row),
    ...(inherited !== undefined && { inherited }),
    ...usageOf(own, headUsage(all)),
    onDisk: false,
    isArchived: false,
    ...(window !== null && { contextWindow: window }),
  }
}

/** `project`: where that is known from all sessions. */
export function headProject(place: Placed, project: Pick<Project, 'key' | 'name'> = new Projects([place]).of(place)) {
  const { key, name } = project
  return { ...place, key, name }
}

/** The counts of a head, from the row that lists have. */
export function countsOf({ events, prompts, toolCalls, errors, subagents }: SummaryRow): SessionHead['counts'] {
  return { events, prompts, calls: toolCalls, errors, subagents }
}

/** `all`: of all messages in the session's files, those that it has copies of included. */
export function usageOf(own: SessionUsage, all: HeadUsage): Pick<SessionHead, 'usage' | 'withInherited'> {
  const usage = headUsage(own)
  return { usage, ...(totalTokens(all) > totalTokens(usage) && { withInherited: all }) }
}

function headUsage(spent: SessionUsage): HeadUsage {
  const { inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens, outputFinal } = spent.usage
  const costUSD = shownCost(spent)
  return {
    ...{ inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens },
    isOutputFinal: outputFinal,
    ...(costUSD !== undefined && { costUSD }),
    ...(spent.subagentsUSD > 0 && { subagentsUSD: spent.subagentsUSD }),
    ...(spent.ownAgentsUSD.size > 0 && {
      ownAgentsUSD: [...spent.ownAgentsUSD].map(([purpose, usd]) => ({ purpose, costUSD: usd })),
    }),
    unknownModels: spent.unknownModels,
  }
}

function threadsOf(slots: Slots): HeadThread[] {
  const { graph, eventsOf } = slots.plan
  const starts = new Map(graph.toolCalls.map(call => [call.id as string, call.requestEvent as string]))
  const calls = new Map<string, number>()
  for (const { thread } of graph.toolCalls) calls.set(thread, (calls.get(thread) ?? 0) + 1)
  return graph.threads.map(thread => {
    const times = thread.events.flatMap(id => graph.nodes.get(id)?.event.at ?? [])
    const isNamed = thread.kind === 'main' || thread.isInternal === true || thread.agentType !== undefined
    const description = thread.description ?? (isNamed ? '' : firstWords(eventsOf.get(thread.id) ?? []))
    const errors = slots.ownErrors(thread.id)
    const startEvent = thread.call === undefined ? thread.startEvent : starts.get(thread.call)
    return {
      id: thread.id,
      kind: thread.kind,
      ...(thread.agentType !== undefined && { agentType: thread.agentType }),
      ...(description !== '' && { description }),
      ...(thread.parentThread !== undefined && { parentThread: thread.parentThread }),
      ...(startEvent !== undefined && { startEvent }),
      ...(thread.linkedBy !== undefined && { linkedBy: thread.linkedBy }),
      ...(thread.isInternal === true && { isInternal: true }),
      ...(thread.async === true && { isAsync: true }),
      startedAt: times.reduce<string | null>((first, at) => (first === null || at < first ? at : first), null),
      endedAt: times.reduce<string | null>((last, at) => (last === null || at > last ? at : last), null),
      events: thread.events.length,
      calls: calls.get(thread.id) ?? 0,
      ...(errors > 0 && { errors }),
    }
  })
}

/** What was in the context when an event was written: what was sent with a prompt, or what a resume would have sent then. */
function contextAt(slots: Slots, event: string | null, pricing: Pricing): ContextAt {
  const { graph } = slots.plan
  const thread = event === null ? undefined : slots.plan.eventOf(eventId(event))?.thread
  const all = thread === undefined ? graph.events : eventsOfWindow(graph, thread)
  const at = event === null ? -1 : lastOfMessage(all, event)
  const sent = sentWith(graph, all, at)
  const events = at < 0 ? all : all.slice(0, sent?.until ?? at + 1)
  const context = withoutWhatFollows(contextOfEvents(graph.session, events), all[at])
  const account = new Account(context, events, sent?.tokens)
  const { tokens, isEstimated, parts, lastRequestTokens } = account.makeUp()
  const counted = sent?.tokens ?? lastRequestTokens
  const window = contextWindowOf(graph, pricing, thread)
  return {
    event: at < 0 ? null : event,
    tokens,
    isEstimated,
    ...(counted !== undefined && { counted }),
    ...(window !== null && { window }),
    parts: parts.map(part => ({
      kind: part.kind,
      ...(part.tool !== undefined && { tool: part.tool }),
      tokens: part.tokens,
      blocks: part.blocks,
      isEstimated: part.isEstimated,
    })),
    largest: largestOf(graph, account.largest(mostBlocks)),
  }
}

/** Each agent has a window of its own: what a subagent said is given as if it were a session. */
function eventsOfWindow({ events, session, threads }: SessionGraph, thread: ThreadId): readonly SessionEvent[] {
  if (threads.find(({ id }) => id === thread)?.kind !== 'subagent') return events
  return events
    .filter(event => event.thread === thread)
    .map(event => ({
      ...event,
      thread: session as string as ThreadId,
      flags: event.flags.filter(flag => flag !== 'sidechain'),
    }))
}

/** An answer is in the window as a whole: the last of its records, for any of them. */
function lastOfMessage(events: readonly SessionEvent[], event: string): number {
  const at = events.findIndex(({ id }) => (id as string) === event)
  const id = events[at]?.message?.id
  return id === undefined ? at : events.findLastIndex(({ message }) => message?.id === id)
}

/** A resume would send something behind an answer; at the answer itself it was not there. */
function withoutWhatFollows(context: Context, event: SessionEvent | undefined): Context {
  if (event?.kind !== 'answer') return context
  const last = context.messages.findLastIndex(message => message.events.includes(event.id))
  return last < 0 ? context : { ...context, messages: context.messages.slice(0, last + 1) }
}

/**
 * The request that a prompt or a result was sent with, if nothing else was said before its answer: what the API counted of it,
 * and the place of the answer. Attachments that were written in between are part of it.
 */
function sentWith(
  { nodes }: SessionGraph,
  events: readonly SessionEvent[],
  at: number,
): { tokens: number; until: number } | undefined {
  const from = events[at]
  if (from === undefined || from.kind === 'answer') return undefined
  for (let until = at + 1; until < events.length; until++) {
    const event = events[until] as SessionEvent
    if (event.thread !== from.thread || hasFlag(event, 'synthetic')) continue
    if (event.kind === 'prompt' || event.kind === 'tool-results' || event.kind === 'compaction') return undefined
    if (event.message?.usage === undefined || !leadsTo(from, event, nodes)) continue
    const tokens = promptTokens(event.message.usage)
    return tokens > 0 ? { tokens, until } : undefined
  }
  return undefined
}

/** Whether an answer follows an event, with nothing but attachments and notes in between. */
function leadsTo({ id }: SessionEvent, answer: SessionEvent, nodes: SessionGraph['nodes']): boolean {
  let node = nodes.get(answer.id)
  for (let steps = 0; node?.parent && steps < mostBetween; steps++) {
    if (node.parent === id) return true
    node = nodes.get(node.parent)
    if (node?.event.kind === 'answer') return false
  }
  return false
}

/** Records between a prompt and its answer. */
const mostBetween = 1000

const mostBlocks = 12
const longestAbout = 120

function largestOf(graph: SessionGraph, blocks: readonly WeighedBlock[]): ContextBlock[] {
  const calls = new Map(graph.toolCalls.map(call => [call.id as string, call]))
  return blocks.map(({ event, kind, tool, tokens, block }) => {
    const call = 'callId' in block ? calls.get(block.callId) : undefined
    return { event, kind, tokens, ...(tool !== undefined && { tool }), about: aboutOf(block, call) }
  })
}

function aboutOf(block: Block, call: ToolCall | undefined): string {
  if (call !== undefined) {
    const target = call.file?.path ?? callCommand(call)
    if (target !== undefined) return firstLine(target, longestAbout)
  }
  return 'text' in block ? firstLine(block.text, longestAbout) : ''
}

/** Sorted, and each row once: a call is one row, whether its request, its result or both have the text. */
export function inReadingOrder(places: readonly FoundPlace[]): FoundPlace[] {
  const sorted = [...places].sort((one, other) => compareWays(wayTo(one), wayTo(other)))
  const rows = new Set<string>()
  return sorted.filter(({ thread, slot, shownIn }) => {
    const row = `${slot} ${shownIn} ${thread}`
    return !rows.has(row) && rows.add(row)
  })
}

/** Places in some of the session's events, in file order, ignoring case. */
export function findPlaces(slots: Slots, events: readonly SessionEvent[], searched: string): FoundPlace[] {
  const places: FoundPlace[] = []
  const text = searched.toLowerCase()
  if (text === '') return places
  for (const event of events) {
    if (hasFlag(event, 'copy')) continue
    const found = shownTexts(event).find(one => one.text.toLowerCase().includes(text))
    const place = found === undefined ? undefined : slots.wholePlaceOf(event.id)
    if (found === undefined || place === undefined) continue
    places.push({ ...place, event: event.id, kind: event.kind, ...snippetOf(found.text, text) })
    if (places.length >= mostPlaces) break
  }
  return places
}

function snippetOf(text: string, searched: string): Pick<FoundPlace, 'snippet' | 'highlights'> {
  const at = text.toLowerCase().indexOf(searched)
  const from = Math.max(0, at - Math.floor((snippetLength - searched.length) / 2))
  const before = text.slice(from, at).replace(/\s+/g, ' ').trimStart()
  const match = text.slice(at, at + searched.length).replace(/\s+/g, ' ')
  const after = text.slice(at + searched.length, from + snippetLength).replace(/\s+/g, ' ')
  return { snippet: `${before}${match}${after}`, highlights: [[before.length, before.length + match.length]] }
}

/**
 * Files that the session's own calls touched; of those, calls that failed are steps, too. In the order in which they were first named; those
 * that were changed come before those that were only read.
 */
export function filesOf(slots: Slots): FileTouched[] {
  const files = new Map<string, FileTouched>()
  const touched = new Set<string>()
  const changed = new Set<string>()
  for (const { call, file: named } of fileCalls(slots.plan.graph)) {
    const step = stepOf(slots, call, named)
    if (step === null) continue
    const { path } = named
    const touch = touchedFile(call)?.touch
    const file = files.get(path) ?? { path, reads: 0, added: 0, removed: 0, steps: [] }
    files.set(path, file)
    file.steps.push(step)
    file.added += step.added ?? 0
    file.removed += step.removed ?? 0
    if (touch === 'read') file.reads++
    else if (touch !== undefined) changed.add(path)
    if (touch !== undefined) touched.add(path)
  }
  const all = [...files.values()].filter(({ path }) => touched.has(path))
  return [...all.filter(({ path }) => changed.has(path)), ...all.filter(({ path }) => !changed.has(path))]
}

/** Null where it does nothing to the file, and for calls of another session. */
function stepOf(slots: Slots, call: ToolCall, { path, touch }: CallFile): FileStep | null {
  const place = slots.placeOf(call.requestEvent)
  const request = slots.plan.eventOf(call.requestEvent)
  if (touch === 'other' || place === undefined || isInherited(request)) return null
  const step: FileStep = {
    event: call.requestEvent,
    thread: place.thread,
    slot: place.slot,
    at: request?.at ?? null,
    tool: call.name,
    status: call.outcome,
    kind: touch,
  }
  if (touch === 'read' || call.outcome !== 'done') return step
  const [items = []] = slots.items(place.thread, place.slot, place.slot + 1)
  return { ...step, ...changesIn(items, call, path) }
}

/** Lines that the call added and removed, from the diffs it shows. */
function changesIn(items: readonly ViewItem[], call: ToolCall, path: string): { added?: number; removed?: number } {
  let added = 0
  let removed = 0
  let isKnown = false
  for (const item of items) {
    if (item.kind !== 'call' || (item.id as string) !== (call.requestEvent as string)) continue
    for (const part of item.body) {
      if (part.type !== 'diff' || part.path !== path) continue
      isKnown = true
      added += part.added
      removed += part.removed
    }
  }
  return isKnown ? { added, removed } : {}
}
