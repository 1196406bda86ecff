// Messages summed into cells: as coarse as they may be while every report and every price can still be made from them.
// Which messages there are is decided before.

import type { MessageUsage, UsageCell } from '../model/usage.ts'

export interface RollUpOptions {
  /** Prompt sizes above which a price changes. */
  promptSteps: readonly number[]
  /** Whether cells are parted by the tools that their messages call. */
  withTools: boolean
}

/** A quarter of an hour, which cells are parted by. */
export const quarterMillis = 900_000
/** Before any time that a date can have. */
const noQuarter = -1e10

/** By session, thread, tools and model, then by a number for all the rest. */
type Cells = Map<string, Map<string, Map<string, Map<string, Map<number, UsageCell>>>>>

/** Cells in the order in which their first messages come. */
export function rollUp(messages: Iterable<MessageUsage>, options: RollUpOptions): UsageCell[] {
  const steps = [...options.promptSteps].sort((a, b) => a - b)
  const cells: UsageCell[] = []
  const bySession: Cells = new Map()
  for (const message of messages) {
    const tools = options.withTools ? [...(message.tools ?? [])].sort() : null
    const byThread = within(bySession, message.session)
    const byTools = within(byThread, message.thread)
    const byModel = within(byTools, tools === null ? '' : tools.join('\n'))
    const byKind = within(byModel, message.model)
    const above = stepsBelow(steps, message)
    const key = kindOf(message, above, steps.length + 1)
    let cell = byKind.get(key)
    if (cell === undefined) {
      cell = emptyCell(message, steps[above - 1] ?? 0, tools)
      byKind.set(key, cell)
      cells.push(cell)
    }
    addMessage(cell, message)
  }
  return cells
}

function within<Key, Inner>(maps: Map<string, Map<Key, Inner>>, key: string): Map<Key, Inner> {
  let inner = maps.get(key)
  if (inner === undefined) {
    inner = new Map()
    maps.set(key, inner)
  }
  return inner
}

/** How many of the steps are below the message's prompt: all that was sent, cached or not. */
function stepsBelow(steps: readonly number[], message: MessageUsage): number {
  const prompt = message.inputTokens + message.cacheReadTokens + message.cacheCreationTokens
  let below = 0
  while (below < steps.length && (steps[below] as number) < prompt) below++
  return below
}

/** One number for what is neither a name nor an amount; it stays whole for every time that a date can have. */
function kindOf(message: MessageUsage, above: number, widthOfAbove: number): number {
  const quarter = quarterOf(message.at) ?? noQuarter
  const flags =
    (message.isFast ? 1 : 0) +
    (message.isUs ? 2 : 0) +
    (message.isSynthetic ? 4 : 0) +
    (message.isError ? 8 : 0) +
    (message.statedNanos === null ? 0 : 16)
  return (quarter * 32 + flags) * widthOfAbove + above
}

function quarterOf(at: number | null): number | null {
  return at === null ? null : Math.floor(at / quarterMillis)
}

/** The part of a message that decides its cell, besides the tools and the size of its prompt. */
type CellKind = Pick<
  MessageUsage,
  'at' | 'session' | 'thread' | 'model' | 'isFast' | 'isUs' | 'isSynthetic' | 'isError' | 'statedNanos'
>

export function emptyCell(message: CellKind, abovePrompt = 0, tools: readonly string[] | null = null): UsageCell {
  return {
    quarter: quarterOf(message.at),
    firstAt: message.at,
    lastAt: message.at,
    session: message.session,
    thread: message.thread,
    model: message.model,
    isFast: message.isFast,
    isUs: message.isUs,
    isSynthetic: message.isSynthetic,
    isError: message.isError,
    abovePrompt,
    hasStated: message.statedNanos !== null,
    tools,
    messages: 0,
    inputTokens: 0,
    outputTokens: 0,
    cacheCreationTokens: 0,
    cacheCreation1hTokens: 0,
    cacheReadTokens: 0,
    webSearches: 0,
    partial: 0,
    estimatedMore: 0,
    statedNanos: 0,
  }
}

/** What Claude Code wrote in the model's name used nothing, whatever it says. */
function addMessage(cell: UsageCell, message: MessageUsage): void {
  cell.messages++
  const { at } = message
  if (at !== null) {
    if (cell.firstAt === null || at < cell.firstAt) cell.firstAt = at
    if (cell.lastAt === null || at > cell.lastAt) cell.lastAt = at
  }
  if (message.isSynthetic || message.isError) return
  cell.inputTokens += message.inputTokens
  cell.outputTokens += message.outputTokens
  cell.cacheCreationTokens += message.cacheCreationTokens
  cell.cacheCreation1hTokens += message.cacheCreation1hTokens
  cell.cacheReadTokens += message.cacheReadTokens
  cell.webSearches += message.webSearches
  cell.statedNanos += message.statedNanos ?? 0
  if (!message.isFinal) {
    cell.partial++
    cell.estimatedMore += Math.max(0, message.visibleTokens - message.outputTokens)
  }
}
