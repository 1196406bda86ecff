// Places whose texts have the words and which pass the filters, the latest texts first, as many as are worth ranking. A word
// that stands nearly everywhere costs no more than one that is rare. It ranks nothing.

import type { Database, Statement } from '../indexer/port.ts'
import { type Expression, toMatch } from './expression.ts'
import type { Facts } from './facts.ts'
import type { Budget } from './hit.ts'
import { narrowTexts } from './narrow.ts'
import type { SearchQuery } from './parse-query.ts'
import { type Place, placeColumns, toPlace } from './places.ts'
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
  const found = new Map<string, Candidate>()
  let isAll = true
  branches.forEach((branch, at) => {
    const part = finder.find(toMatch(branch))
    isAll &&= part.isAll
    for (const place of part.places) {
      const key = `${place.event} ${place.n}`
      if (!found.has(key)) found.set(key, { ...place, branch: at })
    }
  })
  return { found: [...found.values()], isAll, branches }
}

class Finder {
  private readonly db: Database
  private readonly passes: ((place: Place) => boolean) | null
  private readonly budget: Budget
  private readonly narrowed: () => number[] | null
  private texts: number[] | null | undefined

  constructor(query: SearchQuery, facts: Facts, roots: readonly string[], budget: Budget) {
    this.db = facts.db
    this.passes = filterFor(query.filters, roots, facts)
    this.budget = budget
    this.narrowed = () => narrowTexts(query.filters, roots, facts, budget.narrow)
  }

  find(match: string): { places: Place[]; isAll: boolean } {
    const first = this.stream(match, this.budget.first)
    if (first.isAll || first.places.length >= this.budget.enough) return first
    // Many have the words, few of the latest pass: look where filters can hold.
    if (this.texts === undefined) this.texts = this.narrowed()
    return this.texts === null ? this.stream(match, Number.POSITIVE_INFINITY) : this.among(match, this.texts)
  }

  private stream(match: string, most: number): { places: Place[]; isAll: boolean } {
    const { enough } = this.budget
    const places: Place[] = []
    let looked = 0
    for (const row of latest(this.db).each([match])) {
      const place = toPlace(row)
      if (this.passes === null || this.passes(place)) places.push(place)
      looked++
      if (places.length >= enough || looked >= most) return { places, isAll: false }
    }
    return { places, isAll: true }
  }

  /** `texts`: the latest first. Stretches of them are asked for, longer ones as they give little. */
  private among(match: string, texts: readonly number[]): { places: Place[]; isAll: boolean } {
    const places: Place[] = []
    let size = firstStretch
    for (let at = 0; at < texts.length; size *= 2) {
      const stretch = texts.slice(at, at + size)
      at += size
      const rows = inStretch(this.db).all([match, stretch.at(-1) ?? 0, stretch[0] ?? 0, JSON.stringify(stretch)])
      for (const row of rows) {
        const place = toPlace(row)
        if (this.passes === null || this.passes(place)) places.push(place)
      }
      if (places.length >= this.budget.enough && at < texts.length) return { places, isAll: false }
    }
    return { places, isAll: true }
  }
}

const firstStretch = 512

// CROSS JOIN keeps SQLite from beginning with another table than that of words.
const joined = `FROM words w CROSS JOIN text_event te ON te.text = w.rowid CROSS JOIN event e ON e.id = te.event`

function latest(db: Database): Statement {
  return db.prepare(`SELECT ${placeColumns} ${joined} WHERE words MATCH ? ORDER BY w.rowid DESC`)
}

/** The plus sign: a lookup in the words for each single text would be far slower. */
function inStretch(db: Database): Statement {
  return db.prepare(
    `SELECT ${placeColumns} ${joined} WHERE words MATCH ? AND w.rowid BETWEEN ? AND ?
     AND +w.rowid IN (SELECT value FROM json_each(?))`,
  )
}

/** Which of the texts have the words. */
export function textsWith(db: Database, expression: Expression, texts: readonly number[]): Set<number> {
  if (texts.length === 0) return new Set()
  const sorted = [...texts].sort((one, other) => one - other)
  const sql = `SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?
    AND +rowid IN (SELECT value FROM json_each(?))`
  const rows = db.prepare(sql).all([toMatch(expression), sorted[0] ?? 0, sorted.at(-1) ?? 0, JSON.stringify(sorted)])
  return new Set(rows.map(([id]) => Number(id)))
}
