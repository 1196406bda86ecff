// A session's detail with what its graph cannot know: files, kin in the same folder, whether it is in use.

import { digestSession, linkSessions, sessionDetail } from '../graph/graph.ts'
import type { Finding } from '../model/finding.ts'
import type { LineageLink, SessionDetail, SessionGraph } from '../model/session.ts'
import type { SessionFiles } from '../model/source.ts'
import { type KeptFacts, type KeptPlaces, keptFactsOf } from './kept-facts.ts'
import { siblingsOf, unreadText } from './siblings.ts'

/** A session that changed within this time is taken to be in use. */
const liveWithinMs = 5 * 60 * 1000

/** The finding that says that lineage is not known. */
export const lineageNotSearched = 'lineage-not-searched'

/** `clew show --json`. */
export interface ShownDetail extends SessionDetail, KeptFacts {}

/** `mostBytes`: how large the folder may be whose sessions are looked through for kin. */
export async function detailOf(
  graph: SessionGraph,
  session: SessionFiles,
  places: KeptPlaces,
  mostBytes?: number,
): Promise<ShownDetail> {
  const { graphs, unreadBytes } = await siblingsOf(session, places, mostBytes)
  const lineage = lineageOf(graph, graphs)
  const fileSummaries = graphs.flatMap(sibling => sibling.summaries)
  const onDisk = session.logs.filter(log => log.isKept !== true)
  const modifiedMs = Math.max(0, ...onDisk.map(log => log.modifiedMs))
  const files = [...session.logs, ...session.side].map(file => file.path)
  const live = Date.now() - modifiedMs < liveWithinMs
  const own = sessionDetail(graph, { slug: session.slug, files, live, lineage, fileSummaries })
  const detail: ShownDetail = { ...own, ...(await keptFactsOf(session, places)) }
  if (unreadBytes === undefined) return detail
  const finding: Finding = { code: lineageNotSearched, severity: 'info', message: unreadText(unreadBytes) }
  return { ...detail, diagnostics: [...detail.diagnostics, finding] }
}

function lineageOf(graph: SessionGraph, siblings: readonly SessionGraph[]): LineageLink[] {
  const digests = [graph, ...siblings].map(digestSession)
  return linkSessions(digests).get(graph.session) ?? []
}
