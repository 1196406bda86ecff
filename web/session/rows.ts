// The rows of the list: the slots that the filters let through, with headings between turns, and which items start open.

import { eventKinds } from '../../src/model/event.ts'
import type { Outline } from '../../src/view/reading.ts'
import type { ViewItem } from '../../src/view/view.ts'
import { lowerBound } from './filter.ts'

export interface Rows {
  outline: Outline
  slots: readonly number[]
  /** Slots with a prompt, of those that are shown. */
  prompts: readonly number[]
  errors: readonly number[]
  count: number
  /** How high each row will be, before it was measured. */
  heights: Uint16Array
}

export function makeRows(outline: Outline, slots: readonly number[]): Rows {
  const errors = new Set(outline.errors)
  return {
    outline,
    slots,
    prompts: slots.filter(slot => outline.prompts[slot] !== undefined),
    errors: slots.filter(slot => errors.has(slot)),
    count: slots.length + 2,
    heights: heightsOf(outline, slots),
  }
}

/** The slot of a row; undefined for the first and the last, which are none. */
export function slotOf(rows: Rows, index: number): number | undefined {
  return rows.slots[index - 1]
}

/** The row of a slot, or of the next one that is shown. */
export function rowOf(rows: Rows, slot: number): number {
  return Math.min(lowerBound(rows.slots, slot), Math.max(0, rows.slots.length - 1)) + 1
}

export function hasSlot(rows: Rows, slot: number): boolean {
  return rows.slots[lowerBound(rows.slots, slot)] === slot
}

const heights: Readonly<Record<string, number>> = {
  prompt: 92,
  answer: 76,
  'api-error': 64,
  compaction: 64,
  delegation: 120,
  'compact-summary': 30,
}
const lineHeight = 28
const byKind = eventKinds.map(kind => heights[kind] ?? lineHeight)

/** Made once: the list asks for all of them whenever a row was measured. */
function heightsOf({ kinds, calls }: Outline, slots: readonly number[]): Uint16Array {
  const found = new Uint16Array(slots.length + 2).fill(96)
  slots.forEach((slot, at) => {
    const lines = calls[slot]?.length ?? 0
    found[at + 1] = lines > 0 ? Math.min(lines, 1000) * lineHeight + 2 : (byKind[kinds[slot] ?? -1] ?? lineHeight)
  })
  return found
}

/** The value of `sorted` after, or before, `slot`; undefined at the end. */
export function neighbour(sorted: readonly number[], slot: number, direction: 1 | -1): number | undefined {
  const at = lowerBound(sorted, slot)
  if (direction === -1) return sorted[at - 1]
  return sorted[at] === slot ? sorted[at + 1] : sorted[at]
}

const folded = new Set<ViewItem['kind']>(['call', 'result', 'thinking'])

export function startsOpen(item: ViewItem): boolean {
  if (item.kind === 'error' || item.kind === 'damaged') return true
  if (item.isQuiet || folded.has(item.kind)) return false
  const [part] = item.body
  if (item.body.length !== 1 || part === undefined) return item.kind === 'notice' || item.kind === 'hook'
  if (part.type === 'text' || part.type === 'markdown')
    return part.text.length < 400 && part.text.split('\n').length < 7
  return false
}
