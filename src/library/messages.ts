// The conversation of a session as the Claude Agent SDK gives it: records of user and assistant, in order, along the active
// branch. The SDK follows parents alone; results of parallel calls, which are not on that path, are here too.

import { type Block, hasFlag, type SessionEvent } from '../model/event.ts'
import type { SessionGraph } from '../model/session.ts'

/** One record of a conversation, in the words of the Claude Agent SDK. */
export interface SessionMessage {
  type: 'user' | 'assistant'
  uuid: string
  session_id: string
  /** The record's `message` as it was written. */
  message: unknown
  /** What it says, whatever form the log has. */
  blocks: readonly Block[]
  /** Null: what subagents said is not part of the conversation. */
  parent_tool_use_id: null
}

export function messagesOf(graph: SessionGraph): SessionMessage[] {
  const messageIds = new Set<string>()
  const calls = new Set<string>()
  const shown: SessionMessage[] = []
  const main = graph.threads.find(({ kind }) => kind === 'main')?.id
  for (const event of graph.events) {
    if (event.thread !== main || !isSpoken(event)) continue
    const id = event.message?.id
    const answers = event.blocks.some(block => block.type === 'tool-result' && calls.has(block.callId))
    if (!graph.activePath.has(event.id) && !answers && (id === undefined || !messageIds.has(id))) continue
    if (id !== undefined) messageIds.add(id)
    for (const block of event.blocks) if (block.type === 'tool-call') calls.add(block.callId)
    shown.push({
      type: event.wireType === 'assistant' ? 'assistant' : 'user',
      uuid: event.stated.uuid ?? event.id,
      session_id: event.session,
      message: event.record.value?.['message'],
      blocks: event.blocks,
      parent_tool_use_id: null,
    })
  }
  return shown
}

function isSpoken(event: SessionEvent): boolean {
  if (hasFlag(event, 'copy') || hasFlag(event, 'meta')) return false
  return ['user', 'assistant', 'human', 'tool_result'].includes(event.wireType)
}
