// The search field with filters as chips, and hints on the query language.

import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { useKeys } from '../keys.ts'
import { cameBack, Link, navigate } from '../route.ts'
import { SearchIcon } from '../shell/icons.tsx'
import { projectName } from '../shell/names.ts'
import { useSessions } from '../shell/sessions.ts'
import { filterText, hasFilter, toggleFilter } from './query.ts'
import { focusHit } from './results.tsx'

const typingMs = 80
const filters: { filter: string; label: string }[] = [
  { filter: 'kind:prompt', label: 'Prompts' },
  { filter: 'kind:answer', label: 'Answers' },
  { filter: 'kind:tool-results', label: 'Output' },
  { filter: 'tool:Bash', label: 'Bash' },
  { filter: 'tool:Edit', label: 'Edit' },
  { filter: 'is:error', label: 'Errors' },
  { filter: 'since:7d', label: '7 days' },
  { filter: 'since:30d', label: '30 days' },
]
const all = {}
const shownProjects = 4

export function SearchField({ written, list }: { written: string; list: RefObject<HTMLDivElement | null> }) {
  const [text, setText] = useState(written)
  const box = useRef<HTMLInputElement>(null)
  const sent = useRef(written)
  const send = (q: string) => {
    sent.current = q
    navigate({ screen: 'search', query: { q } }, { replace: true })
  }
  useEffect(() => {
    if (!cameBack()) box.current?.focus()
  }, [])
  useKeys({ '/': ['search', () => box.current?.select()] }, 'Search')
  useEffect(() => {
    if (written !== sent.current) setText(written)
    sent.current = written
  }, [written])
  useEffect(() => {
    if (text === sent.current) return
    const timer = setTimeout(() => {
      sent.current = text
      navigate({ screen: 'search', query: { q: text } }, { replace: true })
    }, typingMs)
    return () => clearTimeout(timer)
  }, [text])
  const toggle = (filter: string) => {
    const q = toggleFilter(text, filter)
    setText(q)
    send(q)
    box.current?.focus()
  }
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' || event.key === 'Enter' ? 1 : 0
    if (step === 0 || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (event.key === 'Enter' && text !== written) send(text)
    else focusHit(list, 0)
  }
  return (
    <search>
      <div className="search-box">
        <SearchIcon />
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
  const named = projects.slice(0, shownProjects).map(({ project }) => {
    return { filter: filterText('project', projectName(project)), label: projectName(project) }
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
