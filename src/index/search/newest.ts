// Places that pass filters where no word was asked for, the newest first. Nothing is ranked.

import type { Database } from '../store/port.ts'
import { eventsPerFile } from '../store/schema.ts'
import type { Facts } from './facts.ts'
import { FoundTexts } from './found-texts.ts'
import { latestOf, type Narrowed, type Selection, selected, selectionFor } from './narrow.ts'
import type { SearchQuery } from './parse-query.ts'
import { type Cell, type Place, readLists, readPlaces } from './places.ts'
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
  const ages = filesByAge(facts.db).filter(([file]) => allowed === null || allowed.has(Number(file)))
  const ends = new FileEnds(
    ages.map(([file]) => Number(file)),
    selection,
    keep,
    facts.db,
  )
  const sessions = new Set<string>()
  let places: Place[] = []
  /** Those that may still have an excluded word: looking for it costs the same for many as for few. */
  let unsure: Place[] = []
  let most = query.excluded === null ? 1 : wanted.places * 4
  for (const [, ended] of ages) {
    if (unsure.length >= most) {
      if (query.excluded !== null) most *= 2
      places = places.concat(withoutExcluded(unsure, query, facts)).sort(newestFirst)
      unsure = []
    }
    const oldest = places[wanted.places - 1]
    if (oldest !== undefined && sessions.size >= wanted.sessions && (oldest.at ?? 0) > Number(ended)) {
      return { places, isAll: false }
    }
    const found = ends.next(wanted.places)
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
  const unwanted = new Set(new FoundTexts(facts.db, excluded).among(texts))
  return places.filter(({ text }) => !unwanted.has(text))
}

const firstBatch = 64
const [fewFiles, mostFiles] = [4, 128]

/** The last places of files that pass, file by file. To ask for those of many files takes hardly longer than for those of one. */
class FileEnds {
  private readonly files: readonly number[]
  private readonly selection: Selection | null
  private readonly keep: Keep
  private readonly db: Database
  private at = 0
  /** What was read ahead: of each file its last events, and of those the places that pass. */
  private ahead: { events: number[]; places: Place[] }[] = []
  private size = fewFiles

  constructor(files: readonly number[], selection: Selection | null, keep: Keep, db: Database) {
    this.files = files
    this.selection = selection
    this.keep = keep
    this.db = db
  }

  /** Those of the next file, from its end on, until there are enough. */
  next(enough: number): Place[] {
    if (this.ahead.length === 0) this.readAhead()
    const file = this.files[this.at++] ?? 0
    const { events, places } = this.ahead.shift() ?? { events: [], places: [] }
    let [read, size] = [events, firstBatch]
    while (read.length === size && places.length < enough) {
      size *= 2
      read = this.eventsBefore([[file, read.at(-1) ?? 0]], size)[0] ?? []
      for (const place of this.keep(placesOf(read, this.db))) places.push(place)
    }
    return places
  }

  private readAhead(): void {
    const files = this.files.slice(this.at, this.at + this.size)
    this.size = Math.min(mostFiles, this.size * 2)
    const events = this.eventsBefore(
      files.map(file => [file, (file + 1) * eventsPerFile]),
      firstBatch,
    )
    const byFile = new Map(files.map((file): [number, Place[]] => [file, []]))
    for (const place of this.keep(placesOf(events.flat(), this.db))) {
      byFile.get(Math.floor(place.event / eventsPerFile))?.push(place)
    }
    this.ahead = files.map((file, at) => ({ events: events[at] ?? [], places: byFile.get(file) ?? [] }))
  }

  /** Of each file the last ones that are before an event. */
  private eventsBefore(ends: readonly (readonly [file: number, before: number])[], most: number): number[][] {
    const range = [`(b.value ->> 0) * ${eventsPerFile}`, 'b.value ->> 1'] as const
    const plain = `SELECT DISTINCT event AS id FROM text_event WHERE event >= ${range[0]} AND event < ${range[1]}`
    const { sql, values } = this.selection === null ? { sql: plain, values: [] } : selected(this.selection, range)
    const list = `(SELECT json_group_array(id) FROM (SELECT id FROM (${sql}) ORDER BY id DESC LIMIT ${most}))`
    return this.db
      .prepare(`SELECT ${list} FROM json_each(?) b`)
      .all([...values, JSON.stringify(ends)])
      .map(([ids]) => JSON.parse(String(ids)))
  }
}

function placesOf(events: readonly number[], db: Database): Place[] {
  const sql = `FROM json_each(?) s CROSS JOIN text_event te ON te.event = s.value
    CROSS JOIN event e ON e.id = te.event`
  return readPlaces(db, sql, [JSON.stringify(events)])
}
