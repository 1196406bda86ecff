// What a resume sends, block by block, in the form in which the truth about Claude Code is written down: `u:` or `a:` for the
// role, then the name of a known text, `thinking`, `call ID`, `result ID` (with ` error`), or another text in quotes.

import type { Block } from '../../src/model/event.ts'
import type { Context } from '../../src/model/session.ts'

/** `known`: names of texts by a part of them. Reminders and what goes out as a `system` message are left out. */
export function sentBlocks({ messages }: Context, known: Readonly<Record<string, string>>): string[] {
  return messages.flatMap(({ role, blocks }) =>
    (role as string) === 'system' ? [] : blocks.filter(isTold).map(block => `${role[0]}:${blockName(block, known)}`),
  )
}

function isTold(block: Block): boolean {
  return !(block.type === 'text' && block.text.trimStart().startsWith('<system-reminder>'))
}

function blockName(block: Block, known: Readonly<Record<string, string>>): string {
  if (block.type === 'tool-call') return `call ${block.callId}`
  if (block.type === 'tool-result') return `result ${block.callId}${block.isError ? ' error' : ''}`
  if (block.type !== 'text') return block.type
  const { text } = block
  return Object.keys(known).find(name => text.includes(known[name] as string)) ?? JSON.stringify(text.slice(0, 60))
}

/** The same of a request that Claude Code sent. */
export function sentByClient(messages: readonly { role: string; content: unknown }[]): string[] {
  const sent: string[] = []
  for (const { role, content } of messages) {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content as ApiBlock[])
    if (role !== 'system') for (const block of blocks) if (!isReminder(block)) sent.push(`${role[0]}:${apiName(block)}`)
  }
  return sent.slice(0, sent.lastIndexOf('u:"continue"') + 1)
}

interface ApiBlock {
  type: string
  text?: string
  id?: string
  tool_use_id?: string
  is_error?: boolean
}

function isReminder({ text }: ApiBlock): boolean {
  return text?.trimStart().startsWith('<system-reminder>') === true
}

function apiName({ type, text, id, tool_use_id, is_error }: ApiBlock): string {
  if (type === 'text') return JSON.stringify((text ?? '').slice(0, 60))
  if (type.endsWith('tool_use')) return `call ${id}`
  if (type.endsWith('tool_result')) return `result ${tool_use_id}${is_error ? ' error' : ''}`
  return type === 'redacted_thinking' ? 'thinking' : type
}
