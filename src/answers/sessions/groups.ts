// What a list keeps together: forks below the last used session of their family, with what is live on top, and sessions of
// one project. Which sessions are in it, and in which order otherwise, is decided in list.ts.

import { byLatest } from '../../session/latest.ts'
import type { Order } from './filters.ts'
import { type ListContext, type ListRow, placeOf } from './rows.ts'

/** A row at its place. */
export interface PlacedRow {
  row: ListRow
  /** It is here because of this one, the last used of its family. */
  follows?: string
}

/** By session, those that were forked or continued from each other. */
export type Families = ReadonlyMap<string, readonly string[]>

/** `rows`: in their order. Families are put together where that is by time. */
export function grouped(
  rows: readonly ListRow[],
  { group, sort }: Order,
  families: Families,
  context: ListContext,
): PlacedRow[] {
  const placed = group !== undefined && sort === 'when' ? byFamily(rows, families, context) : rows.map(row => ({ row }))
  return group === 'project' ? byProject(placed, context) : placed
}

/** Live ones on top. A family is where its last used session is. */
function byFamily(rows: readonly ListRow[], families: Families, { isLive }: ListContext): PlacedRow[] {
  const live = new Set(rows.filter(isLive))
  const first = [...live, ...rows.filter(row => !live.has(row))]
  const byId = new Map(first.map(row => [row.session.id as string, row]))
  const placed: PlacedRow[] = []
  for (const row of first) {
    const id: string = row.session.id
    if (!byId.delete(id)) continue
    placed.push({ row })
    const others = (families.get(id) ?? []).flatMap(one => byId.get(one) ?? [])
    for (const other of others.sort(byLatest)) {
      byId.delete(other.session.id)
      placed.push({ row: other, follows: id })
    }
  }
  return placed
}

/** The project of the first one first. A fork in another project is by itself there. */
function byProject(placed: readonly PlacedRow[], { projects }: ListContext): PlacedRow[] {
  const groups = new Map<string, PlacedRow[]>()
  for (const { row, follows } of placed) {
    const { key } = projects.of(placeOf(row))
    const known = groups.get(key) ?? []
    const isBelow = follows !== undefined && known.some(one => one.row.session.id === follows)
    known.push(isBelow ? { row, follows } : { row })
    groups.set(key, known)
  }
  return [...groups.values()].flat()
}
