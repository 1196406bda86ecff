// What a report of usage is made of: cells from an index that is up to date, else from the logs themselves, and names for what
// they belong to. Both sources give the same. Which reports are made of them is not decided here.

import type { UsageMessages } from '../../index/search/usage.ts'
import type { Finding } from '../../model/finding.ts'
import type { UsageCell } from '../../model/usage.ts'
import { rollUp } from '../../usage/cell.ts'
import type { UsageNames } from '../../usage/report.ts'
import type { Clew } from '../clew.ts'
import { indexFor } from '../knows/index-use.ts'
import { type BranchRow, SessionNames } from './names.ts'
import type { UsageQuery } from './options.ts'

export interface UsageData {
  cells: UsageCell[]
  sessions: SessionNames
  names: UsageNames
  /** What `branch` in rows represents. */
  branches: readonly BranchRow[]
  from: 'index' | 'files'
  isStale: boolean
  isSample: boolean
  findings: Finding[]
}

export async function usageData(query: UsageQuery, clew: Clew): Promise<UsageData> {
  const withSessions = asksForSessions(query)
  const answer = await usageCells(clew, {
    promptSteps: query.pricing.prices.promptSteps,
    withTools: query.form === 'tool',
    withSessions,
    withEstimate: query.isEstimated,
  })
  const findings = [...answer.findings]
  if (!withSessions) return { ...answer, sessions: new SessionNames([]), names: {}, branches: [] }
  const { AgentTypes, graphReader, sessionNames } = await import('./lookup.ts')
  const sessions = await sessionNames(clew)
  const names: UsageNames = { projectOf: session => sessions.project(session) }
  if (asksForAgents(query)) {
    const agents = new AgentTypes(sessions, await graphReader(clew, findings))
    await agents.readFor(answer.cells)
    names.agentOf = (session, thread) => agents.of(session, thread)
  }
  return { ...answer, findings, sessions, names, branches: [] }
}

/** Days and models of all that there is need no session: the index then has fewer cells to give. */
function asksForSessions({ form, group, project, session, isReconciled }: UsageQuery): boolean {
  const isPlain = ['daily', 'weekly', 'monthly', 'model', 'blocks', 'tool'].includes(form)
  const hasPlainGroup = group === undefined || group === 'model'
  return !isPlain || !hasPlainGroup || project !== undefined || session !== undefined || isReconciled
}

export function asksForAgents({ form, group }: UsageQuery): boolean {
  return form === 'subagent' || group === 'subagent'
}

export interface CellQuery {
  /** Prompt sizes at which a price changes. */
  promptSteps: readonly number[]
  /** Parted by the tools that messages call. */
  withTools: boolean
  /** Whether it matters which session and thread it was; true where absent. */
  withSessions?: boolean
  /** Also what an estimate would add. */
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
export async function usageCells(clew: Clew, query: CellQuery): Promise<UsageAnswer> {
  const index = await indexFor(clew)
  if (index !== null) {
    const { usageCells: indexed } = await import('../../index/search/usage.ts')
    const { isInScope, isStale, isSample, findings } = index
    const question = {
      ...query,
      withSessions: query.withSessions !== false,
      ...(isInScope !== undefined && { isInScope }),
    }
    const cells = indexed(index.db, question)
    if (cells !== null) return { cells, from: 'index', isStale, isSample, findings }
  }
  const found = await scanned(clew, query)
  const { findings, isSample } = found
  return { cells: rollUp(found.messages, query), from: 'files', isStale: false, isSample, findings }
}

/** Message by message, with their places. */
export async function usageMessages(clew: Clew): Promise<MessagesAnswer> {
  const index = await indexFor(clew)
  if (index !== null) {
    const { usageMessages: indexed } = await import('../../index/search/usage.ts')
    const { isInScope, isStale, isSample, findings } = index
    const found = indexed(index.db, isInScope)
    if (found !== null) return { ...found, from: 'index', isStale, isSample, findings }
  }
  const query = { promptSteps: [], withTools: false, withEstimate: true }
  return { ...(await scanned(clew, query)), from: 'files', isStale: false }
}

async function scanned(clew: Clew, query: CellQuery) {
  const { scanUsage } = await import('./scan.ts')
  return scanUsage(clew, { ...query, withEstimate: query.withEstimate === true })
}
