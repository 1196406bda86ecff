// What API messages used: token counts and their arithmetic, and the steps from the logs to the reports: one statement of a
// record, one message counted once, and cells: sums of messages that are priced alike (`usage_bucket` in the index). How they
// are joined, summed and priced is decided in `src/usage`.

import type { Usage } from './event.ts'

/** A thousand times what any model takes or writes in one message. */
const mostInMessage = 1e9
/** What a process of Claude Code can have used until it ends. */
export const mostInProcess = 1e12

/**
 * A count of tokens or searches as a log states it: whole, a fraction is cut off. Undefined for what is no number, less than
 * nothing, or more than there can be; such a number is in no sum, and `check` names it.
 */
export function believableCount(value: unknown, most = mostInMessage): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= most ? Math.trunc(value) : undefined
}

const optionalCounts = ['cacheCreation5mTokens', 'cacheCreation1hTokens', 'webSearches'] as const

/** Nothing used; sums begin with it. */
export function noUsage(): Usage {
  return { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0, outputFinal: true }
}

/** Field by field the larger value: a record written before the message ended has less, never more. */
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

type TokenCounts = Pick<Usage, 'inputTokens' | 'outputTokens' | 'cacheCreationTokens' | 'cacheReadTokens'>

/** All tokens together, read and written, cached or not. */
export function totalTokens(usage: TokenCounts): number {
  return usage.inputTokens + usage.outputTokens + usage.cacheCreationTokens + usage.cacheReadTokens
}

/** Tokens and searches, as prices need them. */
interface PricedAmounts {
  inputTokens: number
  outputTokens: number
  /** The larger of the flat total and the sum of its parts. */
  cacheCreationTokens: number
  cacheCreation1hTokens: number
  cacheReadTokens: number
  webSearches: number
}

/** What one record states about one API message. Numbers and places only, so that it crosses threads cheaply. */
export interface UsageStatement extends PricedAmounts {
  /** Hash of the message's id; of the event's uuid where the message has none or Claude Code wrote it in the model's name. */
  key: number
  /** Hash of the request's id; 0 where the record has none. */
  request: number
  /** How far the record is from the original: bits of `echoRanks`, 0 for an original. */
  echo: number
  /** Milliseconds since 1970; null where the record has no usable time. */
  at: number | null
  /** Place of the file in the provider's list of files, and of the record in it. */
  file: number
  offset: number
  /** The record's thread as known while reading from top to bottom; the session's id for its main thread. */
  thread: string
  /** As written; `''` where the record names none. */
  model: string
  isFast: boolean
  /** `inference_geo` is `us`. */
  isUs: boolean
  /** The record states the final number of output tokens. */
  isFinal: boolean
  /** Written by Claude Code in the model's name: `<synthetic>`, or an API error. */
  isSynthetic: boolean
  /** The record is an API error. */
  isError: boolean
  /** `costUSD` in billionths of a dollar; null where the record states none. */
  statedNanos: number | null
  /** Tokens that its visible content comes to, where the output is not final; else 0. */
  visibleTokens: number
  /** Calls of tools in this record, where they were requested: see `calledTool`. In a message: their names, sorted. */
  tools?: readonly string[]
}

/** A call as one text: the tool's name and the call's id, by which the copies of one call are known. */
export function calledTool(name: string, callId: string): string {
  return `${name}\0${callId}`
}

/** The tool's name in such a text. */
export function toolOf(called: string): string {
  const end = called.indexOf('\0')
  return end < 0 ? called : called.slice(0, end)
}

/** Bits of `UsageStatement.echo`; the larger sum is farther from the original, but for `inherited`, which decides last. */
export const echoRanks = {
  /** The record states another session than its file is of, or says from where it was forked. */
  copied: 1,
  sidechain: 2,
  /** A copy inside a `progress` record. */
  progress: 4,
  /** Comparing sessions showed that the session took it from another one that is there: see `CopiedPart`. */
  inherited: 8,
} as const

/** Where files are and what they belong to, by place in a provider's list. */
export interface UsageFile {
  /** Orders occurrences that tie, after `session`: the path, then which content of the path it is. */
  path: string
  number: number
  session: string
}

/** One API message, counted once: field by field the largest value of its occurrences, at the place of the first original. */
export type MessageUsage = Omit<UsageStatement, 'echo'> & { session: string }

/**
 * Messages that are alike in all that prices and reports ask for, summed. A quarter of an hour is the largest step that no
 * time zone divides.
 */
export interface UsageCell extends PricedAmounts {
  /** Quarters of an hour since 1970; null for messages without a time. */
  quarter: number | null
  /** The first and last message, in milliseconds since 1970; null without a time. */
  firstAt: number | null
  lastAt: number | null
  session: string
  thread: string
  model: string
  isFast: boolean
  isUs: boolean
  isSynthetic: boolean
  isError: boolean
  /** The largest of the given prompt sizes that is below the prompts of these messages; 0 below all. */
  abovePrompt: number
  /** Whether these messages state what they cost. */
  hasStated: boolean
  /** Names of the tools that each of these messages calls, sorted, a name as often as it is called; null where it was not requested. */
  tools: readonly string[] | null
  messages: number
  /** Messages whose output is a lower bound. */
  partial: number
  /** What has to be added to `outputTokens` where the output of those is estimated. */
  estimatedMore: number
  /** Sum of the stated costs, in billionths of a dollar. */
  statedNanos: number
}

/** Prompt sizes at which a price of the bundled table changes; cells in the index are parted by these. */
export const usualPromptSteps: readonly number[] = [100_000, 200_000]
