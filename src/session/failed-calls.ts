// How many calls of a session failed, gathered while its events go by: those that the graph of the same events calls failed. It
// remembers of each call and result the little by which the graph decides that, and lets the graph decide.

import { buildCalls } from '../graph/build/calls.ts'
import { decideOutcomes } from '../graph/build/outcomes.ts'
import { type NodeIndex, none, type Skeleton } from '../graph/build/skeleton.ts'
import {
  type Block,
  isErrorResult,
  notificationIn,
  type SessionEvent,
  type ToolResultBlock,
  wasStopped,
} from '../model/event.ts'
import { callId, type EventId, type SessionId, threadId } from '../model/ids.ts'
import { namedBy } from './result-names.ts'

export class FailedCalls {
  private readonly events: SessionEvent[] = []
  private mayFail = false

  see(event: SessionEvent): void {
    const isAboutCalls = notificationIn(event) !== undefined || otherKinds.has(event.kind)
    if (!isAboutCalls && !event.blocks.some(({ type }) => type === 'tool-call' || type === 'tool-result')) return
    const blocks = event.kind === 'notice' ? stopIn(event) : event.blocks.flatMap(block => pruned(event, block))
    this.events.push({ ...event, blocks, record: placeOf(event), stated: {} })
    const isError = blocks.some(block => block.type === 'tool-result' && block.isError)
    this.mayFail ||= isError || notificationIn(event) !== undefined || event.flags.includes('error')
  }

  count(session: SessionId): number {
    // Most sessions need no graph for it.
    if (!this.mayFail) return 0
    const calls = buildCalls(skeletonOf(session, this.events), this.events)
    decideOutcomes(calls, this.events)
    return calls.list.filter(({ call }) => call.outcome === 'failed').length
  }
}

/** Besides calls, results and notifications: what stops calls, and what answers them in 003. */
const otherKinds: ReadonlySet<string> = new Set(['interruption', 'prompt', 'notice'])

function pruned(event: SessionEvent, block: Block): Block[] {
  if (block.type === 'tool-call') return [{ ...block, input: undefined }]
  return block.type === 'tool-result' ? [prunedResult(event, block)] : []
}

/** A line of 003 that answers a call may say that the user stopped it. */
function stopIn(event: SessionEvent): Block[] {
  const isError = event.flags.includes('error')
  const result = { type: 'tool-result', callId: callId(''), isError, content: event.blocks } as const
  return wasStopped(event, result) ? [{ type: 'text', text: '[Request interrupted by user]' }] : []
}

function prunedResult(event: SessionEvent, block: ToolResultBlock): ToolResultBlock {
  const { type, callId } = block
  const isStopped = wasStopped(event, block)
  const structured = { ...namedBy(block), ...(isStopped && { interrupted: true }) }
  return { type, callId, isError: isErrorResult(event, block), content: [], structured }
}

/** The record itself is not remembered. */
function placeOf({ source, dialect, wireType }: SessionEvent): SessionEvent['record'] {
  return { ...source, dialect, type: wireType, status: 'known' }
}

function skeletonOf(session: SessionId, events: SessionEvent[]): Skeleton {
  const index = new Map<EventId, NodeIndex>(events.map(({ id }, node) => [id, node]))
  const parent = events.map(event => (event.parent === null ? none : (index.get(event.parent) ?? none)))
  return { session, main: threadId(session), events, index, parent, link: [] }
}
