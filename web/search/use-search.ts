// The hits of a query: an older question is called off when a newer one is asked, and its hits stay until then.

import { useEffect, useState } from 'react'
import type { SearchResult } from '../../src/server/api.ts'
import { ask, isAborted } from '../api.ts'

const sessions = '40'

export interface Searching {
  /** Of this query, or of the one before while this one is under way. */
  result: SearchResult | undefined
  error: Error | undefined
  isLoading: boolean
  retry(): void
}

interface Outcome {
  query: string
  result?: SearchResult
  error?: Error
}

/** What was found last, for whoever comes back to it. */
let last: Outcome | undefined

export function useSearch(query: string): Searching {
  const [outcome, setOutcome] = useState(last)
  const [tries, setTries] = useState(0)
  const q = query.trim()
  useEffect(() => {
    if (q === '' || tries < 0) return
    const calledOff = new AbortController()
    ask('GET /api/search', { q, count: sessions }, { signal: calledOff.signal }).then(
      result => {
        last = { query: q, result }
        setOutcome(last)
      },
      (error: unknown) => {
        if (isAborted(error)) return
        setOutcome({ query: q, error: error instanceof Error ? error : new Error(String(error)) })
      },
    )
    return () => calledOff.abort()
  }, [q, tries])
  const isLoading = q !== '' && outcome?.query !== q
  return {
    result: outcome?.result,
    error: isLoading ? undefined : outcome?.error,
    isLoading,
    retry: () => {
      setOutcome(undefined)
      setTries(count => count + 1)
    },
  }
}
