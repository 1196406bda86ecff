// The bar at the top: where the reader is and the ways to other screens, behind one button on narrow screens.

import { type KeyboardEvent, useEffect, useId, useRef } from 'react'
import { visibleLine } from '../../src/render/safe-text.ts'
import { useLive } from '../live.ts'
import { FrameIcon } from '../parts/icon.tsx'
import { useHead, useSlow } from '../reader.ts'
import { Link, localSession, type Route, type Screen } from '../route.ts'
import { chooseFile, useLocalStore } from './drop.tsx'
import { toggleHelp } from './help.tsx'
import { openPalette } from './palette.tsx'

const sessionTabs: [Screen, string][] = [
  ['transcript', 'Transcript'],
  ['map', 'Map'],
  ['context', 'Context'],
  ['files', 'Files'],
]
const plainTabs: [Screen, string][] = [
  ['search', 'Search'],
  ['usage', 'Usage'],
  ['archive', 'Archive'],
  ['history', 'History'],
  ['health', 'Health'],
  ['settings', 'Settings'],
]
/** In the menu only, where there is little space. */
const more: readonly Screen[] = ['history', 'health', 'settings']
const titles: Partial<Record<Screen, string>> = Object.fromEntries(plainTabs)

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
      {isGone ? (
        <>
          not connected<span className="connection-more">: start clew serve again and open its address</span>
        </>
      ) : (
        ''
      )}
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
    if (head) document.title = `${visibleLine(head.title)}${screen === 'transcript' ? '' : ` · ${tab}`} · Clew`
  }, [head, screen, tab])
  if (!head) {
    return (
      <div className="crumbs">
        <h1 className="unseen">Session</h1>
      </div>
    )
  }
  const { key, name, cwd } = head.project
  return (
    <div className="crumbs">
      <Link route={{ screen: 'home', query: { project: key } }} title={visibleLine(cwd ?? '')}>
        {visibleLine(name)}
      </Link>
      <span aria-hidden="true">/</span>
      <h1 title={visibleLine(head.title)}>{visibleLine(head.title)}</h1>
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
          className={more.includes(screen) ? 'tab-more' : undefined}
          route={session === undefined ? { screen, query: {} } : { screen, session, query: {} }}
          {...(route.screen === screen ? { 'aria-current': 'page' as const } : {})}
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}

const places: [Screen, string, string][] = [
  ['home', 'All sessions', 'g h'],
  ['search', 'Search', '/'],
  ['usage', 'Usage', 'g u'],
  ['archive', 'Archive', 'g a'],
  ['history', 'History', 'g i'],
  ['health', 'Health', 'g l'],
  ['settings', 'Settings', 'g ,'],
]

export function Menu() {
  const id = useId()
  const panel = useRef<HTMLElement>(null)
  const close = () => panel.current?.hidePopover()
  const act = (action: () => void) => () => {
    close()
    action()
  }
  // Esc closes this and nothing below it.
  const hold = (event: KeyboardEvent) => {
    if (event.key === 'Escape') event.stopPropagation()
  }
  return (
    <div className="menu">
      <button type="button" className="menu-button" popoverTarget={id} aria-label="Menu" onKeyDown={hold}>
        <FrameIcon name="menu" />
      </button>
      <nav className="menu-panel" ref={panel} id={id} popover="auto" aria-label="Menu" onKeyDown={hold}>
        {places.map(([screen, label, keys]) => (
          <Link key={screen} route={{ screen, query: {} }} aria-label={label} onClick={close}>
            {label} <kbd>{keys}</kbd>
          </Link>
        ))}
        <button type="button" aria-label="Go to…" onClick={act(openPalette)}>
          Go to… <kbd>Ctrl K</kbd>
        </button>
        <button type="button" onClick={act(chooseFile)}>
          Open a session file…
        </button>
        <button type="button" aria-label="Help" onClick={act(() => toggleHelp(true))}>
          Help <kbd>?</kbd>
        </button>
      </nav>
    </div>
  )
}

export function Logo({ size = 20 }: { size?: number }) {
  return (
    <svg className="logo-mark" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true">
      <circle cx="9" cy="9" r="6.5" />
      <path d="M3.500 7c4-3 8-2.500 11 1M3 10.500c4-3 8.500-2 11.500 1M5 13.500c2.500-1.800 5.500-1.800 8 0M13.800 13.600c1.600 1.600 2.800 2.400 4.700 3.400" />
    </svg>
  )
}
