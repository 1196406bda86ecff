// Branches of the main thread: where the user continued from an earlier node in another way. Results that hang on their own
// requests, progress, hooks and attachments are siblings of a path, not branches.
//
//   P1 ─ A1 ─┬─ P2 ─ A2(call 1) ─┬─ R1           R1 is not a branch: nothing of the conversation follows it
//            │                   └─ A2(call 2) ─ R2 ─ A3
//            └─ P3 ─ A4                          P3 is: the conversation continues from A1 a second time

import { hasFlag, type SessionEvent } from '../../model/event.ts'
import type { EventId } from '../../model/ids.ts'
import type { Branch, BranchSummary, SessionGraph, SessionState } from '../../model/session.ts'
import { cutLoops, opensWindow } from './parents.ts'
import { childrenOf, type NodeIndex, none, type Skeleton, topDown } from './skeleton.ts'

/** The main thread's tree, and in it what carries the conversation. */
interface Tree {
  skeleton: Skeleton
  parent: NodeIndex[]
  order: NodeIndex[]
  /** Children below which, themselves included, the conversation continues; empty for nodes off the main thread. */
  onward: NodeIndex[][]
  goesOn: boolean[]
  /** The last node in reading order below, itself included. */
  newest: NodeIndex[]
  /** Events on the path from the root, with what hangs on it without continuing. */
  count: number[]
  isActive: boolean[]
  /** The end of the branch that every node belongs to: down the newest way, for a sibling of the path from its parent. */
  end: NodeIndex[]
  /** Leaves of the ends asked for so far. */
  leaves: Map<NodeIndex, NodeIndex>
}

/** Parts of a session's graph. */
export type Branches = Pick<SessionGraph, 'branches' | 'activePath' | 'abandoned'>

export function buildBranches(skeleton: Skeleton, state: SessionState, summaries: readonly BranchSummary[]): Branches {
  const tree = conversationTree(skeleton)
  const ends = branchEnds(tree)
  const active = activeEnd(tree, ends, state)
  const forks = forksFrom(tree, ends, active)
  const titles = branchTitles(tree, summaries)
  const branches = ends.map(end => {
    const leaf = (skeleton.events[leafBelow(tree, end)] as SessionEvent).id
    const branch: Branch = { leaf, isActive: end === active, eventCount: tree.count[end] ?? 0 }
    const title = titles.get(end)
    const fork = skeleton.events[forks.get(end) ?? none]
    if (title !== undefined) branch.title = title
    if (fork) branch.forkedAt = fork.id
    return branch
  })
  return { branches, activePath: pathTo(tree, active), abandoned: abandonedNodes(tree, ends, forks) }
}

/** By the parents that the graph shows, which a line of an answer next to others does not share with them. */
function pathTo(tree: Tree, end: NodeIndex): Set<EventId> {
  const { events, parent } = tree.skeleton
  const path = new Set<EventId>()
  for (let node = end === none ? none : leafBelow(tree, end); node !== none; node = parent[node] ?? none) {
    path.add((events[node] as SessionEvent).id)
  }
  return path
}

/**
 * What is on abandoned branches alone, with what hangs on it. A beginning that several of them share belongs to the first. A
 * tree of its own is no abandoned branch: the conversation started over there.
 */
function abandonedNodes(
  tree: Tree,
  ends: readonly NodeIndex[],
  forks: ReadonlyMap<NodeIndex, NodeIndex>,
): Map<EventId, EventId> {
  const abandoned = new Map<EventId, EventId>()
  if (forks.size === 0) return abandoned
  const owner = new Array<NodeIndex>(tree.parent.length).fill(none)
  const isOnWay = new Array<boolean>(tree.parent.length).fill(false)
  const isFork = (end: NodeIndex) => forks.has(end)
  for (const end of [...ends.filter(end => !isFork(end)), ...ends.filter(isFork)]) {
    for (let node = end; node !== none && !isOnWay[node]; node = tree.parent[node] ?? none) {
      isOnWay[node] = true
      if (isFork(end)) owner[node] = end
    }
  }
  const { events } = tree.skeleton
  for (const node of tree.order) {
    if (!isOnWay[node]) owner[node] = owner[tree.parent[node] ?? none] ?? none
    const end = owner[node] ?? none
    if (end === none) continue
    const leaf = (events[leafBelow(tree, end)] as SessionEvent).id
    abandoned.set((events[node] as SessionEvent).id, leaf)
  }
  return abandoned
}

