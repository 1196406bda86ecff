// Which sessions are indexed, as lists show them: their files and what their events tell. No log is opened for it.

import type { SessionFiles } from '../../model/source.ts'
import type { SummaryRow } from '../../session/summary.ts'
import type { Database, Row } from '../store/port.ts'

export interface IndexedSession {
  session: SessionFiles
  facts: SummaryRow
}

/** Of all sessions that are indexed. */
export function sessionIds(db: Database): string[] {
  return db
    .prepare('SELECT id FROM session')
    .all()
    .map(([id]) => String(id))
}

/** Whether a path is of the roots that an answer is about. */
export type InScope = (path: string) => boolean

/**
 * All of them, or those in scope. Null where one lies partly in it: the index tells of it as a whole, and which part of that
 * is asked for, only files can tell.
 */
export function indexedSessions(db: Database, isInScope?: InScope): IndexedSession[] | null {
  const found: IndexedSession[] = []
  for (const row of db.prepare('SELECT files, facts FROM session').each()) {
    const one = toSession(row)
    const share = isInScope === undefined ? 'all' : shareOf(one.session, isInScope)
    if (share === 'some') return null
    if (share === 'all') found.push(one)
  }
  return found
}

/** Whether the path of any indexed log begins so. */
export function hasPathsFrom(db: Database, start: string): boolean {
  return db.prepare('SELECT 1 FROM file WHERE substr(path, 1, length(?1)) = ?1 LIMIT 1').get([start]) !== undefined
}

/** One of them; null where it is not indexed. */
export function indexedSession(db: Database, id: string): IndexedSession | null {
  const row = db.prepare('SELECT files, facts FROM session WHERE id = ?').get([id])
  return row === undefined ? null : toSession(row)
}

function toSession([files, facts]: Row): IndexedSession {
  return { session: JSON.parse(files as string) as SessionFiles, facts: JSON.parse(facts as string) as SummaryRow }
}

/** How much of a session is in scope, by its logs; of one without any, by the rest. */
function shareOf({ logs, side }: SessionFiles, isInScope: InScope): 'all' | 'some' | 'none' {
  const files = logs.length > 0 ? logs : side
  const inside = files.filter(file => isInScope(file.path)).length
  return inside === files.length ? 'all' : inside > 0 ? 'some' : 'none'
}

export function isWithin(session: SessionFiles, isInScope: InScope): boolean {
  return shareOf(session, isInScope) === 'all'
}
