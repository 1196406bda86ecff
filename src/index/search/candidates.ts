// Places whose texts have the words and which pass the filters, the latest texts first, as many as are worth ranking. A word
// that stands nearly everywhere costs no more than one that is rare. It ranks nothing.

import type { Database } from '../store/port.ts'
import { eventsPerFile } from '../store/schema.ts'
import {
  type Cell,
  type Facts,
  newestText,
  type Place,
  readLists,
  readNumbers,
  readPlaces,
  titleField,
} from './facts.ts'
import {
  filterFor,
  type Keep,
  latestOf,
  type Narrowed,
  type NarrowTexts,
  narrowTexts,
  plainConditions,
  type Selection,
  selected,
  selectionFor,
} from './filter.ts'
import type { Budget } from './hits.ts'
import { type Expression, type QueryFilters, type SearchQuery, toMatch } from './query.ts'

/** A place, by which of the query's alternatives it was found, and how good it is. */
export interface Candidate extends Place {
  branch: number
  /** No number until it is ranked. */
  score: number
}

/** One of the alternatives of a query: `a OR b` has two. */
export interface Branch {
  expression: Expression
  /** About how many texts have it. */
  texts: number
  /** There are no other places than those that were found. */
  isAll: boolean
}

export interface Candidates {
  found: Candidate[]
  /** There are no others. */
  isAll: boolean
  branches: Branch[]
}

const mostBranches = 12

/** For a query that has words. */
export function findCandidates(
  query: SearchQuery,
  expression: Expression,
  facts: Facts,
  roots: readonly string[],
  budget: Budget,
): Candidates {
  const isAlternative = expression.type === 'any' && expression.of.length <= mostBranches
  // A common word must not drown a rare one beside OR.
  const parts = isAlternative ? expression.of : [expression]
  const share = Math.ceil(budget.enough / parts.length)
  const finder = new Finder(query, facts, roots, { ...budget, enough: share })
  const all: Candidate[] = []
  const seen = new Set<string>()
  const branches: Branch[] = []
  parts.forEach((part, branch) => {
    const found = finder.find(part)
    branches.push({ expression: part, texts: found.texts, isAll: found.isAll })
    for (const place of found.places) {
      if (parts.length > 1) {
        const key = `${place.event} ${place.n}`
        if (seen.has(key)) continue
        seen.add(key)
      }
      all.push(candidateOf(place, branch))
    }
  })
  return { found: all, isAll: branches.every(({ isAll }) => isAll), branches }
}

/** Field by field: many are made, and a copy made by the engine takes several times as long. */
function candidateOf({ text, event, n, field, at, kind, flags, origin }: Place, branch: number): Candidate {
  return { text, event, n, field, at, kind, flags, origin, branch, score: Number.NaN }
}

interface Part {
  places: Place[]
  isAll: boolean
  /** About how many texts have the words, whatever the filters. */
  texts: number
}

/** Looks through the texts that have the words, from the latest on, and gathers the places that pass the filters. */
class Stream implements Part {
  readonly places: Place[] = []
  isAll = false
  private readonly found: FoundTexts
  private readonly filter: Filter
  private readonly newest: number
  /** All after this text was looked through. */
  private last: number
  private looked = 0

  constructor(expression: Expression, filter: Filter) {
    this.found = new FoundTexts(filter.facts.db, expression)
    this.filter = filter
    this.newest = newestText(filter.facts.db)
    this.last = this.newest + 1
  }

  /** Goes on with as many of all texts as should be enough, if it goes on as it began. */
  go(enough: number): void {
    const missing = ((enough - this.places.length) * this.looked) / this.places.length
    const size = Math.max(chunk, Math.ceil(Math.min(missing * 1.1 || chunk, this.looked * 2)))
    const found = this.found.next(size)
    this.add(found)
    this.isAll = found.length < size
    this.last = this.isAll ? 0 : (found.at(-1) ?? 0)
    this.looked += found.length
  }

  /** Begins anew, only at texts where filters can hold; stretches get longer as they give little. */
  goWhere({ from, values }: NarrowTexts, enough: number): void {
    const { db } = this.filter.facts
    const sql = `SELECT te.text AS number ${from} AND te.text > ? AND te.text < ?`
    // As far back as should be enough, if it goes on as it began.
    let stretch = Math.ceil((this.newest - this.last) * (enough / Math.max(1, this.places.length)) * 1.5)
    let before = this.newest + 1
    this.places.length = 0
    for (let size = chunk; before > 1; stretch *= 4) {
      const after = Math.max(0, before - stretch)
      const texts = latestFirst(readNumbers(db, sql, [...values, after, before]))
      for (let at = 0; at < texts.length; size *= 2) {
        this.add(this.found.among(texts.slice(at, at + size)))
        at += size
        if (this.places.length >= enough) return
      }
      before = after + 1
    }
    this.isAll = true
  }

  private add(texts: readonly number[]): void {
    const { facts, from, keep } = this.filter
    const found = readPlaces(facts.db, from, [JSON.stringify(texts)])
    if (keep === null) facts.fetch(found)
    for (const place of keep?.(found) ?? found) this.places.push(place)
  }

