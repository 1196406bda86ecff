// Places that pass filters where no word was asked for, the newest first. Nothing is ranked.

import type { Database } from '../indexer/port.ts'
import { eventsPerFile } from '../indexer/schema.ts'
import type { Facts } from './facts.ts'
import { latestOf, type Narrowed, type Selection, selected, selectionFor } from './narrow.ts'
import type { SearchQuery } from './parse-query.ts'
import { type Cell, type Place, readLists, readNumbers, readPlaces } from './places.ts'
import { filterFor, type Keep } from './row-filter.ts'

export interface Newest {
  places: Place[]
  /** There are no others. */
  isAll: boolean
}

/** At least so many, of at least so many sessions, where there are. */
export interface Wanted {
  places: number
  sessions: number
}

/** The latest events, where enough of them pass; then those that one filter leaves; else file by file. */
export function newestPlaces(query: SearchQuery, facts: Facts, roots: readonly string[], wanted: Wanted): Newest {
  const keep = filterFor(query.filters, roots, facts) ?? (places => places)
  const narrowed = once(() => selectionFor(query.filters, roots, facts))
  const latestPassing = () => {
    const { selection } = narrowed()
    return selection === null ? [] : latestOf(selection, wanted.places * 2, facts.db)
  }
  for (const read of [() => latestEvents(query, facts.db), latestPassing]) {
    const found = withoutExcluded(keep(read()), query, facts)
    const sessions = new Set(found.map(({ event, origin }) => facts.sessionIdOf(event, origin)))
    if (found.length >= wanted.places && sessions.size >= wanted.sessions) {
      return { places: found.sort(newestFirst), isAll: false }
    }
  }
  return fromFiles(query, facts, narrowed(), wanted, keep)
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** So many are looked at. */
const mostLatest = 1500

function latestEvents(query: SearchQuery, db: Database): Place[] {
  const { until = Number.MAX_SAFE_INTEGER } = query.filters
  const from = `FROM (SELECT id FROM event WHERE at < ? ORDER BY at DESC LIMIT ${mostLatest}) l
    CROSS JOIN text_event te ON te.event = l.id CROSS JOIN event e ON e.id = te.event`
  return readPlaces(db, from, [until])
}

/** Those of the latest sessions first, until no other can hold anything newer. */
function fromFiles(
  query: SearchQuery,
  facts: Facts,
  { files, selection }: Narrowed,
  wanted: Wanted,
  keep: Keep,
): Newest {
  const allowed = files === null ? null : new Set(files.map(({ id }) => id))
  const sessions = new Set<string>()
  let places: Place[] = []
  /** Those that may still have an excluded word: looking for it costs the same for many as for few. */
  let unsure: Place[] = []
  let most = query.excluded === null ? 1 : wanted.places * 4
  for (const [file, ended] of filesByAge(facts.db)) {
    const id = Number(file)
    if (allowed !== null && !allowed.has(id)) continue
    if (unsure.length >= most) {
      if (query.excluded !== null) most *= 2
      places = places.concat(withoutExcluded(unsure, query, facts)).sort(newestFirst)
      unsure = []
    }
    const oldest = places[wanted.places - 1]
    if (oldest !== undefined && sessions.size >= wanted.sessions && (oldest.at ?? 0) > Number(ended)) {
      return { places, isAll: false }
    }
    const found = ofFile(id, selection, keep, wanted.places, facts.db)
    for (const { event, origin } of found.slice(0, 1)) sessions.add(facts.sessionIdOf(event, origin))
    unsure = unsure.concat(found)
  }
  places = places.concat(withoutExcluded(unsure, query, facts)).sort(newestFirst)
  return { places, isAll: true }
}

export function newestFirst(one: Place, other: Place): number {
  return (other.at ?? 0) - (one.at ?? 0) || other.event - one.event
}

/** Ids with the last moment of their session. */
function filesByAge(db: Database): Cell[][] {
  const from = `FROM (SELECT f.id, coalesce(s.ended, f.modified) AS ended FROM file f
    LEFT JOIN session s ON s.id = f.session ORDER BY 2 DESC, f.id DESC)`
  return readLists(db, ['id', 'ended'], from, [])
}

function withoutExcluded(places: readonly Place[], { excluded }: SearchQuery, facts: Facts): Place[] {
  if (excluded === null || places.length === 0) return [...places]
  const texts = [...new Set(places.map(({ text }) => text))]
  const unwanted = new Set(facts.texts.find(excluded).among(texts))
  return places.filter(({ text }) => !unwanted.has(text))
}

const firstBatch = 64

/** From the end of the file on, until there are enough. */
function ofFile(file: number, selection: Selection | null, keep: Keep, enough: number, db: Database): Place[] {
  const first = file * eventsPerFile
  const found: Place[] = []
  let before = first + eventsPerFile
  for (let size = firstBatch; found.length < enough; size *= 2) {
    const events = eventsBefore(selection, [first, before], size, db)
    const sql = `FROM json_each(?) s CROSS JOIN text_event te ON te.event = s.value
      CROSS JOIN event e ON e.id = te.event`
    for (const place of keep(readPlaces(db, sql, [JSON.stringify(events)]))) found.push(place)
    if (events.length < size) break
    before = events.at(-1) ?? first
  }
  return found
}

/** The last ones of a range. */
function eventsBefore(
  selection: Selection | null,
  range: [from: number, to: number],
  most: number,
  db: Database,
): number[] {
  const plain = 'SELECT DISTINCT event AS id FROM text_event WHERE event >= ? AND event < ?'
  const { sql, values } = selection === null ? { sql: plain, values: range } : selected(selection, range)
  return readNumbers(db, `SELECT id AS number FROM (${sql}) ORDER BY id DESC LIMIT ${most}`, values)
}
