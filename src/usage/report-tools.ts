// The share that each tool has in a cell: what a message used goes to the tools that it calls, evenly by call, so that the
// shares add up to the cell to the token. It says nothing of what tools themselves did.

import type { UsageCell } from '../model/spent.ts'

/** The row of messages that call none. */
export const noTool = '(no tool)'

export interface ToolShare {
  tool: string
  /** Calls of this tool by the cell's messages. */
  calls: number
  /** Amounts are shares; `messages` and `partial` count whole messages that call the tool. */
  cell: UsageCell
}

const shared = [
  'inputTokens',
  'outputTokens',
  'cacheCreationTokens',
  'cacheCreation1hTokens',
  'cacheReadTokens',
  'webSearches',
  'estimatedMore',
  'statedNanos',
] as const

/** One share for each name. What does not divide evenly goes to the first calls in order of their names. */
export function toolShares(cell: UsageCell): ToolShare[] {
  const tools = [...(cell.tools ?? [])].sort()
  if (tools.length === 0) return [{ tool: noTool, calls: 0, cell }]
  const shares: ToolShare[] = []
  for (let from = 0; from < tools.length; ) {
    const tool = tools[from] as string
    const to = endOfRun(tools, from)
    const part = { ...cell }
    for (const field of shared) part[field] = shareOf(cell[field], tools.length, from, to)
    shares.push({ tool, calls: (to - from) * cell.messages, cell: part })
    from = to
  }
  return shares
}

function endOfRun(tools: readonly string[], from: number): number {
  let to = from + 1
  while (to < tools.length && tools[to] === tools[from]) to++
  return to
}

/** What the calls from one to another get of an amount that all share. */
function shareOf(amount: number, calls: number, from: number, to: number): number {
  const each = Math.floor(amount / calls)
  const rest = amount - each * calls
  return each * (to - from) + Math.min(to, rest) - Math.min(from, rest)
}
