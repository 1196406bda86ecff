// Files of one session → one list of events, each with its thread, and the nodes they form: every uuid once, later records with
// the same uuid as copies. Which parent a node has is decided in parents.ts.

import { hasFlag, isChainEvent, type SessionEvent } from '../../model/event.ts'
import type { Finding } from '../../model/finding.ts'
import { type EventId, eventId, type SessionId, type ThreadId, threadId } from '../../model/ids.ts'
import type { GraphFile, GraphNode } from '../../model/session.ts'
import { withoutRepeatedLines } from './embedded.ts'
import { restampedIn, withOriginTime } from './fork-times.ts'
import { cutLoops, findingAbout, joinWindows, resolveParents } from './parents.ts'
import { none, type Skeleton } from './skeleton.ts'
import { assignSidechains, joinUnlinked, returnToMain } from './threads.ts'

export interface Nodes {
  skeleton: Skeleton
  /** All events, copies and records outside the chain included. */
  events: SessionEvent[]
  findings: Finding[]
}

export function buildNodes(session: SessionId, given: readonly GraphFile[]): Nodes {
  const files = withoutRepeatedLines(given)
  const restamped = restampedIn(files)
  const collected = collectEvents(session, restamped === undefined ? files : withOriginTime(files, restamped, null))
  const skeleton = emptySkeleton(session, collected)
  const inline = new Set<number>()
  collected.places.forEach((place, node) => {
    if (collected.inline.has(place)) inline.add(node)
  })
  const loops: number[] = []
  // Every step may close a loop of its own, and the next one follows parents.
  for (const step of [resolveParents, joinUnlinked, assignSidechains, joinWindows, returnToMain]) {
    step(skeleton, inline)
    for (const node of cutLoops(skeleton)) loops.push(node)
  }
  collected.places.forEach((place, node) => {
    collected.all[place] = skeleton.events[node] as SessionEvent
  })
  return { skeleton, events: collected.all, findings: nodeFindings(skeleton, collected, loops) }
}

function emptySkeleton(session: SessionId, collected: Collected): Skeleton {
  return {
    session,
    main: threadId(session),
    events: collected.places.map(place => collected.all[place] as SessionEvent),
    index: collected.index,
    parent: [],
    link: [],
  }
}

function nodeFindings(skeleton: Skeleton, collected: Collected, loops: readonly number[]): Finding[] {
  const findings: Finding[] = []
  for (let node = 0; node < skeleton.events.length; node++) {
    const event = skeleton.events[node] as SessionEvent
    const isJoined = skeleton.link[node] === 'logical' && event.parent !== null
    if (skeleton.link[node] !== 'orphan' && !isJoined) continue
    const how = isJoined ? `; it goes on from its logical parent ${event.logicalParent}` : ''
    const message = `Its parent ${event.parent} is not in this session${how}.`
    findings.push(findingAbout(event, 'orphan-parent', 'info', message))
  }
  for (const node of loops) {
    const event = skeleton.events[node] as SessionEvent
    const message =
      event.parent === event.id ? 'It names itself as its parent.' : `Its parent ${event.parent} descends from it.`
    findings.push(findingAbout(event, 'parent-loop', 'error', message))
  }
  for (const event of collected.all) {
    if (!hasFlag(event, 'copy') || !event.id.includes('~')) continue
    findings.push(findingAbout(event, 'duplicate-uuid', 'warning', 'A record before it in this file has its uuid.'))
  }
  return findings
}

/** The nodes as the graph shows them. */
export function graphNodes(skeleton: Skeleton): { nodes: Map<EventId, GraphNode>; roots: EventId[] } {
  const list = skeleton.events.map((event, node): GraphNode => {
    const parent = skeleton.events[skeleton.parent[node] ?? none]
    return { event, parent: parent?.id ?? null, link: skeleton.link[node] ?? 'root', children: [] }
  })
  const nodes = new Map<EventId, GraphNode>()
  const roots: EventId[] = []
  list.forEach((node, at) => {
    nodes.set(node.event.id, node)
    const parent = list[skeleton.parent[at] ?? none]
    if (parent === undefined) roots.push(node.event.id)
    else parent.children.push(node.event.id)
  })
  return { nodes, roots }
}

export interface Collected {
  /** All events; entries may be replaced while threads are worked out. */
  all: SessionEvent[]
  /** Place in `all` of every node, in reading order. */
  places: number[]
  index: Map<EventId, number>
  /** Sidechain records of session files without an agent id: their parents decide which thread they are. */
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
  return hasFlag(event, 'sidechain') && event.stated.agent === undefined
}

/** Records of a copied session keep the old session's id; the main thread is this session's all the same. */
function threadOf(event: SessionEvent, file: GraphFile, main: ThreadId): ThreadId {
  if (file.role === 'agent' || file.agent !== undefined) return agentThread(event, file, main)
  const agent = event.stated.agent
  return agent !== undefined && hasFlag(event, 'sidechain') ? threadId(agent) : main
}

function agentThread(event: SessionEvent, file: GraphFile, main: ThreadId): ThreadId {
  const agent = event.stated.agent ?? file.agent
  if (agent !== undefined) return threadId(agent)
  return event.thread === threadId(event.session) ? main : event.thread
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
  const uuid = event.stated.uuid
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
