// Gives every paired call its status: from its result, from an interruption that came instead of one, and from the
// notification that ended what it had started in the background.

import { type Instant, toMillis } from '../../base/instant.ts'
import { asObject, asString } from '../../base/json.ts'
import { hasFlag, notificationIn, type SessionEvent } from '../../model/event.ts'
import { callId, type EventId, type ThreadId } from '../../model/ids.ts'
import { type CallStatus, delegatingTools, type ToolCall } from '../../model/session.ts'
import { type Calls, isLaunchOnly, type PairedCall, resultStatus, runsOn, taskStatus } from './calls.ts'

export function decideOutcomes(calls: Calls, events: readonly SessionEvent[]): void {
  const stoppedAt = stoppedParents(events)
  for (const { call, request, result } of calls.list) {
    if (result) call.outcome = resultStatus(request, result, stoppedAt.has(result.event.id))
    else if (hasFlag(request, 'aborted')) call.outcome = 'interrupted'
  }
  interruptOpenCalls(calls, events)
  resolveBackground(calls, events)
}

/** Records at which the user stopped a turn. */
function stoppedParents(events: readonly SessionEvent[]): Set<EventId> {
  const parents = new Set<EventId>()
  for (const event of events) if (event.kind === 'interruption' && event.parent !== null) parents.add(event.parent)
  return parents
}

/** An interruption stops what its thread is waiting for; a prompt without one leaves it missing. */
function interruptOpenCalls(calls: Calls, events: readonly SessionEvent[]): void {
  const requests = new Map<EventId, PairedCall[]>()
  for (const paired of calls.list) {
    if (paired.result !== undefined) continue
    const list = requests.get(paired.request.id)
    if (list) list.push(paired)
    else requests.set(paired.request.id, [paired])
  }
  if (requests.size === 0) return
  const waiting = new Map<ThreadId, PairedCall[]>()
  for (const event of events) {
    if (hasFlag(event, 'copy')) continue
    if (event.kind === 'interruption') {
      for (const { call } of waiting.get(event.thread) ?? []) call.outcome = 'interrupted'
      waiting.delete(event.thread)
    } else if (event.kind === 'prompt' && event.wireType !== 'attachment') {
      waiting.delete(event.thread)
    }
    const asked = requests.get(event.id)
    if (asked === undefined) continue
    const list = waiting.get(event.thread)
    if (list) for (const paired of asked) list.push(paired)
    else waiting.set(event.thread, [...asked])
  }
}

/** What a background task last said of itself. */
interface TaskWord {
  event: SessionEvent
  status: CallStatus | undefined
  /** When it first said that it had ended. */
  endedAt: Instant
}

function resolveBackground(calls: Calls, events: readonly SessionEvent[]): void {
  const words = taskWords(calls, events)
  for (const paired of calls.list) {
    const word = words.get(paired)
    const launched = paired.result !== undefined && runsOn(paired.result.block)
    if (launched) setOwnDuration(paired, word?.endedAt ?? null)
    if (word === undefined) {
      if (launched && paired.call.outcome === 'done') paired.call.outcome = 'running'
      continue
    }
    if (word.event.kind !== 'tool-results') paired.call.notification = word.event.id
    const isOpen = paired.call.outcome === 'done' || (paired.result === undefined && paired.call.outcome === 'missing')
    if (isOpen) paired.call.outcome = word.status ?? (launched ? 'running' : 'done')
  }
}

/** What runs on takes until it reports its end, not until it was launched. */
function setOwnDuration({ call, request }: PairedCall, endedAt: Instant): void {
  const from = toMillis(request.at)
  const to = toMillis(endedAt)
  if (from !== null && to !== null && to >= from) call.durationMs = to - from
  else delete call.durationMs
}

/** The last word about every call's task; a notification in the conversation counts before its line in the queue. */
function taskWords(calls: Calls, events: readonly SessionEvent[]): Map<PairedCall, TaskWord> {
  const byTask = tasksOf(calls)
  const words = new Map<PairedCall, TaskWord>()
  const agents = new RunningAgents(calls)
  for (const event of events) {
    if (hasFlag(event, 'copy')) continue
    const notification = notificationIn(event)
    if (notification) {
      const paired = calls.byId.get(callId(notification.toolUseId ?? '')) ?? byTask.get(notification.taskId ?? '')
      const before = paired && words.get(paired)
      if (!paired || (event.kind === 'queue' && before?.event.kind === 'notification')) continue
      const status = taskStatus(notification.status)
      words.set(paired, { event, status: status ?? before?.status, endedAt: endOf(before, event, status) })
    } else if (event.kind === 'tool-results') {
      agents.see(event)
      addReportedState(event, calls, byTask, words)
    } else if (event.kind === 'notice' && event.detail?.subtype === 'agents_killed') {
      for (const paired of agents.stopAll()) if (!words.has(paired)) words.set(paired, wordOf(event, 'interrupted'))
    }
  }
  return words
}

