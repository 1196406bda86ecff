// What a status line can say, as plain data: between counting and painting. Types only.

/** Money that was counted. */
export interface Spent {
  usd: number
  /** It may be more: a log states a lower bound, a model has no price, or not everything is read yet. */
  isLeast: boolean
}

/** The block of five hours that goes on now. */
export interface ActiveBlock extends Spent {
  /** Milliseconds since 1970. */
  startMs: number
  endMs: number
  /** Dollars an hour since its first message; null where it has not lasted long enough to tell. */
  usdPerHour: number | null
}

export interface ContextUsed {
  tokens: number | null
  /** Of the model's context; null where that is not known. */
  size: number | null
  percent: number | null
}

export interface StatusFacts {
  /** Milliseconds since 1970 when they were true. */
  nowMs: number
  model: string | null
  session: (Spent & { from: 'client' | 'ours' }) | null
  today: Spent | null
  /** Null where none goes on. */
  block: ActiveBlock | null
  context: ContextUsed | null
  fiveHours: { percent: number; resetsAt?: number } | null
  sevenDays: { percent: number; resetsAt?: number } | null
  folder: string | null
  lines: { added: number; removed: number } | null
}
