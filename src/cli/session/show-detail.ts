// A session's detail with what its graph cannot know: files, kin, whether it is in use.

import { digestSession, linkSessions, sessionDetail } from '../../graph/graph.ts'
import type { Finding } from '../../model/finding.ts'
import type { SessionGraph } from '../../model/session.ts'
import { isInUse, type SessionFiles } from '../../model/source.ts'
import type { SessionDetail } from '../../schema/contract-shapes.ts'
import { type KeptFacts, type KeptPlaces, keptFactsOf } from './kept-facts.ts'
import { type KinPlaces, siblingsOf, unreadText } from './siblings.ts'

/** The finding that says that lineage is not known. */
export const lineageNotSearched = 'lineage-not-searched'

/** `clew show --json`. */
export interface ShownDetail extends SessionDetail, KeptFacts {}

/** `mostBytes`: how large the folder may be whose sessions are looked through for kin where there is no index. */
export async function detailOf(
  graph: SessionGraph,
  session: SessionFiles,
  places: KeptPlaces & KinPlaces,
  mostBytes?: number,
): Promise<ShownDetail> {
  const { digests, summaries: fileSummaries, unreadBytes } = await siblingsOf(graph, session, places, mostBytes)
  const lineage = linkSessions([digestSession(graph), ...digests]).get(graph.session) ?? []
  const onDisk = session.logs.filter(log => log.isKept !== true)
  const modifiedMs = Math.max(0, ...onDisk.map(log => log.modifiedMs))
  const files = [...session.logs, ...session.side].map(file => file.path)
  const ended = graph.events.reduce<string | null>(
    (last, { at }) => (at !== null && (last === null || at > last) ? at : last),
    null,
  )
  const live = isInUse(modifiedMs, ended, Date.now())
  const own = sessionDetail(graph, { slug: session.slug, files, live, lineage, fileSummaries })
  const detail: ShownDetail = { ...own, ...(await keptFactsOf(session, places)) }
  if (unreadBytes === undefined) return detail
  const finding: Finding = { code: lineageNotSearched, severity: 'info', message: unreadText(unreadBytes) }
  return { ...detail, diagnostics: [...detail.diagnostics, finding] }
}
