// A session's graph from its rows: who, when, which calls and how they ended, without texts. Only where rows tell of exactly
// the files that are asked for.

import type { Database } from '../indexer/port.ts'
import { ThinReader } from '../indexer/thin.ts'
import { settledFiles, thinGraph } from '../indexer/thin-graph.ts'
import type { SessionGraph } from '../model/session.ts'
import type { SessionFiles } from '../model/source.ts'
import { type InScope, isWithin } from './sessions.ts'

/** One for many sessions: it remembers names that they share. */
export class SessionRows {
  private readonly db: Database
  private readonly reader: ThinReader
  private readonly isInScope: InScope | undefined

  constructor(db: Database, isInScope?: InScope) {
    this.db = db
    this.isInScope = isInScope
    this.reader = new ThinReader(db, 'stats')
  }

  /** Null where the index does not have all of its logs as they are now. */
  graph(session: SessionFiles): SessionGraph | null {
    const { session: known, fileIds } = settledFiles(this.db, session.id)
    const isSame =
      session.logs.length === known.logs.length && session.logs.every((log, n) => isSameLog(log, known.logs[n]))
    if (!isSame || session.logs.some(log => !fileIds.has(log.generation))) return null
    return thinGraph(this.db, session, fileIds, this.reader)
  }

  /** What its main files tell; null where it is not known, or out of scope. Agent files are left out. */
  mainGraph(id: string): SessionGraph | null {
    const { session, fileIds } = settledFiles(this.db, id)
    if (this.isInScope !== undefined && !isWithin(session, this.isInScope)) return null
    const logs = session.logs.filter(log => log.role === 'session')
    return logs.length === 0 ? null : thinGraph(this.db, { ...session, logs }, fileIds, this.reader)
  }
}

function isSameLog(log: SessionFiles['logs'][number], known: SessionFiles['logs'][number] | undefined): boolean {
  return log.generation === known?.generation && log.size === known.size && log.path === known.path
}
