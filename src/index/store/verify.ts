// Compares the index with one that is made anew from the same bytes.

import { rmSync } from 'node:fs'
import { buildAside, type RefreshOptions } from '../refresh/refresh.ts'
import { type Difference, differences } from './dump.ts'
import { isDamage, newPath, openToRead } from './open.ts'
import { Database } from './port.ts'

/** More are not listed: the index is made anew whatever their number. */
const mostDifferences = 100

export interface IndexVerdict {
  equal: boolean
  differences: Difference[]
}

/** The index must have been refreshed with the same options. Null where there is none. */
export async function verifyIndex(options: RefreshOptions): Promise<IndexVerdict | null> {
  const db = openToRead(options.home)
  if (db === null) return null
  const path = newPath(options.home)
  try {
    const damage = integrity(db)
    if (damage !== null) return { equal: false, differences: [damage] }
    await buildAside(path, options)
    const rebuilt = openForComparison(path)
    try {
      const found = differences(db, rebuilt, mostDifferences)
      return { equal: found.length === 0, differences: found }
    } finally {
      rebuilt.close()
    }
  } finally {
    db.close()
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
  }
}

function openForComparison(path: string): Database {
  return new Database(path, { isReadOnly: true })
}

/** What SQLite itself finds wrong with the file; null where it is sound. */
function integrity(db: Database): Difference | null {
  try {
    const said = db.prepare('PRAGMA integrity_check(1)').get()?.[0]
    if (said === 'ok') return null
    return { table: 'file', key: 'integrity', index: said ?? null, rebuilt: 'ok' }
  } catch (error) {
    if (!isDamage(error)) throw error
    return { table: 'file', key: 'integrity', index: error instanceof Error ? error.message : null, rebuilt: 'ok' }
  }
}
