// Turns: from what a human asked to the next such thing on the same thread. Records belong to the turn of the node they hang
// on, so that a rewind does not mix two turns; a record that hangs on nothing belongs to the turn before it in the file.

import { toMillis } from '../base/instant.ts'
import { asNumber, asString } from '../base/json.ts'
import { hasFlag, type SessionEvent } from '../model/event.ts'
import { type EventId, eventId } from '../model/ids.ts'
import type { ToolCall, Turn } from '../model/session.ts'
import { childrenOf, type NodeIndex, none, type Skeleton, topDown } from './skeleton.ts'

export function buildTurns(
  skeleton: Skeleton,
  events: readonly SessionEvent[],
  toolCalls: readonly ToolCall[],
): Turn[] {
  const order = topDown(skeleton.parent, childrenOf(skeleton.parent))
  const asked = skeleton.events.map(event => isPrompt(event) || isTypedCommand(event))
  const owners = ownersOf(skeleton, order, asked)
  const starts = asked.map((isAsked, node) => isAsked && isPrompt(skeleton.events[node] as SessionEvent))
  for (let node = 0; node < owners.length; node++) {
    // A command that the model answered began a turn; one that the client served alone did not.
    const event = skeleton.events[node] as SessionEvent
    const owner = owners[node] ?? none
    if (event.kind === 'answer' && !hasFlag(event, 'synthetic') && owner !== none) starts[owner] = true
  }
  const turnOf = ownersOf(skeleton, order, starts)
  const turns = new Map<NodeIndex, Turn>()
  starts.forEach((isStart, node) => {
    if (isStart && skeleton.events[node]) turns.set(node, newTurn(skeleton.events[node], turns.size))
  })
  fillTurns(skeleton, events, turnOf, turns)
  addCalls(skeleton, toolCalls, turnOf, turns)
  for (const turn of turns.values()) {
    const span = spanOf(turn)
    if (turn.durationMs === undefined && span !== undefined) turn.durationMs = span
  }
  return [...turns.values()]
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
  turns: ReadonlyMap<NodeIndex, Turn>,
): void {
  for (const event of events) {
    if (hasFlag(event, 'copy')) continue
    const node = skeleton.index.get(hangsOn(event))
    const turn = node === undefined ? undefined : turns.get(turnOf[node] ?? none)
    if (turn === undefined) continue
    turn.events.push(event.id)
    if (event.kind === 'snapshot') continue
    if (event.at !== null && (turn.endedAt === null || event.at > turn.endedAt)) turn.endedAt = event.at
    const measured = event.detail?.['subtype'] === 'turn_duration' ? asNumber(event.detail['durationMs']) : undefined
    if (measured !== undefined) turn.durationMs = measured
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
