// API messages (records with one message id) and turns: from a prompt to the next one on the same thread.

import { toMillis } from '../../base/instant.ts'
import { blocksText, hasFlag, type MessageFacts, type SessionEvent } from '../../model/event.ts'
import { type EventId, eventId } from '../../model/ids.ts'
import { QueueReader } from '../../model/queue.ts'
import type { ApiMessage, ToolCall, Turn } from '../../model/session.ts'
import { largerUsage } from '../../model/usage.ts'
import { hasLostTime } from './fork-times.ts'
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
    // A command that the model answered began a turn; one that Claude Code served alone did not.
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
  const endless = new Set<Turn>()
  for (const event of events) {
    if (hasFlag(event, 'copy')) continue
    const node = skeleton.index.get(hangsOn(event))
    const turn = node === undefined ? byQueued.get(event) : byNode.get(turnOf[node] ?? none)
    if (turn === undefined) continue
    turn.events.push(event.id)
    // Neither is a part of the turn's work; the agent SDK writes the time of the fork into the title of one.
    if (event.kind === 'snapshot' || event.kind === 'title') continue
    if (event.at !== null && (turn.endedAt === null || event.at > turn.endedAt)) turn.endedAt = event.at
    const duration = turnDuration(event)
    // What came back from the background is answered without a prompt, and measured by itself.
    if (duration !== undefined) turn.durationMs = (turn.durationMs ?? 0) + duration
    if (hasLostTime(event)) endless.add(turn)
  }
  for (const turn of endless) turn.endedAt = null
}

function turnDuration(event: SessionEvent): number | undefined {
  return event.kind === 'notice' && event.detail?.subtype === 'turn_duration' ? event.detail.durationMs : undefined
}

/** A checkpoint of files belongs to the record that it names. */
function hangsOn(event: SessionEvent): EventId {
  return event.kind === 'snapshot' ? eventId(event.detail?.messageId ?? '') : event.id
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

/** Messages in the order of their first records. Copies of records add nothing. */
export function buildMessages(events: readonly SessionEvent[]): ApiMessage[] {
  const messages: ApiMessage[] = []
  const byId = new Map<string, ApiMessage>()
  const byRequest = new Map<string, ApiMessage>()
  for (const event of events) {
    const facts = event.message
    if (facts === undefined || hasFlag(event, 'copy')) continue
    // What Claude Code wrote in the model's name represents itself, whatever id it was given.
    const isSynthetic = hasFlag(event, 'synthetic')
    const request = `${facts.id} ${facts.requestId}`
    const known = isSynthetic ? undefined : knownMessage(facts, byId.get(facts.id), byRequest.get(request))
    const message = known ?? firstPart(event, facts)
    if (known) addPart(known, event, facts)
    else messages.push(message)
    if (isSynthetic) continue
    if (!byId.has(facts.id)) byId.set(facts.id, message)
    if (facts.requestId !== undefined) byRequest.set(request, message)
  }
  return messages
}

/** The same id under another request is another message; a record without request id belongs to the first. */
function knownMessage(facts: MessageFacts, sameId?: ApiMessage, sameRequest?: ApiMessage): ApiMessage | undefined {
  if (facts.requestId === undefined) return sameId
  return sameRequest ?? (sameId?.requestId === undefined ? sameId : undefined)
}

function firstPart(event: SessionEvent, facts: MessageFacts): ApiMessage {
  const message: ApiMessage = { id: facts.id, events: [event.id], blocks: [...event.blocks], thread: event.thread }
  if (facts.requestId !== undefined) message.requestId = facts.requestId
  addFacts(message, facts)
  return message
}

function addPart(message: ApiMessage, event: SessionEvent, facts: MessageFacts): void {
  message.events.push(event.id)
  if (facts.requestId !== undefined) message.requestId ??= facts.requestId
  // A subagent of Claude Code's own replays messages of its parent: the same blocks once more.
  if (event.thread === message.thread) for (const block of event.blocks) message.blocks.push(block)
  addFacts(message, facts)
}

function addFacts(message: ApiMessage, facts: MessageFacts): void {
  if (facts.model !== undefined) message.model ??= facts.model
  if (facts.stopReason !== undefined) message.stopReason = facts.stopReason
  if (facts.usage) message.usage = message.usage ? largerUsage(message.usage, facts.usage) : { ...facts.usage }
  if (facts.costUSD !== undefined) message.costUSD = Math.max(message.costUSD ?? 0, facts.costUSD)
  if (facts.durationMs !== undefined) message.durationMs = Math.max(message.durationMs ?? 0, facts.durationMs)
}

/** All text blocks of an event, trimmed. */
export function plainText(event: SessionEvent): string {
  return blocksText(event.blocks).trim()
}
