// A session's detail with what its graph cannot know: files, kin in the same folder, whether it is in use.

import { digestSession, linkSessions, sessionDetail } from '../graph/graph.ts'
import type { LineageLink, SessionDetail, SessionGraph } from '../model/session.ts'
import type { Discovery, SessionFiles } from '../model/source.ts'
import { siblingGraphs } from './siblings.ts'

/** A session that changed within this time is taken to be in use. */
const liveWithinMs = 5 * 60 * 1000

/** `discover`: finds the sessions among which kin are looked for. */
export async function detailOf(
  graph: SessionGraph,
  session: SessionFiles,
  discover: (root: string) => Promise<Discovery>,
): Promise<SessionDetail> {
  const siblings = await siblingGraphs(session, discover)
  const lineage = lineageOf(graph, siblings)
  const fileSummaries = siblings.flatMap(sibling => sibling.summaries)
  const modifiedMs = Math.max(0, ...session.logs.map(log => log.modifiedMs))
  const files = [...session.logs, ...session.side].map(file => file.path)
  const live = Date.now() - modifiedMs < liveWithinMs
  return sessionDetail(graph, { slug: session.slug, files, live, lineage, fileSummaries })
}

function lineageOf(graph: SessionGraph, siblings: readonly SessionGraph[]): LineageLink[] {
  const digests = [graph, ...siblings].map(digestSession)
  return linkSessions(digests).get(graph.session) ?? []
}
