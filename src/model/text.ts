// The plain text of blocks. Not for showing: nothing is shortened or escaped here.

import type { Block } from './event.ts'

/** All text blocks, a line end between two of them. */
export function blocksText(blocks: readonly Block[]): string {
  let text = ''
  for (const block of blocks) {
    if (block.type === 'text') text = text === '' ? block.text : `${text}\n${block.text}`
  }
  return text
}
