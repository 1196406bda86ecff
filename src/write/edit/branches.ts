// Branches that are none. A rewind leaves two prompts side by side, and everything of the first one was written before the second:
// such branches stay. Two writers at once, and records that hang too far up, become one conversation again, in the order in which
// they were written.

import { asObject, asString } from '../../base/json.ts'
import { below, blocksOf, type ChainNode, type ChainTree, isBelow, isMessage, readTree } from './nodes.ts'
import type { Entry, RepairDraft } from './repair-draft.ts'

export function repairBranches(draft: RepairDraft): void {
  const rewound = rewoundIn(draft)
  // Each step mends one fork; more of them than records there cannot be.
  for (let left = draft.entries.length; left > 0; left--) {
    const tree = readTree(draft)
    if (!tree.nodes.some(fork => fork.children.length > 1 && mendFork(draft, fork, tree, rewound))) return
  }
}

const nowhere = '00000000-0000-0000-0000-000000000000'

/** The first records of the conversation behind the mark that Claude Code leaves when it rewinds. */
export function rewoundIn({ entries }: RepairDraft): Set<Entry> {
  const found = new Set<Entry>()
  let isRewound = false
  for (const entry of entries) {
    const { type, leafUuid, uuid } = entry.value
    if (type === 'last-prompt') isRewound = leafUuid === nowhere
    if (isRewound && uuid !== undefined) found.add(entry)
    if (type === 'user' || type === 'assistant') isRewound = false
  }
  return found
}

interface Branch {
  top: ChainNode
  /** Where the conversation goes on in it: the first prompt or answer that is not part of the fork's own turn. */
  head: ChainNode
}

/** Whether anything was changed. */
function mendFork(draft: RepairDraft, fork: ChainNode, tree: ChainTree, rewound: ReadonlySet<Entry>): boolean {
  const branches = fork.children.flatMap(top => {
    const head = headOf(top, fork)
    return head === undefined ? [] : [{ top, head }]
  })
  if (branches.length < 2) return false
  branches.sort((one, other) => one.head.order - other.head.order)
  const [first, ...later] = branches as [Branch, ...Branch[]]
  const goingOn = branches.filter(({ head }) => head.kind !== 'prompt')
  const isOfTwo = goingOn.length === 0 || (goingOn.length === 1 && goesOn(fork, goingOn[0] as Branch))
  if (isOfTwo && areInterleaved(branches)) return mergeTurns(draft, fork, branches)
  const strays = later.filter(({ head }) => head.kind !== 'prompt' || isAnswered(fork, first, head, rewound))
  return strays.some(({ head }) => append(draft, fork, head, tree))
}

/** Whether the branch is the rest of the fork's own turn, as another program wrote it that did not wait for its end. */
function goesOn(fork: ChainNode, { top, head }: Branch): boolean {
  return fork.kind === 'prompt' || fork.kind === 'result' || (top !== head && top.kind !== 'side')
}

/** A prompt that was answered and that another one hangs on: a rewind takes the prompt back too, and not its answer alone. */
function isAnswered(fork: ChainNode, first: Branch, head: ChainNode, rewound: ReadonlySet<Entry>): boolean {
  return fork.kind === 'prompt' && !isAside(fork) && first.head.kind === 'answer' && !rewound.has(head.entry)
}