  /** Whether it will be enough before long, if it goes on as it began. */
  isWorth(most: number, enough: number): boolean {
    return this.looked < most && this.places.length * most * patience >= enough * this.looked
  }

  /** As many as among those that were looked through. */
  get texts(): number {
    return Math.round((this.looked * this.newest) / Math.max(1, this.newest - this.last))
  }
}

interface Filter {
  facts: Facts
  /** SQL from FROM on that gives the places of texts; all that pass the filters are among them. */
  from: string
  keep: Keep | null
}

class Finder {
  private readonly filter: Filter
  private readonly budget: Budget
  private readonly narrowed: () => NarrowTexts | null
  private narrow: NarrowTexts | null | undefined

  constructor({ filters }: SearchQuery, facts: Facts, roots: readonly string[], budget: Budget) {
    const conditions = plainConditions(filters)
    const from = mayBeTitle(filters) ? placesIn(conditions) : `FROM json_each(?1) w ${joined}${conditions}`
    this.filter = { facts, from, keep: filterFor(filters, roots, facts) }
    this.budget = budget
    this.narrowed = () => narrowTexts(filters, roots, facts, budget.narrow)
  }

  find(expression: Expression): Part {
    const { first, enough } = this.budget
    const stream = new Stream(expression, this.filter)
    const isDone = () => stream.isAll || stream.places.length >= enough
    do stream.go(enough)
    while (!isDone() && stream.isWorth(first, enough))
    if (isDone()) return stream
    // Many have the words, few of the latest pass: look where filters can hold.
    if (this.narrow === undefined) this.narrow = this.narrowed()
    if (this.narrow !== null) stream.goWhere(this.narrow, enough)
    else while (!isDone()) stream.go(enough)
    return stream
  }
}

const chunk = 400
/** To find out where filters can hold takes longer than to look at so many times the texts that are looked at before. */
const patience = 4

/** CROSS JOIN keeps SQLite from beginning with another table. */
const joined = 'CROSS JOIN text_event te ON te.text = w.value CROSS JOIN event e ON e.id = te.event'

function mayBeTitle({ kind, tool, file }: QueryFilters): boolean {
  const isOfCall = [tool, file].some(values => values !== undefined && values.any.length > 0)
  return !isOfCall && (kind === undefined || kind.any.length === 0 || kind.any.includes('title'))
}

/**
 * Places of texts, each title once a file, since the client writes it again and again: from the first one in a file SQLite goes
 * on to the first of a later file. A title is the only text of its event.
 */
function placesIn(conditions: string): string {
  const firstTitle = (text: string, from: string) => `(
    SELECT te.event FROM text_event te CROSS JOIN event e ON e.id = te.event
    WHERE te.text = ${text} AND te.event >= ${from} AND te.field = ${titleField}${conditions} ORDER BY te.event LIMIT 1)`
  const nextFile = `(t.event / ${eventsPerFile} + 1) * ${eventsPerFile}`
  return `FROM (
    WITH RECURSIVE title (text, event) AS (
      SELECT w.value, ${firstTitle('w.value', '0')} FROM json_each(?1) w
      UNION ALL
      SELECT t.text, ${firstTitle('t.text', nextFile)} FROM title t WHERE t.event IS NOT NULL
    )
    SELECT te.text, te.event, te.n, te.field FROM json_each(?1) w
      CROSS JOIN text_event te ON te.text = w.value AND te.field <> ${titleField}
    UNION ALL
    SELECT text, event, 0, ${titleField} FROM title WHERE event IS NOT NULL
  ) te CROSS JOIN event e ON e.id = te.event${conditions}`
}

/** Each once. */
function latestFirst(texts: readonly number[]): number[] {
  return [...new Set(texts)].sort((one, other) => other - one)
}

const latest = 'SELECT rowid AS number FROM words WHERE words MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?'

/** The plus sign: to look each single text up among those of the words would be far slower. */
const inStretch = `SELECT rowid AS number FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?
  AND +rowid IN (SELECT value FROM json_each(?)) ORDER BY rowid`

export class FoundTexts {
  private readonly db: Database
  private readonly match: string
  private before = Number.MAX_SAFE_INTEGER

  constructor(db: Database, expression: Expression) {
    this.db = db
    this.match = toMatch(expression)
  }

  /** The next ones, the latest first; fewer than `size` where there are no others. */
  next(size: number): number[] {
    const found = readNumbers(this.db, latest, [this.match, this.before, size])
    this.before = found.at(-1) ?? 0
    return found
  }

  /** Those of `texts` that are found, the earliest first. */
  among(texts: readonly number[]): number[] {
    let [first, last] = [Number.MAX_SAFE_INTEGER, 0]
    for (const text of texts) {
      first = Math.min(first, text)
      last = Math.max(last, text)
    }
    return readNumbers(this.db, inStretch, [this.match, first, last, JSON.stringify(texts)])
  }
}

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
