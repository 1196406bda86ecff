// Sums of messages that are kept from call to call and changed by a few messages, so that a call need not look at all. They
// are cells of usage without session and thread, which nobody asks a status line for.

import type { UsageCell, UsageMessage } from '../../model/spent.ts'
import { rollUp } from '../../usage/cells.ts'

/** `steps`: prompt sizes at which a price changes. */
export function cellsOf(messages: readonly UsageMessage[], steps: readonly number[]): UsageCell[] {
  for (const message of messages) message.session = message.thread = ''
  return rollUp(messages, { promptSteps: steps, withTools: false })
}

const amounts = [
  'messages',
  'inputTokens',
  'outputTokens',
  'cacheCreationTokens',
  'cacheCreation1hTokens',
  'cacheReadTokens',
  'webSearches',
  'partial',
  'estimatedMore',
  'statedNanos',
] as const

/**
 * The cells after some messages became others: all amounts are whole, so that taking away is exact. Null where only all
 * messages together can tell when the first or last of a cell was.
 */
export function changeCells(
  cells: readonly UsageCell[],
  before: readonly UsageCell[],
  after: readonly UsageCell[],
): UsageCell[] | null {
  const byKind = new Map(cells.map(cell => [kindOf(cell), cell]))
  const added = new Map(after.map(cell => [kindOf(cell), cell]))
  for (const less of before) {
    const cell = byKind.get(kindOf(less))
    if (cell === undefined) return null
    const more = added.get(kindOf(less))
    const isWithin = more !== undefined && isFrom(more.firstAt, less.firstAt) && isFrom(less.lastAt, more.lastAt)
    const isInside = isFrom(cell.firstAt, less.firstAt, true) && isFrom(less.lastAt, cell.lastAt, true)
    if (!isWithin && !isInside) return null
    for (const amount of amounts) cell[amount] -= less[amount]
  }
  for (const [kind, more] of added) {
    const cell = byKind.get(kind)
    if (cell === undefined) byKind.set(kind, { ...more })
    else addTo(cell, more)
  }
  return [...byKind.values()].filter(cell => cell.messages > 0)
}

function addTo(cell: UsageCell, more: UsageCell): void {
  for (const amount of amounts) cell[amount] += more[amount]
  if (more.firstAt !== null && (cell.firstAt === null || more.firstAt < cell.firstAt)) cell.firstAt = more.firstAt
  if (more.lastAt !== null && (cell.lastAt === null || more.lastAt > cell.lastAt)) cell.lastAt = more.lastAt
}

/** Whether one time is not after the other, or, strictly, before it. Cells without times have no first and last. */
function isFrom(one: number | null, other: number | null, isStrict = false): boolean {
  if (one === null || other === null) return one === other
  return isStrict ? one < other : one <= other
}

function kindOf(cell: UsageCell): string {
  const { quarter, model, isFast, isUs, isSynthetic, isError, hasStated, abovePrompt } = cell
  return `${quarter} ${isFast} ${isUs} ${isSynthetic} ${isError} ${hasStated} ${abovePrompt} ${model}`
}
