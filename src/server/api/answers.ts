// Everything that the routes answer, without a word of HTTP: one method for each route. Questions come as the strings of a
// query and are checked here; what cannot be answered is a ProblemError.

import type { LiveMessage, Routes } from './api.ts'

type Answer<Path extends keyof Routes> = Routes[Path]['answer']
/** All that a query may hold; every value may be anything that somebody typed. */
type Query<Path extends keyof Routes> = Partial<Routes[Path]['query']>

/** An image or document: bytes, and the type that the log names for them. */
export interface MediaBytes {
  /** `image/png`, … ; never a type that a browser would run. */
  mediaType: string
  bytes: Uint8Array
}

export interface DataOptions {
  /** Clew's own folder. */
  home: string
  /** Claude homes, projects folders or files; the usual homes where there are none. */
  roots?: readonly string[]
  /** Nothing may be changed: no keeping, no restore, no forget. */
  isReadOnly?: boolean
  /** IANA name; the machine's own where absent. */
  timezone?: string
  version?: string
  /** From so many bytes of logs on a session is read by slots and never whole; 24 MiB where absent. */
  largeBytes?: number
  /** Told what goes wrong in the background. */
  onProblem?: (message: string) => void
}

/** `session`: an id, whole. */
export interface ServerData {
  readonly isReadOnly: boolean
  about(): Promise<Answer<'GET /api/about'>>
  list(query: Query<'GET /api/sessions'>): Promise<Answer<'GET /api/sessions'>>
  head(session: string): Promise<Answer<'GET /api/sessions/:id'>>
  first(session: string): Promise<Answer<'GET /api/sessions/:id/first'>>
  outline(
    session: string,
    query: Query<'GET /api/sessions/:id/outline'>,
  ): Promise<Answer<'GET /api/sessions/:id/outline'>>
  items(session: string, query: Query<'GET /api/sessions/:id/items'>): Promise<Answer<'GET /api/sessions/:id/items'>>
  place(session: string, query: Query<'GET /api/sessions/:id/place'>): Promise<Answer<'GET /api/sessions/:id/place'>>
  raw(session: string, query: Query<'GET /api/sessions/:id/raw'>): Promise<Answer<'GET /api/sessions/:id/raw'>>
  files(session: string): Promise<Answer<'GET /api/sessions/:id/files'>>
  context(
    session: string,
    query: Query<'GET /api/sessions/:id/context'>,
  ): Promise<Answer<'GET /api/sessions/:id/context'>>
  find(session: string, query: Query<'GET /api/sessions/:id/find'>): Promise<Answer<'GET /api/sessions/:id/find'>>
  media(session: string, query: Query<'GET /api/sessions/:id/media'>): Promise<MediaBytes>
  search(query: Query<'GET /api/search'>): Promise<Answer<'GET /api/search'>>
  usage(query: Query<'GET /api/usage'>): Promise<Answer<'GET /api/usage'>>
  keeping(): Promise<Answer<'GET /api/keeping'>>
  keepNow(): Promise<Answer<'POST /api/keeping/run'>>
  restore(session: string): Promise<Answer<'POST /api/sessions/:id/restore'>>
  forget(session: string): Promise<Answer<'POST /api/sessions/:id/forget'>>
  /** Tells of changes until it is stopped; `session` undefined: of the list alone. `onMessage` must not wait. */
  follow(session: string | undefined, onMessage: (message: LiveMessage) => void): () => void
  close(): Promise<void>
}
