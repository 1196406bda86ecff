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
