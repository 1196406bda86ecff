// Which places a search ranks, and in which portions. It ranks nothing.
//
// A search for a common word finds more places than can be ranked while someone waits. So places are read in windows:
//
//   1. By time, the newest first, whatever was indexed first. A line without a time is as old as the last of its session.
//      At the same time the path of the file decides, then the place in it: the order follows from the logs alone.
//   2. The first window has `Budget.window` places, each later one twice as many as the one before. A window is ranked by
//      itself and its hits come before those of the next: reading further never changes what was already shown.
//   3. With OR each alternative has windows of its own, so that a common word does not drown a rare one.
//   4. A window is read from where there is least to look at (see `startOf`): the texts that have the words, the events that
//      one filter leaves, or all events along the index of their times, until the window is full.
//   5. Titles and status texts count once a file, since Claude Code writes them again and again.
//
// `the OR quokka`, where 100,000 places have "the" and three have "quokka": the first window is the 1,000 newest places with
// "the", read along the index of times, and all three with "quokka", read from their texts. The second window is the next 2,000
// places with "the".

import type { Database, SqlValue } from '../store/port.ts'
import { eventsPerFile } from '../store/schema.ts'
import { type Place, placesSql, readPlaces, statusField, titleField } from './facts.ts'
import type { Filter, Sql } from './filter.ts'
import type { Budget } from './hits.ts'
import { type Expression, type SearchQuery, toMatch } from './query.ts'

/** A place, by which of the query's alternatives it was found, and how good it is. */
export interface Candidate extends Place {
  branch: number
  /** No number until it is ranked. */
  score: number
}

/** One of the alternatives of a query: `a OR b` has two. */
export interface Branch {
  expression: Expression
  /** How many texts have it. */
  texts: number
}

/** More are searched as one. */
const mostBranches = 12

export class Candidates {
  /** None where the query has filters alone. */
  readonly branches: readonly Branch[]
  private readonly readers: readonly WindowReader[]
  private readonly seen = new Set<string>()

  constructor({ expression, excluded }: SearchQuery, filter: Filter, budget: Budget) {
    const { db } = filter
    const isAlternative = expression?.type === 'any' && expression.of.length <= mostBranches
    const parts = expression === null ? [] : isAlternative ? expression.of : [expression]
    this.branches = parts.map((part, at) => ({ expression: part, texts: fillMatching(db, at, part) }))
    if (excluded !== null) fillMatching(db, 0, excluded)
    const wanted = expression === null ? [withoutWords(excluded, filter)] : this.branches.map(withWords)
    this.readers = wanted.map(one => new WindowReader(filter, one, budget))
  }

  /** There are no others than those that were given. */
  get isAll(): boolean {
    return this.readers.every(({ isAll }) => isAll)
  }

  /** The next window, the newest first; of several alternatives one after the other. */
  next(): Candidate[] {
    const found: Candidate[] = []
    for (const [branch, reader] of this.readers.entries()) {
      for (const place of reader.next()) if (this.isNew(place)) found.push(toCandidate(place, branch))
    }
    return found
  }

  /** A place may be found by several alternatives. */
  private isNew({ holder, n }: Place): boolean {
    if (this.readers.length === 1) return true
    const key = `${holder} ${n}`
    return !this.seen.has(key) && this.seen.add(key) !== undefined
  }
}

/** Field by field: there are many, and a spread takes several times as long. */
function toCandidate({ text, event, holder, n, field, at, kind, origin, session }: Place, branch: number): Candidate {
  return { text, event, holder, n, field, at, kind, origin, session, branch, score: Number.NaN }
}

/** The texts that one alternative finds, written down once for all windows. */
const matching = (branch: number) => `temp.matching${branch}`

/** How many there are. */
function fillMatching(db: Database, branch: number, expression: Expression): number {
  const table = matching(branch)
  db.exec(`CREATE TEMP TABLE IF NOT EXISTS ${table.replace('temp.', '')} (text INTEGER PRIMARY KEY)`)
  db.exec(`DELETE FROM ${table}`)
  db.prepare(`INSERT INTO ${table} SELECT rowid FROM words WHERE words MATCH ?`).run([toMatch(expression)])
  return Number(db.prepare(`SELECT count(*) FROM ${table}`).get()?.[0])
}

/** Which texts are meant; `table` where they are those that one alternative finds. */
interface Wanted {
  condition: string
  table?: string
  texts: number
}

function withWords({ texts }: Branch, branch: number): Wanted {
  const table = matching(branch)
  // The plus sign: to look up each of these texts in each event would be far slower.
  return { table, texts, condition: `+te.text IN ${table} AND ${isCounted}` }
}

