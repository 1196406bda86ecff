// What there is to see of one event by itself, while its session is still being written: the items of `clew show`, made
// without a graph. It remembers calls until their results come; what is shown of an item is decided elsewhere.

import { toMillis } from '../../base/instant.ts'
import { asNumber, asString } from '../../base/json.ts'
import {
  isErrorResult,
  type SessionEvent,
  type ToolCallBlock,
  type ToolResultBlock,
  wasStopped,
} from '../../model/event.ts'
import type { CallId } from '../../model/ids.ts'
import type { CallStatus, Compaction, ToolCall } from '../../model/session.ts'
import { viewCall, viewStrayResult } from '../../view/calls/call.ts'
import { viewCompaction, viewCompactionStep } from '../../view/items/compaction.ts'
import { viewAlone } from '../../view/items/event.ts'
import { newItem, quietItem, withMarks } from '../../view/items/item.ts'
import {
  markStop,
  viewAnswer,
  viewCommand,
  viewNextToResult,
  viewOtherBlock,
  viewPrompt,
  viewThinking,
} from '../../view/items/message.ts'
import { viewLink, viewProgress } from '../../view/items/side.ts'
import { fieldParts, mediaPart, textOf } from '../../view/parts.ts'
import type { ViewItem } from '../../view/view.ts'
import { wordsOf } from '../../view/words.ts'

interface OpenCall {
  block: ToolCallBlock
  request: SessionEvent
}

// Calls that wait for a result; the oldest is forgotten first.
const mostCalls = 2_000

/** The calls of all sessions that have no result yet. */
export class OpenCalls {
  private readonly calls = new Map<CallId, OpenCall>()

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
    for (const block of event.blocks) if (block.type === 'tool-result') this.calls.delete(block.callId)
  }

  /** Names of the tools that an event calls or has results of. */
  toolsOf(event: SessionEvent): string[] {
    return event.blocks.flatMap(block => {
      if (block.type === 'tool-call') return [block.name]
      return block.type === 'tool-result' ? (this.of(block.callId)?.block.name ?? []) : []
    })
  }
}

export function itemsOf(event: SessionEvent, calls: OpenCalls): ViewItem[] {
  switch (event.kind) {
    case 'answer':
      return answerItems(event)
    case 'tool-results':
      return resultItems(event, calls)
    case 'prompt':
    case 'history':
      return [withMarks(viewPrompt(event), event)]
    case 'command':
      return [viewCommand(event, [])]
    case 'compaction':
      return [compactionItem(event)]
    case 'queue':
      return [queueItem(event)]
    case 'link':
      return [viewLink(event)]
    case 'progress':
      return [viewProgress([event])[0] ?? stateItem(event)]
    default:
      return [viewAlone(event)[0] ?? stateItem(event)]
  }
}

/** `State  permission mode`, with its fields below. */
function stateItem(event: SessionEvent): ViewItem {
  const { detail = {}, kind, wireType } = event
  const name = wordsOf(kind)
  const title = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}  ${wordsOf(wireType)}`
  return { ...quietItem(event, 'notice', title.trimEnd()), body: fieldParts(detail, ['type', 'titleFrom']) }
}

function answerItems(event: SessionEvent): ViewItem[] {
  const items = event.blocks.map(block => {
    switch (block.type) {
      case 'text':
        return viewAnswer(event, block.text)
      case 'thinking':
        return viewThinking(event, block)
      case 'tool-call':
        return callItem({ block, request: event })
      case 'tool-result':
        return viewStrayResult(event, block)
      case 'other':
        return viewOtherBlock(event, block)
      default:
        return { ...newItem(event, 'answer', 'Answer'), body: [mediaPart(block)] }
    }
  })
  const last = items.at(-1)
  if (last !== undefined) markStop(last, event)
  return items.map(item => withMarks(item, event))
}

function resultItems(event: SessionEvent, calls: OpenCalls): ViewItem[] {
  const items: ViewItem[] = []
  for (const block of event.blocks) {
    if (block.type !== 'tool-result') continue
    const call = calls.of(block.callId)
    const item = call === undefined ? strayItem(event, block) : callItem(call, { block, event })
    items.push(withMarks(item, event))
  }
  const others = event.blocks.filter(block => block.type !== 'tool-result')
  if (others.length > 0) items.push(viewNextToResult(event, others))
  return items
}

/** The call was made before anybody watched. */
function strayItem(event: SessionEvent, block: ToolResultBlock): ViewItem {
  return { ...viewStrayResult(event, block), kind: 'call', headline: 'Result', status: statusOf(event, block) }
}

function callItem({ block, request }: OpenCall, result?: { block: ToolResultBlock; event: SessionEvent }): ViewItem {
  const call: ToolCall = {
    id: block.callId,
    name: block.name,
    input: block.input,
    outcome: result === undefined ? 'running' : statusOf(result.event, result.block),
    thread: request.thread,
    requestEvent: request.id,
    pairing: block.inferredId === true ? 'inferred' : 'id',
    progress: [],
  }
  const [from, to] = [toMillis(request.at), toMillis(result?.event.at ?? null)]
  if (from !== null && to !== null && to >= from) call.durationMs = to - from
  const item = viewCall(call, {
    request: result?.event ?? request,
    result: result?.block,
    resultEvent: result?.event,
    threads: [],
    progress: [],
    subjectOf: () => undefined,
  })
  // A call whose result is yet to come is what watching is about: it needs no word.
  if (result === undefined) item.badges = item.badges.filter(({ text }) => text !== 'running')
  return item
}

function statusOf(event: SessionEvent, block: ToolResultBlock): CallStatus {
  if (wasStopped(event, block)) return 'interrupted'
  return isErrorResult(event, block) ? 'failed' : 'done'
}

function compactionItem(event: SessionEvent): ViewItem {
  const { detail = {} } = event
  if (detail['phase'] !== 'done') return viewCompactionStep(event)
  const compaction: Compaction = { event: event.id, thread: event.thread, at: event.at }
  const trigger = asString(detail['trigger'])
  if (trigger !== undefined) compaction.trigger = trigger
  for (const name of ['preTokens', 'postTokens', 'preservedMessages', 'totalMessages'] as const) {
    const count = asNumber(detail[name])
    if (count !== undefined) compaction[name] = count
  }
  return viewCompaction(event, compaction, undefined)
}

/** What waits while the model works: a prompt of a human's is shown, since not all clients write it a second time. */
function queueItem(event: SessionEvent): ViewItem {
  const { detail = {} } = event
  const text = textOf(event.blocks).trim()
  const isTyped = detail['operation'] === 'enqueue' && detail['task'] === undefined && !/^(<|\/|$)/.test(text)
  if (isTyped && detail['notification'] === undefined) return { ...viewPrompt(event), actor: 'human' }
  return stateItem(event)
}
