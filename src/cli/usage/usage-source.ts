// Where `clew usage` gets its numbers: sums that the index keeps, where there is one that is up to date, else the logs
// themselves. Both give the same; which reports are made of them is not decided here.

import type { UsageMessages } from '../../index/search/usage.ts'
import type { Finding } from '../../model/finding.ts'
import type { UsageCell } from '../../model/spent.ts'
import { rollUp } from '../../usage/cells.ts'
import type { GlobalOptions } from '../command.ts'
import { indexFor } from '../index-use.ts'

export interface UsageAsk {
  /** Prompt sizes at which a price changes. */
  promptSteps: readonly number[]
  /** Parted by the tools that messages call. */
  withTools: boolean
  /** Whether it matters which session and thread it was; true where absent. */
  withSessions?: boolean
  /** What an estimate would add is wanted, too. */
  withEstimate?: boolean
}

interface Origin {
  from: 'index' | 'files'
  /** The index answers from what it knew before. */
  isStale: boolean
  isSample: boolean
  /** What could not be read. */
  findings: Finding[]
}

export interface UsageAnswer extends Origin {
  cells: UsageCell[]
}

export interface MessagesAnswer extends Origin, UsageMessages {}

/** All that was used. */
export async function usageCells(globals: GlobalOptions, ask: UsageAsk): Promise<UsageAnswer> {
  const index = await indexFor(globals)
  if (index !== null) {
    const { usageCells: indexed } = await import('../../index/search/usage.ts')
    const { isInScope, isStale, isSample, findings } = index
    const question = { ...ask, withSessions: ask.withSessions !== false, ...(isInScope !== undefined && { isInScope }) }
    const cells = indexed(index.db, question)
    if (cells !== null) return { cells, from: 'index', isStale, isSample, findings }
  }
  const found = await scanned(globals, ask)
  const { findings, isSample } = found
  return { cells: rollUp(found.messages, ask), from: 'files', isStale: false, isSample, findings }
}

/** Message by message, with their places. */
export async function usageMessages(globals: GlobalOptions): Promise<MessagesAnswer> {
  const index = await indexFor(globals)
  if (index !== null) {
    const { usageMessages: indexed } = await import('../../index/search/usage.ts')
    const { isInScope, isStale, isSample, findings } = index
    const found = indexed(index.db, isInScope)
    if (found !== null) return { ...found, from: 'index', isStale, isSample, findings }
  }
  const ask = { promptSteps: [], withTools: false, withEstimate: true }
  return { ...(await scanned(globals, ask)), from: 'files', isStale: false }
}

async function scanned(globals: GlobalOptions, ask: UsageAsk) {
  const { scanUsage } = await import('./usage-scan.ts')
  return scanUsage(globals, { ...ask, withEstimate: ask.withEstimate === true })
}
