// Home: all sessions, the last used first, with search, filters and side notes. Without sessions, what Clew is for, and the
// sample history one click away. Samples are never mixed with the user's own sessions.

import { useRef } from 'react'
import type { IndexProgress } from '../../src/server/api/api.ts'
import { useLive } from '../live.ts'
import { Link, navigate, type Route, useRoute } from '../route.ts'
import { chooseFile } from '../shell/drop.tsx'
import { type Headings, SessionRows, useReturn } from '../shell/rows.tsx'
import { type ListQuery, type Sessions, useSessions } from '../shell/sessions.ts'
import { Empty, Failure } from '../shell/states.tsx'
import { Logo } from '../shell/top-bar.tsx'
import { Activity } from './calendar.tsx'
import { Filters, HomeSearch } from './filters.tsx'
import { ArchiveGlance, UsageGlance } from './glance.tsx'
import './home.css'

const filters = ['project', 'text', 'is', 'since', 'until'] as const
const listed = [...filters, 'sort', 'group'] as const

export default function HomeScreen() {
  const { query } = useRoute()
  const scroller = useRef<HTMLDivElement>(null)
  const sessions = useSessions(listQuery(query))
  useReturn(scroller, 'home')
  if (sessions.isSample && query['sample'] === undefined) return <FirstRun />
  return (
    <div className="home" ref={scroller}>
      <div className="home-columns">
        <div className="home-main">
          {sessions.isSample ? <SampleNote /> : null}
          <HomeSearch />
          <Filters projects={sessions.projects} total={sessions.isLoaded ? sessions.total : undefined} />
          <Indexing progress={sessions.indexing} />
          <SessionArea
            sessions={sessions}
            scroller={scroller}
            isFiltered={isFiltered(query)}
            headings={headingsOf(sessions.query)}
          />
        </div>
        <aside className="home-side" aria-label="At a glance">
          <UsageGlance key={`usage ${sessions.isSample}`} isDue={sessions.isLoaded || sessions.error !== undefined} />
          <Activity key={`activity ${sessions.isSample}`} isDue={sessions.isLoaded || sessions.error !== undefined} />
          {sessions.isLoaded ? <ArchiveGlance key={`archive ${sessions.isSample}`} /> : null}
          <OpenFile />
        </aside>
      </div>
    </div>
  )
}

/** The list is there before the index is: it says what is missing, and how far that is. */
function Indexing({ progress }: { progress: IndexProgress | undefined }) {
  const { indexing } = useLive()
  if (progress === undefined) return null
  const { what, percent } = indexing ?? progress
  return (
    <div className="indexing" role="status">
      <p>
        <strong>
          {what === 'archiving' ? 'Archiving' : 'Indexing'} {percent} %
        </strong>{' '}
        for the first time. Counts, cost, usage and search follow by themselves.
      </p>
      <progress value={percent} max={100} aria-label={`${what} for the first time`} />
    </div>
  )
}

function OpenFile() {
  return (
    <p className="open-file">
      <button type="button" className="button plain" onClick={chooseFile}>
        Open a session file…
      </button>
      <span>or drop it anywhere. It is read in this page and sent nowhere.</span>
    </p>
  )
}

interface AreaProps {
  sessions: Sessions
  scroller: React.RefObject<HTMLDivElement | null>
  isFiltered: boolean
  headings: Headings
}

function SessionArea({ sessions, scroller, isFiltered, headings }: AreaProps) {
  if (sessions.error && !sessions.isLoaded) {
    return <Failure error={sessions.error} title="The sessions could not be listed" retry={sessions.reload} />
  }
  if (sessions.isLoaded && sessions.total === 0) return isFiltered ? <NothingFits /> : <NoSessions />
  return <SessionRows sessions={sessions} isWide headings={headings} scroller={scroller} />
}

/** What it means that one filter alone leaves nothing. */
const alone: Readonly<Record<string, string>> = {
  live: 'No session is live right now. Live sessions are at the top of the list.',
  error: 'Nothing failed in any session.',
  expiring: 'Claude Code will not delete any session in the next seven days.',
  gone: 'Claude Code has not deleted any archived session yet.',
}

function emptyWords(query: Record<string, string>): string {
  const { is = '' } = query
  const isAlone = filters.every(name => name === 'is' || (query[name] ?? '') === '')
  return (isAlone && Object.hasOwn(alone, is) ? alone[is] : undefined) ?? 'Nothing matches these filters.'
}

function NothingFits() {
  const route = useRoute()
  const text = route.query['text'] ?? ''
  const clear = () => navigate(withoutFilters(route))
  return (
    <Empty title="No matching session">
      <p>{text === '' ? emptyWords(route.query) : `No title, project or branch has “${text}”.`}</p>
      <p className="actions">
        {text === '' ? null : (
          <button type="button" className="button" onClick={() => navigate({ screen: 'search', query: { q: text } })}>
            Search inside all sessions
          </button>
        )}
        <button type="button" className="button plain" onClick={clear}>
          Clear the filters
        </button>
      </p>
    </Empty>
  )
}

function NoSessions() {
  return (
    <Empty title="No sessions yet">
      <p>Sessions appear here as soon as Claude Code has written some.</p>
      <p>A single .jsonl file can be dropped into this window at any time.</p>
    </Empty>
  )
}

function listQuery(query: Record<string, string>): ListQuery {
  return Object.fromEntries(listed.flatMap(name => (query[name] ? [[name, query[name]]] : [])))
}

function headingsOf({ group = '', sort = '' }: ListQuery): Headings {
  if (group === 'project') return 'project'
  return sort === '' || sort === 'when' ? 'time' : 'none'
}

function isFiltered(query: Record<string, string>): boolean {
  return filters.some(name => (query[name] ?? '') !== '')
}

function withoutFilters(route: Route): Route {
  const kept = Object.entries(route.query).filter(([name]) => !filters.some(one => one === name))
  return { ...route, query: Object.fromEntries(kept) }
}

export function FirstRun() {
  return (
    <div className="first-run">
      <Logo size={56} />
      <h2>Follow the thread</h2>
      <p>
        Clew reads the session logs that Claude Code leaves on this machine: what was asked, what the agent and its
        subagents did, what changed, what it cost. Nothing leaves this machine.
      </p>
      <p className="soft">
        There are no sessions yet. Run <code>claude</code> in a project and they appear here by themselves; or name
        another Claude home with <code>clew serve --root PATH</code>.
      </p>
      <p className="actions">
        <Link className="button" route={{ screen: 'home', query: { sample: '1' } }}>
          Look at the sample history
        </Link>
        <button type="button" className="button plain" onClick={chooseFile}>
          Open a session file…
        </button>
      </p>
      <p className="soft">
        A .jsonl file can also be dropped anywhere into this window. It is read here and sent nowhere.
      </p>
    </div>
  )
}

/** Above the list while it shows the sample. */
export function SampleNote() {
  return (
    <p className="sample-note" role="note">
      <strong>Sample history.</strong> These sessions are invented and came with Clew. Your own take their place as soon
      as there are some.
    </p>
  )
}
