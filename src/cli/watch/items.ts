// What there is to see of one event while its session is still being written: the items of `clew show`. It remembers calls
// until their results come; what an item shows is decided in `src/view`.

import { resultStatus } from '../../graph/build/calls.ts'
import { buildGraph } from '../../graph/graph.ts'
import { detailFields } from '../../model/detail.ts'
import type { EventOf, SessionEvent, ToolCallBlock, ToolResultBlock } from '../../model/event.ts'
import { type CallId, sessionId } from '../../model/ids.ts'
import type { CallStatus } from '../../model/session.ts'
import { quietItem, withMarks } from '../../view/items/item.ts'
import { viewPrompt } from '../../view/items/message.ts'
import { fieldParts, textOf } from '../../view/parts.ts'
import { planView, type ViewPlan } from '../../view/plan.ts'
import { ThreadViewer } from '../../view/thread.ts'
import type { ViewItem } from '../../view/view.ts'
import { wordsOf } from '../../view/words.ts'

interface OpenCall {
  block: ToolCallBlock
  request: SessionEvent
}

// Calls that wait for a result; the oldest is forgotten first.
const mostCalls = 2_000
const mostMade = 400

/** The calls of all sessions that have no result yet. */
export class OpenCalls {
  private readonly calls = new Map<CallId, OpenCall>()
  /** Calls that made a task, with their results: later calls name the task by its number. */
  private readonly made: SessionEvent[] = []

  see(event: SessionEvent): void {
    for (const block of event.blocks) {
      if (block.type !== 'tool-call') continue
      this.calls.set(block.callId, { block, request: event })
      const [oldest] = this.calls.keys()
      if (this.calls.size > mostCalls && oldest !== undefined) this.calls.delete(oldest)
    }
  }

  of(id: CallId): OpenCall | undefined {
    return this.calls.get(id)
  }

  /** After a result was shown its call is not needed any more. */
  close(event: SessionEvent): void {
    for (const block of event.blocks) {
      if (block.type !== 'tool-result') continue
      const call = this.calls.get(block.callId)
      if (call?.block.name === 'TaskCreate') this.made.push({ ...call.request, blocks: [call.block] }, event)
      if (this.made.length > mostMade) this.made.splice(0, 2)
      this.calls.delete(block.callId)
    }
  }

  /** What says which tasks there are in the session of an event that calls a tool for tasks. */
  tasksFor({ source }: SessionEvent, tools: readonly string[]): SessionEvent[] {
    if (!tools.some(name => name.startsWith('Task'))) return []
    return this.made.filter(one => one.source.file === source.file)
  }

  /** Names of the tools that an event calls or has results of. */
  toolsOf(event: SessionEvent): string[] {
    return event.blocks.flatMap(block => {
      if (block.type === 'tool-call') return [block.name]
      return block.type === 'tool-result' ? (this.of(block.callId)?.block.name ?? []) : []
    })
  }
}

/**
 * The items of `clew show` for one event, from the graph of it and of the requests that it answers: what else is in the session
 * need not be read.
 */
export function itemsOf(event: SessionEvent, calls: OpenCalls): ViewItem[] {
  if (event.kind === 'queue') return [queueItem(event)]
  if (event.kind === 'tool-results') return resultItems(event, calls)
  const items = shownItems([...calls.tasksFor(event, calls.toolsOf(event)), event], event)
  return items.length > 0 ? items.map(withoutEnd) : [stateItem(event)]
}

/** `events`: all that is known; the items are those of `shown`. */
function shownItems(events: readonly SessionEvent[], shown: SessionEvent): ViewItem[] {
  const isAlone = shown.kind !== 'compaction' && shown.blocks.every(({ type }) => !type.startsWith('tool-'))
  // Which number a window has only the whole session says.
  const plan = isAlone ? nothingElse : { ...planOf(events, shown), windowAt: nothingElse.windowAt }
  const viewer = new ThreadViewer(plan, { isShallow: true, isUnfolded: true })
  return [...viewer.groupItems({ events: [shown], modelBefore: shown.message?.model })]
}

function planOf(events: readonly SessionEvent[], { thread, source }: SessionEvent): ViewPlan {
  return planView(buildGraph(sessionId(thread), [{ path: source.file, role: 'session', events }], [], true))
}

/** What there is to know about an event that neither calls nor answers anything. */
const nothingElse = planView(buildGraph(sessionId(''), []))

/** A call whose result is yet to come is what watching is about: it needs no word. */
function withoutEnd(item: ViewItem): ViewItem {
  if (item.kind !== 'call' || item.status !== 'missing') return item
  return { ...item, status: 'running', badges: item.badges.filter(({ text }) => text !== 'no result') }
}

function resultItems(event: SessionEvent, calls: OpenCalls): ViewItem[] {
  const own = shownItems([event], event)
  const items: ViewItem[] = []
  for (const block of event.blocks) {
    if (block.type !== 'tool-result') continue
    const call = calls.of(block.callId)
    const stray = own.shift()
    if (call !== undefined) items.push(...callItems(call, event, calls.tasksFor(event, [call.block.name])))
    else if (stray !== undefined)
      items.push({ ...stray, kind: 'call', headline: 'Result', status: strayStatus(event, block) })
  }
  return [...items, ...own]
}

/** The call as its result leaves it, at the time of the result. */
function callItems({ block, request }: OpenCall, event: SessionEvent, tasks: readonly SessionEvent[]): ViewItem[] {
  const asking = { ...request, blocks: [block] }
  return shownItems([...tasks, asking, event], asking).map(item =>
    withMarks({ ...item, id: event.id, at: event.at }, event),
  )
}

/** The call was made before anybody watched. */
function strayStatus(event: SessionEvent, block: ToolResultBlock): CallStatus {
  return resultStatus(event, { event, block }, false)
}

/** `State  permission mode`, with its fields below. */
function stateItem(event: SessionEvent): ViewItem {
  const { kind, wireType } = event
  const name = wordsOf(kind)
  const title = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}  ${wordsOf(wireType)}`
  return {
    ...quietItem(event, 'notice', title.trimEnd()),
    body: fieldParts(detailFields(event), ['type', 'titleFrom']),
  }
}

/** What waits while the model works: a prompt of a human's is shown, since not all clients write it a second time. */
function queueItem(event: EventOf<'queue'>): ViewItem {
  const { operation, task, notification } = event.detail ?? {}
  const text = textOf(event.blocks).trim()
  const isTyped = operation === 'enqueue' && task === undefined && !/^(<|\/|$)/.test(text)
  if (isTyped && notification === undefined) return { ...viewPrompt(event), actor: 'human' }
  return stateItem(event)
}