function wordOf(event: SessionEvent, status: CallStatus): TaskWord {
  return { event, status, endedAt: endOf(undefined, event, status) }
}

function endOf(before: TaskWord | undefined, event: SessionEvent, status: CallStatus | undefined): Instant {
  const isEnd = status !== undefined && status !== 'running'
  return before?.endedAt ?? (isEnd ? event.at : null)
}

/** Background agents whose launch was seen: one notice says that all of them were stopped. */
class RunningAgents {
  private readonly byResult = new Map<SessionEvent, PairedCall[]>()
  private running: PairedCall[] = []

  constructor(calls: Calls) {
    for (const paired of calls.list) {
      const { result } = paired
      if (result === undefined || !delegatingTools.has(paired.call.name) || !isLaunchOnly(result.block)) continue
      const list = this.byResult.get(result.event)
      if (list) list.push(paired)
      else this.byResult.set(result.event, [paired])
    }
  }

  see(result: SessionEvent): void {
    for (const paired of this.byResult.get(result) ?? []) this.running.push(paired)
  }

  stopAll(): PairedCall[] {
    const stopped = this.running
    this.running = []
    return stopped
  }
}

const stoppingTools: ReadonlySet<string> = new Set(['TaskStop', 'KillShell', 'KillBash'])

/** Tools that fetch a task's state or stop it report its end: the only report where no notification came. */
function addReportedState(
  event: SessionEvent,
  calls: Calls,
  byTask: ReadonlyMap<string, PairedCall>,
  words: Map<PairedCall, TaskWord>,
): void {
  if (byTask.size === 0) return
  for (const block of event.blocks) {
    const facts = block.type === 'tool-result' ? asObject(block.structured) : undefined
    if (block.type !== 'tool-result' || facts === undefined) continue
    const task = asObject(facts['task']) ?? facts
    const id = asString(task['task_id']) ?? asString(task['shellId']) ?? asString(task['shell_id'])
    const paired = byTask.get(id ?? '')
    const teller = calls.byId.get(block.callId)
    if (paired === undefined || paired === teller || words.has(paired)) continue
    const isStop = stoppingTools.has(teller?.call.name ?? '') && !block.isError
    const status = isStop ? 'interrupted' : taskStatus(asString(task['status']))
    if (status !== undefined) words.set(paired, wordOf(event, status))
  }
}

/** Ids under which results say that their task runs on. The first call that names one started it. */
function tasksOf(calls: Calls): Map<string, PairedCall> {
  const byTask = new Map<string, PairedCall>()
  for (const paired of calls.list) {
    const structured = asObject(paired.result?.block.structured)
    // A tool that stops or fetches a task names it too.
    if (structured === undefined || stoppingTools.has(paired.call.name)) continue
    for (const field of ['agentId', 'agent_id', 'backgroundTaskId', 'taskId', 'task_id']) {
      const id = asString(structured[field])
      if (id !== undefined && !byTask.has(id)) byTask.set(id, paired)
    }
  }
  return byTask
}

/** Nothing runs any more in a session that is not being written: the log has no end of it. */
export function endRunning(calls: Calls): void {
  for (const { call } of calls.list) if (call.outcome === 'running') call.outcome = 'missing'
}

/**
 * Calls of a subagent that never ended were stopped with it, or with the one that started it. `starters`: the call that
 * started each thread, without rings.
 */
export function interruptWithin(calls: Calls, starters: ReadonlyMap<ThreadId, PairedCall>): void {
  /** Whether the nearest call above that has ended was interrupted, for every thread asked so far. */
  const stopped = new Map<ThreadId, boolean>()
  for (const { call } of calls.list) {
    if (call.outcome !== 'missing') continue
    const path: ThreadId[] = []
    let thread: ThreadId | undefined = call.thread
    let isStopped = false
    while (thread !== undefined) {
      const known = stopped.get(thread)
      const above: ToolCall | undefined = starters.get(thread)?.call
      path.push(thread)
      thread = undefined
      if (known !== undefined) isStopped = known
      else if (above?.outcome === 'missing') thread = above.thread
      else isStopped = above?.outcome === 'interrupted'
    }
    for (const step of path) stopped.set(step, isStopped)
    if (isStopped) call.outcome = 'interrupted'
  }
}
