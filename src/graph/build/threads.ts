// Threads: what one agent did, in order. Inline sidechains and agent files become threads of their own; which call started
// them is found in subagents.ts.

import { asObject, asString } from '../../base/json.ts'
import { isOwnAgent, isTask, isWork, taskText } from '../../model/agent.ts'
import { hasFlag, isChainEvent, type SessionEvent } from '../../model/event.ts'
import { type ThreadId, threadId } from '../../model/ids.ts'
import { delegatingTools, type GraphFile, type Thread, type ToolCall } from '../../model/session.ts'
import { type Calls, isLaunchOnly, type PairedCall } from './calls.ts'
import { interruptWithin } from './outcomes.ts'
import { mainBefore, type NodeIndex, none, type Skeleton } from './skeleton.ts'
import { linkSubagents, type Subagent, type SubagentCall } from './subagents.ts'
import { plainText } from './turns.ts'

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
    // A copy is on the thread of the record that it repeats.
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
    const agent = file.events.find(isChainEvent)?.stated.agent ?? file.agent
    const subagent = file.role === 'agent' && agent !== undefined ? subagents.get(threadId(agent)) : undefined
    if (subagent === undefined) continue
    subagent.path = file.path
    if (file.meta) subagent.meta = file.meta
  }
  const instructed = new Set<ThreadId>()
  for (const event of events) {
    const subagent = subagents.get(event.thread)
    if (subagent === undefined || !isChainEvent(event)) continue
    subagent.first ??= event
    subagent.isBusy ||= isWork(event)
    if (instructed.has(event.thread) || !isTask(event)) continue
    instructed.add(event.thread)
    subagent.prompt = taskText(event)
  }
  return [...subagents.values()]
}

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
  if (paired === undefined && isOwnAgent(subagent.id, subagent.prompt, subagent.isBusy)) thread.isInternal = true
  else if (link?.startEvent !== undefined) thread.startEvent = link.startEvent
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

/** Puts every inline sidechain record on its thread. `inline`: which nodes those are. */
export function assignSidechains(skeleton: Skeleton, inline: ReadonlySet<NodeIndex>): void {
  if (inline.size === 0) return
  const tops = topsOf(skeleton, inline)
  const threads = new Map<NodeIndex, ThreadId>()
  const delegations = openDelegations(skeleton, inline)
  for (const node of inline) {
    const top = tops.get(node) ?? node
    let thread = threads.get(top)
    if (thread === undefined) {
      thread = threadOfGroup(skeleton, top, node, delegations)
      threads.set(top, thread)
    }
    const event = skeleton.events[node] as SessionEvent
    skeleton.events[node] = asSpoken(event, thread, skeleton.main)
  }
}

/** 003 writes lines of a sidechain without a parent: they continue where the sidechain before them ended. */
export function joinUnlinked(skeleton: Skeleton, inline: ReadonlySet<NodeIndex>): void {
  let before: NodeIndex = none
  for (const node of inline) {
    const event = skeleton.events[node] as SessionEvent
    const isUnlinked = skeleton.link[node] === 'root' && event.stated.parent === undefined
    if (isUnlinked && before !== none && event.kind !== 'delegation' && event.kind !== 'prompt') {
      skeleton.parent[node] = before
      skeleton.link[node] = 'inferred'
    }
    before = node
  }
}

/** The topmost sidechain record above every inline one. */
function topsOf(skeleton: Skeleton, inline: ReadonlySet<NodeIndex>): Map<NodeIndex, NodeIndex> {
  const tops = new Map<NodeIndex, NodeIndex>()
  for (const start of inline) {
    const path: NodeIndex[] = []
    let node = start
    let top = tops.get(node)
    while (top === undefined) {
      path.push(node)
      const above = skeleton.parent[node] ?? none
      if (above === none || !inline.has(above) || beginsNested(skeleton, node)) top = node
      else {
        node = above
        top = tops.get(node)
      }
    }
    for (const step of path) tops.set(step, top)
  }
  return tops
}

/** A subagent that delegates in turn: a task that hangs on a sidechain record with a delegating call. */
function beginsNested(skeleton: Skeleton, node: NodeIndex): boolean {
  const event = skeleton.events[node] as SessionEvent
  if (event.kind !== 'delegation' && event.kind !== 'prompt') return false
  const parent = skeleton.events[skeleton.parent[node] ?? none]
  if (parent === undefined || !hasFlag(parent, 'sidechain')) return false
  return parent.blocks.some(block => block.type === 'tool-call' && delegatingTools.has(block.name))
}

