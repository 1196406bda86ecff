// Records whose parent is missing, null in the middle, or below themselves hang on the record before them; what really begins
// anew, and what another session brought along, stays by itself.

import { asString } from '../../base/json.ts'
import { rewoundIn } from './branches.ts'
import { type ChainNode, type ChainTree, isMessage, readTree } from './nodes.ts'
import type { Entry, RepairDraft } from './repair-draft.ts'
import { answeredIn, missingResult, openCalls } from './results.ts'

export function repairParents(draft: RepairDraft): void {
  const tree = readTree(draft)
  const groups = new Groups(tree.nodes)
  const loops = breakLoops(tree.nodes)
  const speaking = new Set(tree.nodes.filter(isMessage).map(node => groups.rootOf(node)))
  const begins = beginnings(draft)
  const answered = answeredIn(tree.nodes)
  const own = draft.session
  for (const node of tree.nodes) {
    if (node.parent !== null) continue
    const written = asString(node.entry.value['parentUuid'])
    const isMissing = written !== undefined && written !== ''
    if (isMissing && !loops.has(node) && tree.known.has(written)) continue
    if (!isMissing && (!speaking.has(groups.rootOf(node)) || node.kind === 'boundary' || begins.has(node.entry)))
      continue
    if (!isMissing && own !== undefined && node.session !== own && node.session !== undefined) continue
    const parent = before(node, tree, groups)
    if (parent === undefined) {
      if (loops.has(node)) link(draft, node, null, 'Its parent was below it')
      continue
    }
    const lost = openCalls(parent, answered)
    if (isMissing && !loops.has(node) && lost.length > 0 && node.messageId !== parent.messageId) {
      // The missing parent was the result of the call.
      const what = 'A call without a result; it gets one that says so'
      draft.insertBehind(parent.entry, 'call', what, missingResult(parent, lost, written))
      for (const id of lost) answered.add(id)
    } else
      link(
        draft,
        node,
        parent,
        loops.has(node) ? 'Its parent was below it' : isMissing ? 'Its parent is missing' : 'It had no parent',
      )
    node.parent = parent
    groups.join(node, parent)
  }
}

function link(draft: RepairDraft, { entry }: ChainNode, parent: ChainNode | null, what: string): void {
  draft.change(entry, 'parent', what, [['parentUuid', parent?.uuid ?? null]])
}

/** Of each loop the record that was written first loses its parent. */
function breakLoops(nodes: readonly ChainNode[]): Set<ChainNode> {
  const broken = new Set<ChainNode>()
  const done = new Set<ChainNode>()
  for (const start of nodes) {
    const path = new Set<ChainNode>()
    let at: ChainNode | null = start
    while (at !== null && !done.has(at) && !path.has(at)) {
      path.add(at)
      at = at.parent
    }
    if (at !== null && path.has(at)) {
      const all = [...path]
      const loop = all.slice(all.indexOf(at))
      const first = loop.reduce((one, other) => (other.order < one.order ? other : one))
      first.parent = null
      broken.add(first)
    }
    for (const node of path) done.add(node)
  }
  return broken
}

/** Which records hang together. */
class Groups {
  private readonly above = new Map<ChainNode, ChainNode>()

  constructor(nodes: readonly ChainNode[]) {
    for (const node of nodes) if (node.parent !== null && node.order > node.parent.order) this.join(node, node.parent)
    for (const node of nodes)
      if (node.parent !== null && this.rootOf(node) !== this.rootOf(node.parent)) this.join(node, node.parent)
  }

  join(one: ChainNode, other: ChainNode): void {
    const [root, top] = [this.rootOf(one), this.rootOf(other)]
    if (root !== top) this.above.set(root, top)
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
function before(node: ChainNode, { nodes, callers }: ChainTree, groups: Groups): ChainNode | undefined {
  const root = groups.rootOf(node)
  const isAbove = (one: ChainNode): boolean => groups.rootOf(one) !== root
  const call = callers.get(node.results[0] ?? '')
  if (call !== undefined && isAbove(call)) return call
  let other: ChainNode | undefined
  for (let at = node.order - 1; at >= 0; at--) {
    const one = nodes[at] as ChainNode
    if (!isAbove(one)) continue
    if (node.session === undefined || one.session === undefined || one.session === node.session) return one
    other ??= one
  }
  const isMissing = typeof node.entry.value['parentUuid'] === 'string'
  return isMissing ? other : undefined
}

/** Versions whose compaction leaves a summary without a parent and without a mark. */
const unmarkedCompaction = /^0\.|^1\.0\.(?:\d|[1-4]\d)(?!\d)/

/** What begins anew: behind a rewind to the beginning, and what old versions wrote when they compacted. */
function beginnings(draft: RepairDraft): Set<Entry> {
  const found = rewoundIn(draft)
  for (const entry of draft.entries) {
    const { type, version } = entry.value
    if (type === 'user' && unmarkedCompaction.test(asString(version) ?? '')) found.add(entry)
  }
  return found
}
