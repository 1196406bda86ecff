// Everything that the routes answer, without HTTP: the index for lists, searches and sums, the logs for what is read. Each
// handler checks its query and puts parts together; the parts are in the files next to this one and in sessions/.

import { existsSync } from 'node:fs'
import { sep } from 'node:path'
import { ArchiveData } from '../../answers/care/archive-page.ts'
import { Health } from '../../answers/care/health.ts'
import { changeSetting, settingsAnswer } from '../../answers/care/settings.ts'
import { type Clew, silent } from '../../answers/clew.ts'
import { FreshIndex } from '../../answers/knows/fresh-index.ts'
import { Live } from '../../answers/live/live.ts'
import { openClew } from '../../answers/open.ts'
import { firstOf, type HeadContext, knownHead, Lineage, withStatus } from '../../answers/reading/head.ts'
import { OpenSessions, type Reading, withoutGone } from '../../answers/reading/open-sessions.ts'
import { eventOf, type MediaBytes, mediaBytes, rawRecord } from '../../answers/reading/record.ts'
import { WholeSession } from '../../answers/reading/whole-session.ts'
import { findScope, refuseChanges, scopeOf } from '../../answers/scope.ts'
import { archivedTest, listSessions, numberOf, QuickList, SessionEntries } from '../../answers/sessions/page.ts'
import type { ListEntry } from '../../answers/sessions/page-order.ts'
import { ListPictures, noPictures } from '../../answers/sessions/pictures.ts'
import { TypedHistory } from '../../answers/texts/history-page.ts'
import { searchSessions } from '../../answers/texts/search-page.ts'
import { SessionCosts, type UsageContext, usageAnswer, usageCsvText } from '../../answers/usage/page.ts'
import { pricingOf, settingsFaults } from '../../answers/usage/prices.ts'
import { NewSessions } from '../../answers/write/preview.ts'
import { archiveFolder } from '../../archive/format/layout.ts'
import { Archive } from '../../archive/store/archive.ts'
import type { Instant } from '../../base/instant.ts'
import { discover } from '../../disk/discover/discover.ts'
import { sampleHome } from '../../disk/package-folder.ts'
import { canonicalPlace } from '../../files/place.ts'
import { digestSession } from '../../graph/graph.ts'
import { hasPathsFrom, indexedSession } from '../../index/search/sessions.ts'
import type { Database } from '../../index/store/port.ts'
import type { SessionGraph } from '../../model/session.ts'
import { isBeingWritten, type SessionFiles } from '../../model/source.ts'
import type { SessionUsage } from '../../usage/session-usage.ts'
import type { SessionHead } from '../../view/reading.ts'
import { badRequest, notFound } from '../http/problem.ts'
import type { IndexProgress, JsonRoute, LiveMessage, RouteHandlers, RouteQuery, Routes } from './api.ts'

export interface DataOptions {
  /** Clew's own folder. */
  home: string
  /** Claude homes, projects folders or files; the usual homes where empty. */
  roots?: readonly string[]
  /** Nothing may be changed: no archiving, no restore, no forget, no new session. */
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
/** How long the map from files to sessions is used. */
const pathsMs = 3_000
/** Where there is no index yet, a list waits this long for it. */
const patienceMs = 250
/** How often the progress of the first index is reported. */
const progressMs = 400
const noCosts: ReadonlyMap<string, SessionUsage> = new Map()

export class LocalData implements ServerData {
  readonly isReadOnly: boolean
  /** The user has no sessions yet. */
  readonly isSample: boolean
  private readonly options: DataOptions
  private readonly clew: Clew
  private readonly index: FreshIndex
  private readonly entries: SessionEntries
  private readonly costs: SessionCosts
  private readonly open: OpenSessions
  private readonly archiveData: ArchiveData
  private readonly newSessions: NewSessions
  private readonly lineage: Lineage
  private readonly quick: QuickList
  private readonly pictures = new ListPictures()
  private readonly history: TypedHistory
  private readonly health: Health
  private readonly live: Live
  /** The index takes long to build: no list waits for it any more. */
  private isLate = false
  private progressTimer: NodeJS.Timeout | undefined
  private byPath: { atMs: number; sessions: Map<string, string> } = { atMs: -pathsMs, sessions: new Map() }

