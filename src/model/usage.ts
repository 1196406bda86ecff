// Arithmetic of token counts: the larger of two readings of one message, and sums over messages. Which records belong to
// one message is not decided here.

import type { Usage } from './event.ts'

const optionalCounts = ['cacheCreation5mTokens', 'cacheCreation1hTokens', 'webSearches'] as const

/** Nothing used; sums begin with it. */
export function noUsage(): Usage {
  return { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0, outputFinal: true }
}

/** Field by field the larger value: a record written before the message ended holds less, never more. */
export function largerUsage(one: Usage, other: Usage): Usage {
  const usage: Usage = {
    inputTokens: Math.max(one.inputTokens, other.inputTokens),
    outputTokens: Math.max(one.outputTokens, other.outputTokens),
    cacheCreationTokens: Math.max(one.cacheCreationTokens, other.cacheCreationTokens),
    cacheReadTokens: Math.max(one.cacheReadTokens, other.cacheReadTokens),
    outputFinal: one.outputFinal || other.outputFinal,
  }
  for (const field of optionalCounts) {
    const value = Math.max(one[field] ?? -1, other[field] ?? -1)
    if (value >= 0) usage[field] = value
  }
  return usage
}

/** Adds a message's usage to a sum, which is final only where every message's is. */
export function addUsage(sum: Usage, usage: Usage): void {
  sum.inputTokens += usage.inputTokens
  sum.outputTokens += usage.outputTokens
  sum.cacheCreationTokens += usage.cacheCreationTokens
  sum.cacheReadTokens += usage.cacheReadTokens
  sum.outputFinal &&= usage.outputFinal
  for (const field of optionalCounts) {
    if (usage[field] !== undefined) sum[field] = (sum[field] ?? 0) + usage[field]
  }
}

/** All tokens together, read and written, cached or not. */
export function totalTokens(usage: Usage): number {
  return usage.inputTokens + usage.outputTokens + usage.cacheCreationTokens + usage.cacheReadTokens
}
