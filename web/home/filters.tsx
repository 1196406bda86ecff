// The filters of the list as chips, which are links to addresses, and the search box.

import { type FormEvent, useRef } from 'react'
import { countOf } from '../../src/base/format.ts'
import { visibleLine } from '../../src/render/safe-text.ts'
import type { SessionList } from '../../src/server/api/api.ts'
import { useKeys } from '../keys.ts'
import { FrameIcon } from '../parts/icon.tsx'
import { Link, navigate, type Route, routeNow, useRoute } from '../route.ts'
import { useDraft } from '../shell/draft.ts'
import { Popover } from '../shell/popover.tsx'
import { projectKey as keyOf } from '../shell/sessions.ts'
import { dayName } from '../usage/figures.ts'

const choices: { name: string; value: string; label: string }[] = [
  { name: 'is', value: 'live', label: 'Live' },
  { name: 'is', value: 'error', label: 'With errors' },
  { name: 'is', value: 'expiring', label: 'Deleted soon' },
  { name: 'is', value: 'gone', label: 'Only in the archive' },
  { name: 'since', value: 'today', label: 'Today' },
  { name: 'since', value: '7d', label: '7 days' },
  { name: 'since', value: '30d', label: '30 days' },
]
const shownProjects = 6

export interface FiltersProps {
  projects: SessionList['projects']
  /** How many sessions the filters leave; undefined while that is not known. */
  total: number | undefined
}

export function Filters({ projects, total }: FiltersProps) {
  const route = useRoute()
  const chosen = route.query['project'] ?? ''
  const first = projects.slice(0, shownProjects)
  const isListed = first.some(one => keyOf(one) === chosen)
  return (
    <div className="filters">
      <nav className="chips" aria-label="Projects">
        {chosen !== '' && !isListed ? (
          <FilterChip
            route={route}
            name="project"
            value={chosen}
            label={projects.find(one => keyOf(one) === chosen)?.name ?? chosen}
          />
        ) : null}
        {first.map(row => (
          <FilterChip
            key={keyOf(row)}
            route={route}
            name="project"
            value={keyOf(row)}
            label={row.name}
            count={row.sessions}
          />
        ))}
        <MoreProjects projects={projects.slice(shownProjects)} />
      </nav>
      <nav className="chips" aria-label="Filters">
        {choices.map(({ name, value, label }) => (
          <FilterChip key={value} route={route} name={name} value={value} label={label} />
        ))}
        <OtherTime route={route} />
      </nav>
      <div className="list-order">
        <span role="status">{total === undefined ? '' : countOf(total, 'session')}</span>
        <FilterChip route={route} name="group" value="project" label="By project" />
        <SortPick route={route} />
      </div>
    </div>
  )
}

/** A time that an address names and no chip does: a day of the calendar. */
function OtherTime({ route }: { route: Route }) {
  const { since = '', until = '' } = route.query
  if (until === '' && (since === '' || choices.some(({ name, value }) => name === 'since' && value === since)))
    return null
  const name = (time: string) => dayName(time)
  const label = since === until ? name(since) : `${since && `from ${name(since)} `}${until && `until ${name(until)}`}`
  return (
    <Link
      className="chip"
      route={{ screen: 'home', query: { ...route.query, since: '', until: '' } }}
      aria-current="true"
    >
      {label}
      <FrameIcon name="close" />
      <span className="unseen">, remove this filter</span>
    </Link>
  )
}

const orders: [value: string, label: string][] = [
  ['', 'Last used'],
  ['started', 'Started'],
  ['title', 'Title'],
  ['cost', 'Cost'],
  ['tokens', 'Tokens'],
  ['duration', 'Duration'],
  ['prompts', 'Prompts'],
  ['calls', 'Calls'],
  ['errors', 'Errors'],
  ['size', 'Size'],
]

function SortPick({ route }: { route: Route }) {
  const { sort = '' } = route.query
  return (
    <label className="sort-pick">
      <span>Sort</span>
      <select
        className="pick"
        value={sort}
        onChange={event =>
          navigate({ screen: 'home', query: { ...routeNow().query, sort: event.target.value } }, { replace: true })
        }
      >
        {orders.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  )
}

interface ChipProps {
  route: Route
  name: string
  value: string
  label: string
  count?: number
}

/** A chip that is set takes its filter away again. */
function FilterChip({ route, name, value, label, count }: ChipProps) {
  const isSet = route.query[name] === value
  const query = { ...route.query, [name]: isSet ? '' : value }
  return (
    <Link
      className="chip"
      route={{ screen: 'home', query }}
      title={value}
      {...(isSet ? { 'aria-current': 'true' as const } : {})}
    >
      {label}
      {count === undefined || isSet ? null : <span className="chip-count">{count}</span>}
      {isSet ? (
        <>
          <FrameIcon name="close" />
          <span className="unseen">, remove this filter</span>
        </>
      ) : null}
    </Link>
  )
}

function MoreProjects({ projects }: { projects: SessionList['projects'] }) {
  const { query } = useRoute()
  if (projects.length === 0) return null
  return (
    <Popover label={`${projects.length} more`} name="More projects" buttonClass="chip" className="more-list">
      {projects.slice(0, 200).map(row => (
        <Link key={keyOf(row)} route={{ screen: 'home', query: { ...query, project: keyOf(row) } }}>
          <span title={visibleLine(keyOf(row))}>{visibleLine(row.name)}</span>
          <span className="chip-count">{row.sessions}</span>
        </Link>
      ))}
    </Popover>
  )
}

const typingMs = 120

export function HomeSearch() {
  const written = useRoute().query['text'] ?? ''
  const box = useRef<HTMLInputElement>(null)
  const write = (next: string) => {
    const route = routeNow()
    if (route.screen === 'home') navigate({ ...route, query: { ...route.query, text: next } }, { replace: true })
  }
  const { text, setText } = useDraft(written, write, typingMs)
  useKeys({ '/': ['search', () => box.current?.focus()] }, 'Sessions')
  const search = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') navigate({ screen: 'search', query: { q: text.trim() } })
  }
  return (
    <search>
      <form className="search-box" onSubmit={search}>
        <FrameIcon name="search" />
        <input
          ref={box}
          type="search"
          value={text}
          onChange={event => setText(event.target.value)}
          placeholder="Search everything"
          aria-label="Search everything; narrows the list while typing"
          autoComplete="off"
          spellCheck={false}
        />
        {text === '' ? (
          <kbd>/</kbd>
        ) : (
          <button type="submit" className="search-all">
            Search inside <kbd>Enter</kbd>
          </button>
        )}
      </form>
    </search>
  )
}
