// A page of the list of sessions as the web app shows it: rows as everywhere, with pictures of them.

import type { Clew } from '../clew.ts'
import { versionOf } from '../memo.ts'
import type { IndexProgress, PicturedRow, QueryWords, SessionList } from '../shapes.ts'
import { cutToPage, ordered, sortKeys } from './filters.ts'
import { grouped } from './groups.ts'
import { listSessions, printedRows } from './list.ts'
import { familiesOf, marksIn } from './pictures.ts'
import { placeOf, projectRows } from './rows.ts'

const usualLimit = 100
const mostRows = 1_000

/** `indexing`: how far the first index is, where it is being made. */
export async function sessionPage(clew: Clew, query: QueryWords, indexing: IndexProgress | null): Promise<SessionList> {
  const version = versionOf(clew)
  const listing = await listSessions(clew, { options: { limit: usualLimit, ...query }, isFull: true })
  const { order, context, isSample, projects } = listing
  const families = await familiesOf(clew)
  const marksOf = await marksIn(clew)
  const placed = grouped(ordered(listing.rows, order, sortKeys), order, families, context)
  const page = cutToPage(placed, { ...order, limit: Math.min(order.limit, mostRows) })
  const rows = printedRows(
    page.map(({ row }) => row),
    listing,
  )
  const sessions = page.map(({ row, follows, lastUsed }, at): PicturedRow => {
    const marks = marksOf(row)
    const family = families.get(row.session.id)
    return {
      ...(rows[at] as PicturedRow),
      projectKey: projects.of(placeOf(row)).key,
      ...(marks !== null && { marks }),
      ...(family !== undefined && { family: family.length }),
      ...(follows !== undefined && { follows }),
      ...(lastUsed !== undefined && {
        lastUsed: { endedAt: lastUsed.endedAt, live: listing.context.isLive(lastUsed) },
      }),
    }
  })
  const all = projectRows(listing.all, projects)
  all.sort((one, other) => ((other.lastUsed ?? '') > (one.lastUsed ?? '') ? 1 : -1))
  const list = { sessions, total: placed.length, offset: order.offset, projects: all, isSample, version }
  return indexing === null ? list : { ...list, indexing }
}
