// Compares the index with one that is built from the same snapshot.

import type { Finding } from '../../model/finding.ts'
import { compareWithRebuild, type RefreshOptions } from '../refresh/refresh.ts'
import { type Difference, differences } from './dump.ts'
import { discard, newPath, openToRead, problemOf } from './open.ts'
import { Database } from './port.ts'

/** More are not listed. */
const mostDifferences = 100

export interface IndexVerdict {
  equal: boolean
  differences: Difference[]
  /** What could not be read: the index in use may know of it what it knew before. */
  findings: readonly Finding[]
}

/** Refreshes the index first, so that only what is wrong differs. Null where it was stopped. */
export async function verifyIndex(options: RefreshOptions): Promise<IndexVerdict | null> {
  const path = newPath(options.home)
  try {
    return await compareWithRebuild(path, options, findings => compare(options.home, path, findings))
  } finally {
    discard(path)
  }
}

function compare(home: string, path: string, findings: readonly Finding[]): IndexVerdict | null {
  const index = openToRead(home)
  if (index === null) return null
  const rebuilt = new Database(path, { isReadOnly: true })
  try {
    const damage = damageOf(index)
    const found = damage === null ? differences(index, rebuilt, mostDifferences) : [damage]
    return { equal: found.length === 0, differences: found, findings }
  } finally {
    index.close()
    rebuilt.close()
  }
}

/** What SQLite itself finds wrong with the file; null where it is sound. */
function damageOf(db: Database): Difference | null {
  const problem = problemOf(db, 'integrity_check')
  return problem === null ? null : { table: 'file', key: 'integrity', index: problem, rebuilt: 'ok' }
}
