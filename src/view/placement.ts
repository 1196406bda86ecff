// Where an event is shown (in its turn, in a call, at the end), and how certain an inferred link is, in words.

import type { CallId, EventId, ThreadId } from '../model/ids.ts'
import type { SessionGraph, Thread, ToolCall } from '../model/session.ts'

export interface Placement {
  /** Threads inside a call. */
  inCall: ReadonlyMap<ToolCall, readonly Thread[]>
  /** Threads without a call, by the event that they follow. */
  after: ReadonlyMap<EventId, readonly Thread[]>
  /** Threads without a call and a place, by the thread at whose end they are shown. */
  atEnd: ReadonlyMap<ThreadId, readonly Thread[]>
}

export function placeThreads(graph: SessionGraph): Placement {
  const main = graph.threads.find(thread => thread.kind === 'main')?.id
  const known = new Set(graph.threads.map(thread => thread.id))
  const calls = startingCalls(graph)
  const inCall = new Map<ToolCall, Thread[]>()
  const after = new Map<EventId, Thread[]>()
  const atEnd = new Map<ThreadId, Thread[]>()
  const below = new Map<ThreadId, Thread[]>()
  for (const thread of graph.threads) {
    if (thread.kind === 'main' || main === undefined) continue
    const call = calls.get(thread.id)
    const stated = thread.parentThread
    const parent = stated !== undefined && known.has(stated) && stated !== thread.id ? stated : main
    if (call) add(inCall, call, thread)
    else if (thread.startEvent !== undefined && parent === stated) add(after, thread.startEvent, thread)
    else add(atEnd, parent, thread)
    add(below, call?.thread ?? parent, thread)
  }
  if (main !== undefined) placeUnreached(graph.threads, main, below, atEnd)
  const begins = ({ events: [first] }: Thread) => (first && graph.nodes.get(first)?.event.at) ?? '~'
  // Their files are found by name; they are read in the order in which they began.
  for (const list of [...after.values(), ...atEnd.values()])
    list.sort((one, other) => (begins(one) < begins(other) ? -1 : begins(one) > begins(other) ? 1 : 0))
  return { inCall, after, atEnd }
}

function add<Key>(lists: Map<Key, Thread[]>, key: Key, thread: Thread): void {
  const list = lists.get(key)
  if (list) list.push(thread)
  else lists.set(key, [thread])
}

/** The call of each thread; an id that several calls share is the one that names the thread, else the first. */
function startingCalls(graph: SessionGraph): Map<ThreadId, ToolCall> {
  const bySubagent = new Map<ThreadId, ToolCall>()
  const byId = new Map<CallId, ToolCall>()
  for (const call of graph.toolCalls) {
    if (call.subagent !== undefined && !bySubagent.has(call.subagent)) bySubagent.set(call.subagent, call)
    if (!byId.has(call.id)) byId.set(call.id, call)
  }
  const calls = new Map<ThreadId, ToolCall>()
  for (const { id, call } of graph.threads) {
    const starter = bySubagent.get(id) ?? (call === undefined ? undefined : byId.get(call))
    if (starter && starter.thread !== id) calls.set(id, starter)
  }
  return calls
}

/** Threads that hang on each other in a circle are reached from nowhere: they go to the end of the main thread. */
function placeUnreached(
  threads: readonly Thread[],
  main: ThreadId,
  below: ReadonlyMap<ThreadId, readonly Thread[]>,
  atEnd: Map<ThreadId, Thread[]>,
): void {
  const reached = new Set<ThreadId>()
  reachFrom(main, below, reached)
  for (const thread of threads) {
    if (reached.has(thread.id)) continue
    add(atEnd, main, thread)
    reachFrom(thread.id, below, reached)
  }
}

function reachFrom(start: ThreadId, below: ReadonlyMap<ThreadId, readonly Thread[]>, reached: Set<ThreadId>): void {
  const open = [start]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (reached.has(id)) continue
    reached.add(id)
    for (const thread of below.get(id) ?? []) open.push(thread.id)
  }
}

/** Tools that start no subagent: other calls may get a thread from a file that was not read yet. */
const plainTools: ReadonlySet<string> = new Set(
  'Bash BashOutput KillShell Read Edit MultiEdit Write NotebookEdit Glob Grep LS TodoWrite WebFetch WebSearch'.split(
    ' ',
  ),
)

/** Open calls, calls that may have a thread, prompts in a queue. */
export function uncertainEvents(graph: SessionGraph, hasAgentFiles: boolean): Set<string> {
  const found = new Set<string>()
  for (const call of graph.toolCalls) {
    const isOpen = call.outcome === 'missing' || call.outcome === 'running'
    if (isOpen || (hasAgentFiles && !plainTools.has(call.name))) found.add(call.requestEvent)
  }
  for (const event of graph.events) if (event.kind === 'queue') found.add(event.id)
  for (const thread of graph.threads) {
    const first = thread.kind === 'subagent' ? thread.events[0] : undefined
    if (first !== undefined) found.add(first)
  }
  return found
}
