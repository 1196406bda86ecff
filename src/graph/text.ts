// What the graph reads out of an event's text and of a tool's name. Not for showing: nothing is shortened or escaped here.

import type { Block, SessionEvent } from '../model/event.ts'

/** All text blocks of an event, trimmed. */
export function plainText(event: SessionEvent): string {
  return blocksText(event.blocks).trim()
}

export function blocksText(blocks: readonly Block[]): string {
  let text = ''
  for (const block of blocks) {
    if (block.type === 'text') text = text === '' ? block.text : `${text}\n${block.text}`
  }
  return text
}
