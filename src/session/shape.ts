// The shape of a session as rows with depths: turns, what ran in them, branches, subagents, compactions, lineage. Runs of
// calls are one row each. It decides what is drawn, not how; making it short enough for a screen is the next file's work.
//
//   turn 1                      depth 0
//     calls  Bash ×14, Read ×9          1
//     subagent                          1
//       calls  Grep ×3                  2
//     branch (left)                     1
//       turn 3                          2
//   compaction                          0
//   turn 2                              0

import { asString } from '../base/json.ts'
import type { SessionEvent } from '../model/event.ts'
import { hasFlag } from '../model/event.ts'
import type { EventId, ThreadId } from '../model/ids.ts'
import type { Branch, CallStatus, Compaction, LineageLink, SessionGraph, Thread, ToolCall } from '../model/session.ts'
import { type TurnTree, turnTree } from './shape-turns.ts'

export type ShapeKind =
  | 'lineage' // another session that this one comes from or goes on in
  | 'start' // what happened before the first prompt
  | 'turn'
  | 'calls' // tool calls one after the other
  | 'subagent'
  | 'compaction'
  | 'branch' // one that was left
  | 'note' // an interruption, a new root
  | 'folded' // rows that were left out

export interface ToolRun {
  name: string
  calls: number
  failed: number
}

/** One row. All text is as the log has it. */
export interface ShapeRow {
  depth: number
  kind: ShapeKind
  /** The prompt's event, the thread, the border's event, the branch's leaf or the other session. */
  id?: string
  text: string
  /** Number of the turn in its session. */
  turn?: number
  /** How often a note came in a row; absent for once. */
  times?: number
  calls?: number
  failed?: number
  subagents?: number
  durationMs?: number
  tools?: ToolRun[]
  /** The active branch ends here; false where another one does. Absent where there is only one. */
  isActive?: boolean
  status?: CallStatus
  relation?: LineageLink['relation']
  /** True where the other session comes from this one. */
  isDescendant?: boolean
  preTokens?: number
  postTokens?: number
}

/** Sessions that this one comes from or goes on in, and those that come from it. */
export interface Kin {
  links: readonly LineageLink[]
  descendants: readonly LineageLink[]
}

type Item =
  | { type: 'call'; call: ToolCall }
  | { type: 'compaction'; compaction: Compaction }
  | { type: 'note'; text: string; id: EventId }

/** What is still to be drawn: a row that is ready, the inside of a thread, or a turn with all that follows it. */
type Task =
  | { type: 'row'; row: ShapeRow }
  | { type: 'inside'; items: readonly Item[]; depth: number }
  | { type: 'line'; turn: number; depth: number }

const longestText = 300

export function shapeOf(graph: SessionGraph, kin: Kin = { links: [], descendants: [] }): ShapeRow[] {
  return new Drawing(graph).draw(kin)
}

class Drawing {
  private readonly rows: ShapeRow[] = []
  private readonly tree: TurnTree
  private readonly threads = new Map<ThreadId, Thread>()
  private readonly drawn = new Set<ThreadId>()
  private readonly endsIn = new Map<number, Branch[]>()
  private readonly byTurn: Item[][]
  private readonly byThread = new Map<ThreadId, Item[]>()
  private readonly beforeFirst: Item[] = []
  /** Lines of the queue that began a turn. */
  private readonly queued = new Map<EventId, SessionEvent>()
  private readonly isBranched: boolean
  private readonly graph: SessionGraph

  constructor(graph: SessionGraph) {
    this.graph = graph
    this.tree = turnTree(graph)
    for (const thread of graph.threads) this.threads.set(thread.id, thread)
    this.byTurn = this.tree.turns.map(() => [])
    this.isBranched = graph.branches.length > 1
    for (const branch of graph.branches) {
      const turn = this.tree.turnOf.get(branch.leaf)
      if (turn === undefined) continue
      const ends = this.endsIn.get(turn)
      if (ends === undefined) this.endsIn.set(turn, [branch])
      else ends.push(branch)
    }
    this.gather()
  }

  draw(kin: Kin): ShapeRow[] {
    for (const link of kin.links) if (link.relation !== 'continued-in') this.rows.push(lineageRow(link, false))
    if (this.beforeFirst.length > 0) this.drawStart()
    for (const [place, turn] of this.tree.roots.entries()) {
      const fresh = place === 0 ? undefined : this.freshStart(turn)
      this.work([...(fresh === undefined ? [] : [fresh]), { type: 'line', turn, depth: 0 }])
    }
    this.drawUnlinked()
    for (const link of kin.links) if (link.relation === 'continued-in') this.rows.push(lineageRow(link, false))
    for (const link of kin.descendants) this.rows.push(lineageRow(link, true))
    return this.rows
  }

