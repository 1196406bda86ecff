// Where the prompt histories lie that are indexed.

import type { Database } from '../store/port.ts'
import type { InScope } from './sessions.ts'

/** Paths of the files that stand for something now: earlier contents are left out. */
export function historyPaths(db: Database, isInScope?: InScope): string[] {
  const sql = "SELECT path FROM file WHERE role = 'history' AND standing < 2 ORDER BY path"
  const paths = db
    .prepare(sql)
    .all()
    .map(([path]) => path as string)
  return isInScope === undefined ? paths : paths.filter(isInScope)
}
