// What a report of usage is made of: cells from an index that is up to date, else from the logs themselves, and names for what
// they belong to. Both sources give the same. Which reports are made of them is not decided here.

import type { Finding } from '../../model/finding.ts'
import type { UsageCell } from '../../model/usage.ts'
import type { UsageNames } from '../../usage/report.ts'
import type { Clew } from '../clew.ts'
import { ask } from '../knows/ask.ts'
import type { CellQuery, KnownCells, KnownMessages } from '../knows/knows.ts'
import { KnownRows, knownRows, titledRows } from '../sessions/known.ts'
import type { BranchRow } from './names.ts'
import type { UsageQuery } from './options.ts'

export interface UsageData {
  cells: UsageCell[]
  sessions: KnownRows
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
  if (!withSessions) return { ...answer, sessions: new KnownRows([]), names: {}, branches: [] }
  const sessions = namesSessions(query) ? await titledRows(clew) : await knownRows(clew)
  const names: UsageNames = { projectOf: session => sessions.projectKey(session) }
  if (asksForAgents(query)) {
    const { agentTypes } = await import('./lookup.ts')
    names.agentOf = await agentTypes(answer.cells, sessions, clew, findings)
  }
  return { ...answer, findings, sessions, names, branches: [] }
}

/** Days and models of all that there is need no session: the index then has fewer cells to give. */
function asksForSessions({ form, group, project, session, isReconciled }: UsageQuery): boolean {
  const isPlain = ['daily', 'weekly', 'monthly', 'model', 'blocks', 'tool'].includes(form)
  const hasPlainGroup = group === undefined || group === 'model'
  return !isPlain || !hasPlainGroup || project !== undefined || session !== undefined || isReconciled
}

function namesSessions({ form, group }: UsageQuery): boolean {
  return form === 'session' || group === 'session'
}

export function asksForAgents({ form, group }: UsageQuery): boolean {
  return form === 'subagent' || group === 'subagent'
}

/** All that was used. A server waits for its first index. */
export async function usageCells(clew: Clew, query: CellQuery): Promise<KnownCells> {
  await clew.upkeep?.neededIndex()
  return ask(clew, knows => knows.cells(query))
}

/** Message by message, with their places. */
export async function usageMessages(clew: Clew): Promise<KnownMessages> {
  await clew.upkeep?.neededIndex()
  return ask(clew, knows => knows.messages())
}
