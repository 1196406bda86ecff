// The hits of a query: an older question is called off when a newer one is asked, and its hits stay until then.

import { useEffect, useState } from 'react'
import type { SearchResult } from '../../src/server/api/api.ts'
import { ask, isAborted } from '../api.ts'

/** Sessions that are asked for, first and when more are wanted: more than that nobody reads. */
const firstCount = 40
const mostCount = 100

export interface Searching {
  /** Of this query, or of the one before while this one is under way. */
  result: SearchResult | undefined
  error: Error | undefined
  isLoading: boolean
  /** Asks for more of the same; absent where there are no more, or too many. */
  more?: () => void
  retry(): void
}

interface Outcome {
  query: string
  count: number
  result?: SearchResult
  error?: Error
}

/** What was found last, for whoever comes back to it. */
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
    ask('GET /api/search', { q, count: String(count) }, { signal: calledOff.signal }).then(
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
  const hasMore = !isLoading && count < mostCount && (outcome?.result?.sessionTotal ?? 0) > count
  return {
    result: outcome?.result,
    error: isLoading ? undefined : outcome?.error,
    isLoading,
    ...(hasMore && { more: () => setWanted({ q, count: mostCount }) }),
    retry: () => {
      setOutcome(undefined)
      setTries(count => count + 1)
    },
  }
}
