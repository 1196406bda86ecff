// The chain as parts: one per record that is sent, in the order in which it is sent. What an answer needs from records that are
// not on the chain is brought back here; nothing is joined or left out for what it says.

import { asObject, isObject, type JsonObject } from '../../base/json.ts'
import { type Block, hasFlag, type SessionEvent, type ToolCallBlock } from '../../model/event.ts'
import type { CallId } from '../../model/ids.ts'
import type { Chain, ContextLink } from './links.ts'
import { callIds, type Part, resultIds } from './part.ts'
import { legacyFields, toolNames } from './reference.ts'
import { isSendable, sentParts, typedBlocks } from './rendered.ts'

/** `model`: the one that continues; attachments are worded for it. */
export function partsOf(chain: Chain, model: string): Part[] {
  const toParts = (link: ContextLink): Part[] => partsOfRecord(link, model)
  const parts = chain.links.flatMap(toParts)
  addLinesOffChain(parts, chain.siblings.flatMap(toParts))
  addResultsOffChain(parts, chain, model)
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

/**
 * Results off the chain come back behind their calls, before later ones: of two results the first in the file counts. A record
 * that hangs on an answer of the chain comes whole, with what else it says, even if nothing asked for its results.
 *
 *     m1 call x ← result x, and hurry      ──►   m1 call x, result x, and hurry, m2 text
 *        ↖ m2 text
 */
function addResultsOffChain(parts: Part[], chain: Chain, model: string): void {
  const asked = new Set(parts.flatMap(callsOf))
  const answers = new Set(parts.filter(({ slot }) => slot === 'answer').map(({ event }) => event))
  const places = new Map<CallId, number>()
  const note = (id: CallId, place: number): unknown => places.set(id, Math.min(place, places.get(id) ?? place))
  for (const part of parts) if (isOfUser(part)) for (const id of resultIds(part.blocks)) note(id, part.place)
  for (const link of chain.others) {
    for (const part of partsOfRecord(link, model).filter(isOfUser)) {
      const ids = resultIds(part.blocks)
      const wanted = ids.filter(id => asked.has(id) && (places.get(id) ?? part.place) >= part.place)
      const answer = answers.has(link.parent?.event ?? null) ? link.parent?.event : undefined
      if (answer === undefined) for (const id of wanted) insertResult(parts, onlyResult(part, id), id)
      else if (wanted[0] !== undefined) insertResult(parts, part, wanted[0])
      else if (ids.length > 0 && !ids.some(id => asked.has(id)))
        parts.splice(parts.findLastIndex(({ event }) => event === answer) + 1, 0, part)
      for (const id of ids) if (asked.has(id)) note(id, part.place)
    }
  }
}

function onlyResult(part: Part, id: CallId): Part {
  return {
    ...part,
    blocks: part.blocks.filter(block => block.type === 'tool-result' && block.callId === id).slice(0, 1),
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

/**
 * Attachments move up to the answer or the result before them: reminders, then prompts that were typed in the meantime, then
 * what else the user says.
 *
 *     result x, go, reminder   ──►   result x, reminder, go
 */
export function moveAttachmentsUp(parts: readonly Part[]): Part[] {
  const moved: Part[] = []
  let start = 0
  for (const [at, part] of parts.entries()) {
    const isStop = part.slot === 'answer' || (part.slot === 'user' && resultIds(part.blocks).length > 0)
    if (!isStop) continue
    moved.push(...attachmentsFirst(parts.slice(start, at)), part)
    start = at + 1
  }
  return [...moved, ...attachmentsFirst(parts.slice(start))]
}

function attachmentsFirst(parts: readonly Part[]): Part[] {
  return ['front', 'queued', 'user', 'system'].flatMap(slot => parts.filter(part => part.slot === slot))
}

function callsOf({ slot, blocks }: Part): CallId[] {
  return slot === 'answer' ? callIds(blocks) : []
}

function isOfUser({ slot }: Part): boolean {
  return slot === 'user' || slot === 'front' || slot === 'queued'
}

function partsOfRecord({ event, place }: ContextLink, model: string): Part[] {
  const role = roleOf(event)
  if (role === null || !hasContent(event)) return []
  if (role === 'assistant') return answerPart(event, place)
  const sent = sentParts(event, model).map(part => ({ ...part, event, place }))
  // A message without content is not sent, but is the last one.
  return event.wireType === 'user' ? sent : sent.filter(({ blocks }) => blocks.length > 0)
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

/** Without content, or only to be displayed, a record of Claude Code is no message (`isDisplayOnly`: 2.1.32x on). */
function hasContent({ dialect, wireType, record }: SessionEvent): boolean {
  if (wireType === 'system' && record.value?.['isDisplayOnly'] === true) return false
  if (dialect !== 'client' || (wireType !== 'user' && wireType !== 'assistant')) return true
  if (record.value?.['isVirtual'] === true) return false
  const content = asObject(record.value?.['message'])?.['content']
  return typeof content === 'string' || Array.isArray(content)
}

/** Blocks that the API knows, or may know; calls as the tool has them today. */
function answerBlocks(event: SessionEvent): readonly Block[] {
  if (event.dialect !== 'client') return event.blocks
  return typedBlocks(event)
    .filter(isSendable)
    .map(block => (block.type === 'tool-call' ? asOfToday(block) : block))
}

function asOfToday(call: ToolCallBlock): ToolCallBlock {
  const name = toolNames.get(call.name) ?? call.name
  const input = isObject(call.input) ? withoutLegacyFields(name, call.input) : call.input
  return name === call.name && input === call.input ? call : { ...call, name, input }
}

function withoutLegacyFields(name: string, input: JsonObject): JsonObject {
  const legacy = legacyFields.get(name)
  if (legacy === undefined || !Object.hasOwn(input, legacy.besides)) return input
  return Object.fromEntries(Object.entries(input).filter(([key]) => !legacy.fields.includes(key)))
}

/** The API's id of the message; an event that only represents itself has none. */
function messageIdOf(event: SessionEvent): string | undefined {
  const id = event.message?.id
  return id === '' || id === event.id ? undefined : id
}