function conversationTree(skeleton: Skeleton): Tree {
  const { events, main } = skeleton
  const size = events.length
  const isMain = (node: NodeIndex) => events[node]?.thread === main
  const joined = joinLines(skeleton, joinPreserved(skeleton))
  const parent = joined.map((above, node) => (isMain(node) && isMain(above) ? above : none))
  const children = childrenOf(parent)
  const order = topDown(parent, children).filter(isMain)
  const goesOn = waysOn(skeleton, parent, children, order)
  const newest = events.map((_, node) => node)
  const isActive = events.map(event => hasFlag(event, 'active'))
  const weight = new Array<number>(size).fill(1)
  for (let at = order.length - 1; at >= 0; at--) {
    const node = order[at] as NodeIndex
    const above = parent[node] as NodeIndex
    if (above === none) continue
    if (!goesOn[node]) weight[above] = (weight[above] ?? 0) + (weight[node] ?? 0)
    if (isActive[node]) isActive[above] = true
    newest[above] = Math.max(newest[above] ?? 0, newest[node] ?? 0)
  }
  const count = new Array<number>(size).fill(0)
  for (const node of order) count[node] = (count[parent[node] ?? none] ?? 0) + (weight[node] ?? 0)
  const onward = children.map((list, node) => (isMain(node) ? list.filter(child => goesOn[child]) : []))
  const end = endsOf(order, parent, onward, goesOn, newest)
  return { skeleton, parent, order, onward, goesOn, newest, count, isActive, end, leaves: new Map() }
}

/**
 * 003: a message that was kept over a compaction names its old parent as the logical one. The conversation did not go back
 * there: it continues from what is before the message.
 */
function joinPreserved(skeleton: Skeleton): NodeIndex[] {
  const { events, main } = skeleton
  const parent = [...skeleton.parent]
  let border: NodeIndex = none
  let before: NodeIndex = none
  events.forEach((event, node) => {
    if (event.thread !== main) return
    const isKept = skeleton.link[node] === 'logical' && !opensWindow(event)
    if (isKept && (parent[node] ?? none) < border && before >= border) parent[node] = before
    if (opensWindow(event)) border = node
    before = node
  })
  const joined: Skeleton = { ...skeleton, parent, link: [...skeleton.link] }
  return cutLoops(joined).length === 0 ? parent : skeleton.parent
}

/** Lines of one answer that hang side by side on one parent are one way on: each follows the line before it. */
function joinLines({ events, main }: Skeleton, parent: readonly NodeIndex[]): NodeIndex[] {
  const joined = [...parent]
  const lines = new Map<string, { above: NodeIndex; last: NodeIndex }>()
  events.forEach((event, node) => {
    if (event.thread !== main || event.kind !== 'answer' || event.message === undefined) return
    const above = parent[node] ?? none
    const before = lines.get(event.message.id)
    if (before && before.above === above && above !== none) joined[node] = before.last
    if (!before || before.above === above) lines.set(event.message.id, { above, last: node })
  })
  return joined
}

function endsOf(
  order: readonly NodeIndex[],
  parent: readonly NodeIndex[],
  onward: readonly NodeIndex[][],
  goesOn: readonly boolean[],
  newest: readonly NodeIndex[],
): NodeIndex[] {
  const end = new Array<NodeIndex>(parent.length).fill(none)
  for (let at = order.length - 1; at >= 0; at--) {
    const node = order[at] as NodeIndex
    const next = newestOf(newest, onward[node] ?? [])
    if (goesOn[node]) end[node] = next === none ? node : (end[next] ?? none)
  }
  for (const node of order) if (!goesOn[node]) end[node] = end[parent[node] ?? none] ?? none
  return end
}

/**
 * Nodes below which, themselves included, the conversation continues. A record without a uuid can be named by no other: where
 * the conversation also goes on past it, it hangs at its place and is no way of its own.
 */
function waysOn(
  { events, main }: Skeleton,
  parent: readonly NodeIndex[],
  children: readonly NodeIndex[][],
  order: readonly NodeIndex[],
): boolean[] {
  const goesOn = carriers(events, main)
  const isNamed = goesOn.map((carries, node) => carries && events[node]?.stated.uuid !== undefined)
  for (const node of order.toReversed()) {
    const above = parent[node] ?? none
    if (above === none) continue
    if (goesOn[node]) goesOn[above] = true
    if (isNamed[node]) isNamed[above] = true
  }
  const roots = order.filter(node => parent[node] === none)
  const isBeside = new Array<boolean>(events.length).fill(false)
  for (const siblings of [roots, ...children]) {
    const onward = siblings.filter(node => goesOn[node])
    const kept = onward.some(node => isNamed[node]) ? isNamed : onward.at(-1)
    for (const node of onward) isBeside[node] = typeof kept === 'object' ? !kept[node] : node !== kept
  }
  for (const node of order) {
    if (isBeside[parent[node] ?? none]) isBeside[node] = true
    if (isBeside[node]) goesOn[node] = false
  }
  return goesOn
}

/**
 * Nodes that carry the conversation by themselves: what a human typed as a message, and the first record of every answer.
 * Commands count by the answers they bring, so that a dead end `/cost` is not a branch. Where nothing was said at all, the last
 * record that could be a message represents it.
 */
function carriers(events: readonly SessionEvent[], main: string): boolean[] {
  const answered = new Set<string>()
  const carries = events.map(event => event.thread === main && carriesAlone(event, answered))
  if (!carries.includes(true)) {
    const last = events.findLastIndex(event => event.thread === main && isMessage(event))
    if (last !== none) carries[last] = true
  }
  return carries
}

