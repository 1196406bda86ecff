// Events of one session → its graph. This file only puts the parts together; each is worked out in a file of its own.
// The result depends on the events alone, not on how they came.

import type { SessionId } from '../model/ids.ts'
import type { GraphFile, SessionGraph } from '../model/session.ts'
import type { SideFile } from '../model/source.ts'
import { buildBranches } from './build/branches.ts'
import { buildCalls, hangSpillFiles } from './build/calls.ts'
import { buildCompactions, buildWindows } from './build/compactions.ts'
import { buildNodes, graphNodes } from './build/nodes.ts'
import { decideOutcomes, endRunning } from './build/outcomes.ts'
import { readState, readSummaries } from './build/state.ts'
import { buildThreads } from './build/threads.ts'
import { buildMessages, buildTurns } from './build/turns.ts'

export { buildContext, contextOfEvents } from './context/context.ts'
export { digestSession, linkSessions, summariesBySession } from './lineage/lineage.ts'

/**
 * `files`: main files in reading order, then agent files. `side`: files next to the log that may contain outputs. `isLive`: the
 * session is being written, so that what did not report its end may still run.
 */
export function buildGraph(
  session: SessionId,
  files: readonly GraphFile[],
  side: readonly SideFile[] = [],
  isLive = false,
): SessionGraph {
  const { skeleton, events, findings } = buildNodes(session, files)
  const calls = buildCalls(skeleton, events)
  decideOutcomes(calls, events)
  hangSpillFiles(calls, side)
  const threads = buildThreads(skeleton, events, files, calls)
  if (!isLive) endRunning(calls)
  const toolCalls = calls.list.map(paired => paired.call)
  const state = readState(session, events)
  const summaries = readSummaries(events)
  const compactions = buildCompactions(skeleton)
  for (const finding of calls.findings) findings.push(finding)
  return {
    session,
    events,
    ...graphNodes(skeleton),
    messages: buildMessages(events),
    toolCalls,
    threads,
    turns: buildTurns(skeleton, events, toolCalls),
    ...buildBranches(skeleton, state, summaries),
    compactions,
    windows: buildWindows(threads, compactions),
    summaries,
    state,
    findings,
  }
}
