// The main thread and the subagents' threads, each with its events and the call that started it.

import { asObject, asString } from '../../base/json.ts'
import { isChainEvent } from '../../model/chain.ts'
import { hasFlag, type SessionEvent } from '../../model/event.ts'
import { type ThreadId, threadId } from '../../model/ids.ts'
import type { GraphFile, Thread, ToolCall } from '../../model/session.ts'
import { delegatingTools } from '../../model/session.ts'
import { blocksText } from '../../model/text.ts'
import type { Calls, PairedCall } from './calls.ts'
import { isLaunchOnly } from './outcome.ts'
import { interruptWithin } from './settle.ts'
import type { Skeleton } from './skeleton.ts'
import { linkSubagents, type Subagent, type SubagentCall } from './subagents.ts'

/** Threads in the order of their first records, the main one first; it is there even when it has none. */
export function buildThreads(
  skeleton: Skeleton,
  events: readonly SessionEvent[],
  files: readonly GraphFile[],
  calls: Calls,
): Thread[] {
  const threads = collectThreads(skeleton, events, files)
  const subagents = collectSubagents(threads, events, files)
  const links = linkSubagents(subagents, skeleton, events, calls)
  const starters = new Map<ThreadId, PairedCall>()
  for (const subagent of subagents) {
    const thread = threads.get(subagent.id) as Thread
    const link = links.get(subagent.id)
    describe(thread, subagent, link, skeleton.main, threads)
    if (link?.paired) starters.set(thread.id, link.paired)
  }
  interruptWithin(calls, starters)
  return [...threads.values()]
}

function collectThreads(
  skeleton: Skeleton,
  events: readonly SessionEvent[],
  files: readonly GraphFile[],
): Map<ThreadId, Thread> {
  const threads = new Map<ThreadId, Thread>()
  threads.set(skeleton.main, { id: skeleton.main, kind: 'main', events: [] })
  const journals = new Set(files.filter(file => file.role === 'journal').map(file => file.path))
  for (const event of events) {
    if (journals.has(event.source.file)) continue
    let thread = threads.get(event.thread)
    if (thread === undefined) {
      thread = { id: event.thread, kind: 'subagent', events: [] }
      threads.set(thread.id, thread)
    }
    // A copy stands on the thread of the record that it repeats.
    if (!hasFlag(event, 'copy')) thread.events.push(event.id)
  }
  return threads
}

function collectSubagents(
  threads: ReadonlyMap<ThreadId, Thread>,
  events: readonly SessionEvent[],
  files: readonly GraphFile[],
): Subagent[] {
  const subagents = new Map<ThreadId, Subagent>()
  for (const thread of threads.values()) {
    if (thread.kind === 'subagent') subagents.set(thread.id, { id: thread.id, prompt: '', isBusy: false })
  }
  for (const file of files) {
    // The records' own agent id counts before the file's name.
    const inside = file.events.find(isChainEvent)?.record.value?.['agentId']
    const agent = asString(inside) ?? file.agent
    const subagent = file.role === 'agent' && agent !== undefined ? subagents.get(threadId(agent)) : undefined
    if (subagent === undefined) continue
    subagent.path = file.path
    if (file.meta) subagent.meta = file.meta
  }
  const told = new Set<ThreadId>()
  for (const event of events) {
    const subagent = subagents.get(event.thread)
    if (subagent === undefined || !isChainEvent(event)) continue
    subagent.first ??= event
    if (event.kind !== 'answer' || event.blocks.some(block => block.type === 'tool-call')) subagent.isBusy = true
    if (told.has(event.thread) || !isTask(event)) continue
    told.add(event.thread)
    subagent.prompt = taskText(event)
  }
  return [...subagents.values()]
}

/** What an agent was told first. A teammate gets its task as a message of its lead's. */
function isTask(event: SessionEvent): boolean {
  return event.kind === 'delegation' || (event.kind === 'notification' && event.actor === 'agent')
}

/** Without the reminders that the client puts before it. */
function taskText(event: SessionEvent): string {
  const own = event.blocks.filter(block => block.type === 'text' && !block.text.startsWith('<system-reminder>'))
  return blocksText(own).trim().replace(teammateMarkup, '').trim()
}

const teammateMarkup = /^<teammate-message[^>]*>|<\/teammate-message>$/g

function describe(
  thread: Thread,
  subagent: Subagent,
  link: SubagentCall | undefined,
  main: ThreadId,
  threads: ReadonlyMap<ThreadId, Thread>,
): void {
  const paired = link?.paired
  const stated = subagent.meta?.parentAgentId
  const parentAgent = stated === undefined ? undefined : threads.get(threadId(stated))?.id
  thread.parentThread = link?.parentThread ?? (parentAgent === thread.id ? main : (parentAgent ?? main))
  if (link) thread.linkedBy = link.linkedBy
  if (paired) linkCall(thread, paired.call)
  const agentType = subagent.meta?.agentType ?? typeFrom(paired)
  const description = subagent.meta?.description ?? asString(asObject(paired?.call.input)?.['description'])
  if (agentType !== undefined) thread.agentType = agentType
  if (description !== undefined) thread.description = description
  if (isAsync(paired)) thread.async = true
  if (isInternal(subagent, paired)) thread.isInternal = true
}

function linkCall(thread: Thread, call: ToolCall): void {
  thread.call = call.id
  call.subagent ??= thread.id
}

function typeFrom(paired: PairedCall | undefined): string | undefined {
  const structured = asObject(paired?.result?.block.structured)
  const asked = paired && delegatingTools.has(paired.call.name) ? asObject(paired.call.input) : undefined
  return (
    asString(structured?.['agentType']) ?? asString(structured?.['agent_type']) ?? asString(asked?.['subagent_type'])
  )
}

function isAsync(paired: PairedCall | undefined): boolean {
  if (paired === undefined) return false
  if (paired.result !== undefined && isLaunchOnly(paired.result.block)) return true
  return asString(asObject(paired.result?.block.structured)?.['status']) === 'teammate_spawned'
}

/** `aprompt_suggestion-…`, `acompact-…`, `aside_question-…`: the client names its own by what they are for. */
const ownAgent = /^a?(compact|[a-z]+(_[a-z]+)+)-/

/** Agents that the client starts for itself; nobody called them. */
function isInternal({ id, path, prompt, isBusy }: Subagent, paired: PairedCall | undefined): boolean {
  if (paired !== undefined) return false
  if (ownAgent.test(id) || prompt === 'Warmup') return true
  // 2.0.2x wrote only the answer to its warm-up: an agent that was told nothing and did nothing.
  return path !== undefined && prompt === '' && !isBusy
}
