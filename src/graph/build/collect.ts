// Files of one session → one list of events, each with its thread, every uuid once as a node. Forked, split and resumed
// sessions repeat records: the first file wins, later ones keep their event, marked as a copy.

import { asString } from '../../base/json.ts'
import { isChainEvent, uuidOf } from '../../model/chain.ts'
import { hasFlag, type SessionEvent } from '../../model/event.ts'
import { type EventId, eventId, type SessionId, type ThreadId, threadId } from '../../model/ids.ts'
import type { GraphFile } from '../../model/session.ts'

export interface Collected {
  /** All events; entries may be replaced while threads are worked out. */
  all: SessionEvent[]
  /** Place in `all` of every node, in reading order. */
  places: number[]
  index: Map<EventId, number>
  /** Sidechain records of session files without an agent id: which thread they are is told by their parents. */
  inline: Set<number>
  /** The next number for ids that several files made. */
  repeats: Map<EventId, number>
}

export function collectEvents(session: SessionId, files: readonly GraphFile[]): Collected {
  const collected: Collected = { all: [], places: [], index: new Map(), inline: new Set(), repeats: new Map() }
  const main = threadId(session)
  for (const file of files) {
    const renamed = new Map<EventId, EventId>()
    for (const event of file.events) {
      const isInline = isInlineSidechain(event, file)
      const placed = isInline ? event : onThread(event, threadOf(event, file, main))
      addEvent(collected, withRenamedParent(placed, renamed), isInline, renamed)
    }
  }
  return collected
}

function isInlineSidechain(event: SessionEvent, file: GraphFile): boolean {
  if (file.role !== 'session' || file.agent !== undefined) return false
  return hasFlag(event, 'sidechain') && agentOf(event) === undefined
}

/** Records of a copied session keep the old session's id; the main thread is this session's all the same. */
function threadOf(event: SessionEvent, file: GraphFile, main: ThreadId): ThreadId {
  if (file.role === 'agent' || file.agent !== undefined) return agentThread(event, file, main)
  const agent = agentOf(event)
  return agent !== undefined && hasFlag(event, 'sidechain') ? threadId(agent) : main
}

function agentThread(event: SessionEvent, file: GraphFile, main: ThreadId): ThreadId {
  const agent = agentOf(event) ?? file.agent
  if (agent !== undefined) return threadId(agent)
  return event.thread === threadId(event.session) ? main : event.thread
}

function agentOf(event: SessionEvent): string | undefined {
  return asString(event.record.value?.['agentId']) || undefined
}

function onThread(event: SessionEvent, thread: ThreadId): SessionEvent {
  return event.thread === thread ? event : { ...event, thread }
}

function withRenamedParent(event: SessionEvent, renamed: ReadonlyMap<EventId, EventId>): SessionEvent {
  const parent = event.parent === null ? undefined : renamed.get(event.parent)
  return parent === undefined ? event : { ...event, parent }
}

function addEvent(collected: Collected, event: SessionEvent, isInline: boolean, renamed: Map<EventId, EventId>): void {
  const place = collected.all.length
  if (!isChainEvent(event)) {
    collected.all.push(event)
    return
  }
  const uuid = uuidOf(event)
  if (uuid !== undefined && (event.id !== uuid || collected.index.has(event.id))) {
    collected.all.push(hasFlag(event, 'copy') ? event : { ...event, flags: [...event.flags, 'copy'] })
    return
  }
  const node = uuid === undefined ? withOwnId(event, collected) : event
  if (node.id !== event.id) renamed.set(event.id, node.id)
  collected.all.push(node)
  collected.index.set(node.id, collected.places.length)
  collected.places.push(place)
  if (isInline) collected.inline.add(place)
}

/** Ids made from offsets may meet those of another file of the session: they get a number. */
function withOwnId(event: SessionEvent, { index, repeats }: Collected): SessionEvent {
  if (!index.has(event.id)) return event
  let count = repeats.get(event.id) ?? 2
  while (index.has(eventId(`${event.id}~${count}`))) count++
  repeats.set(event.id, count + 1)
  return { ...event, id: eventId(`${event.id}~${count}`) }
}
