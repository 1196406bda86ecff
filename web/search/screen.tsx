// The Search screen: the field with filters as chips, results grouped by session, and hints on the query language.

import { type KeyboardEvent, type RefObject, useEffect, useRef } from 'react'
import { countOf, countText } from '../../src/base/format.ts'
import { visibleLine } from '../../src/render/safe-text.ts'
import type { SearchHitRow, SearchResult } from '../../src/server/api/api.ts'
import { useKeys } from '../keys.ts'
import { FrameIcon } from '../parts/icon.tsx'
import { cameBack, Link, navigate, useRoute } from '../route.ts'
import { useDraft } from '../shell/draft.ts'
import { longWhen, shortWhen } from '../shell/format.ts'
import { useReturn } from '../shell/rows.tsx'
import { projectKey, useNow, useSessions } from '../shell/sessions.ts'
import { Failure, Skeleton, Words } from '../shell/states.tsx'
import {
  cutAtMarks,
  filterText,
  groupHits,
  type HitGroup,
  hasFilter,
  plainWords,
  toggleFilter,
  useSearch,
  withSuggestion,
} from './query.ts'
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
      <Results groups={groups} query={searchedQuery(result)} list={list} />
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

/** With the beginnings that were searched where no text has a word. */
function searchedQuery({ query, total, problems }: SearchResult): string {
  const begins = problems.find(({ suggestion }) => suggestion?.endsWith('*'))?.suggestion
  return total > 0 && begins !== undefined ? withSuggestion(query, begins) : query
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

/** As many as the server sends of one session while several are asked for. */
const mostOfSession = 4

export interface ResultsProps {
  groups: HitGroup[]
  query: string
  list: RefObject<HTMLDivElement | null>
}

export function Results({ groups, query, list }: ResultsProps) {
  const now = useNow()
  const find = plainWords(query)
  return (
    <div className="results" ref={list}>
      {groups.map(group => (
        <section key={group.session} className="result-group" aria-label={visibleLine(group.title)}>
          <h2>
            <Link route={{ screen: 'transcript', session: group.session, query: {} }} data-session>
              {visibleLine(group.title) || 'Untitled'}
            </Link>
            <span className="result-project" title={visibleLine(group.project)}>
              {visibleLine(group.projectName)}
              {group.isArchived ? ' · from the archive' : ''}
            </span>
          </h2>
          {group.hits.map(hit => (
            <Hit key={`${hit.thread} ${hit.event} ${hit.snippet}`} hit={hit} now={now} />
          ))}
          {group.hits.length >= mostOfSession && find !== '' ? (
            <Link className="more-hits" route={{ screen: 'transcript', session: group.session, query: { find } }}>
              All places in this session
            </Link>
          ) : null}
        </section>
      ))}
    </div>
  )
}

function Hit({ hit, now }: { hit: SearchHitRow; now: number }) {
  const { session, event, label, at, snippet, highlights, storedIn, copies } = hit
  const query = { event, mark: markedWords(snippet, highlights) }
  return (
    <Link className="hit" data-hit route={{ screen: 'transcript', session, query }}>
      <span className={`hit-kind kind-${label}`}>{label}</span>
      <span className="hit-text">
        {cutAtMarks(snippet, highlights).map(piece =>
          piece.isMarked ? (
            <mark key={piece.from}>{visibleLine(piece.text)}</mark>
          ) : (
            <span key={piece.from}>{visibleLine(piece.text)}</span>
          ),
        )}
        {storedIn ? <span className="hit-copies"> in {storedIn}</span> : null}
        {copies ? <span className="hit-copies"> + {countOf(copies, 'copy', 'copies')}</span> : null}
      </span>
      <time className="hit-when" {...(at ? { dateTime: at } : {})} title={longWhen(at)}>
        {shortWhen(at, now)}
      </time>
    </Link>
  )
}

/** The words that were found, one per line: they are marked where the link leads. */
function markedWords(snippet: string, highlights: SearchHitRow['highlights']): string {
  return [...new Set(highlights.map(([from, to]) => snippet.slice(from, to).toLowerCase()))].join('\n')
}

function hitsOf(list: RefObject<HTMLDivElement | null>): HTMLElement[] {
  return [...(list.current?.querySelectorAll<HTMLElement>('[data-hit]') ?? [])]
}

/** Puts the focus on a hit. */
export function focusHit(list: RefObject<HTMLDivElement | null>, at: number): void {
  const hit = hitsOf(list)[at]
  hit?.focus({ preventScroll: true })
  hit?.scrollIntoView({ block: 'nearest' })
}

export function ResultKeys({ list }: { list: RefObject<HTMLDivElement | null> }) {
  const step = (by: number) => {
    const hits = hitsOf(list)
    const held = document.activeElement
    const at = held instanceof HTMLElement ? hits.indexOf(held) : -1
    if (at === 0 && by < 0) document.querySelector<HTMLElement>('.search input')?.focus()
    else focusHit(list, Math.max(0, Math.min(hits.length - 1, at + by)))
  }
  useKeys(
    {
      j: ['next hit', () => step(1)],
      k: ['previous hit', () => step(-1)],
      Down: ['next hit', () => step(1)],
      Up: ['previous hit', () => step(-1)],
    },
    'Search',
  )
  return null
}

const typingMs = 80
const filters: { filter: string; label: string }[] = [
  { filter: 'kind:prompt', label: 'Prompts' },
  { filter: 'kind:answer', label: 'Answers' },
  { filter: 'kind:call', label: 'Calls' },
  { filter: 'kind:result', label: 'Results' },
  { filter: 'tool:Bash', label: 'Bash' },
  { filter: 'tool:Edit', label: 'Edit' },
  { filter: 'is:error', label: 'Errors' },
  { filter: 'since:7d', label: '7 days' },
  { filter: 'since:30d', label: '30 days' },
]
const all = {}
const shownProjects = 4

export function SearchField({ written, list }: { written: string; list: RefObject<HTMLDivElement | null> }) {
  const box = useRef<HTMLInputElement>(null)
  const write = (q: string) => navigate({ screen: 'search', query: { q } }, { replace: true })
  const { text, setText, sendNow } = useDraft(written, write, typingMs)
  useEffect(() => {
    if (!cameBack()) box.current?.focus()
  }, [])
  useKeys({ '/': ['search', () => box.current?.select()] }, 'Search')
  const toggle = (filter: string) => {
    const q = toggleFilter(text, filter)
    setText(q)
    sendNow(q)
    box.current?.focus()
  }
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' || event.key === 'Enter' ? 1 : 0
    if (step === 0 || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (event.key === 'Enter' && text !== written) sendNow(text)
    else focusHit(list, 0)
  }
  return (
    <search>
      <div className="search-box">
        <FrameIcon name="search" />
        <input
          ref={box}
          type="search"
          value={text}
          onChange={event => setText(event.target.value)}
          onKeyDown={onKey}
          placeholder="Search everything"
          aria-label="Search everything"
          autoComplete="off"
          spellCheck={false}
        />
        <kbd>/</kbd>
      </div>
      <FilterChips text={text} toggle={toggle} />
    </search>
  )
}

function FilterChips({ text, toggle }: { text: string; toggle(filter: string): void }) {
  const { projects } = useSessions(all)
  const named = projects.slice(0, shownProjects).map(row => {
    return { filter: filterText('project', row.name.includes('(') ? projectKey(row) : row.name), label: row.name }
  })
  return (
    <div className="chips search-chips">
      {[...filters, ...named].map(({ filter, label }) => (
        <button
          key={filter}
          type="button"
          className="chip"
          aria-pressed={hasFilter(text, filter)}
          title={filter}
          onClick={() => toggle(filter)}
        >
          {label}
        </button>
      ))}
    </div>
  )
}

const examples: { query: string; says: string }[] = [
  { query: 'rounding invoice', says: 'both words, anywhere in one text' },
  { query: '"rounding error"', says: 'an exact phrase' },
  { query: 'round*', says: 'words that start with this' },
  { query: 'login OR signup', says: 'either word' },
  { query: 'cart -test', says: 'without a word' },
  { query: 'kind:prompt deploy', says: 'only prompts' },
  { query: 'tool:Bash npm', says: 'only commands and their output' },
  { query: 'is:error since:7d', says: 'what failed in the last seven days' },
  { query: 'file:cart.ts', says: 'events that touched a file' },
]

export function SearchHints() {
  return (
    <div className="hints">
      <h2 className="row-heading">Everything that was said, run and printed</h2>
      <ul>
        {examples.map(({ query, says }) => (
          <li key={query}>
            <TryQuery query={query} />
            <span className="soft">{says}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** A query that is searched for when it is clicked. */
export function TryQuery({ query }: { query: string }) {
  return (
    <Link className="try mono" route={{ screen: 'search', query: { q: query } }}>
      {query}
    </Link>
  )
}
