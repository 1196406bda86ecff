// The repair of a damaged session: what would be changed in its logs, what a resume sends before and after, and the repaired
// session as a new one. A repair in place is src/write/replace.ts.

import { buildContext } from '../graph/context/context.ts'
import type { Context } from '../model/session.ts'
import type { ChunkSource, SessionFiles } from '../model/source.ts'
import type { NewSession, RepairReport } from '../schema/contract-shapes.ts'
import { loadSession } from '../session/load.ts'
import { graphSummary } from '../session/summary.ts'
import { forkSession } from './edit/fork.ts'
import { type RepairedFile, type RepairedSession, repairSession } from './edit/repaired.ts'
import { editOptions, type OriginOptions, type WriteNewOptions, writeNew } from './new-session.ts'
import { refuseInUse } from './use.ts'

export interface RepairPlan {
  repaired: RepairedSession
  /** As of a run that writes nothing. */
  report: RepairReport
}

/** Throws where the session may be in use, or has no conversation. */
export async function planRepair(
  source: ChunkSource,
  files: SessionFiles,
  { isForced }: OriginOptions,
): Promise<RepairPlan> {
  const graph = await loadSession(source, files)
  if (!isForced) refuseInUse(files, graphSummary(graph).endedAt, Date.now())
  const repaired = await repairSession(source, files, editOptions)
  const sent = { before: sentBy(buildContext(graph)), after: sentBy(buildContext(repaired.session.graph)) }
  return {
    repaired,
    report: { session: files.id, ...changesOf(repaired), ...sent, inPlace: false, dryRun: true },
  }
}

/** Writes the repaired session as a new one. */
export async function writeRepaired(
  { repaired: { session } }: RepairPlan,
  options: WriteNewOptions,
): Promise<NewSession> {
  const title = `${graphSummary(session.graph).title} (repaired)`
  return writeNew(session, forkSession(session, { ...editOptions, title }), options)
}

function changesOf({ files }: RepairedSession): Pick<RepairReport, 'changes' | 'setAside'> {
  const ofFile = ({ file, changes }: RepairedFile) => changes.map(change => ({ file: file.path, ...change }))
  return { changes: files.flatMap(ofFile), setAside: files.reduce((sum, { setAside }) => sum + setAside, 0) }
}

/** What a resume sends, in numbers. */
function sentBy({ resumable, reason, messages }: Context): RepairReport['before'] {
  const blocks = messages.flatMap(message => message.blocks)
  const count = (type: string): number => blocks.filter(block => block.type === type).length
  const numbers = {
    messages: messages.length,
    texts: count('text'),
    calls: count('tool-call'),
    results: count('tool-result'),
  }
  return { resumable, ...(reason !== undefined && { reason }), ...numbers }
}