/** Without words, status texts are found by their kind only. */
function withoutWords(excluded: Expression | null, { filters }: Filter): Wanted {
  const listed = filters.kind?.any.length ? '' : ` AND te.field <> ${statusField}`
  const others = excluded === null ? '' : ` AND +te.text NOT IN ${matching(0)}`
  return { condition: `${isCounted}${listed}${others}`, texts: Number.POSITIVE_INFINITY }
}

/** A title or status text: where it is for the first time in its file. */
const isCounted = `(te.field NOT IN (${titleField}, ${statusField}) OR NOT EXISTS (SELECT 1 FROM text_event t
  WHERE t.text = te.text AND t.field = te.field AND t.event < te.event
  AND t.event >= te.event / ${eventsPerFile} * ${eventsPerFile}))`

/** Reads the places that have the words and pass the filters, window by window. */
class WindowReader {
  isAll = false
  private readonly db: Database
  private readonly sql: (most: number) => Sql
  private size: number
  private done = 0

  constructor(filter: Filter, wanted: Wanted, budget: Budget) {
    this.db = filter.db
    this.size = budget.window
    this.sql = startOf(filter, wanted, budget)
  }

  next(): Place[] {
    if (this.isAll) return []
    const { size, done } = this
    const { sql, values } = this.sql(done + size)
    const places = readPlaces(this.db, `${sql} LIMIT ? OFFSET ?`, [...values, size, done])
    this.isAll = places.length < size
    this.done += places.length
    this.size *= 2
    return places
  }
}

/** Behind the time of a place. */
const sameTime = 'path, number, holder, n'
const newestFirst = `ORDER BY time DESC, ${sameTime}`

/** The rows of all places in order, of which `most` are needed: from where there is least to look at. */
function startOf(filter: Filter, wanted: Wanted, { sorted }: Budget): (most: number) => Sql {
  const { condition } = filter
  const where = `${wanted.condition} AND ${condition.sql}`
  const byWords = wanted.table === undefined ? null : `${wanted.table} m CROSS JOIN text_event te ON te.text = m.text`
  const places =
    byWords === null || wanted.texts > sorted ? sorted + 1 : countTo(filter.db, `SELECT 1 FROM ${byWords}`, sorted)
  const narrowed = filter.narrow(Math.min(places, sorted))
  if (narrowed !== null) {
    const source = `(${narrowed.sql}) l CROSS JOIN text_event te ON te.event = l.id`
    return all(`${placesSql(source, where)} ${newestFirst}`, [...narrowed.values, ...condition.values])
  }
  if (byWords !== null && places <= sorted) {
    return all(`${placesSql(byWords, where)} ${newestFirst}`, condition.values)
  }
  return most => alongTimes(filter, where, most)
}

function all(sql: string, values: readonly SqlValue[]): () => Sql {
  return () => ({ sql, values: [...values] })
}

function countTo(db: Database, rows: string, most: number): number {
  return Number(db.prepare(`SELECT count(*) FROM (${rows} LIMIT ?)`).get([most + 1])?.[0])
}

/**
 * Along the index of times, which ends as soon as there are enough. Lines without a time are sorted in: those of sessions that
 * ended before the oldest of these need no look.
 */
function alongTimes({ filters, condition }: Filter, where: string, most: number): Sql {
  const { since = Number.MIN_SAFE_INTEGER, until = Number.MAX_SAFE_INTEGER } = filters
  const events = (condition: string) =>
    placesSql(`event l INDEXED BY event_at CROSS JOIN text_event te ON te.event = l.id`, `${condition} AND ${where}`)
  const timed = `${events('l.at < ? AND l.at >= ?')} ORDER BY l.at DESC, ${sameTime} LIMIT ?`
  const oldest = 'SELECT iif(count(*) < ?, NULL, min(time)) FROM timed'
  const timeless = `${events(`l.at IS NULL AND ${mayBeSince(oldest)}`)} ${newestFirst} LIMIT ?`
  return {
    sql: `WITH timed AS MATERIALIZED (${timed}) SELECT * FROM timed UNION ALL SELECT * FROM (${timeless}) ${newestFirst}`,
    values: [until, since, ...condition.values, most, most, ...condition.values, most],
  }
}

/** Not of a session that had ended by then: `time` is SQL that gives null where all times count. */
function mayBeSince(time: string): string {
  return `(l.id / ${eventsPerFile} NOT IN (SELECT file.id FROM session JOIN file ON file.session = session.id
    WHERE session.ended < (${time}) AND file.stored IS NULL) OR l.id IN (SELECT event FROM titled))`
}