/** What Claude Code writes in the user's name: caveats, commands and their output, interruptions. */
function isAside({ entry: { value } }: ChainNode): boolean {
  const content = asObject(value['message'])?.['content']
  const text = typeof content === 'string' ? content : (asString(blocksOf(value)[0]?.['text']) ?? '')
  return value['isMeta'] === true || /^(?:<|\[Request interrupted)/.test(text)
}

function headOf(top: ChainNode, fork: ChainNode): ChainNode | undefined {
  let head: ChainNode | undefined
  const passed = [top]
  const seen = new Set<ChainNode>()
  for (let at = passed.pop(); at !== undefined; at = passed.pop()) {
    if (seen.has(at)) continue
    seen.add(at)
    const isOfTurn = at.kind === 'side' || at.kind === 'result' || isLineOf(at, fork)
    if (isOfTurn) passed.push(...at.children)
    else if (at.kind !== 'boundary' && at.order < (head?.order ?? Number.POSITIVE_INFINITY)) head = at
  }
  return head
}

function isLineOf(node: ChainNode, { messageId }: ChainNode): boolean {
  return node.kind === 'answer' && messageId !== undefined && node.messageId === messageId
}

/** Whether one branch went on after another one had begun. */
function areInterleaved(branches: readonly Branch[]): boolean {
  const spans = branches.map(({ top }) => {
    const orders = below(top)
      .filter(isMessage)
      .map(({ order }) => order)
    return { from: Math.min(...orders), to: Math.max(...orders) }
  })
  return spans.some((span, at) => spans.slice(at + 1).some(later => later.from < span.to && span.from < later.to))
}

/** All turns of the branches one behind the other, by their ends: what was said last comes last. */
function mergeTurns(draft: RepairDraft, fork: ChainNode, branches: readonly Branch[]): boolean {
  const nodes = branches.flatMap(({ top }) => below(top))
  // The rest of the fork's own turn is that of the fork.
  const turns = new Map<ChainNode, ChainNode[]>([[fork, []]])
  const turnOf = (node: ChainNode): ChainNode => {
    for (let at: ChainNode | null = node; at !== null && at !== fork; at = at.parent)
      if (at.kind === 'prompt') return at
    return fork
  }
  for (const node of nodes) {
    const turn = turnOf(node)
    if (isMessage(node)) turns.set(turn, [...(turns.get(turn) ?? []), node])
  }
  const last = (turn: ChainNode): ChainNode =>
    (turns.get(turn) ?? []).reduce((one, other) => (other.order > one.order ? other : one), turn)
  // No turn comes before one that it hangs below.
  const endOf = (turn: ChainNode): number => {
    if (turn === fork) return fork.order
    const above = turn.parent === null ? fork : turnOf(turn.parent)
    return Math.max(last(turn).order, endOf(above))
  }
  const ends = new Map([...turns.keys()].map(turn => [turn, endOf(turn)]))
  const prompts = [...turns.keys()].sort(
    (one, other) => (ends.get(one) ?? 0) - (ends.get(other) ?? 0) || one.order - other.order,
  )
  let isChanged = false
  for (const [at, prompt] of prompts.entries()) {
    const before = prompts[at - 1]
    if (before === undefined || isBelow(last(before), prompt)) continue
    const isBehind = before === fork ? isBelow(prompt, last(fork)) : turnOf(prompt.parent ?? fork) === before
    if (isBehind) continue
    move(
      draft,
      prompt,
      behindNotices(last(before)),
      'Two programs wrote to the session at once; their turns follow each other',
    )
    isChanged = true
  }
  return isChanged
}

/** The last of the notices that hang on a message, or itself: a resume goes on from the end of them. */
function behindNotices(message: ChainNode): ChainNode {
  const notice = message.children.findLast(({ kind }) => kind === 'side')
  return notice === undefined ? message : behindNotices(notice)
}

/** Hangs the conversation from `head` on behind what was written before it. */
function append(draft: RepairDraft, fork: ChainNode, head: ChainNode, { nodes }: ChainTree): boolean {
  let top = head
  while (top.parent !== null && top.parent !== fork && top.parent.kind === 'side') top = top.parent
  for (let at = head.order - 1; at > fork.order; at--) {
    const before = nodes[at] as ChainNode
    if (before.kind === 'boundary' || !isBelow(before, fork) || isBelow(before, top)) continue
    if (before === top.parent) return false
    move(draft, top, before, 'It hung next to what was written before it')
    return true
  }
  return false
}

function move(draft: RepairDraft, { entry }: ChainNode, parent: ChainNode, what: string): void {
  draft.change(entry, 'branch', what, [['parentUuid', parent.uuid]])
}
