// Events → API messages. One message is logged as one record per block, each with the whole usage: what is counted per
// record is counted several times.

import { hasFlag, type MessageFacts, type SessionEvent, type Usage } from '../../model/event.ts'
import type { ApiMessage } from '../../model/session.ts'
import { addUsage, largerUsage, noUsage } from '../../model/usage.ts'

/** Messages in the order of their first records. Copies of records add nothing. */
export function buildMessages(events: readonly SessionEvent[]): ApiMessage[] {
  const messages: ApiMessage[] = []
  const byId = new Map<string, ApiMessage>()
  const byRequest = new Map<string, ApiMessage>()
  for (const event of events) {
    const facts = event.message
    if (facts === undefined || hasFlag(event, 'copy')) continue
    // What the client wrote in the model's name stands for itself, whatever id it was given.
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
  // A subagent of the client's own replays messages of its parent: the same blocks once more.
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

/** The sum of messages' usage; final only where every message's is. */
export function sumUsage(messages: readonly ApiMessage[]): Usage {
  const sum = noUsage()
  for (const { usage } of messages) if (usage) addUsage(sum, usage)
  return sum
}
