// Rows of lists from the index: all that reading the files whole would tell, without opening one.

import { indexedSessions } from '../../index/search/sessions.ts'
import type { SessionFiles } from '../../model/source.ts'
import type { GlobalOptions } from '../command.ts'
import { indexFor, type UsedIndex } from '../index-use.ts'
import { type ListRow, rowOfSummary } from './list-row.ts'

export interface IndexedList {
  index: UsedIndex
  rows: ListRow[]
}

/** Null where there is no index, or it has no sessions of what is asked for: files may still have some. */
export async function indexedRows(globals: GlobalOptions): Promise<IndexedList | null> {
  const index = await indexFor(globals)
  if (index === null) return null
  const sessions = indexedSessions(index.db, index.isInScope) ?? []
  const rows = sessions.map(({ session, facts }) => rowOfSummary(session, facts))
  return rows.length === 0 ? null : { index, rows: rows.sort((one, other) => byPlace(one.session, other.session)) }
}

/** As a walk over the files finds them, so that what is equal otherwise stands in the same order. */
export function byPlace(one: SessionFiles, other: SessionFiles): number {
  const [a, b] = [placeOf(one), placeOf(other)]
  if (a !== b) return a < b ? -1 : 1
  return one.id < other.id ? -1 : 1
}

function placeOf({ logs, side }: SessionFiles): string {
  return (logs[0] ?? side[0])?.path ?? ''
}
