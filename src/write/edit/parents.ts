// Records whose parent is missing, null in the middle, or below themselves hang on the record before them; what really begins
// a new tree, and what another session brought along, stays by itself.

import { toMillis } from '../../base/instant.ts'
import { asString } from '../../base/json.ts'
import { rewoundIn } from './branches.ts'
import { Forest } from './forest.ts'
import { blocksOf, type ChainNode, type ChainTree, isMessage, readTree, resultsIn } from './nodes.ts'
import type { Entry, RepairDraft } from './repair-draft.ts'
import { answeredIn, missingResult, openCalls } from './results.ts'

export function repairParents(draft: RepairDraft): void {
  const tree = readTree(draft)
  const begins = beginnings(draft)
  const answered = answeredIn(tree.nodes)
  let loops = breakLoops(tree.nodes)
  const forest = new Forest(tree.nodes)
  const byMissing = nodesByMissing(tree)
  // A result that goes to its call may leave what it hung on by itself.
  while (linkAll(draft, tree, { loops, begins, answered, forest, byMissing })) loops = new Set()
  draft.sweep()
}

interface Known {
  loops: ReadonlySet<ChainNode>
  begins: ReadonlySet<Entry>
  /** Ids of calls that have a result, those of results that are inserted included. */
  answered: Set<string>
  forest: Forest
  /** Uuid of a missing record → those that hang on it. */
  byMissing: ReadonlyMap<string, readonly ChainNode[]>
}

interface Link {
  node: ChainNode
  parent: ChainNode
}

function nodesByMissing({ nodes }: ChainTree): Map<string, ChainNode[]> {
  const found = new Map<string, ChainNode[]>()
  for (const node of nodes) {
    if (node.missing === undefined) continue
    const others = found.get(node.missing)
    if (others === undefined) found.set(node.missing, [node])
    else others.push(node)
  }
  return found
}

/** Whether a result went elsewhere. */
function linkAll(draft: RepairDraft, tree: ChainTree, known: Known): boolean {
  const { loops, begins, forest } = known
  const groups = new Groups(tree.nodes)
  let hasMoved = false
  for (const node of tree.nodes) {
    const call = strayCall(node, tree, forest)
    if (call !== undefined) {
      hasMoved = true
      link(draft, node, call, reasons.call)
      forest.move(node, call)
      groups.join(node, call)
      continue
    }
    const why = node.parent === null ? whyLinked(node, draft, tree, groups, loops, begins) : null
    if (why === null) continue
    const parent = before(draft, node, tree, groups)
    if (parent === undefined) {
      if (loops.has(node)) link(draft, node, null, why)
      continue
    }
    if (why !== reasons.missing || !insertLost(draft, { node, parent }, tree, groups, known))
      link(draft, node, parent, why)
    forest.move(node, parent)
    groups.join(node, parent)
  }
  return hasMoved
}

const reasons = {
  loop: 'Its parent was below it',
  missing: 'Its parent is missing',
  none: 'It had no parent',
  call: 'It did not follow its call',
} as const

type Reason = (typeof reasons)[keyof typeof reasons]

/** Why a record without a parent hangs on another one; null where it may stay as it is. */
function whyLinked(
  node: ChainNode,
  draft: RepairDraft,
  { known }: ChainTree,
  groups: Groups,
  loops: ReadonlySet<ChainNode>,
  begins: ReadonlySet<Entry>,
): Reason | null {
  if (loops.has(node)) return reasons.loop
  const written = node.entry.value['parentUuid']
  if (asString(written)) return known.has(written as string) ? null : reasons.missing
  if (node.kind === 'boundary') return null
  // What Claude Code gets in addition to the conversation may begin by itself.
  if (written === null && (begins.has(node.entry) || !groups.speaks(node))) return null
  return draft.isForeign(node.session) ? null : reasons.none
}

/** The call of a result that hangs elsewhere, if neither is below the other. */
function strayCall(node: ChainNode, { callers }: ChainTree, forest: Forest): ChainNode | undefined {
  const call = node.parent === null ? undefined : callers.get(node.results[0] ?? '')
  return call === undefined || forest.isBelow(node, call) || forest.isBelow(call, node) ? undefined : call
}

/** Where the missing parent was the result of the call before, a result takes its place, and all that name it hang there. */
function insertLost(
  draft: RepairDraft,
  { node, parent }: Link,
  { known }: ChainTree,
  groups: Groups,
  { answered, forest, byMissing }: Known,
): boolean {
  const lost = openCalls(parent, answered)
  const isLineOf = node.messageId !== undefined && node.messageId === parent.messageId
  if (lost.length === 0 || isLineOf) return false
  const uuid = String(node.entry.value['parentUuid'])
  const others = (byMissing.get(uuid) ?? []).filter(other => other !== node && other.parent === null)
  if (others.some(other => forest.isBelow(parent, other))) return false
  const what = 'A call without a result; it gets one that says so'
  draft.insertBehind(parent.entry, 'call', what, missingResult(parent, lost, uuid))
  for (const id of lost) answered.add(id)
  known.add(uuid)
  for (const other of others) {
    forest.move(other, parent)
    groups.join(other, parent)
  }
  return true
}

