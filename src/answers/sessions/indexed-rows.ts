// Rows of lists and graphs of sessions from the index, the same as from full files. It reads no log.

import type { SessionGraph } from '../../model/session.ts'
import type { SessionFiles } from '../../model/source.ts'
import type { Clew } from '../clew.ts'
import { indexFor } from '../knows/index-use.ts'
import type { UsedIndex } from '../knows/used-index.ts'
import { noFilters } from './filters.ts'
import type { ListRow } from './rows.ts'

export interface IndexedList {
  index: UsedIndex
  rows: ListRow[]
}

/** Null where there is no index, or it has no sessions of these roots: files may still have some. */
export async function indexedRows(clew: Clew): Promise<IndexedList | null> {
  const index = await indexFor(clew)
  if (index === null) return null
  // It brings the database with it.
  const { fromIndex } = await import('../knows/from-index.ts')
  const known = await fromIndex(index, clew).sessions({ isFull: false, filters: noFilters })
  return known === null ? null : { index, rows: [...known.rows] }
}

/** Gives the graph of a session without texts; null where its logs have to be read. */
export async function indexedGraphs(clew: Clew): Promise<(session: SessionFiles) => SessionGraph | null> {
  const index = await indexFor(clew)
  if (index === null) return () => null
  const { SessionRows } = await import('../../index/search/session-rows.ts')
  const rows = new SessionRows(index.db)
  return session => rows.graph(session)
}
