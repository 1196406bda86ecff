// The History screen: what was typed, by day, the last first; each prompt leads to its place in its session. Filters are in
// the address. Which prompts there are is decided by the server.

import { useRef, useState } from 'react'
import { countOf, countText } from '../../src/base/format.ts'
import { visibleLine, visibleText } from '../../src/render/safe-text.ts'
import type { HistoryEntry } from '../../src/server/api/api.ts'
import { ask } from '../api.ts'
import { useKeys } from '../keys.ts'
import { FrameIcon } from '../parts/icon.tsx'
import { useAsync } from '../reader.ts'
import { Link, navigate, routeNow, useRoute } from '../route.ts'
import { useDraft } from '../shell/draft.ts'
import { clock, groupOf, longWhen, whenInGroup } from '../shell/format.ts'
import { keyed, useNow } from '../shell/sessions.ts'
import { Empty, Failure, Skeleton } from '../shell/states.tsx'
import './history.css'

const pageSize = 200
const typingMs = 150

export default function HistoryScreen() {
  const { query } = useRoute()
  const [pages, setPages] = useState(1)
  const { text = '', project = '' } = query
  const loaded = useAsync(
    signal => ask('GET /api/history', { text, project: keyed(project), limit: String(pages * pageSize) }, { signal }),
    [text, project, pages],
  )
  const last = useRef(loaded.value)
  if (loaded.value) last.current = loaded.value
  const answer = loaded.value ?? last.current
  if (loaded.error) {
    return <Failure error={loaded.error} title="The history could not be read" retry={loaded.reload} />
  }
  return (
    <div className="history" aria-busy={loaded.isLoading}>
      <Filter projects={answer?.projects ?? []} total={answer?.total} restart={() => setPages(1)} />
      {answer ? <Prompts prompts={answer.prompts} /> : <Skeleton rows={10} isWaiting={loaded.isLoading} />}
      {answer && answer.total === 0 ? <Nothing isFiltered={text !== '' || project !== ''} /> : null}
      {answer && answer.prompts.length < answer.total ? (
        <button type="button" className="button plain" onClick={() => setPages(pages + 1)}>
          Show more of {countText(answer.total)}
        </button>
      ) : null}
    </div>
  )
}

interface FilterProps {
  projects: readonly string[]
  total: number | undefined
  restart(): void
}

function Filter({ projects, total, restart }: FilterProps) {
  const { query } = useRoute()
  const box = useRef<HTMLInputElement>(null)
  const write = (part: Record<string, string>) => {
    const route = routeNow()
    if (route.screen !== 'history') return
    restart()
    navigate({ screen: 'history', query: { ...route.query, ...part } }, { replace: true })
  }
  const { text, setText } = useDraft(query['text'] ?? '', next => write({ text: next }), typingMs)
  useKeys({ '/': ['filter prompts', () => box.current?.focus()] }, 'History')
  const { project = '' } = query
  const known = project === '' || projects.includes(project) ? projects : [project, ...projects]
  return (
    <search className="history-filter">
      <div className="search-box">
        <FrameIcon name="search" />
        <input
          ref={box}
          type="search"
          value={text}
          onChange={event => setText(event.target.value)}
          placeholder="Filter what you typed"
          aria-label="Filter what you typed"
          autoComplete="off"
          spellCheck={false}
        />
        {text === '' ? <kbd>/</kbd> : null}
      </div>
      <select
        className="pick"
        aria-label="Project"
        value={project}
        onChange={event => write({ project: event.target.value })}
      >
        <option value="">All projects</option>
        {known.map(one => (
          <option key={one}>{one}</option>
        ))}
      </select>
      <span className="history-total" role="status">
        {total === undefined ? '' : countOf(total, 'prompt')}
      </span>
    </search>
  )
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <Empty title="No matching prompt">
      <p>Nothing that was typed has these words in this project.</p>
      <p className="actions">
        <Link className="button plain" route={{ screen: 'history', query: {} }}>
          Clear the filters
        </Link>
      </p>
    </Empty>
  ) : (
    <Empty title="Nothing typed yet">
      <p>Prompts appear here as soon as some were typed in Claude Code.</p>
    </Empty>
  )
}

function Prompts({ prompts }: { prompts: readonly HistoryEntry[] }) {
  const now = useNow()
  const heading = (one: HistoryEntry | undefined) => (one ? groupOf({ live: false, endedAt: one.at }, now) : undefined)
  return (
    <ol className="history-list">
      {prompts.map((one, at) => (
        <li key={`${one.event ?? ''} ${one.at} ${one.text.slice(0, 80)}`}>
          {heading(one) === heading(prompts[at - 1]) ? null : <h2 className="row-heading">{heading(one)}</h2>}
          <Prompt prompt={one} now={now} />
        </li>
      ))}
    </ol>
  )
}

function Prompt({ prompt, now }: { prompt: HistoryEntry; now: number }) {
  const { session, event, text } = prompt
  const content = (
    <>
      <time className="history-when" title={longWhen(prompt.at)} {...(prompt.at && { dateTime: prompt.at })}>
        {prompt.at === null ? '' : whenInGroup(prompt.at, now) || clock(new Date(prompt.at))}
      </time>
      <span className="history-text">{visibleText(text)}</span>
      <span className="history-where">
        {prompt.project === null ? null : (
          <span title={visibleLine(prompt.project)}>{visibleLine(prompt.projectName ?? '')}</span>
        )}
        {session === undefined ? (
          <span className="row-gone">session gone</span>
        ) : (
          <span title={visibleLine(prompt.title ?? '')}>
            {prompt.isGuessed ? '≈ ' : ''}
            {visibleLine(prompt.title ?? '')}
          </span>
        )}
      </span>
    </>
  )
  if (session === undefined) return <div className="history-prompt">{content}</div>
  return (
    <Link
      className="history-prompt"
      route={{ screen: 'transcript', session, query: event === undefined ? {} : { event } }}
    >
      {content}
    </Link>
  )
}
