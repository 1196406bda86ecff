// Turns: from what a human asked to the next such thing on the same thread. Records belong to the turn of the node they hang
// on, so that a rewind does not mix two turns; a record that hangs on nothing belongs to the turn before it in the file.

import { toMillis } from '../../base/instant.ts'
import { asNumber, asString } from '../../base/json.ts'
import { hasFlag, type SessionEvent } from '../../model/event.ts'
import { type EventId, eventId } from '../../model/ids.ts'
import { QueueReader } from '../../model/queue.ts'
import type { ToolCall, Turn } from '../../model/session.ts'
import { childrenOf, type NodeIndex, none, type Skeleton, topDown } from './skeleton.ts'

export function buildTurns(
  skeleton: Skeleton,
  events: readonly SessionEvent[],
  toolCalls: readonly ToolCall[],
): Turn[] {
  const order = topDown(skeleton.parent, childrenOf(skeleton.parent))
  const asked = skeleton.events.map(event => isPrompt(event) || isTypedCommand(event))
  const queued = queuedStarts(skeleton, events)
  for (const node of queued.values()) if (node !== none) asked[node] = true
  const owners = ownersOf(skeleton, order, asked)
  const starts = asked.map((isAsked, node) => isAsked && isPrompt(skeleton.events[node] as SessionEvent))
  for (let node = 0; node < owners.length; node++) {
    // A command that the model answered began a turn; one that the client served alone did not.
    const event = skeleton.events[node] as SessionEvent
    const owner = owners[node] ?? none
    if (isModelsAnswer(event) && owner !== none) starts[owner] = true
  }
  const turnOf = ownersOf(skeleton, order, starts)
  const turns = collectTurns(skeleton, events, starts, queued)
  fillTurns(skeleton, events, turnOf, turns)
  addCalls(skeleton, toolCalls, turnOf, turns.byNode)
  for (const turn of turns.list) {
    const span = spanOf(turn)
    if (turn.durationMs === undefined && span !== undefined) turn.durationMs = span
  }
  return turns.list
}

function isModelsAnswer(event: SessionEvent): boolean {
  return event.kind === 'answer' && !hasFlag(event, 'synthetic')
}

/**
 * Prompts that stand in the queue only, each with the answer that it brought: the first new one after the model got it;
 * none where the next prompt, or another queued one, came first.
 */
function queuedStarts(skeleton: Skeleton, events: readonly SessionEvent[]): Map<SessionEvent, NodeIndex> {
  const reader = new QueueReader()
  for (const event of events) if (event.thread === skeleton.main) reader.see(event)
  const found = new Map<SessionEvent, NodeIndex>()
  const taken = new Map<string, SessionEvent>()
  for (const queued of reader.prompts()) {
    found.set(queued.prompt, none)
    taken.set(queued.taken.id, queued.prompt)
  }
  if (taken.size === 0) return found
  const answered = new Set<string>()
  let open: SessionEvent | undefined
  for (const event of events) {
    open = taken.get(event.id) ?? open
    if (event.thread !== skeleton.main || hasFlag(event, 'copy')) continue
    if (isPrompt(event)) open = undefined
    if (!isModelsAnswer(event)) continue
    const message = event.message?.id ?? event.id
    if (open && !answered.has(message)) {
      found.set(open, skeleton.index.get(event.id) ?? none)
      open = undefined
    }
    answered.add(message)
  }
  return found
}

interface Turns {
  /** In the order in which they were asked. */
  list: Turn[]
  byNode: Map<NodeIndex, Turn>
  byQueued: Map<SessionEvent, Turn>
}

function collectTurns(
  skeleton: Skeleton,
  events: readonly SessionEvent[],
  starts: readonly boolean[],
  queued: ReadonlyMap<SessionEvent, NodeIndex>,
): Turns {
  const turns: Turns = { list: [], byNode: new Map(), byQueued: new Map() }
  const answers = new Set(queued.values())
  for (const event of events) {
    if (hasFlag(event, 'copy')) continue
    const answer = queued.get(event)
    const node = answer ?? skeleton.index.get(event.id) ?? none
    if (answer === undefined && (!starts[node] || answers.has(node))) continue
    const turn = newTurn(event, turns.list.length)
    turns.list.push(turn)
    if (node !== none) turns.byNode.set(node, turn)
    if (answer !== undefined) turns.byQueued.set(event, turn)
  }
  return turns
}

function isPrompt(event: SessionEvent): boolean {
  return event.kind === 'prompt' && event.actor === 'human'
}

function isTypedCommand(event: SessionEvent): boolean {
  return event.kind === 'command' && event.actor === 'human'
}

/** The start that every node belongs to: itself, its parent's on the same thread, or the last one before it there. */
function ownersOf(skeleton: Skeleton, order: readonly NodeIndex[], starts: readonly boolean[]): NodeIndex[] {
  const before = startBefore(skeleton, starts)
  const owners = new Array<NodeIndex>(skeleton.events.length).fill(none)
  for (const node of order) {
    const parent = skeleton.parent[node] ?? none
    const isSameThread = skeleton.events[parent]?.thread === skeleton.events[node]?.thread
    if (starts[node]) owners[node] = node
    else if (isSameThread) owners[node] = owners[parent] ?? none
    else owners[node] = before[node] ?? none
  }
  return owners
}

function startBefore(skeleton: Skeleton, starts: readonly boolean[]): NodeIndex[] {
  const last = new Map<string, NodeIndex>()
  return skeleton.events.map((event, node) => {
    if (starts[node]) last.set(event.thread, node)
    return last.get(event.thread) ?? none
  })
}

function newTurn(prompt: SessionEvent, index: number): Turn {
  return {
    index,
    prompt: prompt.id,
    thread: prompt.thread,
    startedAt: prompt.at,
    endedAt: prompt.at,
    events: [],
    toolCalls: [],
  }
}

function fillTurns(
  skeleton: Skeleton,
  events: readonly SessionEvent[],
  turnOf: readonly NodeIndex[],
  { byNode, byQueued }: Turns,
): void {
  for (const event of events) {
    if (hasFlag(event, 'copy')) continue
    const node = skeleton.index.get(hangsOn(event))
    const turn = node === undefined ? byQueued.get(event) : byNode.get(turnOf[node] ?? none)
    if (turn === undefined) continue
    turn.events.push(event.id)
    if (event.kind === 'snapshot') continue
    if (event.at !== null && (turn.endedAt === null || event.at > turn.endedAt)) turn.endedAt = event.at
    const duration = event.detail?.['subtype'] === 'turn_duration' ? asNumber(event.detail['durationMs']) : undefined
    // What came back from the background is answered without a prompt, and measured by itself.
    if (duration !== undefined) turn.durationMs = (turn.durationMs ?? 0) + duration
  }
}

/** A checkpoint of files belongs to the record that it names. */
function hangsOn(event: SessionEvent): EventId {
  if (event.kind !== 'snapshot') return event.id
  return eventId(asString(event.detail?.['messageId']) ?? '')
}

function addCalls(
  skeleton: Skeleton,
  toolCalls: readonly ToolCall[],
  turnOf: readonly NodeIndex[],
  turns: ReadonlyMap<NodeIndex, Turn>,
): void {
  for (const call of toolCalls) {
    const node = skeleton.index.get(call.requestEvent)
    if (node !== undefined) turns.get(turnOf[node] ?? none)?.toolCalls.push(call.id)
  }
}

function spanOf(turn: Turn): number | undefined {
  const from = toMillis(turn.startedAt)
  const to = toMillis(turn.endedAt)
  return from === null || to === null || to < from ? undefined : to - from
}
