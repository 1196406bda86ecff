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
import { indexFor } from '../knows/index-use.ts'
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

/** Which type of agent ran a thread of a session. */
export type AgentOf = (session: string, thread: string) => string

type UsedThread = Pick<UsageCell, 'session' | 'thread'>

/** Of the threads that used something: from the rows of the index, else from the graphs of their sessions. */
export async function agentTypes(
  used: readonly UsedThread[],
  sessions: KnownRows,
  clew: Clew,
  findings: Finding[],
): Promise<AgentOf> {
  const index = await indexFor(clew)
  const types =
    index === null
      ? await readAgents(used, sessions, await graphReader(clew, findings))
      : (await import('../../index/search/sessions.ts')).threadAgents(index.db)
  return (session, thread) => (thread === session ? mainAgent : (types.get(threadKey(session, thread)) ?? unknownName))
}

/** Sessions that have a main thread only need no look. */
async function readAgents(used: readonly UsedThread[], sessions: KnownRows, read: GraphReader) {
  const types = new Map<string, string>()
  for (const id of new Set(used.filter(one => one.thread !== one.session).map(one => one.session))) {
    const session = sessions.row(id)?.session
    const graph = session === undefined ? null : await read(session)
    for (const thread of graph?.threads ?? []) {
      const type = thread.kind === 'main' ? mainAgent : thread.agentType
      if (type !== undefined) types.set(threadKey(id, thread.id), type)
    }
  }
  return types
}

/** As `threadAgents` has it. */
function threadKey(session: string, thread: string): string {
  return `${session} ${thread}`
}
