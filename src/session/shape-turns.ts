// The turns of the main thread as a tree: which goes on from which, and which way the active branch takes. It draws nothing.

import type { EventId, ThreadId } from '../model/ids.ts'
import { threadId } from '../model/ids.ts'
import type { GraphNode, ParentLink, SessionGraph, Turn } from '../model/session.ts'

export interface TurnTree {
  main: ThreadId
  /** Turns of the main thread, in the graph's order; all other fields name them by their place here. */
  turns: Turn[]
  /** The turn of every event of the main thread that has one. */
  turnOf: Map<EventId, number>
  roots: number[]
  children: number[][]
  /** The child that the line goes on with: the active branch's, else the last; undefined at the end. */
  next: (number | undefined)[]
  /** Where the line that begins here ends. */
  endOf: number[]
  /** How the turn's prompt hangs on its parent. */
  linkOf: ParentLink[]
}

export function turnTree(graph: SessionGraph): TurnTree {
  const main = graph.threads.find(thread => thread.kind === 'main')?.id ?? threadId(graph.session)
  const turns = graph.turns.filter(turn => turn.thread === main)
  const turnOf = new Map<EventId, number>()
  turns.forEach((turn, index) => {
    for (const id of turn.events) turnOf.set(id, index)
    turnOf.set(turn.prompt, index)
  })
  const first = turns.map(turn => firstNode(graph, turn))
  const parents = parentTurns(graph, first, turnOf)
  cutLoops(parents)
  const children: number[][] = turns.map(() => [])
  const roots: number[] = []
  parents.forEach((parent, turn) => {
    if (parent === undefined) roots.push(turn)
    else children[parent]?.push(turn)
  })
  const next = nextTurns(children, activeWay(graph, turnOf, parents))
  const linkOf = first.map(node => node?.link ?? 'root')
  return { main, turns, turnOf, roots, children, next, endOf: lineEnds(next), linkOf }
}

/** The turn's prompt; where that stands in the queue only, the first record that it brought. */
function firstNode(graph: SessionGraph, turn: Turn): GraphNode | undefined {
  const prompt = graph.nodes.get(turn.prompt)
  if (prompt) return prompt
  for (const id of turn.events) {
    const node = graph.nodes.get(id)
    if (node) return node
  }
  return undefined
}

/** The turn that each turn's first record hangs in; undefined for roots. What was passed on the way up is remembered. */
function parentTurns(
  graph: SessionGraph,
  first: readonly (GraphNode | undefined)[],
  turnOf: ReadonlyMap<EventId, number>,
): (number | undefined)[] {
  const known = new Map<EventId, number | undefined>()
  // A queued prompt that brought no record stands between the turn before it and what goes on from there.
  const behind = new Map<number, number>()
  return first.map((node, turn) => {
    const found = node === undefined ? before(turn) : turnAbove(graph, node.parent, turnOf, known)
    const parent = found === undefined ? undefined : lastBehind(behind, found)
    if (node === undefined && parent !== undefined) behind.set(parent, turn)
    return parent
  })
}

function before(turn: number): number | undefined {
  return turn === 0 ? undefined : turn - 1
}

function lastBehind(behind: Map<number, number>, turn: number): number {
  let last = turn
  for (let next = behind.get(last); next !== undefined; next = behind.get(last)) last = next
  if (last !== turn) behind.set(turn, last)
  return last
}

function turnAbove(
  graph: SessionGraph,
  from: EventId | null,
  turnOf: ReadonlyMap<EventId, number>,
  known: Map<EventId, number | undefined>,
): number | undefined {
  const passed: EventId[] = []
  let at = from
  let found: number | undefined
  while (at !== null && !known.has(at)) {
    found = turnOf.get(at)
    if (found !== undefined) break
    passed.push(at)
    at = graph.nodes.get(at)?.parent ?? null
  }
  if (found === undefined && at !== null) found = known.get(at)
  for (const id of passed) known.set(id, found)
  return found
}

/** Records out of order may make two turns hang in each other; the first of a loop then is a root. */
function cutLoops(parents: (number | undefined)[]): void {
  const walkOf = parents.map(() => -1)
  for (let start = 0; start < parents.length; start++) {
    let turn: number | undefined = start
    while (turn !== undefined && walkOf[turn] === -1) {
      walkOf[turn] = start
      turn = parents[turn]
    }
    if (turn !== undefined && walkOf[turn] === start) parents[firstOfLoop(parents, turn)] = undefined
  }
}

function firstOfLoop(parents: readonly (number | undefined)[], onLoop: number): number {
  let first = onLoop
  for (let turn = parents[onLoop]; turn !== undefined && turn !== onLoop; turn = parents[turn])
    first = Math.min(first, turn)
  return first
}

/** The turns from the active branch's end up to its root. */
function activeWay(
  graph: SessionGraph,
  turnOf: ReadonlyMap<EventId, number>,
  parents: readonly (number | undefined)[],
): Set<number> {
  const way = new Set<number>()
  const leaf = graph.branches.find(branch => branch.isActive)?.leaf
  let turn = leaf === undefined ? undefined : turnOf.get(leaf)
  while (turn !== undefined && !way.has(turn)) {
    way.add(turn)
    turn = parents[turn]
  }
  return way
}

function nextTurns(children: readonly number[][], active: ReadonlySet<number>): (number | undefined)[] {
  return children.map(list => list.find(child => active.has(child)) ?? list.at(-1))
}

function lineEnds(next: readonly (number | undefined)[]): number[] {
  const ends = next.map(() => -1)
  next.forEach((_, start) => {
    const passed: number[] = []
    let at = start
    while (ends[at] === -1) {
      passed.push(at)
      // Marks the way, so that a loop ends.
      ends[at] = at
      const following = next[at]
      if (following === undefined) break
      at = following
    }
    const end = ends[at] ?? at
    for (const turn of passed) ends[turn] = end
  })
  return ends
}