/** `first`: the group's first record in reading order, whose id names the thread. */
function threadOfGroup(
  skeleton: Skeleton,
  top: NodeIndex,
  first: NodeIndex,
  delegations: ReadonlySet<NodeIndex>,
): ThreadId {
  const own = threadId((skeleton.events[first] as SessionEvent).id)
  const above = skeleton.parent[top] ?? none
  const parent = skeleton.events[above]
  if (parent === undefined) return own
  if (beginsNested(skeleton, top)) return own
  if (parent.thread !== skeleton.main) return parent.thread
  const event = skeleton.events[top] as SessionEvent
  if (event.dialect !== 'client' || parent.dialect === 's0' || parent.dialect === 's3') return own
  return delegations.has(top) ? own : skeleton.main
}

/**
 * Nodes at whose place a delegation of the main thread waits for its result, or which hang on a delegating answer or repeat
 * its prompt: evidence that a sidechain beginning there is a subagent's.
 */
function openDelegations(skeleton: Skeleton, inline: ReadonlySet<NodeIndex>): Set<NodeIndex> {
  const { delegating, prompts } = delegatingAnswers(skeleton, inline)
  const found = new Set<NodeIndex>()
  const open = new Set<string>()
  for (let node = 0; node < skeleton.events.length; node++) {
    const event = skeleton.events[node] as SessionEvent
    if (inline.has(node)) {
      const above = skeleton.parent[node] ?? none
      const parent = skeleton.events[above]
      const isAsked = delegating.has(parent?.message?.id ?? '') || delegating.has(parent?.id ?? '')
      if (open.size > 0 || isAsked || prompts.has(plainText(event))) found.add(node)
    } else if (event.thread === skeleton.main) {
      if (event.kind === 'prompt') open.clear()
      for (const block of event.blocks) {
        if (block.type === 'tool-call' && delegatingTools.has(block.name)) open.add(block.callId)
        else if (block.type === 'tool-result') open.delete(block.callId)
      }
    }
  }
  return found
}

/** Ids of answers (and their messages) that delegate, and the prompts they give. */
function delegatingAnswers(skeleton: Skeleton, inline: ReadonlySet<NodeIndex>) {
  const delegating = new Set<string>()
  const prompts = new Set<string>()
  for (let node = 0; node < skeleton.events.length; node++) {
    const event = skeleton.events[node] as SessionEvent
    if (inline.has(node)) continue
    for (const block of event.blocks) {
      if (block.type !== 'tool-call' || !delegatingTools.has(block.name)) continue
      delegating.add(event.id)
      if (event.message) delegating.add(event.message.id)
      const prompt = asString(asObject(block.input)?.['prompt'])?.trim()
      if (prompt) prompts.add(prompt)
    }
  }
  return { delegating, prompts }
}

/** On a subagent's thread the delegating agent speaks, on the main thread the human. */
function asSpoken(event: SessionEvent, thread: ThreadId, main: ThreadId): SessionEvent {
  const isMain = thread === main
  if (isMain && event.kind === 'delegation') return { ...event, thread, kind: 'prompt', actor: 'human' }
  if (!isMain && event.kind === 'prompt') return { ...event, thread, kind: 'delegation', actor: 'agent' }
  return event.thread === thread ? event : { ...event, thread }
}

/**
 * In 003 the main thread may continue from the last record of a sidechain: its place is after the delegating record, from which
 * the sidechain parts. Results of a subagent's own call that lack the sidechain mark follow their call instead.
 */
export function returnToMain(skeleton: Skeleton): void {
  const above = new Map<NodeIndex, NodeIndex>()
  const before = mainBefore(skeleton)
  for (let node = 0; node < skeleton.events.length; node++) {
    const parent = skeleton.parent[node] ?? none
    const event = skeleton.events[node] as SessionEvent
    const crossed = skeleton.events[parent]
    if (event.thread !== skeleton.main || crossed === undefined || crossed.thread === skeleton.main) continue
    if (answersParent(event, crossed)) {
      skeleton.events[node] = { ...event, thread: crossed.thread }
      continue
    }
    const delegator = mainAbove(skeleton, parent, above, before)
    skeleton.parent[node] = delegator
    skeleton.link[node] = delegator === none ? 'root' : 'inferred'
  }
}

function answersParent(event: SessionEvent, parent: SessionEvent): boolean {
  if (event.wireType !== 'system' || event.dialect !== 's3') return false
  return parent.blocks.some(block => block.type === 'tool-call' && block.inferredId === true)
}

/** The nearest main-thread node above; where the sidechain has a root of its own, the one before it in reading order. */
function mainAbove(
  skeleton: Skeleton,
  from: NodeIndex,
  known: Map<NodeIndex, NodeIndex>,
  before: readonly NodeIndex[],
): NodeIndex {
  const path: NodeIndex[] = []
  let node = from
  let last = from
  while (node !== none && skeleton.events[node]?.thread !== skeleton.main && !known.has(node)) {
    path.push(node)
    last = node
    node = skeleton.parent[node] ?? none
  }
  const found = known.get(node) ?? (node === none ? (before[last] ?? none) : node)
  for (const step of path) known.set(step, found)
  return found
}
