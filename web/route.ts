// Which screen the address names, and how to go to another: everything a reader can come back to is in the URL. What a
// query means is up to its screen.

import {
  type AnchorHTMLAttributes,
  createElement,
  type MouseEvent,
  type ReactElement,
  useSyncExternalStore,
} from 'react'

export type Screen =
  | 'home'
  | 'transcript'
  | 'map'
  | 'context'
  | 'files'
  | 'search'
  | 'usage'
  | 'archive'
  | 'history'
  | 'health'
  | 'settings'

export interface Route {
  screen: Screen
  /** The session's id; `local` is a file that was dropped into the window. */
  session?: string
  query: Record<string, string>
}

/** The id that a dropped file has in addresses. */
export const localSession = 'local'

const plainScreens: Record<string, Screen> = {
  '': 'home',
  search: 'search',
  usage: 'usage',
  archive: 'archive',
  history: 'history',
  health: 'health',
  settings: 'settings',
}
const sessionScreens: Record<string, Screen> = { '': 'transcript', map: 'map', context: 'context', files: 'files' }

/** The route of an address; unknown addresses are home. */
export function readRoute(url: URL): Route {
  const query = Object.fromEntries(url.searchParams)
  const [first = '', session = '', rest = '', ...more] = url.pathname.split('/').slice(1)
  if (first === 's' && session !== '' && more.length === 0) {
    const screen = Object.hasOwn(sessionScreens, rest) ? sessionScreens[rest] : undefined
    return { screen: screen ?? 'transcript', session: decodePart(session), query }
  }
  const screen = session === '' && Object.hasOwn(plainScreens, first) ? plainScreens[first] : undefined
  return { screen: screen ?? 'home', query }
}

/** The address of a route. Empty parts of the query are left out. */
export function hrefOf(route: Route): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(route.query)) if (value !== '') query.set(name, value)
  const search = query.size === 0 ? '' : `?${query}`
  return `${pathOf(route)}${search}`
}

function pathOf({ screen, session }: Route): string {
  if (session === undefined) return screen === 'home' || !Object.hasOwn(plainScreens, screen) ? '/' : `/${screen}`
  const base = `/s/${encodeURIComponent(session)}`
  return screen === 'transcript' || !Object.hasOwn(sessionScreens, screen) ? base : `${base}/${screen}`
}

/** A hand-written address may contain a lone `%`. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const listeners = new Set<() => void>()
let isBack = false
let known: { href: string; route: Route } | undefined

function currentRoute(): Route {
  const { href } = window.location
  if (known?.href !== href) known = { href, route: readRoute(new URL(href)) }
  return known.route
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) window.addEventListener('popstate', onPopState)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) window.removeEventListener('popstate', onPopState)
  }
}

function onPopState(): void {
  isBack = true
  for (const listener of [...listeners]) listener()
}

/** Whether the reader came here by "back" or "forward", and expects things as they were left. */
export function cameBack(): boolean {
  return isBack
}

/** Where the reader is; renders again when that changes. */
export function useRoute(): Route {
  return useSyncExternalStore(subscribe, currentRoute)
}

/** The same, for code that runs on an event and not while rendering. */
export function routeNow(): Route {
  return currentRoute()
}

/** Goes to a route; `replace`: without a step that "back" would return to. */
export function navigate(route: Route, options: { replace?: boolean } = {}): void {
  const href = hrefOf(route)
  if (href === window.location.pathname + window.location.search) return
  if (options.replace) window.history.replaceState(null, '', href)
  else window.history.pushState(null, '', href)
  isBack = false
  for (const listener of [...listeners]) listener()
}

export interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  route: Route
  replace?: boolean
}

/** A link within the app: a real address, so that it can be copied and opened in a new tab. */
export function Link({ route, replace, onClick, ...rest }: LinkProps): ReactElement {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (event.defaultPrevented || !isPlain || (rest.target !== undefined && rest.target !== '_self')) return
    event.preventDefault()
    navigate(route, replace ? { replace } : {})
  }
  return createElement('a', { ...rest, href: hrefOf(route), onClick: follow })
}
