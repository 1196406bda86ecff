// Events → nodes with their parents and threads. Every record with a uuid is a node, whatever its kind: leaving kinds out is
// what breaks chains. What the nodes mean together (branches, turns, calls) is found out elsewhere.

import { hasFlag, type SessionEvent } from '../../model/event.ts'
import type { Finding } from '../../model/finding.ts'
import { type EventId, type SessionId, threadId } from '../../model/ids.ts'
import type { GraphFile, GraphNode } from '../../model/session.ts'
import { type Collected, collectEvents } from './collect.ts'
import { findingAbout } from './findings.ts'
import { cutLoops, joinWindows, resolveParents } from './parents.ts'
import { assignSidechains, joinUnlinked, returnToMain } from './sidechains.ts'
import { none, type Skeleton } from './skeleton.ts'

export interface Nodes {
  skeleton: Skeleton
  /** All events, copies and records outside the chain included. */
  events: SessionEvent[]
  findings: Finding[]
}

export function buildNodes(session: SessionId, files: readonly GraphFile[]): Nodes {
  const collected = collectEvents(session, files)
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