  static async open(options: DataOptions): Promise<LocalData> {
    const data = new LocalData(await openFor(options), options)
    if (data.hasSampleRows()) await data.index.refreshNow()
    else data.index.start()
    data.reportIndexing()
    return data
  }

  private constructor(clew: Clew, options: DataOptions) {
    const { isSample, roots } = scopeOf(clew)
    this.options = options
    this.isReadOnly = clew.isReadOnly
    this.isSample = isSample
    this.clew = clew
    this.index = new FreshIndex(clew)
    this.entries = new SessionEntries(clew)
    this.costs = new SessionCosts(clew)
    this.archiveData = new ArchiveData(clew)
    this.newSessions = new NewSessions(clew.home)
    this.lineage = new Lineage(clew)
    this.history = new TypedHistory(clew)
    this.health = new Health(clew)
    this.quick = new QuickList(
      clew,
      () => this.index.places(),
      () => this.live.listChanged(),
    )
    this.open = new OpenSessions({
      home: clew.home,
      places: () => this.index.places(),
      db: () => this.index.openNow(),
      pricing: () => pricingOf(clew),
      find: id => this.known(id),
      ...(options.largeBytes !== undefined && { largeBytes: options.largeBytes }),
    })
    this.live = new Live({
      // The samples do not change.
      roots: isSample ? [] : [...roots],
      onTouch: () => this.index.touch(),
      slotsOf: session => this.slotsOf(session),
      sessionAt: path => this.sessionAt(path),
      endedAt: session => this.entryOf(session)?.facts.endedAt,
      hasMainLog: session => hasMainLog(this.entryOf(session)),
      version: () => this.listVersion(),
      onProblem: clew.listener.note,
    })
    this.index.onRefreshed(() => this.live.listChanged())
  }

  /** Whether the samples still stand in for sessions of the user. */
  isStillEmpty(): boolean {
    return findScope(this.clew).isSample
  }

  /** Makes all followers load the list again. */
  listChanged(): void {
    this.live.listChanged()
  }

  /** The index was built from the samples alone: until it is refreshed, it lists them. */
  private hasSampleRows(): boolean {
    const db = scopeOf(this.clew).isScoped ? null : this.index.openNow()
    const sample = sampleHome()
    return db !== null && [sample, canonicalPlace(sample)].some(root => hasPathsFrom(db, root + sep))
  }

  async answer<Name extends JsonRoute>(name: Name, query: RouteQuery<Name>, id = ''): Promise<Routes[Name]['answer']> {
    return this.handlers[name](query, id)
  }

