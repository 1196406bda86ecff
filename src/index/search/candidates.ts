// Places whose texts have the words and which pass the filters, the latest texts first, as many as are worth ranking; where no
// word is given, the newest places. A common word costs no more than a rare one. It ranks nothing.

import type { Database, SqlValue } from '../store/port.ts'
import { eventsPerFile } from '../store/schema.ts'
import { newestText, type Place, readJson, statusField, titleField } from './facts.ts'
import type { Filter } from './filter.ts'
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

/** More are searched as one. */
const mostBranches = 12
/** Texts that are looked at first. */
const firstTexts = 400
/** Starting with a filter costs as much as looking at this many times the texts examined so far. */
const patience = 4

export function findCandidates(expression: Expression, filter: Filter, budget: Budget): Candidates {
  const isAlternative = expression.type === 'any' && expression.of.length <= mostBranches
  // A common word must not drown a rare one next to OR.
  const parts = isAlternative ? expression.of : [expression]
  const share = { ...budget, enough: Math.ceil(budget.enough / parts.length) }
  const found: Candidate[] = []
  const seen = new Set<string>()
  const branches = parts.map((part, branch) => {
    const { places, isAll, texts } = findPlaces(part, filter, share)
    for (const place of places) {
      const key = parts.length > 1 ? `${place.event} ${place.n}` : ''
      if (seen.has(key)) continue
      if (parts.length > 1) seen.add(key)
      found.push(toCandidate(place, branch))
    }
    return { expression: part, texts, isAll }
  })
  return { found, isAll: branches.every(({ isAll }) => isAll), branches }
}

/** Field by field: there are many, and a spread takes several times as long. */
function toCandidate({ text, event, holder, n, field, at, kind, origin, session }: Place, branch: number): Candidate {
  return { text, event, holder, n, field, at, kind, origin, session, branch, score: Number.NaN }
}

/**
 * Places of texts whose ids are given as JSON. Titles and status texts count once a file, since Claude Code writes them again
 * and again.
 */
const placesOfTexts = `(SELECT te.* FROM json_each(?) w CROSS JOIN text_event te ON te.text = w.value
  WHERE te.field NOT IN (${titleField}, ${statusField}) OR NOT EXISTS (SELECT 1 FROM text_event t WHERE t.text = te.text AND t.field = te.field
    AND t.event < te.event AND t.event >= te.event / ${eventsPerFile} * ${eventsPerFile})) te`

function findPlaces(
  expression: Expression,
  filter: Filter,
  { enough, first, narrow }: Budget,
): { places: Place[]; isAll: boolean; texts: number } {
  const { db } = filter
  const newest = newestText(db)
  const places: Place[] = []
  let looked = 0
  let last = newest + 1
  const add = (texts: readonly number[]) => {
    for (const place of filter.places(placesOfTexts, [JSON.stringify(texts)])) places.push(place)
  }
  const about = () => Math.round((looked * newest) / Math.max(1, newest - last))
  for (let hasTried = false; ; ) {
    const missing = (((enough - places.length) * looked) / places.length) * 1.1
    const size = Math.max(firstTexts, Math.ceil(Math.min(missing || firstTexts, looked * 2)))
    const texts = latestTexts(db, expression, last, size)
    add(texts)
    looked += texts.length
    const isAll = texts.length < size
    last = isAll ? 0 : (texts.at(-1) ?? 0)
    if (isAll || places.length >= enough) return { places, isAll, texts: about() }
    // Continues if the rate so far suggests that it will soon have enough.
    const isSlow = looked >= first && looked * enough > places.length * first * patience
    if (!isSlow || hasTried) continue
    hasTried = true
    // Many have the words, few of the latest pass: begin with the events that one filter leaves.
    const narrowed = filter.narrow(narrow)
    if (narrowed === null) continue
    const from = `FROM (${narrowed.sql}) d CROSS JOIN text_event te ON te.event = d.id`
    const left = textsAmong(db, expression, readJson(db, 'DISTINCT te.text', from, narrowed.values) as number[])
    places.length = 0
    while (left.length > 0 && places.length < enough) add(left.splice(-Math.max(firstTexts, enough)))
    return { places, isAll: left.length === 0, texts: about() }
  }
}

