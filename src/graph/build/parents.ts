// Which node is the parent of which, in the reading that hides nothing: a parent that is nowhere makes a root, a loop is
// cut. How Claude Code would bridge such gaps on resume is not asked here.

import type { EventOf, SessionEvent } from '../../model/event.ts'
import type { Finding, Severity } from '../../model/finding.ts'
import type { EventId } from '../../model/ids.ts'
import type { ParentLink } from '../../model/session.ts'
import { type NodeIndex, none, type Skeleton } from './skeleton.ts'

/** Fills `parent` and `link` of all nodes from what the records state. */
export function resolveParents(skeleton: Skeleton): void {
  for (let node = 0; node < skeleton.events.length; node++) {
    const event = skeleton.events[node] as SessionEvent
    const [parent, link] = resolveParent(event, skeleton.index)
    skeleton.parent[node] = parent
    skeleton.link[node] = link
  }
}

function resolveParent(event: SessionEvent, index: ReadonlyMap<EventId, NodeIndex>): [NodeIndex, ParentLink] {
  if (event.parent !== null) {
    const stated = index.get(event.parent)
    if (stated !== undefined) return [stated, isStated(event) ? 'stated' : 'inferred']
  }
  const logical = event.logicalParent === undefined ? undefined : index.get(event.logicalParent)
  if (logical !== undefined) return [logical, 'logical']
  return event.parent !== null && isStated(event) ? [none, 'orphan'] : [none, 'root']
}

function isStated(event: SessionEvent): boolean {
  return event.stated.parent === event.parent
}

/**
 * A compaction begins a new chain, yet it continues from what is before it on its thread. Where no logical parent says so
 * (two of five name a line that was never written), its place in the file does.
 */
export function joinWindows(skeleton: Skeleton): void {
  const last = new Map<string, NodeIndex>()
  for (let node = 0; node < skeleton.events.length; node++) {
    const event = skeleton.events[node] as SessionEvent
    const before = last.get(event.thread)
    last.set(event.thread, node)
    if (skeleton.link[node] === 'root' && before !== undefined && opensWindow(event)) {
      skeleton.parent[node] = before
      skeleton.link[node] = 'inferred'
    }
  }
}

export type WindowOpener = EventOf<'compaction'> | EventOf<'preserved'> | EventOf<'compact-summary'>

export function opensWindow(event: SessionEvent): event is WindowOpener {
  return event.kind === 'compaction' || event.kind === 'preserved' || event.kind === 'compact-summary'
}

/**
 * Cuts every loop once: at an inferred link if it has one, which then was a wrong conclusion and leaves a plain root; else at
 * the record that comes first in reading order, since no record can truly follow one written after it. Returns those.
 */
export function cutLoops(skeleton: Skeleton): NodeIndex[] {
  const { parent, link } = skeleton
  const cut: NodeIndex[] = []
  // 0: not visited; otherwise the walk (numbered from 1) that came by.
  const walkOf = new Uint32Array(parent.length)
  for (let start = 0; start < parent.length; start++) {
    let node = start
    while (node !== none && walkOf[node] === 0) {
      walkOf[node] = start + 1
      node = parent[node] ?? none
    }
    if (node === none || walkOf[node] !== start + 1) continue
    const at = weakestOf(skeleton, node)
    const wasInferred = link[at] === 'inferred'
    parent[at] = none
    link[at] = wasInferred ? 'root' : 'loop'
    if (!wasInferred) cut.push(at)
  }
  return cut
}

function weakestOf(skeleton: Skeleton, onLoop: NodeIndex): NodeIndex {
  let first = onLoop
  let node = onLoop
  do {
    if (skeleton.link[node] === 'inferred') return node
    if (node < first) first = node
    node = skeleton.parent[node] ?? none
  } while (node !== onLoop)
  return first
}

export function findingAbout(event: SessionEvent, code: string, severity: Severity, message: string): Finding {
  const { file, line, offset } = event.source
  return { code, severity, file, line, offset, event: event.id, message }
}
