// What a status line can say, as plain data, and how it is counted from messages by the rules of all reports of usage. It reads
// no log and paints nothing.

import type { UsageCell } from '../../model/usage.ts'
import { reportBlocks } from '../../usage/blocks.ts'
import { Calendar } from '../../usage/calendar.ts'
import { quarterMillis } from '../../usage/cell.ts'
import { CostSum, contextWindow, type PriceTable } from '../../usage/prices.ts'
import type { StatusInput } from './input.ts'
import type { LastRequest } from './state.ts'

/** Money that was counted. */
export interface Cost {
  usd: number
  /** It may be more: a log states a lower bound, a model has no price, or not everything is read yet. */
  isLeast: boolean
}

/** The active block of five hours. */
interface ActiveBlock extends Cost {
  /** Milliseconds since 1970. */
  startMs: number
  endMs: number
  /** Dollars an hour since its first message; null where it is too short to say. */
  usdPerHour: number | null
}

interface ContextUsed {
  tokens: number | null
  /** Of the model's context; null where that is not known. */
  size: number | null
  percent: number | null
}

export interface StatusFacts {
  /** Milliseconds since 1970 when they were true. */
  nowMs: number
  model: string | null
  session: (Cost & { from: 'client' | 'ours' }) | null
  today: Cost | null
  /** Null where none is active. */
  block: ActiveBlock | null
  context: ContextUsed | null
  fiveHours: { percent: number; resetsAt?: number } | null
  sevenDays: { percent: number; resetsAt?: number } | null
  folder: string | null
  lines: { added: number; removed: number } | null
}

export interface CountOptions {
  prices: PriceTable
  /** The model at whose prices unknown ones are priced. */
  unknownAs?: string | undefined
  timezone?: string | undefined
  nowMs: number
}

/** What was spent on the day of `nowMs`. */
export function costToday(cells: readonly UsageCell[], options: CountOptions): Cost {
  const calendar = new Calendar({ timezone: options.timezone })
  const today = calendar.dayOf(options.nowMs)
  return costOf(
    cells.filter(({ quarter }) => quarter !== null && calendar.dayOf(quarter * quarterMillis) === today),
    options,
  )
}

export function costOf(cells: readonly UsageCell[], options: CountOptions): Cost {
  const sum = new CostSum(options.prices, { unknownAs: options.unknownAs })
  let isLeast = false
  for (const cell of cells) {
    const isUnknown = sum.add(cell)
    isLeast ||= cell.partial > 0 || (isUnknown && options.unknownAs === undefined)
  }
  return { usd: sum.usd(), isLeast }
}

/** `from`: where blocks can be computed from. */
export function activeBlock(cells: readonly UsageCell[], from: number, options: CountOptions): ActiveBlock | null {
  const { prices, unknownAs, nowMs } = options
  const known = cells.filter(({ firstAt }) => firstAt !== null && firstAt >= from)
  const block = reportBlocks(known, { prices, unknownAs, now: nowMs }).blocks.find(one => one.isActive)
  if (block === undefined || block.start === null || block.end === null) return null
  const [startMs, endMs] = [Date.parse(block.start), Date.parse(block.end)]
  const { isLeast } = costOf(
    known.filter(({ firstAt }) => firstAt !== null && firstAt >= startMs && firstAt < endMs),
    options,
  )
  return { usd: block.totalCost, isLeast, startMs, endMs, usdPerHour: block.burnRate?.costPerHour ?? null }
}

/** What Claude Code says, else what the session's last request sent; null where neither is known. */
export function contextUsed(
  input: StatusInput,
  lastRequest: LastRequest | null,
  prices: PriceTable,
): ContextUsed | null {
  const last = input.contextTokens === undefined && input.contextPercent === undefined ? lastRequest : null
  const model = input.modelId ?? last?.model
  const size = input.contextSize ?? (model === undefined ? null : contextWindow(prices, model))
  const stated = input.contextTokens ?? last?.tokens
  const percent = input.contextPercent ?? null
  if (stated !== undefined) return { tokens: stated, size, percent }
  if (percent === null) return null
  return { tokens: size === null ? null : Math.round((percent * size) / 100), size, percent }
}
