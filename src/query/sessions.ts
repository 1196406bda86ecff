// Which sessions are indexed, as lists show them: their files and what their events tell. No log is opened for it.

import type { SummaryRow } from '../analyze/summary.ts'
import type { Database, Row } from '../indexer/port.ts'
import type { SessionFiles } from '../model/source.ts'

export interface IndexedSession {
  session: SessionFiles
  facts: SummaryRow
}

/** Whether a path is of the roots that an answer is about. */
export type InScope = (path: string) => boolean

/** All of them, or those of which every file is in scope. */
export function indexedSessions(db: Database, isInScope?: InScope): IndexedSession[] {
  const found: IndexedSession[] = []
  for (const row of db.prepare('SELECT files, facts FROM session').each()) {
    const one = toSession(row)
    if (isInScope === undefined || isWithin(one.session, isInScope)) found.push(one)
  }
  return found
}

function toSession([files, facts]: Row): IndexedSession {
  return { session: JSON.parse(files as string) as SessionFiles, facts: JSON.parse(facts as string) as SummaryRow }
}

/** One that lies in two homes is told by the index as a whole: a part of it is no answer. */
export function isWithin({ logs, side }: SessionFiles, isInScope: InScope): boolean {
  const files = logs.length > 0 ? logs : side
  return files.every(file => isInScope(file.path))
}
