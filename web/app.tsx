// The window: top bar, the list of sessions next to a session's screens, and the screen that the address names, loaded when
// it is first needed. What a screen shows is its own.

import { type ComponentType, lazy, type ReactNode, type RefObject, Suspense, useEffect, useRef } from 'react'
import { follow, onLive } from './live.ts'
import { askNewSession, useAsked } from './new-session/ask.ts'
import { SessionContext, storeOf, useHead } from './reader.ts'
import { localSession, navigate, type Route, routeNow, type Screen, useRoute } from './route.ts'
import { NeighbourKeys } from './session/neighbours.tsx'
import { DropTarget, LocalGone, useLocalStore } from './shell/drop.tsx'
import { GlobalKeys, Help, SessionKeys } from './shell/help.tsx'
import { Palette } from './shell/palette.tsx'
import { SessionPane } from './shell/rows.tsx'
import { ErrorBoundary, ScreenWait } from './shell/states.tsx'
import { TopBar } from './shell/top-bar.tsx'

const loadSearch = () => import('./search/screen.tsx')
const loadTranscript = () => import('./session/screen.tsx')
const screens: Record<Screen, ComponentType> = {
  home: lazy(() => import('./home/screen.tsx')),
  search: lazy(loadSearch),
  transcript: lazy(loadTranscript),
  map: lazy(() => import('./map/screen.tsx')),
  context: lazy(() => import('./context/screen.tsx')),
  files: lazy(() => import('./files/screen.tsx')),
  usage: lazy(() => import('./usage/screen.tsx')),
  archive: lazy(() => import('./archive/screen.tsx')),
  history: lazy(() => import('./history/screen.tsx')),
  health: lazy(() => import('./health/screen.tsx')),
  settings: lazy(() => import('./settings/screen.tsx')),
}

const NewSessionDialog = lazy(() => import('./new-session/dialog.tsx'))

/** Undefined until the first one is shown: the page itself has the focus then. */
let shownScreen: Screen | undefined

/** Fetches, when nothing else is to do, what is most likely needed next: the box must be there before one types. */
function preload(): void {
  setTimeout(() => {
    void loadSearch()
    void loadTranscript()
  }, 400)
}

export function App() {
  const route = useRoute()
  useEffect(preload, [])
  return (
    <div className="app">
      <a className="skip" href="#screen">
        Skip to the content
      </a>
      <GlobalKeys />
      <DropTarget />
      <Help />
      <Palette />
      <NewSession />
      {route.session === undefined ? <PlainFrame route={route} /> : <SessionFrame id={route.session} route={route} />}
    </div>
  )
}

/** The dialog of a fork or a repair, where one was asked for. */
function NewSession() {
  const asked = useAsked()
  if (asked === undefined) return null
  return (
    <ErrorBoundary>
      <Suspense fallback={null}>
        <NewSessionDialog key={JSON.stringify(asked)} asked={asked} close={() => askNewSession(undefined)} />
      </Suspense>
    </ErrorBoundary>
  )
}

function PlainFrame({ route }: { route: Route }) {
  useEffect(() => follow(undefined), [])
  return (
    <>
      <TopBar route={route} />
      <div className="frame">
        <ScreenPlace route={route} />
      </div>
    </>
  )
}

/** Everything inside reads the one session. */
function SessionFrame({ id, route }: { id: string; route: Route }) {
  const local = useLocalStore()
  const store = id === localSession ? local : storeOf(id)
  useEffect(() => {
    if (!store || id === localSession) return follow(undefined)
    follow(id)
    return onLive(message => {
      if (message.type === 'again') store.grown()
      if (message.type === 'grown' && message.session === id) store.grown(message.threads)
      if (message.type === 'list') store.listed(message.live.includes(id))
    })
  }, [store, id])
  const content: ReactNode = store ? <ScreenPlace key={id} route={route} /> : <LocalGone />
  return (
    <SessionContext value={store ?? null}>
      {store ? <FullAddress id={id} /> : null}
      <SessionKeys />
      <NeighbourKeys current={id} />
      <TopBar route={route} />
      <div className="frame with-pane">
        <SessionPane current={id} />
        {content}
      </div>
    </SessionContext>
  )
}

/** A hand-written address may have the beginning of an id: the session's head has all of it. */
function FullAddress({ id }: { id: string }) {
  const full = useHead().value?.id
  const isBeginning = full !== undefined && full !== id && full.toLowerCase().startsWith(id.toLowerCase())
  useEffect(() => {
    if (isBeginning) navigate({ ...routeNow(), session: full }, { replace: true })
  }, [isBeginning, full])
  return null
}

/** Who went to another screen by a link or key that is gone with the old one continues from the top of the new one. */
function useFocusKept(screen: Screen): RefObject<HTMLElement | null> {
  const place = useRef<HTMLElement>(null)
  const before = useRef(shownScreen)
  useEffect(() => {
    shownScreen = screen
    if (before.current === undefined || before.current === screen) return
    before.current = screen
    const frame = requestAnimationFrame(() => {
      if (document.activeElement === document.body) place.current?.focus({ preventScroll: true })
    })
    return () => cancelAnimationFrame(frame)
  }, [screen])
  return place
}

function ScreenPlace({ route }: { route: Route }) {
  const Content = screens[route.screen]
  const place = useFocusKept(route.screen)
  return (
    <main className={`screen screen-${route.screen}`} id="screen" tabIndex={-1} ref={place}>
      <ErrorBoundary key={`${route.screen} ${route.session ?? ''}`}>
        <Suspense fallback={<ScreenWait />}>
          <Content />
        </Suspense>
      </ErrorBoundary>
    </main>
  )
}
