// Places whose texts have the words and which pass the filters, the latest texts first, as many as are worth ranking. A word
// that stands nearly everywhere costs no more than one that is rare. It ranks nothing.

import type { Database } from '../indexer/port.ts'
import { kindToNumber } from '../indexer/rows.ts'
import { eventsPerFile } from '../indexer/schema.ts'
import { type Expression, toMatch } from './expression.ts'
import type { Facts } from './facts.ts'
import type { Budget } from './hit.ts'
import { type NarrowTexts, narrowTexts } from './narrow.ts'
import type { SearchQuery } from './parse-query.ts'
import { type Place, readNumbers, readPlaces } from './places.ts'
import { filterFor } from './row-filter.ts'

/** A place, and by which of the query's alternatives it was found. */
export interface Candidate extends Place {
  branch: number
}

export interface Candidates {
  found: Candidate[]
  /** There are no others. */
  isAll: boolean
  /** What joins the alternatives of the query: `a OR b` has two. */
  branches: Expression[]
}

const mostBranches = 12
const largestId = Number.MAX_SAFE_INTEGER

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
  const branches = isAlternative ? expression.of : [expression]
  const share = Math.ceil(budget.enough / branches.length)
  const finder = new Finder(query, facts, roots, { ...budget, enough: share })
  const found = new Map<number, Candidate[]>()
  let isAll = true
  branches.forEach((branch, at) => {
    const part = finder.find(toMatch(branch))
    isAll &&= part.isAll
    for (const place of part.places) {
      const known = found.get(place.event)
      if (known === undefined) found.set(place.event, [{ ...place, branch: at }])
      else if (!known.some(({ n }) => n === place.n)) known.push({ ...place, branch: at })
    }
  })
  return { found: [...found.values()].flat(), isAll, branches }
}

interface Part {
  places: Place[]
  isAll: boolean
}

/** Knows titles that stand in a file once more: the client writes them again and again. */
class Again {
  private readonly seen = new Set<string>()

  isIt({ kind, text, event }: Place): boolean {
    if (kind !== titleKind) return false
    const key = `${text} ${Math.floor(event / eventsPerFile)}`
    if (this.seen.has(key)) return true
    this.seen.add(key)
    return false
  }
}

const titleKind = kindToNumber('title')

/** Texts that have the words, from the latest on. */
class Stream implements Part {
  readonly places: Place[] = []
  isAll = false
  private readonly match: string
  private readonly facts: Facts
  private readonly passes: ((place: Place) => boolean) | null
  private readonly again = new Again()
  private last = largestId

  constructor(match: string, facts: Facts, passes: ((place: Place) => boolean) | null) {
    this.match = match
    this.facts = facts
    this.passes = passes
  }

  /** Looks at so many more texts at most; true where there is enough, or nothing more. */
  go(most: number, enough: number): boolean {
    for (let looked = 0; looked < most; looked += chunk) {
      const { db } = this.facts
      const texts = readNumbers(db, latest, [this.match, this.last, chunk])
      const found = readPlaces(db, `FROM json_each(?) w ${joined('w.value')}`, [JSON.stringify(texts)])
      this.facts.fetch(found)
      for (const place of found) {
        if (!this.again.isIt(place) && (this.passes === null || this.passes(place))) this.places.push(place)
      }
      this.isAll = texts.length < chunk
      if (this.isAll || this.places.length >= enough) return true
      this.last = texts.at(-1) ?? 0
    }
    return false
  }
}

class Finder {
  private readonly facts: Facts
  private readonly db: Database
  private readonly passes: ((place: Place) => boolean) | null
  private readonly budget: Budget
  private readonly narrowed: () => NarrowTexts | null
  private readonly passesFor: (known: NarrowTexts['passes']) => ((place: Place) => boolean) | null
  private narrow: NarrowTexts | null | undefined

  constructor(query: SearchQuery, facts: Facts, roots: readonly string[], budget: Budget) {
    this.facts = facts
    this.db = facts.db
    this.passesFor = known => filterFor(query.filters, roots, facts, known)
    this.passes = this.passesFor(undefined)
    this.budget = budget
    this.narrowed = () => narrowTexts(query.filters, roots, facts, budget.narrow)
  }

  find(match: string): Part {
    const stream = new Stream(match, this.facts, this.passes)
    if (stream.go(this.budget.first, this.budget.enough)) return stream
    // Many have the words, few of the latest pass: look where filters can hold.
    if (this.narrow === undefined) this.narrow = this.narrowed()
    if (this.narrow !== null) return this.among(match, this.narrow)
    stream.go(Number.POSITIVE_INFINITY, this.budget.enough)
    return stream
  }

  /** Stretches of the texts are asked for, longer ones as they give little. */
  private among(match: string, narrow: NarrowTexts): Part {
    const { enough } = this.budget
    const { texts, isInside } = narrow
    const passes = narrow.passes === undefined ? this.passes : this.passesFor(narrow.passes)
    const again = new Again()
    const places: Place[] = []
    const seen = new Set<number>()
    let size = chunk
    for (let at = 0; at < texts.length; size *= 2) {
      const stretch = texts.slice(at, at + size)
      at += size
      const values = [match, stretch.at(-1) ?? 0, stretch[0] ?? 0, JSON.stringify(stretch)]
      const found = readPlaces(this.db, `FROM (${inStretch}) w ${joined('w.number')}`, values)
      const inside = found.filter(({ event }) => isInside(event))
      this.facts.fetch(inside)
      for (const place of inside) {
        if (again.isIt(place) || (passes !== null && !passes(place))) continue
        places.push(place)
        seen.add(place.text)
        if (seen.size >= enough) return { places, isAll: false }
      }
    }
    return { places, isAll: true }
  }
}

const chunk = 400

const latest = 'SELECT rowid AS number FROM words WHERE words MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?'

/** CROSS JOIN keeps SQLite from beginning with another table. */
function joined(text: string): string {
  return `CROSS JOIN text_event te ON te.text = ${text} CROSS JOIN event e ON e.id = te.event`
}

/** The plus sign: to look each single text up among those of the words would be far slower. */
const inStretch = `SELECT rowid AS number FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?
  AND +rowid IN (SELECT value FROM json_each(?))`

/** Which of the texts have the words. */
export function textsWith(db: Database, expression: Expression, texts: readonly number[]): Set<number> {
  let [first, last] = [largestId, 0]
  for (const text of texts) {
    first = Math.min(first, text)
    last = Math.max(last, text)
  }
  return new Set(readNumbers(db, inStretch, [toMatch(expression), first, last, JSON.stringify(texts)]))
}
