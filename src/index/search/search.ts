// Full-text search: words and filters → hits, the best first, each with a line of its text; and what to try where nothing was
// found. How the parts work is described where they are: query, filter, candidates, rank, hits, snippet.

import { editSteps } from '../../base/edit-steps.ts'
import { sizeText } from '../../base/format.ts'
import { foldWord } from '../../base/searchable.ts'
import { largestLine } from '../../decode/lines.ts'
import type { ByteSource } from '../../model/source.ts'
import type { Database } from '../store/port.ts'
import { eventsPerFile } from '../store/schema.ts'
import { Candidates } from './candidates.ts'
import { Facts, type Place } from './facts.ts'
import { belowRoots, Filter } from './filter.ts'
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
import { type Expression, loosened, type QueryProblem, type SearchQuery, type Term, unknownValue } from './query.ts'
import { Ranker, requiredTerms, textsOf } from './rank.ts'

export type { SearchAnswer, SearchHit, SearchOptions } from './hits.ts'

const usualColumns = 160
const usualPerSession = 2

/** Scored where the query has words. */
type Ranked = Place & { score?: number }

/** Never throws for what someone typed: what is odd about a query is among the problems of the answer. */
export function search(db: Database, source: ByteSource, query: SearchQuery, options: SearchOptions): SearchAnswer {
  return db.reading(() => answer(db, source, query, options))
}

