// Blocks of five hours, as subscriptions count them: each begins at the full hour of its first message. With the one that
// runs now, how fast it is used and where that leads. The time now is handed in.

import type { UsageCell } from '../model/usage.ts'
import type { UsageAmounts, UsageBlock, UsageBounds } from '../schema/contract-shapes.ts'
import { chooser, isoOf, type Pricing, type Selection, shownModel, UsageSum, UsageTotal } from './report.ts'

export interface BlockOptions extends Selection, Pricing {
  /** Milliseconds since 1970. */
  now: number
  /** Tokens that a block may use; `max`: as many as the largest one that is over. */
  tokenLimit?: number | 'max' | undefined
}

export interface BlockReport {
  /** In order of time. */
  blocks: UsageBlock[]
  totals: UsageAmounts
  bounds: UsageBounds
  /** The tokens that a block may use; null where none was requested, or `max` found no block that is over. */
  tokenLimit: number | null
}

const hourMillis = 3_600_000
const minuteMillis = 60_000
/** How long a block lasts. */
const blockMillis = 5 * hourMillis

/** A block with its cells; `lastAt` of all of them, chosen or not. */
interface Span {
  start: number
  end: number
  firstAt: number
  lastAt: number
  sum: UsageSum
}

/**
 * Blocks begin and end by all cells, whatever a report chooses, since that is how they are counted; the amounts are those of
 * the chosen ones.
 */
export function reportBlocks(cells: Iterable<UsageCell>, options: BlockOptions): BlockReport {
  const total = new UsageTotal(options)
  const isChosen = chooser(options)
  const undated = new UsageSum(options)
  const dated: UsageCell[] = []
  for (const cell of cells) {
    if (cell.isSynthetic || cell.isError) {
      if (isChosen(cell)) total.add(cell)
    } else if (cell.firstAt !== null && cell.lastAt !== null) {
      dated.push(cell)
    } else if (isChosen(cell)) {
      total.add(cell)
      undated.add(cell, shownModel(cell, options.prices))
    }
  }
  const spans = spansOf(dated, options, cell => isChosen(cell) && total.add(cell))
  const isActive = (span: Span): boolean => isRunning(span, options.now)
  const tokenLimit = limitOf(spans, options, isActive)
  const blocks = withGaps(spans, options, span => blockOf(span, isActive(span), options.now, tokenLimit))
  if (undated.messages > 0) blocks.push(emptyBlock('undated', null, null, undated))
  return { blocks, ...total.result(), tokenLimit }
}

/** Full hours are quarters of an hour, so every cell is within one block. */
function spansOf(cells: UsageCell[], options: BlockOptions, isCounted: (cell: UsageCell) => boolean): Span[] {
  const spans: Span[] = []
  let span: Span | undefined
  for (const cell of cells.sort((a, b) => (a.firstAt ?? 0) - (b.firstAt ?? 0))) {
    const [firstAt, lastAt] = [cell.firstAt ?? 0, cell.lastAt ?? 0]
    if (span === undefined || firstAt >= span.end) {
      const start = Math.floor(firstAt / hourMillis) * hourMillis
      span = { start, end: start + blockMillis, firstAt, lastAt, sum: new UsageSum(options) }
      spans.push(span)
    }
    span.lastAt = Math.max(span.lastAt, lastAt)
    if (isCounted(cell)) span.sum.add(cell, shownModel(cell, options.prices))
  }
  return spans
}

function isRunning({ start, end, lastAt }: Span, now: number): boolean {
  return now >= start && now < end && now - lastAt < blockMillis
}

function limitOf(spans: readonly Span[], options: BlockOptions, isActive: (span: Span) => boolean): number | null {
  const { tokenLimit } = options
  if (tokenLimit === undefined) return null
  if (tokenLimit !== 'max') return tokenLimit > 0 ? tokenLimit : null
  let most = 0
  for (const span of spans) {
    if (!isActive(span)) most = Math.max(most, span.sum.totalTokens)
  }
  return most > 0 ? most : null
}

/** Blocks with something of what was chosen, with the gaps between them. */
function withGaps(spans: readonly Span[], options: BlockOptions, toBlock: (span: Span) => UsageBlock): UsageBlock[] {
  const blocks: UsageBlock[] = []
  let before: Span | undefined
  for (const span of spans) {
    const isShown = span.sum.messages > 0
    const isGap = before !== undefined && span.firstAt - before.lastAt > blockMillis && span.start > before.end
    if (isShown && isGap && before !== undefined && before.sum.messages > 0) {
      blocks.push(emptyBlock('gap', before.end, span.start, new UsageSum(options)))
    }
    if (isShown) blocks.push(toBlock(span))
    before = span
  }
  return blocks
}

function emptyBlock(kind: 'gap' | 'undated', start: number | null, end: number | null, sum: UsageSum): UsageBlock {
  return { kind, start: isoOf(start), end: isoOf(end), isActive: false, ...sum.amounts() }
}

function blockOf(span: Span, isActive: boolean, now: number, limit: number | null): UsageBlock {
  const { sum } = span
  const amounts = sum.amounts()
  const block: UsageBlock = { kind: 'block', start: isoOf(span.start), end: isoOf(span.end), isActive, ...amounts }
  const burnRate = burnRateOf(sum, amounts.totalCost)
  block.burnRate = burnRate
  if (isActive) block.projection = projectionOf(amounts, burnRate, span.end - now)
  if (limit !== null) {
    block.limit = { limit, remaining: limit - sum.totalTokens, share: sum.totalTokens / limit }
    if (block.projection) block.limit.projectedShare = block.projection.totalTokens / limit
  }
  return block
}

/** Less than a minute counts as one: a single message says little about how fast things go. */
function burnRateOf(sum: UsageSum, totalCost: number): NonNullable<UsageBlock['burnRate']> {
  const minutes = Math.max(1, ((sum.lastAt ?? 0) - (sum.firstAt ?? 0)) / minuteMillis)
  return {
    tokensPerMinute: sum.totalTokens / minutes,
    freshTokensPerMinute: (sum.inputTokens + sum.outputTokens) / minutes,
    costPerHour: (totalCost / minutes) * 60,
  }
}

function projectionOf(
  amounts: UsageAmounts,
  rate: ReturnType<typeof burnRateOf>,
  remaining: number,
): NonNullable<UsageBlock['projection']> {
  const minutes = Math.max(0, remaining / minuteMillis)
  return {
    totalTokens: Math.round(amounts.totalTokens + rate.tokensPerMinute * minutes),
    totalCost: amounts.totalCost + (rate.costPerHour / 60) * minutes,
    remainingMinutes: Math.round(minutes),
  }
}