  private readonly handlers: RouteHandlers = {
    'GET /api/about': async () => {
      const timezone = this.clew.timezone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone
      const { version = '' } = this.options
      const { theme } = settingsAnswer(this.clew)
      const problems = settingsFaults(this.clew)
      return { version, isSample: this.isSample, isReadOnly: this.isReadOnly, timezone, theme, problems }
    },
    'GET /api/sessions': async query => {
      const db = await this.soonDb()
      const entries = db === null ? await this.quick.entries() : this.entries.all(db, this.index.version())
      const version = this.listVersion()
      const live = this.liveSessions(entries)
      const costs = db === null ? noCosts : this.costs.of(db, version)
      const pictures = db === null ? noPictures : this.pictures.of(db, version)
      const listContext = { version, live, costs, archive: this.archive(), ...pictures, ...this.clock() }
      const indexing = db === null ? this.index.firstProgress() : null
      const list = { ...listSessions(entries, query, listContext), isSample: this.isSample }
      return indexing === null ? list : { ...list, indexing }
    },
    'GET /api/sessions/:id': (_query, id) => this.headOf(id),
    'GET /api/sessions/:id/first': async (_query, id) => {
      const files = await this.filesOf(id)
      const db = this.index.openNow()
      const context = this.contextOf(files, db, { isQuick: true })
      const first = await firstOf(db, files, this.index.places().source, context)
      if (first !== null) return first
      const { reader, graph } = await this.reading(id)
      if (db !== null && this.hasKin(db, graph)) context.lineage = this.lineage.of(db, this.index.version(), graph)
      return { head: withStatus(await reader.head(), context), items: await reader.items(0, 64) }
    },
    'GET /api/sessions/:id/outline': async ({ thread }, id) => {
      const { reader, graph } = await this.reading(id)
      return reader.outline(knownThread(graph, thread))
    },
    'GET /api/sessions/:id/items': async ({ thread, ...query }, id) => {
      const from = numberOf(query.from, 'from', 0)
      const to = numberOf(query.to, 'to', from)
      if (to < from || to - from > mostSlots) throw badRequest(`One answer has at most ${mostSlots} slots.`)
      const { reader, graph } = await this.reading(id)
      return reader.items(from, to, knownThread(graph, thread))
    },
    'GET /api/sessions/:id/place': async ({ event }, id) => {
      const { reader } = await this.reading(id)
      const place = event === undefined ? null : await reader.placeOf(event)
      if (place === null) throw notFound('There is no such event in this session.')
      return place
    },
    'GET /api/sessions/:id/errors': async (_query, id) => {
      const { reader } = await this.reading(id)
      return { errors: await reader.errors() }
    },
    'GET /api/sessions/:id/raw': async ({ event }, id) => {
      const { graph, files } = await this.reading(id)
      return rawRecord(eventOf(graph, event), files, this.index.places().source)
    },
    'GET /api/sessions/:id/files': async (_query, id) => {
      const { reader } = await this.reading(id)
      return { files: await reader.files() }
    },
    'GET /api/sessions/:id/diff': async ({ path }, id) => {
      const { reader } = await this.reading(id)
      return { diff: await reader.netDiff(path ?? '') }
    },
    'GET /api/sessions/:id/context': async ({ event }, id) => {
      const { reader, graph } = await this.reading(id)
      if (event !== undefined) eventOf(graph, event)
      return reader.contextAt(event ?? null)
    },
    'GET /api/sessions/:id/find': async ({ text }, id) => {
      if (!text) return { places: [], isCut: false }
      const { reader } = await this.reading(id)
      const places = await reader.find(text)
      return { places: places.slice(0, mostFound), isCut: places.length > mostFound }
    },
    'GET /api/sessions/:id/document': async ({ format }, id) => {
      const files = await this.filesOf(id)
      const known = knownHead(await this.headOf(id))
      return new WholeSession(this.clew.home, files).document(
        format === 'md' ? 'md' : 'html',
        this.clew.timezone,
        known,
      )
    },
    'GET /api/sessions/:id/fork': async (query, id) => this.newSessions.fork(await this.filesToEdit(id), query, true),
    'GET /api/sessions/:id/repair': async (_query, id) => this.newSessions.repair(await this.filesToEdit(id), true),
    'GET /api/search': async ({ q, count }) => {
      const db = await this.index.db()
      const query = { text: q ?? '', count: numberOf(count, 'count', 20), ...this.clock() }
      const version = this.index.version()
      const entryOf = (id: string) => this.entries.of(db, version, id)
      return searchSessions(db, this.index.places().source, this.clew, entryOf, query)
    },
    'GET /api/usage': async query => usageAnswer(query, await this.usageContext()),
    'GET /api/usage/csv': async query => ({ text: usageCsvText(query, await this.usageContext()) }),
    'GET /api/archive': async () => {
      const db = await this.index.db()
      return this.archiveData.answer(this.entries.all(db, this.index.version()))
    },
    'GET /api/history': async query => {
      const db = await this.index.db()
      const version = this.index.version()
      const entries = this.entries.all(db, version)
      return this.history.answer(query, { db, version, entries, places: this.index.places(), ...this.clock() })
    },
    'GET /api/health': async () => {
      const db = await this.index.db()
      const version = this.index.version()
      return this.health.answer(version, id => this.entries.of(db, version, id))
    },
    'GET /api/settings': async () => settingsAnswer(this.clew),
    'POST /api/settings': async ({ key = '', value = '' }) => {
      changeSetting(this.clew, key, value)
      // What may be archived now, is.
      if (key === 'archive' || key === 'exclude') this.index.touch()
      return settingsAnswer(this.clew)
    },
    'POST /api/archive/run': async () => {
      const report = await this.archiveData.archiveNow()
      this.index.reopen()
      this.index.touch()
      return report
    },
    'POST /api/sessions/:id/restore': async (_query, id) => {
      const report = await this.archiveData.restore(id)
      await this.changed(id)
      return report
    },
    'POST /api/sessions/:id/forget': async (_query, id) => {
      const report = await this.archiveData.forget(id)
      await this.changed(id)
      return report
    },
    'POST /api/sessions/:id/fork': async (query, id) => {
      const report = await this.newSessions.fork(await this.filesToEdit(id), query, false)
      await this.changed(report.session)
      return report
    },
    'POST /api/sessions/:id/repair': async (_query, id) => {
      const report = await this.newSessions.repair(await this.filesToEdit(id), false)
      if (report.written !== undefined) await this.changed(report.written.session)
      return report
    },
  }

