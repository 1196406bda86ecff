// Compares the index with one that is built from the same snapshot.

import { compareWithRebuild, type RefreshOptions } from '../refresh/refresh.ts'
import { type Difference, differences } from './dump.ts'
import { discard, isDamage, newPath, openToRead } from './open.ts'
import { Database } from './port.ts'

/** More are not listed. */
const mostDifferences = 100

export interface IndexVerdict {
  equal: boolean
  differences: Difference[]
}

/** Refreshes the index first, so that only what is wrong differs. Null where it was stopped. */
export async function verifyIndex(options: RefreshOptions): Promise<IndexVerdict | null> {
  const path = newPath(options.home)
  try {
    return await compareWithRebuild(path, options, () => compare(options.home, path))
  } finally {
    discard(path)
  }
}

function compare(home: string, path: string): IndexVerdict | null {
  const index = openToRead(home)
  if (index === null) return null
  const rebuilt = new Database(path, { isReadOnly: true })
  try {
    const damage = integrity(index)
    const found = damage === null ? differences(index, rebuilt, mostDifferences) : [damage]
    return { equal: found.length === 0, differences: found }
  } finally {
    index.close()
    rebuilt.close()
  }
}

/** What SQLite itself finds wrong with the file; null where it is sound. */
function integrity(db: Database): Difference | null {
  try {
    const found = db.prepare('PRAGMA integrity_check(1)').get()?.[0]
    if (found === 'ok') return null
    return { table: 'file', key: 'integrity', index: found ?? null, rebuilt: 'ok' }
  } catch (error) {
    if (!isDamage(error)) throw error
    return { table: 'file', key: 'integrity', index: error instanceof Error ? error.message : null, rebuilt: 'ok' }
  }
}
