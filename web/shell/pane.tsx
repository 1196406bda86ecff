// The list of all sessions beside a session's screens: the quick way to another one. Filters and usage are on Home.

import { Link } from '../route.ts'
import { SessionRows } from './rows.tsx'
import { useSessions } from './sessions.ts'

const all = {}

export function SessionPane({ current }: { current: string }) {
  const sessions = useSessions(all)
  return (
    <aside className="pane" aria-label="Sessions">
      <Link className="pane-find" route={{ screen: 'search', query: {} }}>
        <span>Search everything</span>
        <kbd>/</kbd>
      </Link>
      <SessionRows sessions={sessions} current={current} />
    </aside>
  )
}
