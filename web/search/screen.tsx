// Search over everything, while typing: hits by session, with what was found marked. The query is in the address; its
// language is the same as on the command line.

import { useRef } from 'react'
import type { SearchResult } from '../../src/server/api/api.ts'
import { countOf, countText } from '../../src/view/words.ts'
import { useRoute } from '../route.ts'
import { useReturn } from '../shell/rows.tsx'
import { Failure, Skeleton, Words } from '../shell/states.tsx'
import { SearchField, SearchHints, TryQuery } from './field.tsx'
import { groupHits, useSearch, withSuggestion } from './query.ts'
import { ResultKeys, Results } from './results.tsx'
import './search.css'

const firstTime = 'Clew is indexing all sessions for the first time. Results appear when that is done.'

export default function SearchScreen() {
  const { query } = useRoute()
  const written = query['q'] ?? ''
  const list = useRef<HTMLDivElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  useReturn(scroller, 'search')
  const { result, error, isLoading, more, retry } = useSearch(written)
  const isBlank = written.trim() === ''
  return (
    <div className="search" ref={scroller}>
      <div className="search-column">
        <SearchField written={written} list={list} />
        <ResultKeys list={list} />
        {isBlank ? <SearchHints /> : null}
        {!isBlank && error ? <Failure error={error} title="Search failed" retry={retry} /> : null}
        {!isBlank && !error ? (
          <Skeleton rows={6} isWaiting={isLoading && !result} className="search-wait" says={firstTime} />
        ) : null}
        {!isBlank && !error && result ? <Found result={result} list={list} isStale={isLoading} more={more} /> : null}
      </div>
    </div>
  )
}

interface FoundProps {
  result: SearchResult
  list: React.RefObject<HTMLDivElement | null>
  /** A newer query is under way: these are of the one before. */
  isStale: boolean
  more: (() => void) | undefined
}

function Found({ result, list, isStale, more }: FoundProps) {
  const groups = groupHits(result.hits)
  const hidden = result.sessionTotal - groups.length
  return (
    <div data-stale={isStale} className="found">
      <p className="found-total" role="status">
        {totalText(result)}
      </p>
      <Problems result={result} />
      <Results groups={groups} query={result.query} list={list} />
      {hidden > 0 ? (
        <p className="found-rest">
          {more ? (
            <button type="button" className="button plain" onClick={more}>
              Show more sessions
            </button>
          ) : null}
          <span>
            {result.isTotalLowerBound ? '≥ ' : ''}
            {countOf(hidden, 'session')} more {hidden === 1 ? 'has' : 'have'} it; another word or a filter narrows this.
          </span>
        </p>
      ) : null}
    </div>
  )
}

function totalText({ total, isTotalLowerBound, sessionTotal, tookMs }: SearchResult): string {
  if (total === 0) return 'Nothing found'
  const hits = `${isTotalLowerBound ? '≥ ' : ''}${countText(total)} ${total === 1 ? 'place' : 'places'}`
  return `${hits} in ${countOf(sessionTotal, 'session')} · ${Math.max(1, Math.round(tookMs))} ms`
}

/** What was odd about the query, and what to try instead. */
function Problems({ result }: { result: SearchResult }) {
  if (result.problems.length === 0) return null
  return (
    <ul className="problems">
      {result.problems.map(({ message, suggestion }) => (
        <li key={message}>
          <Words text={message} />
          {suggestion === undefined ? null : <TryQuery query={withSuggestion(result.query, suggestion)} />}
        </li>
      ))}
    </ul>
  )
}
