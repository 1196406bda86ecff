// Places that pass filters where no word was asked for, the newest first. Nothing is ranked.

import type { Database } from '../indexer/port.ts'
import { eventsPerFile } from '../indexer/schema.ts'
import { textsWith } from './candidates.ts'
import type { Facts } from './facts.ts'
import type { Budget } from './hit.ts'
import { narrowTexts } from './narrow.ts'
import type { SearchQuery } from './parse-query.ts'
import { type Place, placeColumns, toPlace } from './places.ts'
import { filterFor } from './row-filter.ts'

/** `isAll`: there are no others. */
export function newestPlaces(
  query: SearchQuery,
  facts: Facts,
  roots: readonly string[],
  budget: Budget,
): { places: Place[]; isAll: boolean } {
  const passes = filterFor(query.filters, roots, facts) ?? (() => true)
  const keep = (rows: readonly Place[]) => withoutExcluded(rows.filter(passes), query, facts.db)
  const texts = narrowTexts(query.filters, roots, facts, budget.narrow)
  if (texts === null) return fromFiles(keep, facts, budget.enough)
  const sql = `SELECT ${placeColumns} FROM json_each(?) j CROSS JOIN text_event te ON te.text = j.value
    CROSS JOIN event e ON e.id = te.event`
  const places = keep(
    facts.db
      .prepare(sql)
      .all([JSON.stringify(texts)])
      .map(toPlace),
  )
  return { places: places.sort(newestFirst), isAll: true }
}

export function newestFirst(one: Place, other: Place): number {
  return (other.at ?? 0) - (one.at ?? 0) || other.event - one.event
}

function withoutExcluded(places: Place[], { excluded }: SearchQuery, db: Database): Place[] {
  if (excluded === null || places.length === 0) return places
  const unwanted = textsWith(db, excluded, [...new Set(places.map(({ text }) => text))])
  return places.filter(({ text }) => !unwanted.has(text))
}

/** File by file, those of the latest sessions first, until no other can hold anything newer. */
function fromFiles(
  keep: (rows: readonly Place[]) => Place[],
  { db }: Facts,
  enough: number,
): { places: Place[]; isAll: boolean } {
  const files = db
    .prepare(
      `SELECT f.id, coalesce(s.ended, f.modified) AS ended FROM file f LEFT JOIN session s ON s.id = f.session
       ORDER BY ended DESC, f.id DESC`,
    )
    .all()
  const statement = db.prepare(
    `SELECT ${placeColumns} FROM text_event te CROSS JOIN event e ON e.id = te.event
     WHERE te.event >= ? AND te.event < ? ORDER BY te.event DESC LIMIT ?`,
  )
  let places: Place[] = []
  let isAll = true
  for (const [id, ended] of files) {
    const oldest = places[enough - 1]
    if (oldest !== undefined && (oldest.at ?? 0) > Number(ended)) return { places, isAll: false }
    const from = Number(id) * eventsPerFile
    const rows = statement.all([from, from + eventsPerFile, mostOfFile]).map(toPlace)
    isAll &&= rows.length < mostOfFile
    places = places.concat(keep(rows)).sort(newestFirst)
  }
  return { places, isAll }
}

/** No more of one file: nobody reads that far, and one file may hold most of everything. */
const mostOfFile = 5000
