// Rows of lists from the index, the same as from full files. It reads no log.

import { indexedSessions } from '../../index/search/sessions.ts'
import type { GlobalOptions } from '../command.ts'
import { indexFor, type UsedIndex } from '../index-use.ts'
import { byPlace, type ListRow, rowOfSummary } from './rows.ts'

export interface IndexedList {
  index: UsedIndex
  rows: ListRow[]
}

/** Null where there is no index, or it has no sessions of these roots: files may still have some. */
export async function indexedRows(globals: GlobalOptions): Promise<IndexedList | null> {
  const index = await indexFor(globals)
  if (index === null) return null
  const sessions = indexedSessions(index.db, index.isInScope) ?? []
  const rows = sessions.map(({ session, facts }) => rowOfSummary(session, facts))
  return rows.length === 0 ? null : { index, rows: rows.sort((one, other) => byPlace(one.session, other.session)) }
}
