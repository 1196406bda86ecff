// The shape of a session: turns with their calls, branches, subagents, compactions, and the sessions that it is related to.

import { digestSession, linkSessions } from '../../graph/graph.ts'
import { titleOf } from '../../graph/lineage/title.ts'
import type { SessionDigest, SessionGraph } from '../../model/session.ts'
import type { Tree } from '../../schema/contract-shapes.ts'
import { foldShape, type Kin, shapeOf } from '../../session/shape.ts'
import type { Clew } from '../clew.ts'
import { sessionOf } from '../sessions/find.ts'
import { siblingsOf, unreadText } from './detail.ts'
import { loadWhole } from './verdict.ts'

/** `word` names the session; the latest where absent. `most`: rows beyond these are folded. `unread`: why relations may lack. */
export async function treeOf(
  clew: Clew,
  word: string | undefined,
  most = Number.POSITIVE_INFINITY,
): Promise<{ tree: Tree & ReturnType<typeof foldShape>; unread?: string }> {
  const session = await sessionOf(word, clew)
  const graph = await loadWhole(clew, session)
  const { digests, summaries, unreadBytes } = await siblingsOf(graph, session, clew)
  const { title } = titleOf(graph, summaries)
  const shape = foldShape(shapeOf(graph, kinOf(graph, digests)), most)
  const tree = { session: graph.session, title, ...shape }
  return unreadBytes === undefined ? { tree } : { tree, unread: unreadText(unreadBytes) }
}

function kinOf(graph: SessionGraph, others: readonly SessionDigest[]): Kin {
  const linked = linkSessions([digestSession(graph), ...others])
  const descendants: Kin['descendants'] = [...linked].flatMap(([session, links]) =>
    links
      .filter(link => link.session === graph.session && session !== graph.session)
      .map(link => ({ ...link, session })),
  )
  return { links: linked.get(graph.session) ?? [], descendants }
}
