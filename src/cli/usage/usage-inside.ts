// What reports by branch and git branch are made of. Branches are told by the places of messages, not by cells: a cell may hold
// messages of several.

import type { UsageCell } from '../../model/spent.ts'
import { rollUp } from '../../usage/cells.ts'
import type { UsageNames } from '../../usage/report.ts'
import type { GlobalOptions } from '../command.ts'
import { bytesOf } from '../list/list-row.ts'
import { startProgress } from '../terminal/progress.ts'
import { branchParting } from './usage-branch-rows.ts'
import { asksForAgents, type UsageData } from './usage-data.ts'
import { AgentTypes, eventReader, graphReader, sessionNames } from './usage-lookup.ts'
import type { UsageAsk } from './usage-options.ts'
import {
  type BranchRow,
  gitBranchParting,
  noBranches,
  noGitBranch,
  type Parting,
  partedMessages,
} from './usage-parted.ts'
import type { SessionNames } from './usage-sessions.ts'
import { usageMessages } from './usage-source.ts'

export async function dataInside(ask: UsageAsk, globals: GlobalOptions): Promise<UsageData> {
  const answer = await usageMessages(globals)
  const { from, isStale, isSample, messages } = answer
  const findings = [...answer.findings]
  const sessions = await sessionNames(globals)
  const branches: BranchRow[] = []
  const isGit = ask.form === 'git-branch'
  const parting = isGit
    ? gitBranchParting(await eventReader(globals, findings), sessions)
    : branchParting(await graphReader(globals, findings), globals.source, branches)
  const { part, end } = withProgress(parting, sessions, globals.quiet)
  const parted = await partedMessages(answer, sessions, part, isGit ? noGitBranch : noBranches).finally(end)
  const cells = rollUp(parted.messages, { promptSteps: ask.prices.table.promptSteps, withTools: false })
  const ownerOf = ({ thread }: UsageCell) => parted.ownerOf(thread)
  const names: UsageNames = { projectOf: session => sessions.project(session), branchOf: ownerOf, gitBranchOf: ownerOf }
  if (asksForAgents(ask)) {
    const agents = new AgentTypes(sessions, await graphReader(globals, findings))
    await agents.readFor(messages)
    names.agentOf = (session, thread) => agents.of(session, parted.threadOf(thread))
  }
  return { cells, sessions, names, branches, from, isStale, isSample, findings }
}

/** Says how far it is: without an index, logs are read whole. */
function withProgress(parting: Parting, sessions: SessionNames, isQuiet: boolean): { part: Parting; end(): void } {
  const total = sessions.ids.reduce((sum, id) => sum + (sessions.row(id)?.bytes ?? 0), 0)
  const progress = startProgress({ what: 'reading', total, isQuiet })
  const part: Parting = async session => {
    const ownerOf = await parting(session)
    progress.add(bytesOf(session))
    return ownerOf
  }
  return { part, end: () => progress.end() }
}