function answer(db: Database, source: ByteSource, query: SearchQuery, options: SearchOptions): SearchAnswer {
  const began = performance.now()
  const facts = new Facts(db)
  const problems = [...query.problems, ...toolProblems(query, db)]
  let found: Found = { hits: [], isAll: true }
  let { expression } = query
  const isMissing = (term: Term) => textsOf(db, term, 1) === 0
  try {
    // Without a filter that is wrong, it would find what was not asked for.
    const isWrong = problems.some(({ severity }) => severity === 'error')
    if (!isWrong) found = findHits(query, facts, options)
    const loose = isWrong || found.hits.length > 0 || expression === null ? null : loosened(expression, isMissing)
    if (loose !== null) {
      const others = findHits({ ...query, expression: loose }, facts, options)
      if (others.hits.length > 0) {
        found = others
        problems.push(looseHint(query.expression as Expression, loose))
        expression = loose
      }
    }
    if (!isWrong && found.hits.length === 0) problems.push(...suggestionsFor(query, db))
    if (!isWrong && query.expression !== null) problems.push(...oversizedIn(db, options.roots ?? []))
  } catch (error) {
    if (!isMatchError(error)) throw error
    const message = 'this query cannot be searched as it is; quotes around its words may help'
    problems.push({ code: 'unsearchable', severity: 'warning', message, from: 0, to: 0 })
  }
  const shown = options.isGrouped ? grouped(found.hits, options) : found.hits.slice(0, options.limit)
  facts.fetch(shown.map(({ place }) => place))
  const terms = expression === null ? [] : requiredTerms(expression)
  const hits = shown.map(hit => toHit(hit, terms, options.columns ?? usualColumns, facts, source))
  const bySession = hitsBySession(found.hits)
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

/** Lines that are too long to be decoded have no texts in the index. */
function oversizedIn(db: Database, roots: readonly string[]): QueryProblem[] {
  const below = belowRoots(roots)
  const sql = `SELECT f.path, count(*) FROM event e CROSS JOIN file f ON f.id = e.id / ${eventsPerFile}
    WHERE e.bytes > ${largestLine} AND ${below.sql} GROUP BY f.path LIMIT 3`
  return db
    .prepare(sql)
    .all(below.values)
    .map(([path, count]) => {
      const lines = count === 1 ? 'A line is' : `${count} lines are`
      return hint('oversized-line', `${lines} longer than ${sizeText(largestLine)} and not searched: ${path}`)
    })
}

/** Tools that no session calls: an error, since nothing could be found, or all that was to be left out. */
function toolProblems({ filters }: SearchQuery, db: Database): QueryProblem[] {
  if (filters.tool === undefined) return []
  const filter = new Filter(db, filters, [])
  const unknown = filter.unknownTools()
  if (unknown.length === 0) return []
  const tools = filter.tools()
  return unknown.map(tool => ({ ...unknownValue('tool', tool, tools), from: 0, to: 0 }))
}

/** Says which forms were searched instead, as one would write them. */
function looseHint(from: Expression, to: Expression): QueryProblem {
  const [before, after] = [requiredTerms(from), requiredTerms(to)]
  const changed = before.flatMap(({ text }, at) => (after[at]?.isPrefix && !before[at]?.isPrefix ? [{ text, at }] : []))
  const forms = changed.map(({ at }) => `${after[at]?.words.join(' ')}*`).join(' ')
  const words = changed.map(({ text }) => text).join(', ')
  return { ...hint('other-forms', `no text has ${words}; these have ${forms}`), instead: forms }
}

interface Found {
  hits: SameHit<Ranked>[]
  isAll: boolean
}

/** Reads windows of candidates until there are as many hits, or sessions, as are shown. */
function findHits(query: SearchQuery, facts: Facts, options: SearchOptions): Found {
  const { expression, excluded, filters } = query
  if (expression === null && excluded === null && Object.keys(filters).length === 0) return { hits: [], isAll: true }
  const { db } = facts
  const budget: Budget = { ...usualBudget, ...options.budget }
  const candidates = new Candidates(query, new Filter(db, filters, options.roots ?? []), budget)
  const ranker =
    expression === null ? null : new Ranker(db, candidates.branches, { now: options.now, common: budget.common })
  const isArchived = filters.is?.any.includes('archived')
  const places: Ranked[] = []
  for (;;) {
    const window = candidates.next()
    for (const place of ranker === null ? window : ranker.rank(window)) places.push(place)
    const hits = mergeSame(isArchived ? onlyInArchive(places, facts) : places, facts)
    const { isAll } = candidates
    if (isAll || isEnough(hits, options)) return { hits, isAll }
  }
}

/** One more than is shown, so that it is known whether there are more. */
function isEnough(hits: readonly SameHit<Ranked>[], { limit, isGrouped }: SearchOptions): boolean {
  return (isGrouped ? new Set(hits.map(({ place }) => place.session)).size : hits.length) > limit
}

/** FTS5's own words for an expression that it does not take, as SQLite's plain error. */
function isMatchError(error: unknown): boolean {
  return error instanceof Error && /fts5|unterminated string|no such column|expression tree/i.test(error.message)
}

/** How many hits each session has, in the order of the first. */
function hitsBySession(hits: readonly SameHit<Ranked>[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { place } of hits) counts.set(place.session, (counts.get(place.session) ?? 0) + 1)
  return counts
}

/** The best hit of each session, then the second ones, and so on. */
function grouped(hits: readonly SameHit<Ranked>[], options: SearchOptions): SameHit<Ranked>[] {
  const perSession = options.perSession ?? usualPerSession
  const bySession = new Map<string, SameHit<Ranked>[]>()
  for (const hit of hits) {
    const list = bySession.get(hit.place.session)
    if (list !== undefined) {
      if (list.length < perSession) list.push(hit)
    } else if (bySession.size < options.limit) {
      bySession.set(hit.place.session, [hit])
    }
  }
  const lists = [...bySession.values()]
  const rounds = lists.reduce((most, list) => Math.max(most, list.length), 0)
  return Array.from({ length: rounds }, (_, round) => lists.flatMap(list => list[round] ?? [])).flat()
}

function sessionsShown(hits: readonly SearchHit[], bySession: ReadonlyMap<string, number>): SearchAnswer['sessions'] {
  const ids = new Set(hits.map(({ session }) => session))
  return [...ids].map(session => ({ session, hits: bySession.get(session) ?? 0 }))
}

/** What to try when nothing was found: another spelling, fewer words, `grep`. Nothing is searched again. */
function suggestionsFor(query: SearchQuery, db: Database): QueryProblem[] {
  const terms = query.expression === null ? [] : requiredTerms(query.expression)
  const hasFilters = Object.keys(query.filters).length > 0
  if (terms.length === 0) return hasFilters ? [hint('no-hits', 'no text passes all filters')] : []
  const missing = terms.filter(term => textsOf(db, term, 1) === 0)
  if (missing.length > 0) return missing.slice(0, 4).map(term => missingHint(term, db))
  if (hasFilters) return [hint('no-hits', 'matches exist, but none pass all filters; try without one of them')]
  if (terms.length === 1) return [hint('no-hits', 'matches exist, but in none of these sessions')]
  const words = terms.slice(0, 4).map(({ text }) => text)
  return [hint('never-together', `each word is found, but no text has all of them; try ${words.join(' OR ')}`)]
}

function hint(code: string, message: string): QueryProblem {
  return { code, severity: 'info', message, from: 0, to: 0 }
}

function missingHint({ text, words }: Term, db: Database): QueryProblem {
  const [only = '', ...more] = words
  const [, name] = /^(\p{L}+):(?![/:\\])/u.exec(text) ?? []
  if (name !== undefined) {
    return hint('no-filter', `no match for "${text}", and no filter ${name}: exists; see clew search --help`)
  }
  if (more.length > 0) return hint('no-phrase', `no match for "${text}"; clew grep also finds parts of words`)
  const meant = nearestWord(foldWord(only), db)
  if (meant === undefined) {
    return hint('no-word', `no match for ${text}; ${text}* finds longer words, clew grep also parts of words`)
  }
  return { ...hint('spelling', `no match for ${text}; did you mean ${meant}?`), instead: meant }
}

/** Words that begin alike and are compared with a mistyped one. */
const mostCompared = 20_000

/** Of the words in the index that begin with the same two letters; the most frequent of the nearest. */
function nearestWord(word: string, db: Database): string | undefined {
  if (word.length < 3 || word.length > 32) return undefined
  const begin = word.slice(0, 2)
  db.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'words', 'row')")
  const sql = 'SELECT term, doc FROM temp.vocabulary WHERE term >= ? AND term < ? LIMIT ?'
  let best: { word: string; steps: number; texts: number } | undefined
  for (const [term, texts] of db.prepare(sql).each([begin, `${begin}\uffff`, mostCompared])) {
    const text = String(term)
    if (Math.abs(text.length - word.length) > 2) continue
    const steps = editSteps(word, text)
    if (steps === 0 || steps > (word.length < 6 ? 1 : 2)) continue
    const count = Number(texts)
    if (best === undefined || steps < best.steps || (steps === best.steps && count > best.texts)) {
      best = { word: text, steps, texts: count }
    }
  }
  return best?.word
}
