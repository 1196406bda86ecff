// Graphs and events of sessions, where a report looks inside of them: from the index where there is one, else from the files.
// Many reports need none of this, so it is loaded when it is needed.

import { ReadError, readFinding } from '../../disk/read/read.ts'
import type { SessionEvent } from '../../model/event.ts'
import type { Finding } from '../../model/finding.ts'
import type { SessionGraph } from '../../model/session.ts'
import type { SessionFiles } from '../../model/source.ts'
import type { UsageCell } from '../../model/usage.ts'
import { loadSession, readEvents } from '../../session/load.ts'
import type { Clew } from '../clew.ts'
import { indexedGraphs } from '../sessions/indexed-rows.ts'
import { type KnownRows, unknownName } from '../sessions/known.ts'

/** Null where a session cannot be read; the finding says why. */
export type GraphReader = (session: SessionFiles) => Promise<SessionGraph | null>

export async function graphReader(clew: Clew, findings: Finding[]): Promise<GraphReader> {
  const rows = await indexedGraphs(clew)
  return async session => {
    try {
      return rows(session) ?? (await loadSession(clew.source, session))
    } catch (error) {
      findings.push(unread(error))
      return null
    }
  }
}

/** Shows every event of a session; none is stored. */
export type EventReader = (session: SessionFiles, see: (event: SessionEvent) => void) => Promise<void>

export async function eventReader(clew: Clew, findings: Finding[]): Promise<EventReader> {
  const rows = await indexedGraphs(clew)
  return async (session, see) => {
    const known = rows(session)
    if (known !== null) return known.events.forEach(see)
    for (const log of session.logs) {
      try {
        for await (const event of readEvents(clew.source, log, { session: session.id })) see(event)
      } catch (error) {
        findings.push(unread(error))
      }
    }
  }
}

function unread(error: unknown): Finding {
  if (error instanceof ReadError) return readFinding(error)
  throw error
}

const mainAgent = 'main'

/** Which type of agent ran a thread. */
export class AgentTypes {
  private readonly types = new Map<string, Map<string, string>>()
  private readonly sessions: KnownRows
  private readonly read: GraphReader

  constructor(sessions: KnownRows, read: GraphReader) {
    this.sessions = sessions
    this.read = read
  }

  /** Sessions that have a main thread only need no look. */
  async readFor(used: readonly Pick<UsageCell, 'session' | 'thread'>[]): Promise<void> {
    const wanted = new Set(used.filter(one => one.thread !== one.session).map(one => one.session))
    for (const id of wanted) {
      const session = this.sessions.row(id)?.session
      const graph = session === undefined ? null : await this.read(session)
      if (graph !== null) this.see(id, graph)
    }
  }

  private see(session: string, graph: SessionGraph): void {
    const types = new Map<string, string>()
    for (const { id, kind, agentType } of graph.threads)
      types.set(id, kind === 'main' ? mainAgent : (agentType ?? unknownName))
    this.types.set(session, types)
  }

  of(session: string, thread: string): string {
    return thread === session ? mainAgent : (this.types.get(session)?.get(thread) ?? unknownName)
  }
}
