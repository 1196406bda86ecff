// What the parent chain of sessions is like: orphans, depth, order in file and in time. It counts; it judges nothing.

import { toMillis } from '../base/instant.ts'
import { hasFlag, type SessionEvent } from '../model/event.ts'
import type { EventId } from '../model/ids.ts'
import type { GraphNode, SessionGraph } from '../model/session.ts'
import { type Share, type Spread, shareOf, spreadOf } from './stats-spread.ts'

export interface OrphanStats {
  /** Records that name a parent which is nowhere in their session, of all records of the chain. */
  all: Share
  /** The same in sessions with a compaction. */
  inCompacted: Share & { sessions: number }
  /** Orphans that keep a logical parent. */
  withLogicalParent: Share
  /** Orphans that directly follow a compaction on their thread. */
  afterCompaction: Share
  /** Orphans on a subagent's thread. */
  inSubagents: Share
}

export interface OrderStats {
  /** Stated parents that are the record of the chain just before, in the same file. */
  parentIsPrevious: Share
  /** Records with an earlier time than the one before them in their file. */
  backwardTimestamps: Share
  /** Records with an earlier time than their parent. */
  earlierThanParent: Share
}

export interface ChainStats {
  /** Records from root to the deepest leaf, of each session. */
  depth: Spread
  /** The session with the deepest chain. */
  deepest?: string
}

export class ChainTallies {
  private nodes = 0
  private orphans = 0
  private compactedSessions = 0
  private compactedNodes = 0
  private compactedOrphans = 0
  private withLogicalParent = 0
  private afterCompaction = 0
  private inSubagents = 0
  private readonly order = { parents: 0, previous: 0, steps: 0, backward: 0, edges: 0, earlier: 0 }
  private readonly depths: number[] = []
  private deepest: { session: string; depth: number } | undefined

  add(graph: SessionGraph): void {
    const before = this.orphans
    const followers = afterCompactions(graph)
    for (const node of graph.nodes.values()) if (isOrphan(node.event, graph)) this.countOrphan(node.event, followers)
    this.nodes += graph.nodes.size
    if (graph.compactions.length > 0) {
      this.compactedSessions++
      this.compactedNodes += graph.nodes.size
      this.compactedOrphans += this.orphans - before
    }
    this.countOrder(graph)
    const depth = longestChain(graph)
    this.depths.push(depth)
    if (this.deepest === undefined || depth > this.deepest.depth) this.deepest = { session: graph.session, depth }
  }

  private countOrphan(event: SessionEvent, followers: ReadonlySet<EventId>): void {
    this.orphans++
    if (event.logicalParent !== undefined) this.withLogicalParent++
    if (followers.has(event.id)) this.afterCompaction++
    if (hasFlag(event, 'sidechain')) this.inSubagents++
  }

  private countOrder(graph: SessionGraph): void {
    const { order } = this
    let file: string | undefined
    let previous: EventId | undefined
    let last: number | null = null
    for (const event of graph.events) {
      if (event.source.file !== file) [file, previous, last] = [event.source.file, undefined, null]
      const node = graph.nodes.get(event.id)
      if (node !== undefined && node.event === event) {
        this.countParent(node, previous, graph)
        previous = event.id
      }
      const at = toMillis(event.at)
      if (at === null) continue
      if (last !== null) order.steps++
      if (last !== null && at < last) order.backward++
      last = at
    }
  }

  private countParent({ event, link, parent }: GraphNode, previous: EventId | undefined, graph: SessionGraph): void {
    const { order } = this
    if (link !== 'stated' || parent === null) return
    order.parents++
    if (parent === previous) order.previous++
    const above = graph.nodes.get(parent)?.event.at ?? null
    if (above === null || event.at === null) return
    order.edges++
    if (event.at < above) order.earlier++
  }

  orphanStats(): OrphanStats {
    const { orphans } = this
    return {
      all: shareOf(orphans, this.nodes),
      inCompacted: { sessions: this.compactedSessions, ...shareOf(this.compactedOrphans, this.compactedNodes) },
      withLogicalParent: shareOf(this.withLogicalParent, orphans),
      afterCompaction: shareOf(this.afterCompaction, orphans),
      inSubagents: shareOf(this.inSubagents, orphans),
    }
  }

  orderStats(): OrderStats {
    const { order } = this
    return {
      parentIsPrevious: shareOf(order.previous, order.parents),
      backwardTimestamps: shareOf(order.backward, order.steps),
      earlierThanParent: shareOf(order.earlier, order.edges),
    }
  }

  chainStats(): ChainStats {
    const depth = spreadOf(this.depths)
    return this.deepest === undefined ? { depth } : { depth, deepest: this.deepest.session }
  }
}

function isOrphan(event: SessionEvent, graph: SessionGraph): boolean {
  return event.parent !== null && !graph.nodes.has(event.parent)
}

/** The first record of the chain after each border, on the border's thread; what belongs to the border itself is passed over. */
function afterCompactions(graph: SessionGraph): Set<EventId> {
  const borders = new Set<EventId>()
  for (const { event } of graph.compactions) borders.add(event)
  const followers = new Set<EventId>()
  const open = new Set<string>()
  for (const event of graph.events) {
    const { id, kind, thread } = event
    if (borders.has(id)) open.add(thread)
    else if (open.has(thread) && graph.nodes.has(id) && !isOfBorder(kind)) {
      followers.add(id)
      open.delete(thread)
    }
  }
  return followers
}

function isOfBorder(kind: SessionEvent['kind']): boolean {
  return kind === 'compaction' || kind === 'compact-summary' || kind === 'preserved'
}

/** Records on the longest way from a root to a leaf. */
function longestChain(graph: SessionGraph): number {
  let longest = 0
  let level: EventId[] = graph.roots
  while (level.length > 0) {
    longest++
    const next: EventId[] = []
    for (const id of level) for (const child of graph.nodes.get(id)?.children ?? []) next.push(child)
    level = next
  }
  return longest
}
