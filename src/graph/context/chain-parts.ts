// The chain as parts: one per record that is sent, in the order in which it is sent. What an answer needs from records that are
// not on the chain is brought back here; nothing is joined or left out for what it says.

import { asObject } from '../../base/json.ts'
import { type Block, hasFlag, type SessionEvent } from '../../model/event.ts'
import type { CallId } from '../../model/ids.ts'
import type { Chain, ContextLink } from './links.ts'
import { callIds, type Part, resultIds } from './part.ts'
import { toolNames } from './reference.ts'
import { isSendable, sentBlocks, typedBlocks } from './rendered.ts'

export function partsOf(chain: Chain): Part[] {
  const parts = chain.links.flatMap(partOf)
  addLinesOffChain(parts, chain.siblings.flatMap(partOf))
  addResultsOffChain(parts, chain.others.flatMap(partOf))
  return parts
}

/**
 * Parallel calls leave lines of an answer off the chain; they come back in the order of the file, but the first line of the
 * chain stays first.
 *
 *     m1 text                          m1 text
 *     ├─ m1 call x ← result x    ──►   m1 call x
 *     └─ m1 call y ← result y          m1 call y, result y       (result x: addResultsOffChain)
 */
function addLinesOffChain(parts: Part[], lines: readonly Part[]): void {
  for (const line of lines) {
    const isSameAnswer = ({ slot, messageId }: Part): boolean => slot === 'answer' && messageId === line.messageId
    const first = parts.findIndex(isSameAnswer)
    const before = parts.findLastIndex(part => isSameAnswer(part) && part.place < line.place)
    parts.splice(Math.max(first, before) + 1, 0, line)
  }
}

/** A result off the chain comes back behind its call, before later ones: of two results the first in the file counts. */
function addResultsOffChain(parts: Part[], offChain: readonly Part[]): void {
  const asked = new Set(parts.flatMap(callsOf))
  const places = new Map<CallId, number>()
  const note = (id: CallId, place: number): unknown => places.set(id, Math.min(place, places.get(id) ?? place))
  for (const part of parts) if (isOfUser(part)) for (const id of resultIds(part.blocks)) note(id, part.place)
  for (const part of offChain.filter(isOfUser)) {
    for (const block of part.blocks) {
      if (block.type !== 'tool-result' || !asked.has(block.callId)) continue
      const isFirst = (places.get(block.callId) ?? part.place) >= part.place
      if (isFirst) insertResult(parts, { ...part, blocks: [block] }, block.callId)
      note(block.callId, part.place)
    }
  }
}

function insertResult(parts: Part[], result: Part, id: CallId): void {
  const call = parts.findIndex(part => callsOf(part).includes(id))
  let at = call + 1
  while (isBeforeResult(parts[at], result, parts[call])) at++
  parts.splice(at, 0, result)
}

/** Whether a part behind a call comes before a result of the same answer. */
function isBeforeResult(part: Part | undefined, result: Part, call: Part | undefined): boolean {
  if (part === undefined || part.place >= result.place) return false
  if (part.slot === 'answer') return part.messageId !== undefined && part.messageId === call?.messageId
  return isOfUser(part) && resultIds(part.blocks).length > 0
}

/**
 * A result that is written before its call moves behind it, unless there is another answer between them.
 *
 *     result x, m1 call x, m2 done   ──►   m1 call x, result x, m2 done
 */
export function putResultsBehindCalls(parts: readonly Part[]): Part[] {
  const ordered: Part[] = []
  const called = new Set<CallId>()
  let sinceAnswer: Part[] = []
  for (const part of parts) {
    if (part.slot === 'answer') {
      const calls = callIds(part.blocks).filter(id => !called.has(id))
      for (const id of calls) called.add(id)
      const early = sinceAnswer.filter(({ blocks }) => resultIds(blocks).some(id => calls.includes(id)))
      ordered.push(...sinceAnswer.filter(one => !early.includes(one)), part, ...early)
      sinceAnswer = []
    } else sinceAnswer.push(part)
  }
  return [...ordered, ...sinceAnswer]
}

function callsOf({ slot, blocks }: Part): CallId[] {
  return slot === 'answer' ? callIds(blocks) : []
}

function isOfUser({ slot }: Part): boolean {
  return slot === 'user' || slot === 'front'
}

function partOf({ event, place }: ContextLink): Part[] {
  const role = roleOf(event)
  if (role === null || !hasContent(event)) return []
  if (role === 'assistant') return answerPart(event, place)
  const { slot, blocks } = sentBlocks(event)
  // A message without content is not sent, but is the last one.
  if (blocks.length === 0 && event.wireType !== 'user') return []
  return [{ slot, event, place, blocks }]
}

function answerPart(event: SessionEvent, place: number): Part[] {
  const blocks = answerBlocks(event)
  if (blocks.length === 0 && event.blocks.length > 0) return []
  const part: Part = { slot: 'answer', event, place, blocks }
  const messageId = messageIdOf(event)
  if (messageId !== undefined) part.messageId = messageId
  if (event.kind === 'api-error' && event.message?.model === '<synthetic>') part.isError = true
  return [part]
}

/** In whose name an event is sent; null for what the model never gets: notices, progress, boundaries, deleted ones. */
function roleOf(event: SessionEvent): 'user' | 'assistant' | null {
  if (hasFlag(event, 'deleted') && event.dialect !== 'client') return null
  switch (event.kind) {
    case 'answer':
      return 'assistant'
    case 'api-error':
      return event.wireType === 'assistant' ? 'assistant' : null
    case 'prompt':
    case 'delegation':
    case 'tool-results':
    case 'command':
    case 'command-output':
    case 'notification':
    case 'interruption':
    case 'compact-summary':
    case 'preserved':
    case 'meta':
      return 'user'
    case 'hook':
    case 'attachment':
      return event.wireType === 'system' ? null : 'user'
    default:
      return null
  }
}

/** Without content, or only to be displayed, a record of Claude Code is no message. */
function hasContent({ dialect, wireType, record }: SessionEvent): boolean {
  if (dialect !== 'client' || (wireType !== 'user' && wireType !== 'assistant')) return true
  if (record.value?.['isVirtual'] === true) return false
  const content = asObject(record.value?.['message'])?.['content']
  return typeof content === 'string' || Array.isArray(content)
}

/** Blocks that the API knows, or may know; calls under the name that the tool has today. */
function answerBlocks(event: SessionEvent): readonly Block[] {
  if (event.dialect !== 'client') return event.blocks
  return typedBlocks(event).filter(isSendable).map(withNameOfToday)
}

function withNameOfToday(block: Block): Block {
  const name = block.type === 'tool-call' ? toolNames.get(block.name) : undefined
  return block.type === 'tool-call' && name !== undefined ? { ...block, name } : block
}

/** The API's id of the message; an event that only represents itself has none. */
function messageIdOf(event: SessionEvent): string | undefined {
  const id = event.message?.id
  return id === '' || id === event.id ? undefined : id
}
