// What the graph reads out of an event's text. Not for showing: nothing is shortened or escaped here.

import type { SessionEvent } from '../../model/event.ts'
import { blocksText } from '../../model/text.ts'

/** All text blocks of an event, trimmed. */
export function plainText(event: SessionEvent): string {
  return blocksText(event.blocks).trim()
}
