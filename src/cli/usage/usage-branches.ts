// Which branch of its session an event belongs to: the active path owns what lies on it, every other branch what it does not
// share with it. What hangs beside a path belongs to it, and a subagent's thread to the call that started it.

import { hasFlag, type SessionEvent } from '../../model/event.ts'
import type { EventId, ThreadId } from '../../model/ids.ts'
import type { Branch, SessionGraph } from '../../model/session.ts'

export interface OwnedBranch {
  branch: Branch
  /** The first prompt that only it has, of the active one the first of all; else its first event. */
  first: SessionEvent | null
}

/** Null for a session that never went back. */
export function branchOwners(graph: SessionGraph): BranchOwners | null {
  return graph.branches.length > 1 ? new BranchOwners(graph) : null
}

export class BranchOwners {
  readonly branches: OwnedBranch[]
  private readonly graph: SessionGraph
  /** Places in `branches`. */
  private readonly byEvent = new Map<EventId, number>()
  private readonly byThread = new Map<ThreadId, number>()
  private readonly byPlace = new Map<string, EventId>()
  private readonly active: number

  constructor(graph: SessionGraph) {
    this.graph = graph
    // The active one first: what branches share is its.
    this.branches = [...graph.branches]
      .sort((one, other) => Number(other.isActive) - Number(one.isActive))
      .map(branch => ({ branch, first: null }))
    this.active = 0
    for (const [place, { branch }] of this.branches.entries()) this.claim(branch.leaf, place)
    this.claimSiblings()
    this.claimMessages()
    this.claimThreads()
    for (const event of graph.events) this.see(event)
  }

  /** Which of `branches` a record's message counts with; what is not placed counts with the active one. */
  ownerAt(path: string, offset: number): number {
    const id = this.byPlace.get(placeKey(path, offset))
    return id === undefined ? this.active : this.ownerOf(id)
  }

  private ownerOf(id: EventId): number {
    const node = this.graph.nodes.get(id)
    const thread = node === undefined ? undefined : this.byThread.get(node.event.thread)
    return thread ?? this.byEvent.get(id) ?? this.active
  }

  /** From a leaf up to what another branch owns already. */
  private claim(leaf: EventId, place: number): void {
    let id: EventId | null = leaf
    while (id !== null && !this.byEvent.has(id)) {
      this.byEvent.set(id, place)
      id = this.graph.nodes.get(id)?.parent ?? null
    }
  }

  /** What no leaf leads to belongs where it hangs. */
  private claimSiblings(): void {
    for (const { id } of this.graph.events) {
      const path: EventId[] = []
      let at: EventId | null = id
      while (at !== null && !this.byEvent.has(at)) {
        // A mark against going round in circles; the right owner follows.
        this.byEvent.set(at, this.active)
        path.push(at)
        at = this.graph.nodes.get(at)?.parent ?? null
      }
      const owner = at === null ? this.active : (this.byEvent.get(at) ?? this.active)
      for (const step of path) this.byEvent.set(step, owner)
    }
  }

  /** Lines of one answer may hang side by side: all are on the branch that one of them leads on. */
  private claimMessages(): void {
    for (const { events } of this.graph.messages) {
      const owners = events.map(id => this.byEvent.get(id) ?? this.active)
      const own = owners.find(owner => owner !== this.active)
      if (own === undefined || owners.every(owner => owner === own)) continue
      if (this.leadsOnActive(events)) continue
      for (const id of events) this.byEvent.set(id, own)
    }
  }

  private leadsOnActive(events: readonly EventId[]): boolean {
    const children = events.flatMap(id => this.graph.nodes.get(id)?.children ?? [])
    const inside = new Set<EventId>(events)
    return children.some(id => !inside.has(id) && this.byEvent.get(id) === this.active && this.carriesOn(id))
  }

  /** Whether the active path goes over it: results of a parallel call hang beside it. */
  private carriesOn(id: EventId): boolean {
    this.activePath ??= this.pathOf(this.branches[this.active]?.branch.leaf ?? null)
    return this.activePath.has(id)
  }

  private activePath: Set<EventId> | undefined

  private pathOf(leaf: EventId | null): Set<EventId> {
    const path = new Set<EventId>()
    for (let id = leaf; id !== null && !path.has(id); id = this.graph.nodes.get(id)?.parent ?? null) path.add(id)
    return path
  }

  private claimThreads(): void {
    const requests = new Map(this.graph.toolCalls.map(call => [call.id, call.requestEvent]))
    const threads = new Map(this.graph.threads.map(thread => [thread.id, thread]))
    for (const thread of this.graph.threads) {
      if (thread.kind === 'main') continue
      // Subagents of subagents: up to the one that the main thread started.
      let top = thread
      const seen = new Set<ThreadId>([top.id])
      for (;;) {
        const above = top.parentThread === undefined ? undefined : threads.get(top.parentThread)
        if (above === undefined || above.kind === 'main' || seen.has(above.id)) break
        seen.add(above.id)
        top = above
      }
      const request = top.call === undefined ? undefined : requests.get(top.call)
      this.byThread.set(thread.id, (request === undefined ? undefined : this.byEvent.get(request)) ?? this.active)
    }
  }

  private see(event: SessionEvent): void {
    if (event.message !== undefined) this.byPlace.set(placeKey(event.source.file, event.source.offset), event.id)
    if (this.byThread.has(event.thread)) return
    const owned = this.branches[this.ownerOf(event.id)]
    if (owned === undefined || (owned.first !== null && owned.first.kind === 'prompt')) return
    if (event.kind === 'prompt' && !hasFlag(event, 'copy')) owned.first = event
    else if (owned.first === null && event.kind === 'answer') owned.first = event
  }
}

function placeKey(path: string, offset: number): string {
  return `${offset} ${path}`
}
