// Everything that is looked up while a session is turned into items, worked out once in linear time: events by thread, calls
// by their requests, results by their calls, where each subagent's thread belongs.

import { asObject, asString } from '../base/json.ts'
import { hasFlag, type SessionEvent, type ToolResultBlock } from '../model/event.ts'
import type { CallId, EventId, ThreadId } from '../model/ids.ts'
import type { Compaction, SessionGraph, Thread, ToolCall } from '../model/session.ts'
import { typedText } from '../model/typed-text.ts'
import { splitInjections } from './items/message.ts'
import { textOf, valueText } from './parts.ts'
import { type Placement, placeThreads } from './placement.ts'

/** A call's result with the event that has it. */
interface FoundResult {
  block: ToolResultBlock
  event: SessionEvent
}

/** Events that are shown together: the first, and those that belong with it. */
export interface EventGroup {
  events: readonly SessionEvent[]
  /** Model of the answer before: a badge says when it changes. */
  modelBefore: string | undefined
  /** What changed next to the conversation, by name. */
  changes?: readonly [name: string, value: unknown][]
  /** A subagent that no call started, with its first event alone. */
  loose?: Thread
}

export interface ViewPlan {
  graph: SessionGraph
  /** Events of each thread in file order, copies included. */
  eventsOf: ReadonlyMap<ThreadId, readonly SessionEvent[]>
  threads: ReadonlyMap<ThreadId, Thread>
  placement: Placement
  eventOf(id: EventId): SessionEvent | undefined
  /** Calls of a request, by its event and call id. */
  callOf(request: EventId, call: CallId): ToolCall | undefined
  resultOf(call: ToolCall): FoundResult | undefined
  /** Whether a result, or a notice that represents one, is shown inside its call. */
  isInCall(block: ToolResultBlock): boolean
  isResultEvent(event: SessionEvent): boolean
  /** Whether a progress event hangs on a call. */
  isOnCall(event: SessionEvent): boolean
  turnOf: ReadonlyMap<EventId, number>
  compactionAt: ReadonlyMap<EventId, Compaction>
  /** Number of the window that begins with a compaction, from 1. */
  windowAt: ReadonlyMap<EventId, number>
  /** Whether what was queued also is in the log as a record of its own. */
  isSaid(text: string): boolean
  subjectOf(taskId: string): string | undefined
}

export function planView(graph: SessionGraph): ViewPlan {
  const results = pairResults(graph)
  const calls = new Map(graph.toolCalls.map(call => [requestKey(call.requestEvent, call.id), call]))
  const onCalls = new Set(graph.toolCalls.flatMap(call => call.progress))
  const copies = copiesById(graph)
  return {
    graph,
    eventsOf: eventsByThread(graph),
    threads: new Map(graph.threads.map(thread => [thread.id, thread])),
    placement: placeThreads(graph),
    eventOf: id => graph.nodes.get(id)?.event ?? copies.get(id),
    callOf: (request, call) => calls.get(requestKey(request, call)),
    resultOf: call => results.byCall.get(call),
    isInCall: block => results.blocks.has(block),
    isResultEvent: event => results.notices.has(event),
    isOnCall: event => onCalls.has(event.id),
    turnOf: turnsByEvent(graph),
    compactionAt: new Map(graph.compactions.map(compaction => [compaction.event, compaction])),
    windowAt: windowNumbers(graph),
    isSaid: lazily(() => saidTexts(graph)),
    subjectOf: subjects(results.byCall),
  }
}

function requestKey(event: EventId, call: CallId): string {
  return `${event} ${call}`
}

function copiesById(graph: SessionGraph): Map<EventId, SessionEvent> {
  const copies = new Map<EventId, SessionEvent>()
  for (const event of graph.events) if (!graph.nodes.has(event.id) && !copies.has(event.id)) copies.set(event.id, event)
  return copies
}