function link(draft: RepairDraft, { entry }: ChainNode, parent: ChainNode | null, what: Reason): void {
  draft.change(entry, 'parent', what, [['parentUuid', parent?.uuid ?? null]])
}

/** Records in a loop, and those that hang on one, lose a parent that was written after them: the record that was written first in each loop does. */
function breakLoops(nodes: readonly ChainNode[]): Set<ChainNode> {
  const broken = new Set<ChainNode>()
  const astray = nodesAstray(nodes)
  for (const node of astray) if (node.parent !== null && isLater(node.parent, node)) broken.add(node)
  for (const node of broken) node.parent = null
  for (const loop of loopsOf(astray)) {
    const first = loop.reduce((one, other) => (other.order < one.order ? other : one))
    first.parent = null
    broken.add(first)
  }
  return broken
}

/** In the file, and by the time that it says. */
function isLater(one: ChainNode, other: ChainNode): boolean {
  const [time, otherTime] = [one, other].map(({ entry }) => toMillis(entry.value['timestamp']))
  return one.order >= other.order && (time ?? 0) >= (otherTime ?? 0)
}

/** Those whose parents lead into a loop. */
function nodesAstray(nodes: readonly ChainNode[]): ChainNode[] {
  const looped = new Set(loopsOf(nodes).flat())
  const rooted = new Set<ChainNode>()
  for (const start of nodes) {
    const path: ChainNode[] = []
    let at: ChainNode | null = start
    for (; at !== null && !looped.has(at) && !rooted.has(at); at = at.parent) path.push(at)
    for (const node of path) (at !== null && looped.has(at) ? looped : rooted).add(node)
  }
  return nodes.filter(node => looped.has(node))
}

function loopsOf(nodes: readonly ChainNode[]): ChainNode[][] {
  const loops: ChainNode[][] = []
  const done = new Set<ChainNode>()
  for (const start of nodes) {
    const path = new Set<ChainNode>()
    let at: ChainNode | null = start
    for (; at !== null && !done.has(at) && !path.has(at); at = at.parent) path.add(at)
    if (at !== null && path.has(at)) {
      const all = [...path]
      loops.push(all.slice(all.indexOf(at)))
    }
    for (const node of path) done.add(node)
  }
  return loops
}

/** Which records hang together. */
class Groups {
  private readonly above = new Map<ChainNode, ChainNode>()
  /** Tops of groups with a message. */
  private readonly speaking: Set<ChainNode>

  constructor(nodes: readonly ChainNode[]) {
    this.speaking = new Set(nodes.filter(isMessage))
    for (const node of nodes) if (node.parent !== null && node.order > node.parent.order) this.join(node, node.parent)
    for (const node of nodes)
      if (node.parent !== null && this.rootOf(node) !== this.rootOf(node.parent)) this.join(node, node.parent)
  }

  join(one: ChainNode, other: ChainNode): void {
    const [root, top] = [this.rootOf(one), this.rootOf(other)]
    if (root === top) return
    this.above.set(root, top)
    if (this.speaking.has(root)) this.speaking.add(top)
  }

  /** Whether a message is among them. */
  speaks(node: ChainNode): boolean {
    return this.speaking.has(this.rootOf(node))
  }

  rootOf(node: ChainNode): ChainNode {
    let root = node
    for (let next = this.above.get(root); next !== undefined; next = this.above.get(root)) root = next
    for (let at = node; at !== root; ) {
      const next = this.above.get(at) ?? root
      this.above.set(at, root)
      at = next
    }
    return root
  }
}

/** The record that it follows: a result its call, a line of an answer the line before, anything else what was written before. */
function before(
  draft: RepairDraft,
  node: ChainNode,
  { nodes, callers }: ChainTree,
  groups: Groups,
): ChainNode | undefined {
  const root = groups.rootOf(node)
  const isAbove = (one: ChainNode): boolean => groups.rootOf(one) !== root && groups.speaks(one)
  const call = callers.get(node.results[0] ?? '')
  if (call !== undefined && isAbove(call)) return call
  let other: ChainNode | undefined
  for (let at = node.order - 1; at >= 0; at--) {
    const one = nodes[at] as ChainNode
    if (!isAbove(one)) continue
    if (one.session === node.session || draft.isForeign(one.session) === draft.isForeign(node.session)) return one
    other ??= one
  }
  const isMissing = typeof node.entry.value['parentUuid'] === 'string'
  return isMissing ? other : undefined
}

/** Versions whose compaction leaves a summary without a parent and without a mark. */
const unmarkedCompaction = /^0\.|^1\.0\.(?:\d|[1-4]\d)(?!\d)/

/** What starts over: behind a rewind to the beginning, and what old versions wrote when they compacted. */
function beginnings(draft: RepairDraft): Set<Entry> {
  const found = rewoundIn(draft)
  for (const entry of draft.entries) {
    const { type, version } = entry.value
    if (
      type === 'user' &&
      resultsIn(blocksOf(entry.value)).length === 0 &&
      unmarkedCompaction.test(asString(version) ?? '')
    )
      found.add(entry)
  }
  return found
}
