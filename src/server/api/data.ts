// What the routes answer: each asks one question of src/answers. It knows no HTTP, and nothing of where answers come from.

import { archiveFromPage, archivePage, forgetFromPage, restoreFromPage } from '../../answers/care/archive-page.ts'
import { Health } from '../../answers/care/health.ts'
import { changeSetting, settingsAnswer } from '../../answers/care/settings.ts'
import { silent } from '../../answers/clew.ts'
import { badRequest, notFound } from '../../answers/error.ts'
import { type LongLived, openLongLived } from '../../answers/long-lived.ts'
import { knownHead, sessionFirst, sessionHead } from '../../answers/reading/head.ts'
import { eventOf, type MediaBytes, mediaBytes, rawRecord } from '../../answers/reading/record.ts'
import { WholeSession } from '../../answers/reading/whole-session.ts'
import { refuseChanges } from '../../answers/scope.ts'
import { copiedPartFor } from '../../answers/sessions/copied.ts'
import { sessionPage } from '../../answers/sessions/page.ts'
import { historyPage } from '../../answers/texts/history-page.ts'
import { searchSessions } from '../../answers/texts/search-page.ts'
import { usageAnswer, usageCsvText } from '../../answers/usage/page.ts'
import { settingsFaults } from '../../answers/usage/prices.ts'
import { forkInWorker, repairInWorker } from '../../answers/write/preview.ts'
import type { SessionGraph } from '../../model/session.ts'
import type { SessionFiles } from '../../model/source.ts'
import type { IndexProgress, JsonRoute, LiveMessage, RouteHandlers, RouteQuery, Routes } from './api.ts'

export interface DataOptions {
  /** Clew's own folder. */
  home: string
  /** Claude homes, projects folders or files; the usual homes where empty. */
  roots?: readonly string[]
  /** Nothing may be changed: no archiving, no restore, no forget, no new session, no setting. */
  isReadOnly?: boolean
  /** IANA name; the machine's own where absent. */
  timezone?: string
  version?: string
  /** From this many bytes of logs on, a session is read by slots and never held whole; 24 MiB where absent. */
  largeBytes?: number
  /** Called with what goes wrong in the background. */
  onProblem?: (message: string) => void
  /** Called with how far the first index is while it is made, and with null when there is one. */
  onIndexing?: (progress: IndexProgress | null) => void
}

/** `id`: of a session, in full. Values of a query may be anything that someone typed. */
export interface ServerData {
  readonly isReadOnly: boolean
  answer<Name extends JsonRoute>(name: Name, query: RouteQuery<Name>, id?: string): Promise<Routes[Name]['answer']>
  media(query: RouteQuery<'GET /api/sessions/:id/media'>, id: string): Promise<MediaBytes>
  /** Reports changes until it is stopped; `session` undefined: of the list only. `onMessage` must not wait. */
  follow(session: string | undefined, onMessage: (message: LiveMessage) => void): () => void
  close(): Promise<void>
}

/** Slots of one answer. */
const mostSlots = 512
const mostFound = 500

export class LocalData implements ServerData {
  readonly isReadOnly: boolean
  readonly handle: LongLived
  private readonly version: string
  private readonly health: Health

  static async open({ onProblem = () => {}, version = '', ...options }: DataOptions): Promise<LocalData> {
    return new LocalData(await openLongLived({ ...options, listener: { ...silent, note: onProblem } }), version)
  }

  private constructor(handle: LongLived, version: string) {
    this.handle = handle
    this.version = version
    this.isReadOnly = handle.clew.isReadOnly
    this.health = new Health(handle.clew, percent => handle.report({ type: 'checking', percent }))
  }

  async answer<Name extends JsonRoute>(name: Name, query: RouteQuery<Name>, id = ''): Promise<Routes[Name]['answer']> {
    return this.handlers[name](query, id)
  }