  private async filesOf(session: string): Promise<SessionFiles> {
    const files = await this.open.files(session)
    if (files === null) throw noSession()
    return files
  }

  /** Of a session that a new one is made of. */
  private async filesToEdit(session: string): Promise<SessionFiles> {
    refuseChanges(this.clew, 'written', 'Your own sessions can be forked and repaired once there are some.')
    return this.filesOf(session)
  }

  async media({ event, n }: RouteQuery<'GET /api/sessions/:id/media'>, id: string): Promise<MediaBytes> {
    const { graph, files } = await this.reading(id)
    return mediaBytes(eventOf(graph, event), numberOf(n, 'n', 0), graph, files, this.index.places().source)
  }

  follow(session: string | undefined, onMessage: (message: LiveMessage) => void): () => void {
    return this.live.follow(session, onMessage)
  }

  async close(): Promise<void> {
    clearInterval(this.progressTimer)
    this.quick.end()
    await Promise.all([this.live.close(), this.health.close()])
    await this.index.close()
    this.open.drop()
  }

  /** Until there is an index, says how far it is. */
  private reportIndexing(): void {
    const { onIndexing = () => {} } = this.options
    if (this.index.openNow() !== null) return
    let isSaid = false
    this.progressTimer = setInterval(() => {
      const progress = this.index.firstProgress()
      if (progress !== null) {
        isSaid = true
        this.live.indexing(progress)
        onIndexing(progress)
      } else if (this.index.openNow() !== null) {
        clearInterval(this.progressTimer)
        this.quick.end()
        if (isSaid) onIndexing(null)
      }
    }, progressMs)
    this.progressTimer.unref()
  }

  /** Changes with anything in the list. */
  private listVersion(): string {
    const version = this.index.version()
    return version === 'none' ? `${version}.${this.quick.read}` : version
  }

  private async usageContext(): Promise<UsageContext> {
    const db = await this.index.db()
    const version = this.index.version()
    const entries = this.entries.all(db, version)
    return {
      db,
      clew: this.clew,
      entryOf: id => this.entries.of(db, version, id),
      projectName: key => entries.find(entry => entry.project === key)?.projectName,
      ...this.clock(),
    }
  }

  /** The next answer shows the change. */
  private async changed(session: string): Promise<void> {
    this.index.reopen()
    this.open.drop(session)
    await this.index.refreshNow()
    this.index.reopen()
    this.live.listChanged()
  }

  private clock(): { now: number; timezone?: string } {
    const { timezone } = this.clew
    return { now: Date.now(), ...(timezone !== undefined && { timezone }) }
  }

  private archive(): Archive | null {
    const archive = new Archive(archiveFolder(this.clew.home))
    return archive.exists ? archive : null
  }

  private async headOf(id: string): Promise<SessionHead> {
    const reading = await this.reading(id)
    const db = this.index.openNow()
    const head = await reading.reader.head()
    const context = this.contextOf(reading.files, db, { endedAt: head.endedAt })
    if (db !== null) context.lineage = this.lineage.of(db, this.index.version(), reading.graph)
    return withStatus(head, context)
  }

  private async reading(session: string): Promise<Reading> {
    const reading = await this.open.reading(session)
    if (reading === null) throw noSession()
    return reading
  }

  /** The index; null where building it takes longer than a list may take. */
  private async soonDb(): Promise<Database | null> {
    const db = this.index.openNow()
    if (db !== null || this.isLate || this.index.isRefused) return db
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<null>(resolve => {
      timer = setTimeout(() => {
        this.isLate = true
        resolve(null)
      }, patienceMs)
    })
    const built = this.index.db()
    try {
      return await Promise.race([built, late])
    } finally {
      clearTimeout(timer)
      // The next request gets the error.
      built.catch(() => {})
    }
  }