/** Texts that have what is searched, from before a text on, the latest first. */
function latestTexts(db: Database, expression: Expression, before: number, most: number): number[] {
  const sql = 'SELECT rowid FROM words WHERE words MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?'
  return readJson(db, 'rowid', `FROM (${sql})`, [toMatch(expression), before, most]) as number[]
}

/** Those of `texts` that have what is searched, the earliest first. */
export function textsAmong(db: Database, expression: Expression, texts: readonly number[]): number[] {
  let [first, last] = [Number.MAX_SAFE_INTEGER, 0]
  for (const text of texts) {
    first = Math.min(first, text)
    last = Math.max(last, text)
  }
  // The plus sign: to look up each single text among those of the words would be far slower.
  const sql = `SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?
    AND +rowid IN (SELECT value FROM json_each(?)) ORDER BY rowid`
  return readJson(db, 'rowid', `FROM (${sql})`, [toMatch(expression), first, last, JSON.stringify(texts)]) as number[]
}

/** Enough: this many places of this many sessions, if there are that many. */
export interface Enough {
  places: number
  sessions: number
}

/** Events that are looked at first, at most for the sake of more sessions, and at most of those that one filter leaves. */
const [firstEvents, mostEvents, mostLeft] = [1500, 50_000, 1000]

/**
 * The newest places that pass filters, where no word is given: of the latest events, or of those that one filter leaves. Status
 * texts are found by their words or kind only.
 */
export function newestPlaces(
  { filters, excluded }: SearchQuery,
  filter: Filter,
  enough: Enough,
  narrow: number,
): { places: Place[]; isAll: boolean } {
  const isListed = filters.kind?.any.length ? '1' : `te.field <> ${statusField}`
  const read = (source: string, values: readonly SqlValue[]) => {
    const found = filter.places(`${source} CROSS JOIN text_event te ON te.event = l.id AND ${isListed}`, values)
    return excluded === null ? found : withoutTexts(found, textsAmong(filter.db, excluded, textsOf(found)))
  }
  const { until = Number.MAX_SAFE_INTEGER } = filters
  const sessions = new Set<string>()
  let places: Place[] = []
  for (let [seen, size] = [0, firstEvents]; ; seen += size, size *= 4) {
    const window = '(SELECT id FROM event WHERE at < ? ORDER BY at DESC LIMIT ? OFFSET ?) l'
    places = places.concat(read(window, [until, size, seen]))
    for (const { session } of places) sessions.add(session)
    const hasSessions = sessions.size >= enough.sessions || seen > mostEvents
    if (places.length >= enough.places && hasSessions) return { places: places.sort(newestFirst), isAll: false }
    const narrowed = seen === 0 ? filter.narrow(narrow) : null
    if (narrowed !== null) {
      const most = Math.min(Math.max(mostLeft, enough.places), Number.MAX_SAFE_INTEGER)
      const left = `(SELECT id FROM event WHERE id IN (${narrowed.sql}) ORDER BY at DESC LIMIT ?) l`
      const count = `SELECT count(DISTINCT id) FROM (${narrowed.sql})`
      const isAll = Number(filter.db.prepare(count).get(narrowed.values)?.[0]) <= most
      return { places: read(left, [...narrowed.values, most]).sort(newestFirst), isAll }
    }
    const next = 'SELECT 1 FROM event WHERE at < ? ORDER BY at DESC LIMIT 1 OFFSET ?'
    if (filter.db.prepare(next).get([until, seen + size]) === undefined) break
  }
  // Lines without a time are the oldest.
  places = places.concat(read('(SELECT id FROM event WHERE at IS NULL) l', []))
  return { places: places.sort(newestFirst), isAll: true }
}

export function newestFirst(one: Place, other: Place): number {
  return (other.at ?? 0) - (one.at ?? 0) || other.event - one.event
}

function textsOf(places: readonly Place[]): number[] {
  return [...new Set(places.map(({ text }) => text))]
}

function withoutTexts(places: readonly Place[], texts: readonly number[]): Place[] {
  const unwanted = new Set(texts)
  return places.filter(({ text }) => !unwanted.has(text))
}