function eventsByThread(graph: SessionGraph): Map<ThreadId, SessionEvent[]> {
  const lists = new Map<ThreadId, SessionEvent[]>()
  for (const event of graph.events) {
    const list = lists.get(event.thread)
    if (list) list.push(event)
    else lists.set(event.thread, [event])
  }
  return lists
}

interface Pairs {
  byCall: Map<ToolCall, FoundResult>
  blocks: Set<ToolResultBlock>
  /** Notices of 003 that were taken for results. */
  notices: Set<SessionEvent>
}

/** The graph says which event has a call's result; here the block in it is found. */
function pairResults(graph: SessionGraph): Pairs {
  const found = new Map<string, FoundResult[]>()
  for (const event of graph.events.toReversed()) {
    for (const block of event.blocks.toReversed()) {
      if (block.type !== 'tool-result') continue
      const key = requestKey(event.id, block.callId)
      const list = found.get(key)
      if (list) list.push({ block, event })
      else found.set(key, [{ block, event }])
    }
  }
  const pairs: Pairs = { byCall: new Map(), blocks: new Set(), notices: new Set() }
  for (const call of graph.toolCalls) {
    if (call.resultEvent === undefined) continue
    // The lists are back to front, so that the first one left is the last.
    const result = found.get(requestKey(call.resultEvent, call.id))?.pop()
    if (result) {
      pairs.byCall.set(call, result)
      pairs.blocks.add(result.block)
    } else {
      pairNotice(graph, call, pairs)
    }
  }
  return pairs
}

/** A result without a block is a notice that answers by its place. */
function pairNotice(graph: SessionGraph, call: ToolCall, pairs: Pairs): void {
  const event = call.resultEvent === undefined ? undefined : graph.nodes.get(call.resultEvent)?.event
  if (event === undefined || event.kind === 'tool-results') return
  const isError = hasFlag(event, 'error')
  const block: ToolResultBlock = { type: 'tool-result', callId: call.id, isError, content: event.blocks }
  pairs.byCall.set(call, { block, event })
  pairs.notices.add(event)
}

function turnsByEvent(graph: SessionGraph): Map<EventId, number> {
  const turns = new Map<EventId, number>()
  for (const turn of graph.turns) for (const event of turn.events) turns.set(event, turn.index)
  return turns
}

function windowNumbers(graph: SessionGraph): Map<EventId, number> {
  const numbers = new Map<EventId, number>()
  for (const window of graph.windows) {
    if (window.compaction !== undefined) numbers.set(window.compaction, window.index + 1)
  }
  return numbers
}

/** A set that is made when it is first asked. */
function lazily(make: () => ReadonlySet<string>): (text: string) => boolean {
  let made: ReadonlySet<string> | undefined
  return text => {
    made ??= make()
    return made.has(text.trim())
  }
}

const spokenKinds: ReadonlySet<string> = new Set(['prompt', 'command', 'notification', 'delegation'])

function saidTexts(graph: SessionGraph): Set<string> {
  const said = new Set<string>()
  for (const event of graph.events) {
    if (!spokenKinds.has(event.kind)) continue
    const text = textOf(event.blocks)
    said.add(text.trim())
    said.add(splitInjections(text).rest.trim())
    if (event.kind === 'command' && event.detail?.command !== undefined) said.add(typedText(event))
  }
  return said
}

/** Subjects of tasks by id, from the results that made, listed or changed them. */
function subjects(results: ReadonlyMap<ToolCall, FoundResult>): (taskId: string) => string | undefined {
  let made: Map<string, string> | undefined
  return taskId => {
    made ??= collectSubjects(results)
    return made.get(taskId)
  }
}

function collectSubjects(results: ReadonlyMap<ToolCall, FoundResult>): Map<string, string> {
  const found = new Map<string, string>()
  for (const [call, { block }] of results) {
    if (call.name !== 'TaskCreate') continue
    const task = asObject(asObject(block.structured)?.['task'])
    const id = valueText(task?.['id'])
    const subject = asString(task?.['subject']) ?? asString(asObject(call.input)?.['subject'])
    if (id !== undefined && subject !== undefined) found.set(id, subject)
  }
  return found
}