  /** From the index; a session that is too new for it, by the names of recently written files. */
  private async known(id: string): Promise<SessionFiles | null> {
    const db = await this.soonDb()
    if (db === null) return this.quick.files(id)
    const found = indexedSession(db, id)?.session
    const { isInScope } = scopeOf(this.clew)
    const isOut = isInScope !== undefined && found?.logs.every(({ path }) => !isInScope(path))
    if (found !== undefined && !isOut) return found
    await this.live.ready
    for (const path of this.live.pathsOf(id)) {
      const { sessions } = await discover(path, this.index.places().tree)
      const session = sessions.find(one => one.id === id)
      if (session !== undefined) return session
    }
    return null
  }

  /** `endedAt`: the time of the last record, where it was read; else the index knows it. */
  private contextOf(
    known: SessionFiles,
    db: Database | null,
    { isQuick = false, endedAt }: { isQuick?: boolean; endedAt?: Instant },
  ): HeadContext {
    const files = withoutGone(known)
    const facts = db === null ? undefined : indexedSession(db, files.id)?.facts
    const ended = endedAt ?? this.entryOf(files.id)?.facts.endedAt ?? null
    const context: HeadContext = {
      clew: this.clew,
      files,
      isLive: !this.isSample && isBeingWritten(files, ended, Date.now()),
      isArchived: archivedTest(this.archive())(known),
      lineage: [],
    }
    if (db === null) return context
    const version = this.index.version()
    const costs = (isQuick ? this.costs.last() : undefined) ?? this.costs.of(db, version)
    const cost = costs.get(files.id)
    const entry = this.entries.of(db, version, files.id)
    if (entry !== undefined) context.project = { key: entry.project, name: entry.projectName }
    return { ...context, ...(facts !== undefined && { facts }), ...(cost !== undefined && { cost }) }
  }

  /** Whether it is worth looking for sessions that it is linked to: a first screen should say it, and not wait for nothing. */
  private hasKin(db: Database, graph: SessionGraph): boolean {
    const { forkedFrom, continuedIn } = digestSession(graph)
    const { families } = this.pictures.of(db, this.listVersion())
    return forkedFrom.length + continuedIn.length > 0 || families.has(graph.session)
  }

  /** After a write to the session. */
  private async slotsOf(session: string): Promise<{ [thread: string]: number } | null> {
    this.open.noteWritten(session)
    const reading = await this.open.reading(session)
    return reading === null ? null : reading.reader.slotCounts()
  }

  private liveSessions(entries: readonly ListEntry[]): Set<string> {
    if (this.isSample) return new Set()
    const now = Date.now()
    const isLive = ({ session, facts }: ListEntry) => isBeingWritten(session, facts.endedAt, now)
    return this.live.sessions() ?? new Set(entries.filter(isLive).map(({ session }) => session.id as string))
  }

  /** From the index; until there is one, from the ends of its files. */
  private entryOf(session: string): ListEntry | undefined {
    const db = this.index.openNow()
    return db === null ? this.quick.entryOf(session) : this.entries.of(db, this.index.version(), session)
  }

  /** Some files are not named after their session. A map that is a little old will do. */
  private sessionAt(path: string): string | undefined {
    const now = performance.now()
    const db = now - this.byPath.atMs < pathsMs ? null : this.index.openNow()
    if (db !== null) {
      const sessions = new Map<string, string>()
      for (const { session } of this.entries.all(db, this.index.version())) {
        for (const log of session.logs) sessions.set(log.path, session.id)
      }
      this.byPath = { atMs: now, sessions }
    }
    return this.byPath.sessions.get(path)
  }
}

/** The handle that the server keeps. */
function openFor({ home, roots, isReadOnly, timezone, onProblem = () => {} }: DataOptions): Promise<Clew> {
  return openClew({
    home,
    usesSample: true,
    listener: { ...silent, note: onProblem },
    ...(roots !== undefined && { roots }),
    ...(isReadOnly !== undefined && { isReadOnly }),
    ...(timezone !== undefined && { timezone }),
  })
}

function hasMainLog(entry: ListEntry | undefined): boolean {
  return entry?.session.logs.some(log => log.role === 'session' && existsSync(log.path)) === true
}

function noSession(): Error {
  return notFound('There is no such session.', 'It may have been deleted or forgotten, or be under another root.')
}

function knownThread(graph: SessionGraph, thread: string | undefined): string | undefined {
  if (thread === undefined || thread === '') return undefined
  if (graph.threads.some(({ id }) => id === thread)) return thread
  throw notFound('There is no such thread in this session.')
}