  /** Sorts calls, borders and interruptions into the turn or thread they belong to, in file order. */
  private gather(): void {
    const calls = new Map<EventId, ToolCall[]>()
    for (const call of this.graph.toolCalls) {
      const list = calls.get(call.requestEvent)
      if (list === undefined) calls.set(call.requestEvent, [call])
      else list.push(call)
    }
    const borders = new Map(this.graph.compactions.map(compaction => [compaction.event, compaction]))
    let last: number | undefined
    for (const event of this.graph.events) {
      if (hasFlag(event, 'copy')) continue
      const isMain = event.thread === this.tree.main
      if (isMain) last = this.tree.turnOf.get(event.id) ?? last
      if (event.kind === 'queue' && this.tree.turnOf.has(event.id)) this.queued.set(event.id, event)
      const items = isMain ? (last === undefined ? this.beforeFirst : this.byTurn[last]) : this.itemsOf(event.thread)
      if (items === undefined) continue
      for (const call of calls.get(event.id) ?? []) items.push({ type: 'call', call })
      const compaction = borders.get(event.id)
      if (compaction !== undefined) items.push({ type: 'compaction', compaction })
      if (event.kind === 'interruption') items.push({ type: 'note', text: 'interrupted', id: event.id })
      if (event.kind === 'api-error') items.push({ type: 'note', text: 'error of the API', id: event.id })
    }
  }

  private itemsOf(thread: ThreadId): Item[] {
    let items = this.byThread.get(thread)
    if (items === undefined) {
      items = []
      this.byThread.set(thread, items)
    }
    return items
  }

  private drawStart(): void {
    const text = this.tree.turns.length === 0 ? 'without a prompt' : 'before the first prompt'
    const row: ShapeRow = { depth: 0, kind: 'start', text, ...countsOf(this.beforeFirst) }
    this.work([
      { type: 'row', row },
      { type: 'inside', items: this.beforeFirst, depth: 1 },
    ])
  }

  private freshStart(turn: number): Task | undefined {
    const link = this.tree.linkOf[turn]
    const text = link === 'orphan' ? 'begins anew: its parent is not in the log' : 'begins anew'
    const id = this.tree.turns[turn]?.prompt
    return { type: 'row', row: { depth: 0, kind: 'note', text, ...(id === undefined ? {} : { id }) } }
  }

  /** A stack of its own: threads may nest, and branches leave branches, to any depth. */
  private work(tasks: readonly Task[]): void {
    const stack = tasks.toReversed()
    for (let task = stack.pop(); task !== undefined; task = stack.pop()) {
      if (task.type === 'row') {
        this.rows.push(task.row)
        continue
      }
      const more =
        task.type === 'line' ? this.lineTasks(task.turn, task.depth) : this.insideTasks(task.items, task.depth)
      for (let i = more.length - 1; i >= 0; i--) stack.push(more[i] as Task)
    }
  }

  /** One turn, the branches that were left in it, and the turn that goes on from it. */
  private lineTasks(turn: number, depth: number): Task[] {
    const { tree } = this
    const items = this.byTurn[turn] ?? []
    // A border that ends a turn stands between it and the next.
    const inner = items.length - trailingBorders(items)
    const tasks: Task[] = [{ type: 'row', row: this.turnRow(turn, depth) }]
    tasks.push({ type: 'inside', items: items.slice(0, inner), depth: depth + 1 })
    const next = tree.next[turn]
    for (const child of tree.children[turn] ?? []) {
      if (child === next) continue
      tasks.push(
        { type: 'row', row: this.branchRow(child, depth + 1) },
        { type: 'line', turn: child, depth: depth + 2 },
      )
    }
    tasks.push({ type: 'inside', items: items.slice(inner), depth })
    if (next !== undefined) tasks.push({ type: 'line', turn: next, depth })
    return tasks
  }

  private turnRow(index: number, depth: number): ShapeRow {
    const turn = this.tree.turns[index]
    const row: ShapeRow = {
      depth,
      kind: 'turn',
      text: '',
      turn: turn?.index ?? index,
      ...countsOf(this.byTurn[index] ?? []),
    }
    if (turn === undefined) return row
    row.id = turn.prompt
    row.text = promptText(this.graph.nodes.get(turn.prompt)?.event ?? this.queued.get(turn.prompt))
    if (turn.durationMs !== undefined) row.durationMs = turn.durationMs
    const ends = this.isBranched ? this.endsIn.get(index) : undefined
    if (ends !== undefined) row.isActive = ends.some(branch => branch.isActive)
    return row
  }

  /** Named after the branch that the line of turns from here ends in. */
  private branchRow(first: number, depth: number): ShapeRow {
    const end = this.tree.endOf[first] ?? first
    const branch = this.endsIn.get(end)?.at(-1)
    const row: ShapeRow = { depth, kind: 'branch', text: shortened(branch?.title ?? '') }
    if (branch !== undefined) row.id = branch.leaf
    return row
  }

