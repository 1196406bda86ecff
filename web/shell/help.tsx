// Keys that work on every screen, and the sheet behind `?` that lists all keys that work now.

import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { type KeyGroup, useKeyGroups, useKeys } from '../keys.ts'
import { navigate, type Route, routeNow, type Screen } from '../route.ts'

let isOpen = false
const listeners = new Set<() => void>()

/** Opens or closes the help. */
export function toggleHelp(open = !isOpen): void {
  isOpen = open
  for (const listener of [...listeners]) listener()
}

function useIsOpen(): boolean {
  return useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isOpen,
  )
}

/** Another screen of the session that is on screen. */
function goInSession(screen: Screen): void {
  const { session } = routeNow()
  if (session !== undefined) navigate({ screen, session, query: {} })
}

function go(screen: Screen): void {
  const route: Route = { screen, query: {} }
  navigate(route)
}

export function GlobalKeys() {
  useKeys(
    {
      '/': () => go('search'),
      'g h': () => go('home'),
      'g s': () => go('search'),
      'g u': () => go('usage'),
      'g a': () => go('archive'),
      'g i': () => go('history'),
      'g l': () => go('health'),
      'g ,': () => go('settings'),
      '?': () => toggleHelp(),
      Esc: event => {
        if (event.target instanceof HTMLElement) event.target.blur()
        return false
      },
    },
    'Everywhere',
  )
  return null
}

/** Between the screens of one session. */
export function SessionKeys() {
  useKeys(
    {
      'g t': () => goInSession('transcript'),
      'g m': () => goInSession('map'),
      'g c': () => goInSession('context'),
      'g f': () => goInSession('files'),
    },
    'This session',
  )
  return null
}

/** The list of keys, over everything. */
export function Help() {
  const open = useIsOpen()
  return open ? <HelpSheet /> : null
}

function HelpSheet() {
  const dialog = useRef<HTMLDialogElement>(null)
  const groups = useKeyGroups()
  const [before] = useState(() => document.activeElement)
  useEffect(() => {
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [before])
  const close = () => toggleHelp(false)
  return (
    <dialog className="help" ref={dialog} onClose={close} aria-label="Keyboard">
      <header>
        <h2>Keyboard</h2>
        <button type="button" className="button plain" onClick={close}>
          Close <kbd>Esc</kbd>
        </button>
      </header>
      <div className="help-groups">
        {mergeGroups(groups).map(group => (
          <HelpGroup key={group.purpose} group={group} />
        ))}
      </div>
      <p className="soft">Drop a .jsonl file anywhere to read it in this page.</p>
    </dialog>
  )
}

function HelpGroup({ group }: { group: KeyGroup }) {
  return (
    <section>
      <h3>{group.purpose}</h3>
      <dl>
        {group.keys.map(({ keys, says }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map(key => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{says}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** Parts may share a purpose; the screen's own keys come before those that work everywhere. */
function mergeGroups(groups: KeyGroup[]): KeyGroup[] {
  const merged = new Map<string, KeyGroup>()
  for (const { purpose, keys } of [...groups].reverse()) {
    const group = merged.get(purpose) ?? { purpose, keys: [] }
    const known = new Set(group.keys.map(entry => entry.keys))
    group.keys.push(...keys.filter(entry => !known.has(entry.keys)))
    merged.set(purpose, group)
  }
  return [...merged.values()]
}
