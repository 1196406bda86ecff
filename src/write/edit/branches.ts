// Branches that are none. A rewind leaves two prompts side by side, and everything of the first one was written before the second:
// such branches stay. Two writers at once, and records that hang too far up, become one conversation again, in the order in which
// they were written. The tree is read once; what is moved is moved in it.

import { asObject, asString } from '../../base/json.ts'
import { Forest } from './forest.ts'
import { blocksOf, type ChainNode, readTree } from './nodes.ts'
import type { Entry, RepairDraft } from './repair-draft.ts'
import { type Move, turnsInOrder } from './turns-in-order.ts'

export function repairBranches(draft: RepairDraft): void {
  new BranchRepair(draft, readTree(draft).nodes).run()
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

/** The branches of a fork that were not moved, by the order of their heads. */
class OpenBranches {
  readonly fork: ChainNode
  readonly all: Set<Branch>
  /** Those that do not begin with a prompt. */
  private readonly goingOn: Set<Branch>
  /** No branch went on after a later one had begun. */
  private isApart = false

  constructor(fork: ChainNode, branches: readonly Branch[]) {
    this.fork = fork
    this.all = new Set(branches)
    this.goingOn = new Set(branches.filter(({ head }) => head.kind !== 'prompt'))
  }

  /** Whether two programs wrote at once: branches that each could be the conversation, and that went on side by side. */
  areOfTwoWriters(forest: Forest): boolean {
    const [rest, other] = this.goingOn
    if (this.all.size < 2 || other !== undefined) return false
    if (rest !== undefined && !isRestOfTurn(this.fork, rest)) return false
    if (!this.isApart) this.isApart = areApart([...this.all], forest)
    return !this.isApart
  }

  /** `isNextTo`: it went to the branch before it, so that those that are left are as far apart as they were. */
  takeOut(branch: Branch, isNextTo: boolean): void {
    this.all.delete(branch)
    this.goingOn.delete(branch)
    this.isApart &&= isNextTo
  }
}

/** Whether the branch is the rest of the fork's own turn, as another program wrote it that did not wait for its end. */
function isRestOfTurn(fork: ChainNode, { top, head }: Branch): boolean {
  return fork.kind === 'prompt' || fork.kind === 'result' || (top !== head && top.kind !== 'side')
}

/** Whether each branch was at its end when the next one began. */
function areApart(branches: readonly Branch[], forest: Forest): boolean {
  const spans = branches.map(({ top }) => forest.spanOf(top)).sort((one, other) => one.from - other.from)
  return spans.every(({ from }, at) => from > (spans[at - 1]?.to ?? Number.NEGATIVE_INFINITY))
}

/**
 * Mends the first fork that can be mended, until none can. What a fork is depends on what is below it alone: so after each move
 * only those forks are looked at again that it is below, if they saw it, or that are new.
 */
class BranchRepair {
  private readonly draft: RepairDraft
  private readonly nodes: readonly ChainNode[]
  private readonly forest: Forest
  private readonly rewound: ReadonlySet<Entry>
  /** By order: the forks to look at. */
  private readonly isDue: Uint8Array
  /** No fork before this one is due. */
  private next = 0
  /** The last fork that was looked at. */
  private farthest = 0
  /** Forks of two writers whose turns follow each other as it is. */
  private readonly inOrder: ChainNode[] = []
  /** Each step mends one fork; more of them than records there cannot be. */
  private steps: number

  constructor(draft: RepairDraft, nodes: readonly ChainNode[]) {
    this.draft = draft
    this.nodes = nodes
    this.forest = new Forest(nodes)
    this.rewound = rewoundIn(draft)
    this.isDue = Uint8Array.from(nodes, ({ children }) => (children.length > 1 ? 1 : 0))
    this.steps = draft.entries.length
  }

  run(): void {
    while (this.steps > 0) {
      const fork = this.nodes[this.isDue.indexOf(1, this.next)]
      if (fork === undefined) return
      this.isDue[fork.order] = 0
      this.next = fork.order + 1
      this.farthest = Math.max(this.farthest, fork.order)
      this.mend(fork)
      dropMoved(fork)
    }
  }

  private mend(fork: ChainNode): void {
    const [first, ...later] = branchesOf(fork)
    if (first === undefined) return
    const open = new OpenBranches(fork, [first, ...later])
    if (this.mergeTurns(open)) return
    let before = first
    for (const branch of later) {
      const move = this.isStray(branch, first, fork) ? this.moveBehind(branch, fork) : undefined
      if (move === undefined) {
        before = branch
        continue
      }
      const isPlain = this.isPlain(move, { branch, before, fork })
      open.takeOut(branch, this.forest.isBelow(move.parent, before.top))
      this.apply(move, fork, 'It hung next to what was written before it')
      this.steps--
      // Else the branches of the fork, or an earlier fork, are not what they were.
      if (!isPlain || this.next < fork.order || this.steps === 0) {
        this.lookAt(fork)
        return
      }
      if (this.mergeTurns(open)) return
    }
    this.isDue[fork.order] = 0
  }

  /** Whether it goes on with what another branch said: an answer, or a prompt that hangs on one that was answered. */
  private isStray({ head }: Branch, first: Branch, fork: ChainNode): boolean {
    if (head.kind !== 'prompt') return true
    // A rewind takes the prompt back too, and not its answer alone.
    return fork.kind === 'prompt' && !isAside(fork) && first.head.kind === 'answer' && !this.rewound.has(head.entry)
  }

  /** Behind what was written before it; undefined where it is there, or nothing was. */
  private moveBehind({ head }: Branch, fork: ChainNode): Move | undefined {
    let top = head
    while (top.parent !== null && top.parent !== fork && top.parent.kind === 'side') top = top.parent
    for (let at = head.order - 1; at > fork.order; at--) {
      const before = this.nodes[at] as ChainNode
      if (before.kind === 'boundary' || !this.forest.isBelow(before, fork) || this.forest.isBelow(before, top)) continue
      return before === top.parent ? undefined : { node: top, parent: before }
    }
    return undefined
  }

  /** Whether the fork has one branch less and is otherwise as it was, and no earlier branch can be moved because of it. */
  private isPlain(
    { node, parent }: Move,
    { branch, before, fork }: { branch: Branch; before: Branch; fork: ChainNode },
  ): boolean {
    return node === branch.top && !isOfTurn(parent, fork) && this.forest.spanOf(node).first > before.head.order
  }

  /** Where two programs wrote at once, all turns of the branches one behind the other. Whether they did. */
  private mergeTurns(open: OpenBranches): boolean {
    if (!open.areOfTwoWriters(this.forest)) return false
    const { fork, all } = open
    dropMoved(fork)
    let moves = turnsInOrder(
      fork,
      [...all].map(({ top }) => top),
      this.forest,
    )
    if (moves.length === 0) {
      this.inOrder.push(fork)
      this.isDue[fork.order] = 0
      return true
    }
    this.steps--
    this.lookAt(fork)
    // One may wait for another one that is above it until now.
    for (let count = 0; count !== moves.length; ) {
      count = moves.length
      moves = moves.filter(
        move => !this.apply(move, fork, 'Two programs wrote to the session at once; their turns follow each other'),
      )
    }
    return true
  }

  /** Whether it could be moved: not below itself. */
  private apply({ node, parent }: Move, fork: ChainNode, what: string): boolean {
    if (this.forest.isBelow(parent, node)) return false
    const from = node.parent as ChainNode
    this.lookAgain(from, fork)
    this.forest.move(node, parent)
    if (from !== fork) dropMoved(from)
    const place = parent.children.findLastIndex(({ order }) => order < node.order)
    parent.children.splice(place + 1, 0, node)
    this.lookAgain(parent, fork)
    this.draft.change(node.entry, 'branch', what, [['parentUuid', parent.uuid]])
    return true
  }

  /** Forks that are no longer what they were when a child of the node has come or gone, below the fork that is mended or above. */
  private lookAgain(node: ChainNode, fork: ChainNode): void {
    let messageId: string | undefined
    for (let at: ChainNode | null = node; at !== null; at = at.parent) {
      if (at.children.length > 1) this.lookAt(at)
      if (at.kind === 'prompt' || at.kind === 'boundary') break
      if (at.kind !== 'answer') continue
      if (at.messageId === undefined || at.messageId !== (messageId ?? at.messageId)) break
      messageId = at.messageId
    }
    const isFirstLook = fork.order === this.farthest && this.forest.spanOf(fork).first === fork.order
    if (!isFirstLook)
      for (let at: ChainNode | null = node; at !== null && at !== fork; at = at.parent)
        if (at.children.length > 1) this.lookAt(at)
    for (const one of this.inOrder) if (this.forest.isBelow(fork, one)) this.lookAt(one)
  }

  private lookAt(fork: ChainNode): void {
    this.isDue[fork.order] = 1
    this.next = Math.min(this.next, fork.order)
  }
}

function branchesOf(fork: ChainNode): Branch[] {
  const branches = fork.children.flatMap(top => {
    const head = headOf(top, fork)
    return head === undefined ? [] : [{ top, head }]
  })
  return branches.sort((one, other) => one.head.order - other.head.order)
}

function headOf(top: ChainNode, fork: ChainNode): ChainNode | undefined {
  let head: ChainNode | undefined
  const passed = [top]
  for (let at = passed.pop(); at !== undefined; at = passed.pop()) {
    if (isPassed(at, fork)) for (const child of at.children) passed.push(child)
    else if (at.kind !== 'boundary' && at.order < (head?.order ?? Number.POSITIVE_INFINITY)) head = at
  }
  return head
}

/** Whether a node that hangs on the turn of a fork is part of it. */
function isPassed({ kind, messageId }: ChainNode, fork: ChainNode): boolean {
  return (
    kind === 'side' ||
    kind === 'result' ||
    (kind === 'answer' && messageId !== undefined && messageId === fork.messageId)
  )
}

/** Whether it and all between it and the fork are part of the fork's own turn. */
function isOfTurn(node: ChainNode, fork: ChainNode): boolean {
  let at: ChainNode | null = node
  while (at !== null && at !== fork && isPassed(at, fork)) at = at.parent
  return at === fork
}

/** What Claude Code writes in the user's name: caveats, commands and their output, interruptions. */
function isAside({ entry: { value } }: ChainNode): boolean {
  const content = asObject(value['message'])?.['content']
  const text = typeof content === 'string' ? content : (asString(blocksOf(value)[0]?.['text']) ?? '')
  return value['isMeta'] === true || /^(?:<|\[Request interrupted)/.test(text)
}

/** What was moved is no longer among its children. */
function dropMoved(node: ChainNode): void {
  node.children = node.children.filter(({ parent }) => parent === node)
}