function carriesAlone(event: SessionEvent, answered: Set<string>): boolean {
  if (event.kind === 'prompt') return event.wireType !== 'attachment'
  if (event.kind !== 'answer' || hasFlag(event, 'synthetic')) return false
  const message = event.message?.id ?? event.id
  if (answered.has(message)) return false
  answered.add(message)
  return true
}

/** The last carrying node of every branch, in reading order of what hangs below. */
function branchEnds(tree: Tree): NodeIndex[] {
  const ends = tree.order.filter(node => tree.goesOn[node] && tree.onward[node]?.length === 0)
  return ends.sort((one, other) => (tree.newest[one] ?? 0) - (tree.newest[other] ?? 0))
}

/** A branch's leaf: the user or assistant record nearest to the last of what hangs below its end. */
function leafBelow(tree: Tree, end: NodeIndex): NodeIndex {
  const known = tree.leaves.get(end)
  if (known !== undefined) return known
  let node = tree.newest[end] ?? end
  while (node !== end && !isMessage(tree.skeleton.events[node])) node = tree.parent[node] ?? end
  tree.leaves.set(end, node)
  return node
}

const messageTypes: ReadonlySet<string> = new Set(['user', 'assistant', 'human', 'tool_result'])

function isMessage(event: SessionEvent | undefined): boolean {
  if (event === undefined || event.kind === 'meta') return false
  // 003 answers calls by `system` lines.
  return messageTypes.has(event.wireType) || event.kind === 'tool-results'
}

/** 000's mark first; then the newest record below the last prompt's leaf; then the last leaf in reading order. */
function activeEnd(tree: Tree, ends: readonly NodeIndex[], state: SessionState): NodeIndex {
  const marked = ends.length > 1 ? markedEnd(tree) : none
  if (marked !== none) return marked
  const stated = state.lastLeaf === undefined ? undefined : tree.skeleton.index.get(state.lastLeaf as EventId)
  if (stated !== undefined && tree.skeleton.events[stated]?.thread === tree.skeleton.main) {
    const end = tree.end[tree.newest[stated] ?? stated] ?? none
    if (end !== none) return end
  }
  return ends.at(-1) ?? none
}

/** Follows the children that are marked active, or lead to one that is. */
function markedEnd(tree: Tree): NodeIndex {
  const roots = tree.order.filter(node => tree.parent[node] === none && tree.goesOn[node])
  let node = markedOf(tree, roots)
  if (node === none || !tree.isActive[node]) return none
  for (let onward = tree.onward[node] ?? []; onward.length > 0; onward = tree.onward[node] ?? []) {
    node = markedOf(tree, onward)
  }
  return node
}

function markedOf(tree: Tree, nodes: readonly NodeIndex[]): NodeIndex {
  const own = nodes.filter(node => hasFlag(tree.skeleton.events[node] as SessionEvent, 'active'))
  const leading = own.length > 0 ? own : nodes.filter(node => tree.isActive[node])
  return newestOf(tree.newest, leading.length > 0 ? leading : nodes)
}

/** Which of the nodes the last record in reading order is below. */
function newestOf(newest: readonly NodeIndex[], nodes: readonly NodeIndex[]): NodeIndex {
  let best: NodeIndex = none
  for (const node of nodes) if (best === none || (newest[node] ?? 0) > (newest[best] ?? 0)) best = node
  return best
}

/** Where every other branch parts from the active one; in a tree that the active one is not in, from a newer one. */
function forksFrom(tree: Tree, ends: readonly NodeIndex[], active: NodeIndex): Map<NodeIndex, NodeIndex> {
  const forkOf = new Map<NodeIndex, NodeIndex>()
  for (let node = active; node !== none; node = tree.parent[node] ?? none) forkOf.set(node, node)
  const forks = new Map<NodeIndex, NodeIndex>()
  for (const end of ends.toReversed()) {
    if (end === active) continue
    const path: NodeIndex[] = []
    let node = end
    while (node !== none && !forkOf.has(node)) {
      path.push(node)
      node = tree.parent[node] ?? none
    }
    const known = forkOf.get(node) ?? none
    for (const step of path) forkOf.set(step, known)
    const fork = known === none ? node : known
    if (fork !== none) forks.set(end, fork)
  }
  return forks
}

/** A summary names the branch that its leaf is on; one that names the very leaf counts before one that names an earlier node. */
function branchTitles(tree: Tree, summaries: readonly BranchSummary[]): Map<NodeIndex, string> {
  const titles = new Map<NodeIndex, string>()
  const exact = new Set<NodeIndex>()
  for (const { leaf, title } of summaries) {
    const node = tree.skeleton.index.get(leaf)
    if (node === undefined || tree.skeleton.events[node]?.thread !== tree.skeleton.main) continue
    const end = tree.end[node] ?? none
    if (end === none) continue
    const isExact = leafBelow(tree, end) === node
    if (!isExact && exact.has(end)) continue
    if (isExact) exact.add(end)
    titles.set(end, title)
  }
  return titles
}
