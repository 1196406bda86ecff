// What the server answers, as types that the web app shares: the one table of routes. Types only; no code.

import type {
  ArchiveAnswer,
  HealthAnswer,
  HistoryAnswer,
  LiveMessage,
  SearchResult,
  SessionList,
  SettingsAnswer,
  Theme,
  UsageAnswerJson,
} from '../../answers/shapes.ts'
import type { NewSession, RepairReport } from '../../schema/contract-shapes.ts'
import type {
  ContextAt,
  ErrorPlace,
  EventPlace,
  FileTouched,
  FoundPlace,
  Outline,
  RawRecord,
  SessionHead,
  SlotItems,
} from '../../view/reading.ts'
import type { DiffPart } from '../../view/view.ts'

export type * from '../../answers/shapes.ts'
export type { NewSession, RepairReport }

/** Method and path → query and answer. `:id` is a session's id. Event ids and texts are in the query. */
export interface Routes {
  'GET /api/about': {
    query: Record<never, string>
    answer: {
      version: string
      isSample: boolean
      isReadOnly: boolean
      timezone: string
      theme: Theme
      /** What of the config cannot be used, a sentence each. */
      problems: readonly string[]
    }
  }
  'GET /api/sessions': {
    query: {
      offset?: string
      limit?: string
      /** A part of a path or a name; `=KEY` for the project of that key alone. */
      project?: string
      text?: string
      since?: string
      until?: string
      is?: string
      sort?: string
      group?: string
    }
    answer: SessionList
  }
  'GET /api/sessions/:id': { query: Record<never, string>; answer: SessionHead }
  /** Head and first slots, before the whole session is read. */
  'GET /api/sessions/:id/first': { query: Record<never, string>; answer: { head: SessionHead; items: SlotItems } }
  'GET /api/sessions/:id/outline': { query: { thread?: string }; answer: Outline }
  'GET /api/sessions/:id/items': { query: { thread?: string; from: string; to: string }; answer: SlotItems }
  'GET /api/sessions/:id/place': { query: { event: string }; answer: EventPlace }
  'GET /api/sessions/:id/errors': { query: Record<never, string>; answer: { errors: ErrorPlace[] } }
  'GET /api/sessions/:id/raw': { query: { event: string }; answer: RawRecord }
  'GET /api/sessions/:id/files': { query: Record<never, string>; answer: { files: FileTouched[] } }
  /** All changes to a file as one; null where the log does not contain the file. */
  'GET /api/sessions/:id/diff': { query: { path: string }; answer: { diff: DiffPart | null } }
  'GET /api/sessions/:id/context': { query: { event?: string }; answer: ContextAt }
  'GET /api/sessions/:id/find': { query: { text: string }; answer: { places: FoundPlace[]; isCut: boolean } }
  /** The whole session as a file for people. */
  'GET /api/sessions/:id/document': { query: { format: string }; answer: { name: string; text: string } }
  /** An image or document of an event: bytes, never markup. `n`: its position among the event's media. */
  'GET /api/sessions/:id/media': { query: { event: string; n: string }; answer: never }
  /** What a fork would be; `at`: its last event. */
  'GET /api/sessions/:id/fork': { query: { at?: string; title?: string }; answer: NewSession }
  /** What a repair would change; `written` is absent where nothing is damaged. */
  'GET /api/sessions/:id/repair': { query: Record<never, string>; answer: RepairReport }
  'GET /api/search': { query: { q: string; limit?: string }; answer: SearchResult }
  'GET /api/usage': {
    query: { by: string; since?: string; until?: string; project?: string; model?: string; estimate?: string }
    answer: UsageAnswerJson
  }
  /** As `clew usage --csv` prints it. */
  'GET /api/usage/csv': { query: Routes['GET /api/usage']['query']; answer: { text: string } }
  'GET /api/archive': { query: Record<never, string>; answer: ArchiveAnswer }
  'GET /api/history': {
    query: { offset?: string; limit?: string; text?: string; project?: string; since?: string; until?: string }
    answer: HistoryAnswer
  }
  'GET /api/health': { query: Record<never, string>; answer: HealthAnswer }
  'GET /api/settings': { query: Record<never, string>; answer: SettingsAnswer }
  /** Changes one setting and answers with all; lines of `value` are several values, an empty one unsets it. */
  'POST /api/settings': { query: { key: string; value?: string }; answer: SettingsAnswer }
  'POST /api/archive/run': { query: Record<never, string>; answer: { files: number; bytes: number } }
  'POST /api/sessions/:id/restore': { query: Record<never, string>; answer: { files: number } }
  'POST /api/sessions/:id/forget': { query: Record<never, string>; answer: { files: number } }
  /** Writes a new session next to this one, as the route that shows it without writing says. */
  'POST /api/sessions/:id/fork': Routes['GET /api/sessions/:id/fork']
  'POST /api/sessions/:id/repair': Routes['GET /api/sessions/:id/repair']
  /** The event stream; `session`: the one that is followed. */
  'GET /api/live': { query: { session?: string }; answer: LiveMessage }
}

/** Routes that answer JSON. */
export type JsonRoute = Exclude<keyof Routes, 'GET /api/live' | 'GET /api/sessions/:id/media'>
/** Any part of a query may be missing. */
export type RouteQuery<Name extends keyof Routes> = Partial<Routes[Name]['query']>
export type RouteHandlers = {
  [Name in JsonRoute]: (query: RouteQuery<Name>, id: string) => Promise<Routes[Name]['answer']>
}

/** What is wrong and what to do. */
export interface Problem {
  error: string
  hint?: string
}
