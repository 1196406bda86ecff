// An index for tests: everything under some roots, made as `clew index refresh` makes it, in a folder that is removed again.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { refreshIndex } from '../../src/index/refresh/refresh.ts'
import { parseQuery } from '../../src/index/search/query.ts'
import { type SearchAnswer, type SearchOptions, search } from '../../src/index/search/search.ts'
import { openToRead } from '../../src/index/store/open.ts'
import type { Database } from '../../src/index/store/port.ts'
import { openSource } from '../../src/index/store/source.ts'
import type { ByteSource } from '../../src/model/source.ts'

export interface BuiltIndex {
  home: string
  db: Database
  source: ByteSource
  find(query: string, options?: Partial<SearchOptions>): SearchAnswer
  /** Takes note of what changed under the roots. */
  refresh(): Promise<void>
  close(): void
}

/** A moment after everything in the samples. */
export const testNow = Date.UTC(2026, 10, 1)

/** `keeps`: what is indexed is archived first, so that it can be searched when it is gone. */
export async function buildIndex(roots: readonly string[], options: { archives?: boolean } = {}): Promise<BuiltIndex> {
  const home = mkdtempSync(join(tmpdir(), 'clew-search-'))
  const refresh = () =>
    refreshIndex({ home, roots, isScoped: false, archiveRoots: options.archives === true ? [...roots] : [] })
  await refresh()
  const index: BuiltIndex = {
    home,
    ...opened(home),
    find(query, options = {}) {
      const parsed = parseQuery(query, { now: testNow, timezone: 'UTC' })
      return search(index.db, index.source, parsed, { limit: 10, isGrouped: true, now: testNow, ...options })
    },
    async refresh() {
      index.db.close()
      await refresh()
      Object.assign(index, opened(home))
    },
    close() {
      index.db.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
  return index
}

function opened(home: string): { db: Database; source: ByteSource } {
  const db = openToRead(home)
  if (db === null) throw new Error('there is no index')
  return { db, source: openSource(home) }
}
