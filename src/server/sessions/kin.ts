// Which sessions one is linked to, found through the index. That goes over all rows, so an answer holds for a while.

import { digestSession, linkSessions } from '../../graph/graph.ts'
import { kinOf } from '../../index/search/lineage.ts'
import { SessionRows } from '../../index/search/session-rows.ts'
import type { Database } from '../../index/store/port.ts'
import type { LineageLink, SessionGraph } from '../../model/session.ts'
import type { Scope } from '../api/scope.ts'

/** Links come about when a session begins or ends: a running one need not be asked again and again. */
const holdsMs = 60_000
const mostKnown = 200

export class Kin {
  private readonly scope: Scope
  private readonly known = new Map<string, { links: LineageLink[]; version: string; atMs: number }>()

  constructor(scope: Scope) {
    this.scope = scope
  }

  /** `version`: of the index's rows. */
  of(db: Database, version: string, graph: SessionGraph): LineageLink[] {
    const known = this.known.get(graph.session)
    const now = performance.now()
    if (known !== undefined && (known.version === version || now - known.atMs < holdsMs)) return known.links
    const digest = digestSession(graph)
    const rows = new SessionRows(db, this.scope.isInScope)
    const digests = rows.mainGraphs(kinOf(db, digest)).map(digestSession)
    const links = linkSessions([digest, ...digests]).get(graph.session) ?? []
    this.known.delete(graph.session)
    this.known.set(graph.session, { links, version, atMs: now })
    const [oldest] = this.known.keys()
    if (this.known.size > mostKnown && oldest !== undefined) this.known.delete(oldest)
    return links
  }
}
