// A session's graph from its rows: who, when, which calls and how they ended, without texts. Only where rows show exactly
// the files that are asked for.

import type { SessionGraph } from '../../model/session.ts'
import type { LogFile, SessionFiles } from '../../model/source.ts'
import { indexedSession, ProjectionReader, projectedGraph } from '../refresh/projection.ts'
import type { Database } from '../store/port.ts'
import { type InScope, isWithin } from './sessions.ts'

/** One for many sessions: it remembers names that they share. */
export class SessionRows {
  private readonly db: Database
  private readonly reader: ProjectionReader
  private readonly isInScope: InScope | undefined

  constructor(db: Database, isInScope?: InScope) {
    this.db = db
    this.isInScope = isInScope
    this.reader = new ProjectionReader(db, 'stats')
  }

  /** Null where the index does not have all of its logs as they are now. */
  graph(session: SessionFiles): SessionGraph | null {
    const { session: known, fileIds } = indexedSession(this.db, session.id)
    const isSame =
      session.logs.length === known.logs.length && session.logs.every((log, n) => isSameLog(log, known.logs[n]))
    if (!isSame || session.logs.some(log => !fileIds.has(log.generation))) return null
    return projectedGraph(this.db, session, fileIds, this.reader)
  }

  /**
   * What the main files of sessions contain, in the order of their places, as a walk finds them. Agent files are left out, and
   * what is not known or out of scope.
   */
  mainGraphs(ids: Iterable<string>): SessionGraph[] {
    const sessions = [...ids].map(id => indexedSession(this.db, id))
    const mains = sessions.map(({ session, fileIds }) => {
      const isOut = this.isInScope !== undefined && !isWithin(session, this.isInScope)
      return { session: { ...session, logs: isOut ? [] : session.logs.filter(isMain) }, fileIds }
    })
    return mains
      .filter(({ session }) => session.logs.length > 0)
      .sort((one, other) => (placeOf(one.session) < placeOf(other.session) ? -1 : 1))
      .map(({ session, fileIds }) => projectedGraph(this.db, session, fileIds, this.reader))
  }
}

function isMain({ role }: LogFile): boolean {
  return role === 'session'
}

function placeOf({ logs }: SessionFiles): string {
  return logs[0]?.path ?? ''
}

function isSameLog(log: LogFile, known: LogFile | undefined): boolean {
  return log.generation === known?.generation && log.size === known.size && log.path === known.path
}
