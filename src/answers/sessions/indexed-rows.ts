// Rows of lists and graphs of sessions from the index, the same as from full files. It reads no log.

import type { IndexedSession } from '../../index/search/sessions.ts'
import type { SessionGraph } from '../../model/session.ts'
import type { SessionFiles } from '../../model/source.ts'
import type { Clew } from '../clew.ts'
import { indexFor } from '../knows/index-use.ts'
import type { UsedIndex } from '../knows/used-index.ts'
import { noFilters } from './filters.ts'
import { type ListRow, rowOfSummary } from './rows.ts'

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

/** The same of one session; empty where the index does not have it. */
export function indexedRow(clew: Clew, id: string): Promise<IndexedList | null> {
  return rowsBy(clew, ({ sessionWithId }, { db, isInScope }) => sessionWithId(db, id, isInScope))
}

/** The same of those whose id, or a file's name, begins with a text. */
export function indexedRowsNamed(clew: Clew, text: string): Promise<IndexedList | null> {
  return rowsBy(clew, ({ sessionsNamed }, { db, isInScope }) => sessionsNamed(db, text, isInScope))
}

/** The same with the latest. */
export function indexedRowsNamedOrLatest(clew: Clew, text: string): Promise<IndexedList | null> {
  return rowsBy(clew, ({ sessionsNamed, latestSessions }, { db, isInScope }) => {
    const [named, latest] = [sessionsNamed(db, text, isInScope), latestSessions(db, isInScope)]
    if (named === null || latest === null) return null
    return [...new Map([...named, ...latest].map(found => [found.session.id, found])).values()]
  })
}

type SessionQueries = typeof import('../../index/search/sessions.ts')

async function rowsBy(
  clew: Clew,
  query: (queries: SessionQueries, index: UsedIndex) => IndexedSession[] | null,
): Promise<IndexedList | null> {
  const index = await indexFor(clew)
  const found = index === null ? null : query(await import('../../index/search/sessions.ts'), index)
  if (index === null || found === null) return null
  return { index, rows: found.map(({ session, facts }) => rowOfSummary(session, facts)) }
}

/** Gives the graph of a session without texts; null where its logs have to be read. */
export async function indexedGraphs(clew: Clew): Promise<(session: SessionFiles) => SessionGraph | null> {
  const index = await indexFor(clew)
  if (index === null) return () => null
  const { SessionRows } = await import('../../index/search/session-rows.ts')
  const rows = new SessionRows(index.db)
  return session => rows.graph(session)
}
