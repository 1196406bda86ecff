// Compactions and the context windows between them. Three vocabularies, one thing: Claude Code's boundary with its summary,
// 000's preludes with their recap, 003's three phases. Those of 0.2 and 1.0.3 leave no mark but a
// summary, which then is the border itself.

import type { Preserved } from '../../model/detail.ts'
import type { EventOf, SessionEvent } from '../../model/event.ts'
import { type EventId, eventId, type ThreadId } from '../../model/ids.ts'
import type { Compaction, ContextWindow, Thread } from '../../model/session.ts'
import { opensWindow, type WindowOpener } from './parents.ts'
import { type NodeIndex, none, type Skeleton } from './skeleton.ts'

/** What is still being put together on one thread. */
interface Open {
  /** 003: the border, once the phase "done" was seen. */
  phased?: { compaction?: Compaction }
  /** Claude Code's boundary, or 000's preludes, waiting for the summary. */
  unsummed?: Compaction
  /** Whether the last chain record was a prelude: only neighbours belong together. */
  inPreludes: boolean
}

export function buildCompactions(skeleton: Skeleton): Compaction[] {
  const found: Compaction[] = []
  const open = new Map<ThreadId, Open>()
  const budget = { steps: 2 * skeleton.events.length }
  for (const event of skeleton.events) {
    let state = open.get(event.thread)
    if (state === undefined) {
      state = { inPreludes: false }
      open.set(event.thread, state)
    }
    const added = take(event, state)
    if (added) {
      found.push(added)
      if (opensWindow(event)) addPreserved(added, event, skeleton, budget)
    }
  }
  return found
}

/** A new compaction that begins with this event; what belongs to an open one is added to that. */
function take(event: SessionEvent, state: Open): Compaction | undefined {
  switch (event.kind) {
    case 'compaction':
      state.inPreludes = false
      return event.dialect === 's3' ? takePhase(event, state) : takeBoundary(event, state)
    case 'preserved':
      return takePrelude(event, state)
    case 'compact-summary':
      state.inPreludes = false
      return takeSummary(event, state)
    default:
      if (event.kind !== 'notice' && event.kind !== 'hook') state.inPreludes = false
      // The summary follows at once: after an answer it is another compaction's, whose border is lost.
      if (event.kind === 'answer') delete state.unsummed
      return undefined
  }
}

function takeBoundary(event: EventOf<'compaction'>, state: Open): Compaction | undefined {
  if (event.detail?.phase === 'micro') return undefined
  state.unsummed = newCompaction(event)
  return state.unsummed
}

/** compacting → compacted → restored; the middle one is the border and has the counts, any may be missing. */
function takePhase(event: EventOf<'compaction'>, state: Open): Compaction | undefined {
  const phase = event.detail?.phase
  if (phase === 'start') {
    state.phased = {}
    return undefined
  }
  const known = state.phased?.compaction
  if (phase === 'restored') {
    delete state.phased
    if (known) addCounts(known, event)
    return undefined
  }
  if (phase !== 'done') return undefined
  const compaction = newCompaction(event)
  state.phased = { compaction }
  state.unsummed = compaction
  return compaction
}

/** Preludes in a row are one compaction, and the first of them is its border. */
function takePrelude(event: WindowOpener, state: Open): Compaction | undefined {
  if (state.inPreludes && state.unsummed) {
    state.unsummed.preservedEvents?.push(event.id)
    addCounts(state.unsummed, event)
    return undefined
  }
  state.inPreludes = true
  state.unsummed = newCompaction(event)
  state.unsummed.preservedEvents = [event.id]
  return state.unsummed
}

/** A summary belongs to the border before it; without one it is itself the border. */
function takeSummary(event: WindowOpener, state: Open): Compaction | undefined {
  const compaction = state.unsummed
  delete state.unsummed
  if (compaction) {
    compaction.summaryEvent = event.id
    addCounts(compaction, event)
    return undefined
  }
  return { ...newCompaction(event), summaryEvent: event.id }
}

function newCompaction(event: WindowOpener): Compaction {
  const compaction: Compaction = { event: event.id, thread: event.thread, at: event.at }
  addCounts(compaction, event)
  return compaction
}

function addCounts(compaction: Compaction, { detail }: WindowOpener): void {
  if (detail?.trigger !== undefined) compaction.trigger ??= detail.trigger
  for (const field of ['preTokens', 'postTokens', 'preservedMessages', 'totalMessages'] as const) {
    const count = detail?.[field]
    if (count !== undefined) compaction[field] ??= count
  }
}

/** Records before the border that belong after the summary: listed by uuid, or as a segment from head to tail. */
function addPreserved(
  compaction: Compaction,
  event: WindowOpener,
  skeleton: Skeleton,
  budget: { steps: number },
): void {
  const { preserved } = event.detail ?? {}
  if (preserved === undefined) return
  const { uuids = [] } = preserved
  const events = uuids.length > 0 ? uuids.map(eventId) : segment(preserved, skeleton, budget)
  const known = events.filter(id => skeleton.index.has(id))
  if (known.length > 0) compaction.preservedEvents = known
  if (events.length > 0) compaction.preservedMessages ??= events.length
}

/** From the tail up to the head. Without the head nothing is sure but the tail; `budget` bounds what such files can cost. */
function segment(preserved: Preserved, skeleton: Skeleton, budget: { steps: number }): EventId[] {
  const head = skeleton.index.get(eventId(preserved.head ?? ''))
  const tail = skeleton.index.get(eventId(preserved.tail ?? ''))
  if (tail === undefined || head === undefined) return []
  const path: EventId[] = []
  for (let node: NodeIndex = tail; node !== none && budget.steps > 0; node = skeleton.parent[node] ?? none) {
    budget.steps--
    path.push((skeleton.events[node] as SessionEvent).id)
    if (node === head) return path.reverse()
  }
  return []
}

/** Every thread divided at its compactions. */
export function buildWindows(threads: readonly Thread[], compactions: readonly Compaction[]): ContextWindow[] {
  const borders = new Map<EventId, Compaction>()
  for (const compaction of compactions) borders.set(compaction.event, compaction)
  const windows: ContextWindow[] = []
  for (const thread of threads) {
    let window: ContextWindow = { thread: thread.id, index: 0, events: [] }
    windows.push(window)
    for (const id of thread.events) {
      const border = borders.get(id)
      if (border?.thread === thread.id) {
        window = { thread: thread.id, index: window.index + 1, compaction: id, events: [] }
        windows.push(window)
      }
      window.events.push(id)
    }
  }
  return windows
}
