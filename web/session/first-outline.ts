// An outline of the first slots, made from their items: it shows the beginning of a long session before the rest of it is
// known.

import { eventKinds } from '../../src/model/event.ts'
import { emptyOutline, type Outline } from '../../src/view/reading.ts'
import type { ViewItem, ViewKind } from '../../src/view/view.ts'
import { firstLine } from '../../src/view/words.ts'

const kinds: Partial<Record<ViewKind, (typeof eventKinds)[number]>> = {
  prompt: 'prompt',
  delegation: 'delegation',
  answer: 'answer',
  thinking: 'answer',
  call: 'answer',
  error: 'api-error',
  compaction: 'compaction',
  summary: 'compact-summary',
  command: 'command',
}

/** Undefined where no slot is there. */
export function firstOutline(thread: string, get: (slot: number) => ViewItem[] | undefined): Outline | undefined {
  const outline = emptyOutline(thread)
  for (let slot = 0; ; slot++) {
    const items = get(slot)
    if (!items) break
    addSlot(outline, slot, items)
  }
  return outline.ids.length === 0 ? undefined : outline
}

function addSlot(outline: Outline, slot: number, items: readonly ViewItem[]): void {
  const first = items[0]
  outline.ids.push(first?.id ?? `slot ${slot}`)
  outline.kinds.push(eventKinds.indexOf(kinds[first?.kind ?? 'notice'] ?? 'notice'))
  outline.at.push(first?.at ? Date.parse(first.at) : null)
  outline.turns.push(first?.turn ?? -1)
  const text = first?.body.find(part => part.type === 'markdown')?.text
  if (first?.kind === 'prompt' && text !== undefined) outline.prompts[slot] = firstLine(text).slice(0, 160)
  if (items.every(item => item.isQuiet)) outline.quiet.push(slot)
}
