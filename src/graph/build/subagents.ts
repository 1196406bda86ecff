// Which call started which subagent. The log says it in six ways, from sure to likely; surer ones are tried for all
// subagents first, so that a guess never takes a call away from a statement. What no call started has a place all the same.

import { asObject, asString } from '../../base/json.ts'
import { blocksText, notificationIn, type SessionEvent } from '../../model/event.ts'
import { callId, type EventId, eventId, type ThreadId } from '../../model/ids.ts'
import type { SubagentLink } from '../../model/session.ts'
import { delegatingTools } from '../../model/session.ts'
import type { AgentMeta } from '../../model/source.ts'
import type { Calls, PairedCall } from './calls.ts'
import { mainBefore, type NodeIndex, none, type Skeleton } from './skeleton.ts'

/** What is known of a subagent before its call is found. */
export interface Subagent {
  id: ThreadId
  /** Path of its own file, where it has one. */
  path?: string
  meta?: AgentMeta
  /** Its first record. */
  first?: SessionEvent
  /** Text of its first instruction. */
  prompt: string
  /** Whether it has any record but answers without calls. */
  isBusy: boolean
}

export interface SubagentCall {
  linkedBy: SubagentLink
  paired?: PairedCall
  /** What it follows, where no call started it. */
  startEvent?: EventId
  /** The thread on which it was started. */
  parentThread: ThreadId
}

type Search = (subagent: Subagent) => PairedCall | undefined

export function linkSubagents(
  subagents: readonly Subagent[],
  skeleton: Skeleton,
  events: readonly SessionEvent[],
  calls: Calls,
): Map<ThreadId, SubagentCall> {
  const links = new Map<ThreadId, SubagentCall>()
  if (subagents.length === 0) return links
  const claimed = new Set<PairedCall>()
  const searches: [SubagentLink, Search][] = [
    ['meta', ({ meta }) => calls.byId.get(callId(meta?.toolUseId ?? ''))],
    ['result', searchResults(calls)],
    ['progress', searchProgress(events, calls)],
    ['queue', searchQueue(events, calls, claimed)],
    ['parent', searchParents(skeleton, calls, claimed)],
    ['prompt', searchPrompts(calls, claimed)],
  ]
  const inTime = byFirstRecord(subagents)
  for (const [linkedBy, search] of searches) {
    for (const subagent of inTime) {
      if (links.has(subagent.id)) continue
      const paired = search(subagent)
      if (paired === undefined || paired.call.thread === subagent.id) continue
      claimed.add(paired)
      links.set(subagent.id, { linkedBy, paired, parentThread: paired.call.thread })
    }
  }
  linkByPlace(subagents, skeleton, links)
  dropCycles(links)
  return links
}

