// Finds texts by their words, from the index, the best first: the one answer for the command, the web app and the library.

import {
  addFilter,
  parseQuery,
  type QueryFilters,
  type QueryProblem,
  type SearchQuery,
} from '../../index/search/query.ts'
import { type SearchAnswer, type SearchOptions, search } from '../../index/search/search.ts'
import { sessionIds } from '../../index/search/sessions.ts'
import type { Clew } from '../clew.ts'
import { UserError } from '../error.ts'
import { neededIndex } from '../knows/index-use.ts'
import { scopeOf } from '../scope.ts'
import { readLimit } from '../sessions/filters.ts'
import { wholeProject } from '../sessions/names.ts'
import { readKinds } from './kinds.ts'

const usualSessions = 10
const usualHits = 20
/** How long snippets are for programs. */
export const jsonColumns = 160

/** `clew search --json`. */
export interface PrintedSearch extends SearchAnswer {
  /** The words that were searched for. */
  query: string
  /** True where the index could not be refreshed: what is newest is missing. */
  isStale?: boolean
}

export type SearchHit = SearchAnswer['hits'][number]

export interface FoundTexts {
  answer: SearchAnswer
  isGrouped: boolean
  isSample: boolean
  isStale: boolean
  /** Neither words nor filters were given. */
  isEmpty: boolean
  now: number
  /** Of all sessions that are indexed. */
  sessionIds(): readonly string[]
}

/** How somebody searches. */
interface SearchManner {
  /** Filters that mean nothing are named in the answer; else they are errors. */
  toleratesErrors?: boolean
  /** Of a snippet. */
  columns?: number
  /** Hits of one session. */
  perSession?: number
}

/**
 * Hits by session, the best session first, or by rank with `flat`. Options are those of the command, and mean what filters of
 * the same name in the query do. The index is refreshed first, and made where there is none.
 */
export async function searchTexts(
  clew: Clew,
  text: string,
  options: Readonly<Record<string, unknown>> = {},
  { toleratesErrors = false, columns = jsonColumns, perSession }: SearchManner = {},
): Promise<FoundTexts> {
  const now = Date.now()
  const query = readQuery(text, options, clew, now)
  if (!toleratesErrors) refuseErrors(query.problems)
  const index = await neededIndex(clew)
  if (index === null) throw new UserError('search needs the index; `clew grep` works without one')
  const searchOptions: SearchOptions = {
    ...readOptions(options),
    ...(perSession !== undefined && { perSession }),
    ...{ now, columns },
  }
  const { places } = scopeOf(clew)
  if (places !== undefined) searchOptions.roots = places
  const answer = search(index.db, index.source, query, searchOptions)
  if (!toleratesErrors) refuseErrors(answer.problems)
  const { isSample, isStale } = index
  const { isGrouped } = searchOptions
  return { answer, isGrouped, isSample, isStale, isEmpty: isEmpty(query), now, sessionIds: () => sessionIds(index.db) }
}

/** What `clew search --json` prints. */
export function printedSearch(query: string, { answer, isStale }: FoundTexts): PrintedSearch {
  return { query, ...answer, ...(isStale && { isStale }) }
}

/** A filter that means nothing: no answer is better than one to another question. */
function refuseErrors(problems: readonly QueryProblem[]): void {
  const [wrong] = problems.filter(({ severity }) => severity === 'error')
  if (wrong !== undefined) throw new UserError(wrong.message)
}

function isEmpty({ expression, excluded, filters }: SearchQuery): boolean {
  return expression === null && excluded === null && Object.keys(filters).length === 0
}

function readOptions(
  options: Readonly<Record<string, unknown>>,
): Pick<SearchOptions, 'limit' | 'isGrouped' | 'perSession'> {
  const isGrouped = options['flat'] !== true
  const isAll = options['all'] === true
  if (isAll && options['limit'] !== undefined) throw new UserError('--all and --limit exclude each other')
  const usual = isGrouped ? usualSessions : usualHits
  const limit = isAll || options['limit'] !== undefined ? readLimit(options['limit']) : usual
  return { limit, isGrouped, ...(isAll && { perSession: Number.POSITIVE_INFINITY }) }
}

/** Options mean what filters of the same name do; a wrong one is an error, since no one reads hints about a script. */
function readQuery(
  text: string,
  options: Readonly<Record<string, unknown>>,
  { timezone }: Clew,
  now: number,
): SearchQuery {
  const context = { now, timezone }
  const query = parseQuery(text, context)
  const named: Readonly<Record<string, unknown>> = { ...options, kind: readKinds(options['kind']) }
  for (const name of ['kind', 'tool', 'project', 'session', 'since', 'until']) {
    const given = named[name]
    for (const value of Array.isArray(given) ? given : given === undefined ? [] : [given]) {
      const written = { name, value: String(value), isQuoted: false, isExcluded: false, from: 0, to: 0 }
      const problem = addFilter(query.filters, written, context)
      if (problem !== undefined) throw new UserError(`--${name} ${String(value)}: ${problem.message}`)
    }
  }
  resolveProjects(query.filters)
  const problems = query.problems.filter(({ code }) => code !== 'empty' || isEmpty(query))
  return { ...query, problems }
}

/** `.` and `..` are folders: those and all below them. */
function resolveProjects({ project }: QueryFilters): void {
  for (const values of project === undefined ? [] : [project.any, project.none]) {
    for (const [at, value] of values.entries()) values[at] = wholeProject(value)
  }
}
