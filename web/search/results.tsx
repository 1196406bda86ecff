// Hits under the session that they are in. Each is a link to its event; up and down go from one to the next.

import type { RefObject } from 'react'
import type { SearchHitRow } from '../../src/server/api/api.ts'
import { countOf } from '../../src/view/words.ts'
import { useKeys } from '../keys.ts'
import { Link } from '../route.ts'
import { projectName } from '../shell/names.ts'
import { useNow } from '../shell/sessions.ts'
import { longWhen, shortWhen } from '../shell/when.ts'
import { cutAtMarks, type HitGroup, kindLabel, plainWords } from './query.ts'

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
        <section key={group.session} className="result-group" aria-label={group.title}>
          <h2>
            <Link route={{ screen: 'transcript', session: group.session, query: {} }} data-session>
              {group.title || 'Untitled'}
            </Link>
            <span className="result-project" title={group.project}>
              {projectName(group.project)}
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
  const { session, thread, event, kind, at, snippet, highlights, copies } = hit
  const query = { event, ...(thread === session ? {} : { thread }) }
  return (
    <Link className="hit" data-hit route={{ screen: 'transcript', session, query }}>
      <span className={`hit-kind kind-${kind}`}>{kindLabel(kind)}</span>
      <span className="hit-text">
        {cutAtMarks(snippet, highlights).map(piece =>
          piece.isMarked ? <mark key={piece.from}>{piece.text}</mark> : <span key={piece.from}>{piece.text}</span>,
        )}
        {copies ? <span className="hit-copies"> + {countOf(copies, 'copy', 'copies')}</span> : null}
      </span>
      <time className="hit-when" {...(at ? { dateTime: at } : {})} title={longWhen(at)}>
        {shortWhen(at, now)}
      </time>
    </Link>
  )
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