/** Earlier ones first, so that equal prompts meet their calls in order. Those without a time keep their place. */
function byFirstRecord(subagents: readonly Subagent[]): Subagent[] {
  if (subagents.some(({ first }) => !first?.at)) return [...subagents]
  return [...subagents].sort((one, other) => compareText(one.first?.at ?? '', other.first?.at ?? ''))
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** Tools that speak to a running agent, and so name one that they did not start. */
const followUpTools: ReadonlySet<string> = new Set(['SendMessage', 'TaskOutput', 'AgentOutputTool', 'TaskStop'])
const agentInText = /\bagentId: ([\w@.-]+)/

/** The result names the agent, or the folder of the workflow whose agents it started. */
function searchResults(calls: Calls): Search {
  const byAgent = new Map<string, PairedCall>()
  const byRun = new Map<string, PairedCall>()
  for (const surest of [true, false]) {
    for (const paired of calls.list) {
      const delegates = delegatingTools.has(paired.call.name)
      if (delegates !== surest || paired.result === undefined || followUpTools.has(paired.call.name)) continue
      const { structured, content } = paired.result.block
      const facts = asObject(structured)
      const inText = delegates ? agentInText.exec(blocksText(content))?.[1] : undefined
      const stated = ['agentId', 'agent_id', 'teammate_id'].map(field => asString(facts?.[field]))
      for (const agent of [...stated, inText]) {
        if (agent !== undefined && !byAgent.has(agent)) byAgent.set(agent, paired)
      }
      const run = asString(facts?.['runId'])
      if (run !== undefined && !byRun.has(run)) byRun.set(run, paired)
    }
  }
  return ({ id, path, first }) =>
    byAgent.get(id) ??
    byAgent.get(teammateName(first) ?? '') ??
    byRun.get(/[\\/]workflows[\\/]([^\\/]+)[\\/]/.exec(path ?? '')?.[1] ?? '')
}

/** `<name>@<team>`: the name that the result about a new teammate gives it, whatever its thread's id. */
function teammateName(first: SessionEvent | undefined): string | undefined {
  const { agentName: name, team } = first?.stated ?? {}
  return name === undefined || team === undefined ? undefined : `${name}@${team}`
}

function searchProgress(events: readonly SessionEvent[], calls: Calls): Search {
  const byAgent = new Map<string, PairedCall>()
  for (const event of events) {
    if (event.kind !== 'progress') continue
    const agent = event.detail?.agentId
    if (agent === undefined || byAgent.has(agent)) continue
    const paired = calls.byId.get(callId(event.detail?.parentToolUseID ?? ''))
    if (paired) byAgent.set(agent, paired)
  }
  return ({ id }) => byAgent.get(id)
}

/** A queued task or its notification has the agent's id; the call is named, or known by an equal description. */
function searchQueue(events: readonly SessionEvent[], calls: Calls, claimed: ReadonlySet<PairedCall>): Search {
  const byTask = new Map<string, PairedCall>()
  const descriptions = new Map<string, string>()
  for (const event of events) {
    const task = event.kind === 'queue' ? event.detail?.task : undefined
    const notification = notificationIn(event)
    const id = task?.id ?? notification?.taskId
    if (id === undefined) continue
    const named = task?.toolUseId ?? notification?.toolUseId
    const paired = calls.byId.get(callId(named ?? ''))
    if (paired && !byTask.has(id)) byTask.set(id, paired)
    const description = task?.description
    if (description !== undefined && !descriptions.has(id)) descriptions.set(id, description)
  }
  const byDescription = waitingCalls(calls, 'description', claimed)
  return ({ id, prompt }) => byTask.get(id) ?? byDescription(descriptions.get(id), prompt)
}

/** The first record hangs on the answer that delegates, or on something that hangs on it. */
function searchParents(skeleton: Skeleton, calls: Calls, claimed: ReadonlySet<PairedCall>): Search {
  const byRequest = new Map<string, PairedCall[]>()
  for (const paired of calls.list) {
    if (!delegatingTools.has(paired.call.name)) continue
    for (const key of [paired.request.id, paired.request.message?.id]) {
      if (key === undefined) continue
      const list = byRequest.get(key)
      if (list) list.push(paired)
      else byRequest.set(key, [paired])
    }
  }
  return subagent => {
    const above = answerAbove(skeleton, subagent)
    if (above === undefined) return undefined
    const candidates = byRequest.get(above.id) ?? byRequest.get(above.message?.id ?? '') ?? []
    const free = candidates.filter(paired => !claimed.has(paired))
    return free.find(paired => promptOf(paired) === subagent.prompt) ?? free[0]
  }
}

/** The nearest record above a subagent's thread that is not a mere progress, hook or attachment line. */
function answerAbove(skeleton: Skeleton, { id, first }: Subagent): SessionEvent | undefined {
  let node: NodeIndex = first === undefined ? none : (skeleton.index.get(first.id) ?? none)
  while (skeleton.events[node]?.thread === id) node = skeleton.parent[node] ?? none
  // A run of such lines is short; the bound keeps a damaged file from costing more than it has.
  for (let steps = 0; steps < 64; steps++) {
    const event = skeleton.events[node]
    if (event === undefined || !passedOver.has(event.kind)) return event
    node = skeleton.parent[node] ?? none
  }
  return undefined
}

const passedOver: ReadonlySet<string> = new Set(['progress', 'hook', 'attachment', 'notice'])

function searchPrompts(calls: Calls, claimed: ReadonlySet<PairedCall>): Search {
  const byPrompt = waitingCalls(calls, 'prompt', claimed)
  return ({ prompt }) => byPrompt(prompt)
}

/** Delegating calls by a field of their input; of several equal ones the one with that prompt, else each once, in order. */
function waitingCalls(calls: Calls, field: 'prompt' | 'description', claimed: ReadonlySet<PairedCall>) {
  const byText = new Map<string, { list: PairedCall[]; next: number }>()
  for (const paired of calls.list) {
    const text = delegatingTools.has(paired.call.name) ? inputText(paired, field) : undefined
    if (!text) continue
    const entry = byText.get(text)
    if (entry) entry.list.push(paired)
    else byText.set(text, { list: [paired], next: 0 })
  }
  return (text: string | undefined, prompt?: string): PairedCall | undefined => {
    const entry = byText.get(text?.trim() ?? '')
    if (entry === undefined) return undefined
    if (prompt && entry.list.length > 1) {
      const same = entry.list.find(paired => !claimed.has(paired) && promptOf(paired) === prompt)
      if (same) return same
    }
    while (entry.next < entry.list.length && claimed.has(entry.list[entry.next] as PairedCall)) entry.next++
    return entry.list[entry.next]
  }
}

function promptOf(paired: PairedCall): string | undefined {
  return inputText(paired, 'prompt')
}

function inputText(paired: PairedCall, field: string): string | undefined {
  return asString(asObject(paired.call.input)?.[field])?.trim()
}

/**
 * 003 may delegate in words: there is a parent but no call. Without a parent, what begins in the middle of the main thread
 * follows what is before it there.
 */
function linkByPlace(subagents: readonly Subagent[], skeleton: Skeleton, links: Map<ThreadId, SubagentCall>): void {
  const unlinked = subagents.filter(({ id }) => !links.has(id))
  const before = unlinked.length === 0 ? [] : mainBefore(skeleton)
  for (const subagent of unlinked) {
    const above = answerAbove(skeleton, subagent)
    const first = subagent.path === undefined ? skeleton.index.get(subagent.first?.id ?? eventId('')) : undefined
    const start = above ?? skeleton.events[before[first ?? none] ?? none]
    if (start === undefined) continue
    const linkedBy = above ? 'parent' : 'place'
    links.set(subagent.id, { linkedBy, startEvent: start.id, parentThread: start.thread })
  }
}

/** Two subagents cannot have started each other: the link that closes a ring is dropped. */
function dropCycles(links: Map<ThreadId, SubagentCall>): void {
  const walkOf = new Map<ThreadId, number>()
  let walk = 0
  for (const start of [...links.keys()]) {
    walk++
    let id: ThreadId | undefined = start
    let last = start
    while (id !== undefined && !walkOf.has(id)) {
      walkOf.set(id, walk)
      last = id
      id = links.get(id)?.parentThread
    }
    if (id !== undefined && walkOf.get(id) === walk) links.delete(last)
  }
}
