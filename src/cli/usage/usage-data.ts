// What a report of usage is made of: cells from the index or the files, and names for what they belong to. Which session has
// which branches and subagents is asked only where the report is about that.

import type { Finding } from '../../model/finding.ts'
import type { UsageCell } from '../../model/spent.ts'
import type { UsageNames } from '../../usage/report.ts'
import type { GlobalOptions } from '../command.ts'
import type { UsageAsk } from './usage-options.ts'
import type { BranchRow } from './usage-parted.ts'
import { SessionNames } from './usage-sessions.ts'
import { usageCells } from './usage-source.ts'

export interface UsageData {
  cells: UsageCell[]
  sessions: SessionNames
  names: UsageNames
  /** What `branch` in rows stands for. */
  branches: readonly BranchRow[]
  from: 'index' | 'files'
  isStale: boolean
  isSample: boolean
  findings: Finding[]
}

export async function usageData(ask: UsageAsk, globals: GlobalOptions): Promise<UsageData> {
  const withSessions = asksForSessions(ask)
  const answer = await usageCells(globals, {
    promptSteps: ask.prices.table.promptSteps,
    withTools: ask.form === 'tool',
    withSessions,
    withEstimate: ask.isEstimated,
  })
  const findings = [...answer.findings]
  if (!withSessions) return { ...answer, sessions: new SessionNames([]), names: {}, branches: [] }
  const { AgentTypes, graphReader, sessionNames } = await import('./usage-lookup.ts')
  const sessions = await sessionNames(globals)
  const names: UsageNames = { projectOf: session => sessions.project(session) }
  if (asksForAgents(ask)) {
    const agents = new AgentTypes(sessions, await graphReader(globals, findings))
    await agents.readFor(answer.cells)
    names.agentOf = (session, thread) => agents.of(session, thread)
  }
  return { ...answer, findings, sessions, names, branches: [] }
}

/** Days and models of all that there is need no session: the index then has fewer cells to give. */
function asksForSessions({ form, group, project, session, isReconciled }: UsageAsk): boolean {
  const isPlain = ['daily', 'weekly', 'monthly', 'model', 'blocks', 'tool'].includes(form)
  const hasPlainGroup = group === undefined || group === 'model'
  return !isPlain || !hasPlainGroup || project !== undefined || session !== undefined || isReconciled
}

export function asksForAgents({ form, group }: UsageAsk): boolean {
  return form === 'subagent' || group === 'subagent'
}
