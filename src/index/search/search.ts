// Full-text search: words and filters → hits, the best first, each with a line of its text. How the parts work is said where
// they are: candidates, rank, same-hit, snippet.

import type { ByteSource } from '../../model/source.ts'
import type { Database } from '../store/port.ts'
import { findCandidates } from './candidates.ts'
import { Facts } from './facts.ts'
import { type Budget, type SearchAnswer, type SearchHit, type SearchOptions, usualBudget } from './hit.ts'
import { newestFirst, newestPlaces } from './newest.ts'
import type { SearchQuery } from './parse-query.ts'
import type { Place } from './places.ts'
import { rank, wantedTerms } from './rank.ts'
import { mergeSame, type SameHit } from './same-hit.ts'
import { suggestionsFor } from './suggest.ts'
import { onlyInArchive, toHit } from './to-hit.ts'

export type { SearchAnswer, SearchHit, SearchOptions } from './hit.ts'

const usualColumns = 160
const usualPerSession = 2

/** Scored where words were asked for. */
type Ranked = Place & { score?: number }

/** Never throws for what somebody typed: what is odd about a query is among the problems of the answer. */
export function search(db: Database, source: ByteSource, query: SearchQuery, options: SearchOptions): SearchAnswer {
  return db.reading(() => answer(db, source, query, options))
}

function answer(db: Database, source: ByteSource, query: SearchQuery, options: SearchOptions): SearchAnswer {
  const began = performance.now()
  const facts = new Facts(db)
  const problems = [...query.problems]
  let found: Found = { hits: [], isAll: true }
  try {
    found = findHits(query, facts, options)
    if (found.hits.length === 0) problems.push(...suggestionsFor(query, db))
  } catch (error) {
    if (!isMatchError(error)) throw error
    const message = 'this query cannot be searched for as it is; quotes around its words may help'
    problems.push({ code: 'unsearchable', severity: 'warning', message, from: 0, to: 0 })
  }
  const shown = options.isGrouped ? grouped(found.hits, facts, options) : found.hits.slice(0, options.limit)
  const terms = query.expression === null ? [] : wantedTerms(query.expression)
  const columns = options.columns ?? usualColumns
  facts.fetchSessions(shown.map(hit => sessionIdOf(hit, facts)))
  const hits = shown.map(hit => toHit(hit, terms, columns, facts, source))
  const bySession = hitsBySession(found.hits, facts)
  return {
    total: found.hits.length,
    isTotalLowerBound: !found.isAll,
    tookMs: Math.round((performance.now() - began) * 100) / 100,
    hits,
    sessions: sessionsShown(hits, bySession),
    sessionTotal: bySession.size,
    problems,
  }
}

interface Found {
  hits: SameHit<Ranked>[]
  isAll: boolean
}

function findHits(query: SearchQuery, facts: Facts, options: SearchOptions): Found {
  const budget: Budget = { ...usualBudget, ...options.budget }
  const ranked = ranking(query, facts, { ...budget, enough: Math.max(budget.enough, options.limit) }, options)
  const places = query.filters.is?.any.includes('archived') ? onlyInArchive(ranked.places, facts) : ranked.places
  return { hits: mergeSame(places, facts), isAll: ranked.isAll }
}

/** Places in the order of their worth. */
function ranking(
  query: SearchQuery,
  facts: Facts,
  budget: Budget,
  { now, limit, isGrouped, roots = [] }: SearchOptions,
): { places: Ranked[]; isAll: boolean } {
  const { expression, excluded, filters } = query
  if (expression === null) {
    const isEmpty = excluded === null && Object.keys(filters).length === 0
    const wanted = { places: Math.max(budget.newest, limit), sessions: isGrouped ? limit : 1 }
    return isEmpty ? { places: [], isAll: true } : newestPlaces(query, facts, roots, wanted)
  }
  const { found, isAll, branches } = findCandidates(query, expression, facts, roots, budget)
  rank(found, branches, facts.db, { now, common: budget.common })
  found.sort((one, other) => other.score - one.score || newestFirst(one, other))
  return { places: found, isAll }
}

/** FTS5's own words for an expression that it does not take, as SQLite's plain error. */
function isMatchError(error: unknown): boolean {
  return error instanceof Error && /fts5|unterminated string|no such column|expression tree/i.test(error.message)
}

function sessionIdOf({ place }: SameHit<Ranked>, facts: Facts): string {
  return facts.sessionIdOf(place.event, place.origin)
}

/** How many hits each session has, in the order of the first. */
function hitsBySession(hits: readonly SameHit<Ranked>[], facts: Facts): Map<string, number> {
  const counts = new Map<string, number>()
  for (const hit of hits) {
    const id = sessionIdOf(hit, facts)
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return counts
}

/** The best hit of each session, then the second ones, and so on. */
function grouped(hits: readonly SameHit<Ranked>[], facts: Facts, options: SearchOptions): SameHit<Ranked>[] {
  const perSession = options.perSession ?? usualPerSession
  const bySession = new Map<string, SameHit<Ranked>[]>()
  for (const hit of hits) {
    const id = sessionIdOf(hit, facts)
    const list = bySession.get(id)
    if (list !== undefined) {
      if (list.length < perSession) list.push(hit)
    } else if (bySession.size < options.limit) {
      bySession.set(id, [hit])
    }
  }
  const lists = [...bySession.values()]
  const rounds = Math.max(0, ...lists.map(list => list.length))
  return Array.from({ length: rounds }, (_, round) => lists.flatMap(list => list[round] ?? [])).flat()
}

function sessionsShown(hits: readonly SearchHit[], bySession: ReadonlyMap<string, number>): SearchAnswer['sessions'] {
  const ids = new Set(hits.map(({ session }) => session))
  return [...ids].map(session => ({ session, hits: bySession.get(session) ?? 0 }))
}
