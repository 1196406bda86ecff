// The bar above every screen: where one is, and the ways to the other screens.

import { useEffect } from 'react'
import { useLive } from '../live.ts'
import { useHead, useSlow } from '../reader.ts'
import { Link, localSession, type Route, type Screen } from '../route.ts'
import { toggleHelp } from './help.tsx'
import { useLocalStore } from './local.tsx'
import { Logo } from './logo.tsx'
import { Menu } from './menu.tsx'
import { projectName } from './names.ts'

const sessionTabs: [Screen, string][] = [
  ['transcript', 'Transcript'],
  ['map', 'Map'],
  ['context', 'Context'],
  ['files', 'Files'],
]
const plainTabs: [Screen, string][] = [
  ['search', 'Search'],
  ['usage', 'Usage'],
  ['keeping', 'Keeping'],
]
const titles: Partial<Record<Screen, string>> = { search: 'Search', usage: 'Usage', keeping: 'Keeping' }

export function TopBar({ route }: { route: Route }) {
  const { session } = route
  const local = useLocalStore()
  const hasSession = session !== undefined && (session !== localSession || local !== undefined)
  return (
    <header className="top-bar" data-session={hasSession}>
      <Link className="logo" route={{ screen: 'home', query: {} }} aria-label="Clew, all sessions">
        <Logo />
        <span className="logo-word">Clew</span>
      </Link>
      {hasSession ? <SessionCrumbs screen={route.screen} /> : <PlainTitle title={titles[route.screen]} />}
      {hasSession ? <Tabs name="Session" tabs={sessionTabs} route={route} session={session} /> : null}
      <Connection />
      <Tabs name="Clew" tabs={plainTabs} route={route} />
      <button type="button" className="help-button" aria-label="Keyboard help" onClick={() => toggleHelp(true)}>
        <kbd>?</kbd>
      </button>
      <Menu />
    </header>
  )
}

/** Says so when the server is gone for more than a moment: what is on screen may be old. */
function Connection() {
  const { isBroken } = useLive()
  const isGone = useSlow(isBroken, 3000)
  return (
    <span className="connection" role="status">
      {isGone ? 'not connected' : ''}
    </span>
  )
}

function PlainTitle({ title }: { title: string | undefined }) {
  useEffect(() => {
    document.title = title ? `${title} · Clew` : 'Clew'
  }, [title])
  return (
    <div className="crumbs">
      <h1 className="unseen">{title ?? 'Sessions'}</h1>
    </div>
  )
}

function SessionCrumbs({ screen }: { screen: Screen }) {
  const { value: head } = useHead()
  const tab = sessionTabs.find(([name]) => name === screen)?.[1]
  useEffect(() => {
    if (head) document.title = `${head.title}${screen === 'transcript' ? '' : ` · ${tab}`} · Clew`
  }, [head, screen, tab])
  if (!head) {
    return (
      <div className="crumbs">
        <h1 className="unseen">Session</h1>
      </div>
    )
  }
  const project = projectName(head.project.cwd ?? head.project.slug)
  return (
    <div className="crumbs">
      <Link
        route={{ screen: 'home', query: { project: head.project.cwd ?? head.project.slug } }}
        title={head.project.cwd ?? ''}
      >
        {project}
      </Link>
      <span aria-hidden="true">/</span>
      <h1 title={head.title}>{head.title}</h1>
      {head.isLive ? <span className="live" role="img" aria-label="live" /> : null}
      {head.branches.length > 1 ? <span className="crumb-note">{head.branches.length} branches</span> : null}
    </div>
  )
}

interface TabsProps {
  name: string
  tabs: [Screen, string][]
  route: Route
  session?: string
}

function Tabs({ name, tabs, route, session }: TabsProps) {
  return (
    <nav className="tabs" aria-label={name}>
      {tabs.map(([screen, label]) => (
        <Link
          key={screen}
          route={session === undefined ? { screen, query: {} } : { screen, session, query: {} }}
          {...(route.screen === screen ? { 'aria-current': 'page' as const } : {})}
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}
