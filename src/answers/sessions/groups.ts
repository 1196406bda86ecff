// What a list keeps together: sessions that share history below the one that began it, where the last used of them is, with what
// is live on top; and sessions of one project. Which sessions are in it, and in which order otherwise, is decided in list.ts.

import { toMillis } from '../../base/instant.ts'
import { byLatest } from '../../session/latest.ts'
import type { Order } from './filters.ts'
import { type ListContext, type ListRow, placeOf } from './rows.ts'

/** A row at its place. */
export interface PlacedRow {
  row: ListRow
  /** It is listed below this one, the original of its family. */
  follows?: string
  /** It is here because of this one, the last used of its family. */
  lastUsed?: ListRow
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
    const others = (families.get(id) ?? []).flatMap(one => byId.get(one) ?? [])
    const head = originalOf([row, ...others])
    placed.push(head === row ? { row } : { row: head, lastUsed: row })
    for (const other of [row, ...others.sort(byLatest)]) {
      byId.delete(other.session.id)
      if (other !== head) placed.push({ row: other, follows: head.session.id })
    }
  }
  return placed
}

/** The first that copied nothing; where all did, the last used. */
function originalOf(family: readonly [ListRow, ...ListRow[]]): ListRow {
  const startOf = ({ startedAt }: ListRow) => toMillis(startedAt) ?? Number.POSITIVE_INFINITY
  const originals = family.filter(({ facts }) => (facts?.copiedEvents ?? 0) === 0)
  return originals.reduce((first, row) => (startOf(row) < startOf(first) ? row : first), originals[0] ?? family[0])
}

/** The project of the first one first. A fork in another project is by itself there. */
function byProject(placed: readonly PlacedRow[], { projects }: ListContext): PlacedRow[] {
  const groups = new Map<string, PlacedRow[]>()
  for (const { row, follows, ...place } of placed) {
    const { key } = projects.of(placeOf(row))
    const known = groups.get(key) ?? []
    const isBelow = follows !== undefined && known.some(one => one.row.session.id === follows)
    known.push(isBelow ? { row, follows } : { row, ...place })
    groups.set(key, known)
  }
  return [...groups.values()].flat()
}
