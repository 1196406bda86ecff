// What the rules of a resume work on: first one part per record, then messages. What is asked of their blocks is here too.

import type { Block, SessionEvent, TextBlock, ToolResultBlock } from '../../model/event.ts'
import type { CallId } from '../../model/ids.ts'

/**
 * Where a part is sent: as an answer of the model; as a record of the user, results included; as an attachment: a reminder in
 * `front` of what the user says, a prompt that was typed in the meantime (`queued`), or a part of a message of the `system`
 * behind what the user says.
 */
export type Slot = 'answer' | 'user' | 'front' | 'queued' | 'system'

/** What one record adds. */
export interface Part {
  slot: Slot
  /** Null where Claude Code puts it in. */
  event: SessionEvent | null
  blocks: readonly Block[]
  /** Position in reading order. */
  place: number
  /** Of an answer. */
  messageId?: string
  /** An error of the API: it ends a turn, but is not sent. */
  isError?: boolean
  /** A reminder that is said by the user for any model. */
  isOfUser?: boolean
}

/** A block, and the event that it comes from; null where Claude Code puts it in. */
export interface Content<B extends Block = Block> {
  block: B
  event: SessionEvent | null
}

export interface Message {
  role: 'user' | 'assistant'
  messageId?: string
  content: Content[]
  /** Lines of an answer. */
  lines: SessionEvent[]
  /** Reminders that go out as a message of the system behind what the user says. */
  system: Content[]
}

/** What Claude Code puts in. */
export function insertedPart(slot: Slot, blocks: Block[]): Part {
  return { slot, event: null, blocks, place: Number.POSITIVE_INFINITY }
}

export function isAttachment({ slot }: Part): boolean {
  return slot !== 'answer' && slot !== 'user'
}

/** What the user says that is more than results. */
export function isPrompt({ slot, blocks }: Part): boolean {
  return slot === 'user' && blocks.length > 0 && resultIds(blocks).length === 0
}

export function isResult({ block }: Content): boolean {
  return block.type === 'tool-result'
}

export function blocksOf(content: readonly Content[]): Block[] {
  return content.map(({ block }) => block)
}

export function resultIds(blocks: readonly Block[]): CallId[] {
  return blocks.flatMap(block => (block.type === 'tool-result' ? [block.callId] : []))
}

/** Calls that need a result from outside the answer. */
export function callIds(blocks: readonly Block[]): CallId[] {
  const byServer = new Set(resultIds(blocks))
  const ids = blocks.flatMap(block => (block.type === 'tool-call' && !byServer.has(block.callId) ? [block.callId] : []))
  return ids.filter(id => !isServerCall(id))
}

/** Of a tool that the API itself runs: without its result in the same answer it is not sent. */
export function isServerCall(id: CallId): boolean {
  return id.startsWith('srvtoolu_')
}

export function textBlock(text: string): TextBlock {
  return { type: 'text', text }
}

export function failedResult(callId: CallId, text: string): ToolResultBlock {
  return { type: 'tool-result', callId, isError: true, content: [textBlock(text)] }
}
