// The shape of a session as rows with depths: turns as a tree, what ran in them, branches, subagents, compactions, lineage;
// folded where it is too long to read. It draws nothing.

import { asString } from '../base/json.ts'
import { hasFlag, type SessionEvent } from '../model/event.ts'
import { type EventId, type ThreadId, threadId } from '../model/ids.ts'
import { isInherited } from '../model/origin.ts'
import type {
  Branch,
  Compaction,
  GraphNode,
  LineageLink,
  ParentLink,
  SessionGraph,
  Thread,
  ToolCall,
  Turn,
} from '../model/session.ts'
import { typedText } from '../model/typed-text.ts'
import type { Tree } from '../schema/contract-shapes.ts'

export interface TurnTree {
  main: ThreadId
  /** Turns of the main thread, in the graph's order; all other fields name them by their place here. */
  turns: Turn[]
  /** The turn of every event of the main thread that has one. */
  turnOf: Map<EventId, number>
  roots: number[]
  children: number[][]
  /** The child that the line continues with: the active branch's, else the last; undefined at the end. */
  next: (number | undefined)[]
  /** Where the line that begins here ends. */
  endOf: number[]
  /** How the turn's prompt hangs on its parent. */
  linkOf: ParentLink[]
}

function turnTree(graph: SessionGraph): TurnTree {
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

/** The turn's prompt; where that is in the queue only, the first record that it brought. */
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
  // A queued prompt that brought no record, and a record that no other can name, are between the turn before them and what
  // continues from there.
  const behind = new Map<number, number>()
  return first.map((node, turn) => {
    const found = node === undefined ? before(turn) : turnAbove(graph, node.parent, turnOf, known)
    const parent = found === undefined ? undefined : lastBehind(behind, found)
    const isNamed = node?.event.stated.uuid !== undefined
    if (!isNamed && parent !== undefined && parent < turn) behind.set(parent, turn)
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
  const [leaf] = graph.activePath
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

/** One row. All text is as the log has it. */
export type ShapeRow = Tree['rows'][number]

/** Sessions that this one comes from or continues in, and those that come from it. */
export interface Kin {
  links: readonly LineageLink[]
  descendants: readonly LineageLink[]
}

type Item =
  | { type: 'call'; call: ToolCall }
  | { type: 'compaction'; compaction: Compaction }
  | { type: 'note'; text: string; id: EventId }
  | { type: 'thread'; thread: Thread }

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
    const started = startedAt(this.graph.threads)
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
      for (const thread of started.get(event.id) ?? []) items.push({ type: 'thread', thread })
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
    const text = link === 'orphan' ? 'starts over: its parent is not in the log' : 'starts over'
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

  /** One turn, the branches that were left in it, and the turn that continues from it. */
  private lineTasks(turn: number, depth: number): Task[] {
    const { tree } = this
    const items = this.byTurn[turn] ?? []
    // A border that ends a turn is between it and the next.
    const inner = items.length - trailingBorders(items)
    const tasks: Task[] = [{ type: 'row', row: this.turnRow(turn, depth) }]
    tasks.push({ type: 'inside', items: items.slice(0, inner), depth: depth + 1 })
    for (const branch of this.otherAnswers(turn)) tasks.push({ type: 'row', row: this.answerRow(branch, depth + 1) })
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
    if (isInherited(this.graph.nodes.get(turn.prompt)?.event)) row.inherited = true
    const own = this.isBranched ? this.branchOf(index) : undefined
    if (own !== undefined) row.isActive = own.isActive
    return row
  }

  /** Branches that end in a turn besides the one that its row stands for: other answers to its prompt. */
  private otherAnswers(turn: number): Branch[] {
    const own = this.branchOf(turn)
    return (this.endsIn.get(turn) ?? []).filter(branch => branch !== own)
  }

  /** The branch whose end is that of the turn: none where the line continues, what ends in it was left then. */
  private branchOf(turn: number): Branch | undefined {
    const ends = this.endsIn.get(turn) ?? []
    return ends.find(branch => branch.isActive) ?? (this.tree.next[turn] === undefined ? ends.at(-1) : undefined)
  }

  private answerRow({ leaf, title }: Branch, depth: number): ShapeRow {
    const text = title === undefined ? promptText(this.graph.nodes.get(leaf)?.event) : shortened(title)
    return { depth, kind: 'branch', text, id: leaf }
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
      if (item.type === 'thread' && !this.drawn.has(item.thread.id))
        tasks.push(...this.threadTasks(item.thread, undefined, depth))
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
    if (call !== undefined) row.status = call.outcome
    else if (thread.startEvent !== undefined) row.text ||= this.taskOf(thread)
    else row.text = row.text === '' ? 'not linked to a call' : `${row.text} (not linked to a call)`
    if (call?.durationMs !== undefined && thread.async !== true) row.durationMs = call.durationMs
    return [
      { type: 'row', row },
      { type: 'inside', items, depth: depth + 1 },
    ]
  }

  /** The beginning of its task. */
  private taskOf({ events }: Thread): string {
    for (const id of events) {
      const text = promptText(this.graph.nodes.get(id)?.event)
      if (text !== '') return text
    }
    return ''
  }

  private drawUnlinked(): void {
    let internal = 0
    for (const thread of this.graph.threads) {
      if (thread.kind === 'main' || this.drawn.has(thread.id)) continue
      if (thread.isInternal) internal++
      else this.work(this.threadTasks(thread, undefined, 0))
    }
    if (internal === 0) return
    const text = `${internal} ${internal === 1 ? 'thread' : 'threads'} of Claude Code itself (suggestions, summaries)`
    this.rows.push({ depth: 0, kind: 'note', text })
  }
}

/** Threads that no call started, by the event that they follow. */
function startedAt(threads: readonly Thread[]): Map<EventId, Thread[]> {
  const started = new Map<EventId, Thread[]>()
  for (const thread of threads) {
    if (thread.startEvent === undefined || thread.call !== undefined) continue
    const list = started.get(thread.startEvent)
    if (list) list.push(thread)
    else started.set(thread.startEvent, [thread])
  }
  return started
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
    if (item.type === 'thread') counts.subagents++
    if (item.type !== 'call') continue
    counts.calls++
    if (item.call.outcome === 'failed') counts.failed++
    if (item.call.subagent !== undefined) counts.subagents++
  }
  return counts
}

/** `Bash ×14, Read ×9`: each tool once, in the order of first use. */
function callsRow(calls: readonly ToolCall[], depth: number): ShapeRow {
  const byName = new Map<string, NonNullable<ShapeRow['tools']>[number]>()
  let failed = 0
  for (const { name, outcome: status } of calls) {
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

/** What was asked, in one line. */
function promptText(event: SessionEvent | undefined): string {
  if (event === undefined) return ''
  const text = shortened(typedText(event))
  const media = event.blocks.find(block => block.type === 'image' || block.type === 'document')
  return text === '' && media !== undefined ? `(${media.type})` : text
}

function shortened(text: string): string {
  const line = text
    .slice(0, 4 * longestText)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length <= longestText ? line : line.slice(0, longestText)
}

/** The same rows where they fit, else fewer, at most `most`: borders, branches and the ends of long runs stay longest. */
export function foldShape(rows: readonly ShapeRow[], most: number): Pick<Tree, 'rows' | 'folded'> {
  const folded: Tree['folded'] = { subagents: 0, calls: 0, turns: 0, rows: 0 }
  let kept: ShapeRow[] = [...rows]
  if (kept.length > most) kept = foldSubagents(kept, folded)
  if (kept.length > most) kept = foldCalls(kept, folded)
  if (kept.length > most) kept = foldRuns(kept, folded, most)
  if (kept.length > most) kept = foldMiddle(kept, folded, most)
  const real = kept.filter(row => row.kind !== 'folded').length
  folded.rows = rows.length - real
  return { rows: kept, folded }
}

/** Everything below a subagent. */
function foldSubagents(rows: readonly ShapeRow[], folded: Tree['folded']): ShapeRow[] {
  const kept: ShapeRow[] = []
  let inside: number | undefined
  let isCounted = false
  for (const row of rows) {
    if (inside !== undefined && row.depth > inside) {
      if (!isCounted) folded.subagents++
      isCounted = true
      continue
    }
    inside = row.kind === 'subagent' ? row.depth : undefined
    isCounted = false
    kept.push(row)
  }
  return kept
}

/** Calls, subagents and notes inside turns: the turn's own row has their numbers. */
function foldCalls(rows: readonly ShapeRow[], folded: Tree['folded']): ShapeRow[] {
  const kept: ShapeRow[] = []
  let turn: ShapeRow | undefined
  let counted: ShapeRow | undefined
  for (const row of rows) {
    const isInside = row.kind === 'calls' || row.kind === 'subagent' || row.kind === 'note'
    if (isInside && turn !== undefined && row.depth > turn.depth) {
      if (counted !== turn) folded.calls++
      counted = turn
      continue
    }
    if (row.kind === 'turn' || row.kind === 'start') turn = row
    kept.push(row)
  }
  return kept
}

/** Turns that follow each other: of every run the first and last few stay, as many as fit. */
function foldRuns(rows: readonly ShapeRow[], folded: Tree['folded'], most: number): ShapeRow[] {
  const runs = runsOf(rows)
  const fixed = rows.length - runs.reduce((sum, run) => sum + run.length, 0)
  const space = Math.max(0, most - fixed)
  // A run that is folded still takes at least its first, its last and the row that says so.
  let each = Math.max(3, Math.floor(space / Math.max(1, runs.length)))
  const short = runs.filter(run => run.length <= each)
  const rest = space - short.reduce((sum, run) => sum + run.length, 0)
  if (short.length < runs.length) each = Math.max(3, Math.floor(rest / (runs.length - short.length)))
  const kept: ShapeRow[] = []
  let at = 0
  for (const run of runs) {
    for (; at < run.start; at++) kept.push(rows[at] as ShapeRow)
    for (const row of foldRun(rows.slice(run.start, run.start + run.length), each, folded)) kept.push(row)
    at = run.start + run.length
  }
  for (; at < rows.length; at++) kept.push(rows[at] as ShapeRow)
  return kept
}

interface Run {
  start: number
  length: number
}

/** Neighbouring turns of one depth. */
function runsOf(rows: readonly ShapeRow[]): Run[] {
  const runs: Run[] = []
  let open: Run | undefined
  rows.forEach((row, place) => {
    const before = rows[place - 1]
    if (row.kind !== 'turn' || row.isActive !== undefined) open = undefined
    else if (open !== undefined && before?.depth === row.depth) open.length++
    else {
      open = { start: place, length: 1 }
      runs.push(open)
    }
  })
  return runs
}

function foldRun(run: readonly ShapeRow[], most: number, folded: Tree['folded']): ShapeRow[] {
  if (run.length <= most) return [...run]
  const head = Math.ceil((most - 1) / 2)
  const tail = most - 1 - head
  const hidden = run.slice(head, run.length - tail)
  folded.turns += hidden.length
  return [...run.slice(0, head), foldedRow(hidden), ...run.slice(run.length - tail)]
}

/** The last resort: head and tail of everything. */
function foldMiddle(rows: readonly ShapeRow[], folded: Tree['folded'], most: number): ShapeRow[] {
  const head = Math.ceil((most - 1) / 2)
  const tail = Math.max(0, most - 1 - head)
  const hidden = rows.slice(head, rows.length - tail)
  for (const row of hidden) if (row.kind === 'turn') folded.turns++
  return [...rows.slice(0, head), { ...foldedRow(hidden), depth: 0 }, ...rows.slice(rows.length - tail)]
}

function foldedRow(hidden: readonly ShapeRow[]): ShapeRow {
  const row: ShapeRow = { depth: hidden[0]?.depth ?? 0, kind: 'folded', text: '', calls: 0, failed: 0, subagents: 0 }
  const kinds = new Map<string, number>()
  for (const { kind, calls = 0, failed = 0, subagents = 0 } of hidden) {
    if (kind !== 'folded') kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    if (kind === 'calls' || kind === 'subagent') continue
    row.calls = (row.calls ?? 0) + calls
    row.failed = (row.failed ?? 0) + failed
    row.subagents = (row.subagents ?? 0) + subagents
  }
  row.text = [...kinds].map(([kind, times]) => `${times} ${plural(kind, times)}`).join(', ')
  return row
}

function plural(kind: string, times: number): string {
  if (times === 1 || kind === 'calls') return kind
  return kind === 'branch' ? 'branches' : `${kind}s`
}
