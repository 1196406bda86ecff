// Full-text search: words and filters → hits, the best first, each with a line of its text. How the parts work is said where
// they are: candidates, rank, same-hit, snippet.

import { editSteps } from '../../base/edit-steps.ts'
import { foldWord } from '../../base/searchable.ts'
import type { ByteSource } from '../../model/source.ts'
import type { Database } from '../store/port.ts'
import { findCandidates, newestFirst, newestPlaces } from './candidates.ts'
import { Facts, type Place } from './facts.ts'
import {
  type Budget,
  mergeSame,
  onlyInArchive,
  type SameHit,
  type SearchAnswer,
  type SearchHit,
  type SearchOptions,
  toHit,
  usualBudget,
} from './hits.ts'
import type { QueryProblem, SearchQuery, Term } from './query.ts'
import { rank, textsOf, wantedTerms } from './rank.ts'

export type { SearchAnswer, SearchHit, SearchOptions } from './hits.ts'

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

/** Words that begin alike and are compared with a mistyped one. */
const mostCompared = 20_000

export function suggestionsFor(query: SearchQuery, db: Database): QueryProblem[] {
  const terms = query.expression === null ? [] : wantedTerms(query.expression)
  const hasFilters = Object.keys(query.filters).length > 0
  if (terms.length === 0) return hasFilters ? [hint('no-hits', 'nothing passes all these filters')] : []
  // Nothing was found: of a single word that is known already.
  const isAlone = terms.length === 1 && !hasFilters
  const missing = terms.filter(term => isAlone || textsOf(db, term, 1) === 0)
  const hints = missing.slice(0, 4).map(term => missingHint(term, db))
  if (missing.length > 0) return hints
  if (hasFilters && terms.length > 0) {
    return [hint('no-hits', 'the words are there, but not where all filters hold; try without one of them')]
  }
  if (terms.length > 1) {
    const words = terms.slice(0, 4).map(({ text }) => text)
    return [hint('never-together', `each word is there, but no text has all of them; try ${words.join(' OR ')}`)]
  }
  return []
}

function hint(code: string, message: string): QueryProblem {
  return { code, severity: 'info', message, from: 0, to: 0 }
}

function missingHint(term: Term, db: Database): QueryProblem {
  const [only, ...more] = term.words
  const [, name] = /^(\p{L}+):(?![/:\\])/u.exec(term.text) ?? []
  if (name !== undefined) {
    const message = `nothing has "${term.text}", and there is no filter ${name}:; clew search --help names those that there are`
    return hint('no-filter', message)
  }
  if (more.length > 0) {
    const message = `nothing has "${term.text}"; \`grep\` also finds it inside words and in what the index cut off`
    return hint('no-phrase', message)
  }
  const meant = only === undefined ? undefined : nearestWord(foldWord(only), db)
  if (meant === undefined) {
    const message = `nothing has ${term.text}; ${term.text}* finds longer words, \`grep\` also what is inside of words`
    return hint('no-word', message)
  }
  return { ...hint('spelling', `nothing has ${term.text}; did you mean ${meant}?`), instead: meant }
}

/** Of the words in the index that begin with the same two letters; the most frequent of the nearest. */
export function nearestWord(word: string, db: Database): string | undefined {
  if (word.length < 3 || word.length > 32) return undefined
  const begin = word.slice(0, 2)
  db.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'words', 'row')")
  const sql = 'SELECT term, doc FROM temp.vocabulary WHERE term >= ? AND term < ? LIMIT ?'
  let best: { word: string; steps: number; texts: number } | undefined
  for (const [term, texts] of db.prepare(sql).each([begin, `${begin}\uffff`, mostCompared])) {
    const text = String(term)
    if (Math.abs(text.length - word.length) > 2) continue
    const steps = editSteps(word, text)
    if (steps > (word.length < 6 ? 1 : 2)) continue
    const count = Number(texts)
    if (best === undefined || steps < best.steps || (steps === best.steps && count > best.texts)) {
      best = { word: text, steps, texts: count }
    }
  }
  return best?.word
}
