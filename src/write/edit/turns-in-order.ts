// The turns of a session that two programs wrote at once, one behind the other: what was said last comes last. It says what has
// to be moved; it moves nothing.
//
//     p0 ─┬─ p1 ── a1 ── p3 ── a3      ends: p1 4, p2 3, p3 6
//         └─ p2 ── a2                  p0 ── p2 ── a2 ── p1 ── a1 ── p3 ── a3

import type { Forest } from './forest.ts'
import { below, type ChainNode, isMessage } from './nodes.ts'

export interface Move {
  node: ChainNode
  parent: ChainNode
}

interface OwnTurn {
  prompt: ChainNode
  /** Its message that was written last. */
  last: ChainNode
  /** When it ended; no turn ends before one that it hangs below. */
  end: number
  above: OwnTurn | undefined
}

/** Those of the branches of a fork; what of them belongs to the fork's own turn stays. */
export function turnsInOrder(fork: ChainNode, tops: readonly ChainNode[], forest: Forest): Move[] {
  const turns = turnsOf(fork, tops)
  turns.sort((one, other) => one.end - other.end || one.prompt.order - other.prompt.order)
  return turns.flatMap((turn, at) => {
    const before = turns[at - 1]
    if (before === undefined || forest.isBelow(before.last, turn.prompt)) return []
    const isOwn = before.prompt === fork
    const isBehind = isOwn ? forest.isBelow(turn.prompt, before.last) : turn.above === before
    return isBehind ? [] : [{ node: turn.prompt, parent: behindNotices(before.last) }]
  })
}

/** That of the fork, and those that begin below it. */
function turnsOf(fork: ChainNode, tops: readonly ChainNode[]): OwnTurn[] {
  const own: OwnTurn = { prompt: fork, last: fork, end: fork.order, above: undefined }
  const later: OwnTurn[] = []
  const turns = new Map<ChainNode | null, OwnTurn>([[fork, own]])
  for (const node of tops.flatMap(below)) {
    const above = turns.get(node.parent)
    let turn = above ?? own
    if (node.kind === 'prompt') {
      turn = { prompt: node, last: node, end: 0, above }
      later.push(turn)
    }
    turns.set(node, turn)
    if (isMessage(node) && node.order > turn.last.order) turn.last = node
  }
  for (const turn of later) turn.end = Math.max(turn.last.order, turn.above?.end ?? 0)
  return [own, ...later]
}

/** The last of the notices that hang on a message, or itself: a resume goes on from the end of them. */
function behindNotices(message: ChainNode): ChainNode {
  let at = message
  for (let next: ChainNode | undefined = at; next !== undefined; ) {
    at = next
    next = at.children.findLast(({ kind }) => kind === 'side')
  }
  return at
}
