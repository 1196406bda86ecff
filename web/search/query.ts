// A search: the words of its query, its results while typing, and hits grouped by session.

import { useEffect, useState } from 'react'
import { editSteps } from '../../src/base/edit-steps.ts'
import type { SearchHitRow, SearchResult } from '../../src/server/api/api.ts'
import { ask, isAborted } from '../api.ts'

/** Comparing takes the product of both lengths. */
const longestCompared = 80

/** Whether the query has this filter, as written. */
export function hasFilter(query: string, filter: string): boolean {
  return words(query).includes(filter)
}

/** The query with the filter, or without it where it had it. A filter that takes one value alone replaces its other one. */
export function toggleFilter(query: string, filter: string): string {
  const all = words(query)
  if (all.includes(filter)) return all.filter(word => word !== filter).join(' ')
  const name = filter.slice(0, filter.indexOf(':') + 1)
  const rest = name === 'since:' || name === 'until:' ? all.filter(word => !word.startsWith(name)) : all
  return [...rest, filter].join(' ')
}

/** What a query looks for, without its filters, exclusions and operators: for finding it in one session. */
export function plainWords(query: string): string {
  const wanted = words(query).filter(word => !/^(-|\(|\)|OR$|AND$|NOT$|[a-z]+:\S)/.test(word))
  return wanted.map(word => word.replace(/["*()]/g, '').trim()).join(' ')
}

/** The query with the word that a suggestion is most like replaced by it. */
export function withSuggestion(query: string, suggestion: string): string {
  const all = words(query)
  const meant = suggestion.toLowerCase()
  let nearest = -1
  let least = Number.POSITIVE_INFINITY
  all.forEach((word, at) => {
    const steps = editSteps(word.toLowerCase().slice(0, longestCompared), meant.slice(0, longestCompared))
    if (steps < least) [nearest, least] = [at, steps]
  })
  return nearest < 0 ? suggestion : all.with(nearest, suggestion).join(' ')
}

/** A filter's value as it is written: quoted where it has blanks. */
export function filterText(name: string, value: string): string {
  return /[\s"]/.test(value) ? `${name}:"${value.replaceAll('"', '')}"` : `${name}:${value}`
}

/** Words of a query; a quoted phrase is one, also behind a filter's name. */
function words(query: string): string[] {
  return query.match(/[^\s"]*"[^"]*"?|\S+/g) ?? []
}

export interface HitGroup {
  session: string
  title: string
  project: string
  projectName: string
  isArchived: boolean
  hits: SearchHitRow[]
}

/** Sessions in the order of their first hit. */
export function groupHits(hits: readonly SearchHitRow[]): HitGroup[] {
  const groups = new Map<string, HitGroup>()
  for (const hit of hits) {
    const { session, title, project, projectName, isArchived = false } = hit
    const group = groups.get(session) ?? { session, title, project, projectName, isArchived, hits: [] }
    group.hits.push(hit)
    groups.set(session, group)
  }
  return [...groups.values()]
}

export interface Piece {
  from: number
  text: string
  isMarked: boolean
}

/** The pieces of a text; marks that overlap, are empty or lie outside do no harm. */
export function cutAtMarks(text: string, marks: readonly (readonly [from: number, to: number])[]): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  const add = (to: number, isMarked: boolean) => {
    if (to > at) pieces.push({ from: at, text: text.slice(at, to), isMarked })
    at = Math.max(at, to)
  }
  for (const [from, to] of [...marks].sort((one, other) => one[0] - other[0])) {
    add(Math.min(text.length, from), false)
    add(Math.min(text.length, to), true)
  }
  add(text.length, false)
  return pieces
}

/** Sessions to load, first and on request. */
const firstCount = 40
/** More sessions are asked for in steps that grow. */
const growth = 3

export interface Searching {
  /** Of this query, or of the one before while this one is under way. */
  result: SearchResult | undefined
  error: Error | undefined
  isLoading: boolean
  /** Asks for more of the same; absent where there are no more. */
  more?: () => void
  retry(): void
}

interface Outcome {
  query: string
  count: number
  result?: SearchResult
  error?: Error
}

/** The last result, for a reader who comes back to it. */
let last: Outcome | undefined

export function useSearch(query: string): Searching {
  const [outcome, setOutcome] = useState(last)
  const [tries, setTries] = useState(0)
  const q = query.trim()
  const [wanted, setWanted] = useState({ q: last?.query ?? '', count: last?.count ?? firstCount })
  const count = wanted.q === q ? wanted.count : firstCount
  useEffect(() => {
    if (q === '' || tries < 0) return
    const calledOff = new AbortController()
    ask('GET /api/search', { q, limit: String(count) }, { signal: calledOff.signal }).then(
      result => {
        last = { query: q, count, result }
        setOutcome(last)
      },
      (error: unknown) => {
        if (isAborted(error)) return
        setOutcome({ query: q, count, error: error instanceof Error ? error : new Error(String(error)) })
      },
    )
    return () => calledOff.abort()
  }, [q, count, tries])
  const isLoading = q !== '' && (outcome?.query !== q || outcome.count !== count)
  const hasMore = !isLoading && (outcome?.result?.sessionTotal ?? 0) > count
  return {
    result: outcome?.result,
    error: isLoading ? undefined : outcome?.error,
    isLoading,
    ...(hasMore && { more: () => setWanted({ q, count: count * growth }) }),
    retry: () => {
      setOutcome(undefined)
      setTries(count => count + 1)
    },
  }
}
