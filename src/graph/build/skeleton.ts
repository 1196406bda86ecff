// The nodes of a session as parallel lists, in reading order: what the parts of the graph are worked out from.
// Plain numbers instead of ids keep every pass linear; nothing here decides what a parent is.

import type { SessionEvent } from '../../model/event.ts'
import type { EventId, SessionId, ThreadId } from '../../model/ids.ts'
import type { ParentLink } from '../../model/session.ts'

/** Place of a node in the lists; -1 represents "none". */
export type NodeIndex = number
export const none: NodeIndex = -1

export interface Skeleton {
  session: SessionId
  /** The main thread's id: the session's. */
  main: ThreadId
  /** Events that are nodes; files in reading order, records in file order. */
  events: SessionEvent[]
  index: Map<EventId, NodeIndex>
  parent: NodeIndex[]
  link: ParentLink[]
}

/** Children of every node, in reading order. */
export function childrenOf(parent: readonly NodeIndex[]): NodeIndex[][] {
  const children: NodeIndex[][] = parent.map(() => [])
  for (let node = 0; node < parent.length; node++) children[parent[node] ?? none]?.push(node)
  return children
}

/** All nodes, every parent before its children. */
export function topDown(parent: readonly NodeIndex[], children: readonly NodeIndex[][]): NodeIndex[] {
  const order: NodeIndex[] = []
  for (let node = 0; node < parent.length; node++) if (parent[node] === none) order.push(node)
  for (let at = 0; at < order.length; at++) {
    for (const child of children[order[at] ?? none] ?? []) order.push(child)
  }
  return order
}

/** The main-thread node before every node in reading order. */
export function mainBefore(skeleton: Skeleton): NodeIndex[] {
  let last: NodeIndex = none
  return skeleton.events.map((event, node) => {
    const before = last
    if (event.thread === skeleton.main) last = node
    return before
  })
}