  private readonly handlers: RouteHandlers = {
    'GET /api/about': async () => {
      const { clew, isSample } = this.handle
      const timezone = clew.timezone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone
      const { theme, isReadOnly } = settingsAnswer(clew)
      return { version: this.version, isSample, isReadOnly, timezone, theme, problems: settingsFaults(clew) }
    },
    'GET /api/sessions': query => sessionPage(this.handle.clew, query, this.handle.indexing()),
    'GET /api/sessions/:id': async (_query, id) =>
      sessionHead(this.handle.clew, await this.handle.reading(await this.handle.fullId(id))),
    'GET /api/sessions/:id/first': async (_query, id) => sessionFirst(this.handle, await this.handle.fullId(id)),
    'GET /api/sessions/:id/outline': async ({ thread }, id) => {
      const { reader, graph } = await this.handle.reading(id)
      return reader.outline(knownThread(graph, thread))
    },
    'GET /api/sessions/:id/items': async ({ thread, ...query }, id) => {
      const from = slotOf(query.from, 'from', 0)
      const to = slotOf(query.to, 'to', from)
      if (to < from || to - from > mostSlots) throw badRequest(`One answer has at most ${mostSlots} slots.`)
      const { reader, graph } = await this.handle.reading(id)
      return reader.items(from, to, knownThread(graph, thread))
    },
    'GET /api/sessions/:id/place': async ({ event }, id) => {
      const { reader } = await this.handle.reading(id)
      const place = event === undefined ? null : await reader.placeOf(event)
      if (place === null) throw notFound('There is no such event in this session.')
      return place
    },
    'GET /api/sessions/:id/errors': async (_query, id) => {
      const { reader } = await this.handle.reading(id)
      return { errors: await reader.errors() }
    },
    'GET /api/sessions/:id/raw': async ({ event }, id) => {
      const { graph, files } = await this.handle.reading(id)
      return rawRecord(eventOf(graph, event), files, this.handle.clew.source)
    },
    'GET /api/sessions/:id/files': async (_query, id) => {
      const { reader } = await this.handle.reading(id)
      return { files: await reader.files() }
    },
    'GET /api/sessions/:id/diff': async ({ path }, id) => {
      const { reader } = await this.handle.reading(id)
      return { diff: await reader.netDiff(path ?? '') }
    },
    'GET /api/sessions/:id/context': async ({ event }, id) => {
      const { reader, graph } = await this.handle.reading(id)
      if (event !== undefined) eventOf(graph, event)
      return reader.contextAt(event ?? null)
    },
    'GET /api/sessions/:id/find': async ({ text }, id) => {
      if (!text) return { places: [], isCut: false }
      const { reader } = await this.handle.reading(id)
      const places = await reader.find(text)
      return { places: places.slice(0, mostFound), isCut: places.length > mostFound }
    },
    'GET /api/sessions/:id/document': async ({ format }, id) => {
      const { clew } = this.handle
      const known = knownHead(await sessionHead(clew, await this.handle.reading(id)))
      const files = await this.handle.files(id)
      const whole = new WholeSession(clew.home, files, await copiedPartFor(files, clew))
      return whole.document(format === 'md' ? 'md' : 'html', clew.timezone, known)
    },
    'GET /api/sessions/:id/fork': (query, id) => this.fork(id, query, true),
    'GET /api/sessions/:id/repair': (_query, id) => this.repair(id, true),
    'GET /api/search': query => searchSessions(this.handle.clew, query),
    'GET /api/usage': query => usageAnswer(this.handle.clew, query),
    'GET /api/usage/csv': async query => ({ text: await usageCsvText(this.handle.clew, query) }),
    'GET /api/archive': () => archivePage(this.handle.clew),
    'GET /api/history': query => historyPage(this.handle.clew, query),
    'GET /api/health': () => this.health.answer(),
    'GET /api/settings': async () => settingsAnswer(this.handle.clew),
    'POST /api/settings': async ({ key = '', value = '' }) => {
      changeSetting(this.handle.clew, key, value)
      // What may be archived now, is.
      if (key === 'archive' || key === 'exclude') this.handle.touch()
      return settingsAnswer(this.handle.clew)
    },
    'POST /api/archive/run': async () => {
      const report = await archiveFromPage(this.handle.clew)
      this.handle.touch()
      return report
    },
    'POST /api/sessions/:id/restore': async (_query, id) => {
      const report = await restoreFromPage(this.handle.clew, id)
      await this.handle.changed(id)
      return report
    },
    'POST /api/sessions/:id/forget': async (_query, id) => {
      const report = await forgetFromPage(this.handle.clew, id)
      await this.handle.changed(id)
      return report
    },
    'POST /api/sessions/:id/fork': async (query, id) => {
      const report = await this.fork(id, query, false)
      await this.handle.changed(report.session)
      return report
    },
    'POST /api/sessions/:id/repair': async (_query, id) => {
      const report = await this.repair(id, false)
      if (report.written !== undefined) await this.handle.changed(report.written.session)
      return report
    },
  }

  async media({ event, n }: RouteQuery<'GET /api/sessions/:id/media'>, id: string): Promise<MediaBytes> {
    const { graph, files } = await this.handle.reading(id)
    return mediaBytes(eventOf(graph, event), slotOf(n, 'n', 0), graph, files, this.handle.clew.source)
  }

  follow(session: string | undefined, onMessage: (message: LiveMessage) => void): () => void {
    return this.handle.follow(session, onMessage)
  }

  async close(): Promise<void> {
    await this.health.close()
    await this.handle.close()
  }

  private async fork(id: string, query: RouteQuery<'GET /api/sessions/:id/fork'>, isDry: boolean) {
    return forkInWorker(this.handle.clew.home, await this.filesToEdit(id), query, isDry)
  }

  private async repair(id: string, isDry: boolean) {
    return repairInWorker(this.handle.clew.home, await this.filesToEdit(id), isDry)
  }

  /** Of a session that a new one is made of. */
  private async filesToEdit(session: string): Promise<SessionFiles> {
    refuseChanges(this.handle.clew, 'written', 'Your own sessions can be forked and repaired once there are some.')
    return this.handle.files(session)
  }
}

function slotOf(text: string | undefined, name: string, usual: number): number {
  if (text === undefined || text === '') return usual
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw badRequest(`"${name}" is not a whole number.`)
}

function knownThread(graph: SessionGraph, thread: string | undefined): string | undefined {
  if (thread === undefined || thread === '') return undefined
  if (graph.threads.some(({ id }) => id === thread)) return thread
  throw notFound('There is no such thread in this session.')
}