  /** Calls in a row are one row, whatever the tool; a subagent, a border or a note ends it. */
  private insideTasks(items: readonly Item[], depth: number): Task[] {
    const tasks: Task[] = []
    let run: ToolCall[] = []
    const endRun = () => {
      if (run.length > 0) tasks.push({ type: 'row', row: callsRow(run, depth) })
      run = []
    }
    for (const item of items) {
      const thread =
        item.type === 'call' && item.call.subagent !== undefined ? this.threads.get(item.call.subagent) : undefined
      if (item.type === 'call' && (thread === undefined || this.drawn.has(thread.id))) {
        run.push(item.call)
        continue
      }
      endRun()
      if (item.type === 'call' && thread !== undefined) tasks.push(...this.threadTasks(thread, item.call, depth))
      if (item.type === 'compaction') tasks.push({ type: 'row', row: compactionRow(item.compaction, depth) })
      if (item.type === 'note') addNote(tasks, item, depth)
    }
    endRun()
    return tasks
  }

  private threadTasks(thread: Thread, call: ToolCall | undefined, depth: number): Task[] {
    this.drawn.add(thread.id)
    const items = this.byThread.get(thread.id) ?? []
    const words = [thread.agentType, thread.description ?? asString(inputOf(call)['description'])]
    const text = words.filter(word => word !== undefined && word !== '').join(': ')
    const row: ShapeRow = { depth, kind: 'subagent', id: thread.id, text: shortened(text), ...countsOf(items) }
    if (call === undefined) row.text = row.text === '' ? 'not linked to a call' : `${row.text} (not linked to a call)`
    else row.status = call.status
    if (call?.durationMs !== undefined && thread.async !== true) row.durationMs = call.durationMs
    return [
      { type: 'row', row },
      { type: 'inside', items, depth: depth + 1 },
    ]
  }

  private drawUnlinked(): void {
    let internal = 0
    for (const thread of this.graph.threads) {
      if (thread.kind === 'main' || this.drawn.has(thread.id)) continue
      if (thread.isInternal) internal++
      else this.work(this.threadTasks(thread, undefined, 0))
    }
    if (internal === 0) return
    const text = `${internal} ${internal === 1 ? 'thread' : 'threads'} of the client's own (suggestions, summaries)`
    this.rows.push({ depth: 0, kind: 'note', text })
  }
}

/** The same note again is counted, not repeated. */
function addNote(tasks: Task[], { text, id }: Extract<Item, { type: 'note' }>, depth: number): void {
  const last = tasks.at(-1)
  if (last?.type === 'row' && last.row.kind === 'note' && last.row.text === text)
    last.row.times = (last.row.times ?? 1) + 1
  else tasks.push({ type: 'row', row: { depth, kind: 'note', text, id } })
}

function inputOf(call: ToolCall | undefined): Readonly<Record<string, unknown>> {
  const input = call?.input
  return typeof input === 'object' && input !== null ? (input as Readonly<Record<string, unknown>>) : {}
}

function trailingBorders(items: readonly Item[]): number {
  let borders = 0
  while (items[items.length - 1 - borders]?.type === 'compaction') borders++
  return borders
}

function countsOf(items: readonly Item[]): { calls: number; failed: number; subagents: number } {
  const counts = { calls: 0, failed: 0, subagents: 0 }
  for (const item of items) {
    if (item.type !== 'call') continue
    counts.calls++
    if (item.call.status === 'failed') counts.failed++
    if (item.call.subagent !== undefined) counts.subagents++
  }
  return counts
}

/** `Bash ×14, Read ×9`: each tool once, in the order of first use. */
function callsRow(calls: readonly ToolCall[], depth: number): ShapeRow {
  const byName = new Map<string, ToolRun>()
  let failed = 0
  for (const { name, status } of calls) {
    const run = byName.get(name) ?? { name, calls: 0, failed: 0 }
    byName.set(name, run)
    run.calls++
    if (status !== 'failed') continue
    run.failed++
    failed++
  }
  const id = calls[0]?.requestEvent
  return { depth, kind: 'calls', text: '', calls: calls.length, failed, tools: [...byName.values()], ...(id && { id }) }
}

function compactionRow(compaction: Compaction, depth: number): ShapeRow {
  const row: ShapeRow = { depth, kind: 'compaction', text: compaction.trigger ?? '', id: compaction.event }
  if (compaction.preTokens !== undefined) row.preTokens = compaction.preTokens
  if (compaction.postTokens !== undefined) row.postTokens = compaction.postTokens
  return row
}

function lineageRow(link: LineageLink, isDescendant: boolean): ShapeRow {
  return { depth: 0, kind: 'lineage', id: link.session, text: link.how, relation: link.relation, isDescendant }
}

/** What was asked, in one line, without what an editor or the client put around it. */
function promptText(event: SessionEvent | undefined): string {
  if (event === undefined) return ''
  const command = asString(event.detail?.['command'])
  if (event.kind === 'command' && command !== undefined) return shortened(command)
  for (const block of event.blocks) {
    if (block.type !== 'text') continue
    const text = shortened(block.text.slice(0, 20_000).replace(/<(ide_[a-z_]+|system-reminder)>[\s\S]*?<\/\1>/g, ''))
    if (text !== '') return text
  }
  const media = event.blocks.find(block => block.type === 'image' || block.type === 'document')
  return media === undefined ? '' : `(${media.type})`
}

function shortened(text: string): string {
  const line = text
    .slice(0, 4 * longestText)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length <= longestText ? line : line.slice(0, longestText)
}
