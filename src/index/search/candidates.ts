// Places whose texts have the words and which pass the filters, the latest texts first, as many as are worth ranking. A word
// that stands nearly everywhere costs no more than one that is rare. It ranks nothing.

import { eventsPerFile } from '../store/schema.ts'
import type { Expression } from './expression.ts'
import type { Facts } from './facts.ts'
import type { QueryFilters } from './filters.ts'
import { FoundTexts } from './found-texts.ts'
import type { Budget } from './hit.ts'
import { type NarrowTexts, narrowTexts, plainConditions } from './narrow.ts'
import type { SearchQuery } from './parse-query.ts'
import { newestText, type Place, readNumbers, readPlaces, titleField } from './places.ts'
import { filterFor, type Keep } from './row-filter.ts'

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
