// Answers of the server from what lies on this machine: the index for lists, searches and sums, the logs for what is read.
// Each method checks its question and puts parts together; the work is done elsewhere.

import { sep } from 'node:path'
import { archiveFolder } from '../../archive/format/layout.ts'
import { Archive } from '../../archive/store/archive.ts'
import { canonicalPlace } from '../../archive/store/place.ts'
import { discover } from '../../disk/discover/discover.ts'
import { sampleHome } from '../../disk/package-folder.ts'
import { hasPathsFrom, indexedSession } from '../../index/search/sessions.ts'
import type { Database } from '../../index/store/port.ts'
import type { SessionGraph } from '../../model/session.ts'
import { liveWithinMs, mainLogs, type SessionFiles } from '../../model/source.ts'
import { badQuestion, notFound } from '../http/problem.ts'
import { firstOf } from '../sessions/first.ts'
import { type HeadContext, withStanding } from '../sessions/head.ts'
import { HotSessions, type Reading } from '../sessions/hot-session.ts'
import { Kin } from '../sessions/kin.ts'
import { eventOf, mediaBytes, rawRecord } from '../sessions/record.ts'
import type { DataOptions, MediaBytes, ServerData } from './answers.ts'
import type { LiveMessage } from './api.ts'
import { type SessionCost, SessionCosts } from './costs.ts'
import { FreshIndex } from './fresh-index.ts'
import { Keeping } from './keeping.ts'
import { keptTest, type ListEntry, listSessions, numberOf, SessionEntries } from './list.ts'
import { Live } from './live.ts'
import { QuickList } from './quick-list.ts'
import { type Scope, scopeOf } from './scope.ts'
import { searchSessions } from './search.ts'
import { usageAnswer } from './usage.ts'

/** Slots that are given at once. */
const mostSlots = 512
const mostFound = 500
/** How long it is known which file belongs to which session. */
const pathsMs = 3_000
/** Where there is no index yet, so long is waited for it before a list is made without. */
const patienceMs = 1_200
const noCosts: ReadonlyMap<string, SessionCost> = new Map()

type Answer<Name extends keyof ServerData> = ServerData[Name] extends (...args: never[]) => infer Result
  ? Result
  : never
type Ask<Name extends keyof ServerData> = ServerData[Name] extends (session: string, query: infer Query) => unknown
  ? Query
  : never

export class LocalData implements ServerData {
  readonly isReadOnly: boolean
  private readonly options: DataOptions
  private readonly scope: Scope
  private readonly index: FreshIndex
  private readonly entries: SessionEntries
  private readonly costs: SessionCosts
  private readonly hot: HotSessions
  private readonly keeper: Keeping
  private readonly kin: Kin
  private readonly quick: QuickList
  private readonly live: Live
  /** Who asks next does not wait for the index either. */
  private isLate = false
  private byPath: { atMs: number; sessions: Map<string, string> } = { atMs: -pathsMs, sessions: new Map() }

  static async open(options: DataOptions): Promise<LocalData> {
    const data = new LocalData(options)
    if (data.hasSampleRows()) await data.index.refreshNow()
    else data.index.start()
    return data
  }

  private constructor(options: DataOptions) {
    const { onProblem = () => {} } = options
    this.options = options
    this.isReadOnly = options.isReadOnly === true
    this.scope = scopeOf(options)
    this.index = new FreshIndex(this.scope, onProblem)
    this.entries = new SessionEntries(this.scope)
    this.costs = new SessionCosts(this.scope)
    this.keeper = new Keeping(this.scope)
    this.kin = new Kin(this.scope)
    this.quick = new QuickList(this.scope, () => this.index.places())
    this.hot = new HotSessions({
      home: this.scope.home,
      places: () => this.index.places(),
      db: () => this.index.openNow(),
      find: id => this.known(id),
      ...(options.largeBytes !== undefined && { largeBytes: options.largeBytes }),
    })
    this.live = new Live({
      // What comes with the program does not change.
      roots: this.scope.isSample ? [] : this.scope.roots,
      onTouch: () => this.index.touch(),
      slotsOf: session => this.slotsOf(session),
      sessionAt: path => this.sessionAt(path),
      version: () => this.index.version(),
      onProblem,
    })
    this.index.onRefreshed(() => this.live.listChanged())
  }

  /** There are no sessions of one's own. */
  get isSample(): boolean {
    return this.scope.isSample
  }

  /** Says to all followers that the list may be another one. */
  tellList(): void {
    this.live.listChanged()
  }

  /** The index was made while there was nothing but the sample history: until it is fresh, it tells of that. */
  private hasSampleRows(): boolean {
    const db = this.scope.isScoped ? null : this.index.openNow()
    const sample = sampleHome()
    return db !== null && [sample, canonicalPlace(sample)].some(root => hasPathsFrom(db, root + sep))
  }

  async about(): Answer<'about'> {
    const timezone = this.timezone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone
    const { isSample } = this.scope
    return { version: this.options.version ?? '', isSample, isReadOnly: this.isReadOnly, timezone }
  }

  async list(query: Parameters<ServerData['list']>[0]): Answer<'list'> {
    const db = await this.soonDb()
    const version = this.index.version()
    const entries = db === null ? await this.quick.entries() : this.entries.all(db, version)
    const live = this.liveSessions(entries)
    const costs = db === null ? noCosts : this.costs.of(db, version)
    const standing = { version, now: Date.now(), live, costs, archive: this.archive() }
    const { timezone } = this
    const answer = listSessions(entries, query, { ...standing, ...(timezone !== undefined && { timezone }) })
    return { ...answer, isSample: this.scope.isSample }
  }

  async head(session: string): Answer<'head'> {
    const reading = await this.reading(session)
    const db = this.index.openNow()
    const context = this.contextOf(reading.files, db)
    if (db !== null) context.lineage = this.kin.of(db, this.index.version(), reading.graph)
    return withStanding(await reading.reader.head(), context)
  }

  async first(session: string): Answer<'first'> {
    const files = await this.filesOf(session)
    const db = this.index.openNow()
    const context = this.contextOf(files, db, true)
    const first = await firstOf(db, files, this.index.places().source, context)
    if (first !== null) return first
    const { reader } = await this.reading(session)
    return { head: withStanding(await reader.head(), context), items: await reader.items(0, 64) }
  }

  async outline(session: string, { thread }: Ask<'outline'>): Answer<'outline'> {
    const { reader, graph } = await this.reading(session)
    return reader.outline(knownThread(graph, thread))
  }

  async items(session: string, query: Ask<'items'>): Answer<'items'> {
    const from = numberOf(query.from, 'from', 0)
    const to = numberOf(query.to, 'to', from)
    if (to < from || to - from > mostSlots) throw badQuestion(`At most ${mostSlots} slots are given at once.`)
    const { reader, graph } = await this.reading(session)
    return reader.items(from, to, knownThread(graph, query.thread))
  }

  async place(session: string, { event }: Ask<'place'>): Answer<'place'> {
    const { reader } = await this.reading(session)
    const place = event === undefined ? null : await reader.placeOf(event)
    if (place === null) throw notFound('There is no such event in this session.')
    return place
  }

  async raw(session: string, { event }: Ask<'raw'>): Answer<'raw'> {
    const { graph, files } = await this.reading(session)
    return rawRecord(eventOf(graph, event), files, this.index.places().source)
  }

  async files(session: string): Answer<'files'> {
    const { reader } = await this.reading(session)
    return { files: await reader.files() }
  }

  async context(session: string, { event }: Ask<'context'>): Answer<'context'> {
    const { reader, graph } = await this.reading(session)
    if (event !== undefined) eventOf(graph, event)
    return reader.contextAt(event ?? null)
  }

  async find(session: string, { text }: Ask<'find'>): Answer<'find'> {
    if (!text) return { places: [], isCut: false }
    const { reader } = await this.reading(session)
    const places = await reader.find(text)
    return { places: places.slice(0, mostFound), isCut: places.length > mostFound }
  }

  async media(session: string, { event, n }: Ask<'media'>): Promise<MediaBytes> {
    const { graph, files } = await this.reading(session)
    const place = numberOf(n, 'n', 0)
    return mediaBytes(eventOf(graph, event), place, graph, files, this.index.places().source)
  }

  async search({ q, count }: Parameters<ServerData['search']>[0]): Answer<'search'> {
    const db = await this.index.db()
    const ask = { text: q ?? '', count: Math.min(100, numberOf(count, 'count', 20)), now: Date.now() }
    const { timezone } = this
    const asked = { ...ask, ...(timezone !== undefined && { timezone }) }
    return searchSessions(db, this.index.places().source, this.scope, asked)
  }

  async usage(query: Parameters<ServerData['usage']>[0]): Answer<'usage'> {
    const db = await this.index.db()
    const version = this.index.version()
    const { scope, timezone } = this
    const entryOf = (id: string) => this.entries.of(db, version, id)
    return usageAnswer(query, { db, scope, now: Date.now(), entryOf, ...(timezone !== undefined && { timezone }) })
  }

  async keeping(): Answer<'keeping'> {
    const db = await this.index.db()
    return this.keeper.answer(this.entries.all(db, this.index.version()))
  }

  async keepNow(): Answer<'keepNow'> {
    const report = await this.keeper.keepNow()
    this.index.reopen()
    this.index.touch()
    return report
  }

  async restore(session: string): Answer<'restore'> {
    const report = await this.keeper.restore(session)
    await this.changed(session)
    return report
  }

  async forget(session: string): Answer<'forget'> {
    const report = await this.keeper.forget(session)
    await this.changed(session)
    return report
  }

  follow(session: string | undefined, onMessage: (message: LiveMessage) => void): () => void {
    return this.live.follow(session, onMessage)
  }

  async close(): Promise<void> {
    await this.live.close()
    await this.index.close()
    this.hot.drop()
  }

  /** What was just changed is to be seen by whoever asks next. */
  private async changed(session: string): Promise<void> {
    this.index.reopen()
    this.hot.drop(session)
    await this.index.refreshNow()
    this.index.reopen()
    this.live.listChanged()
  }

  private get timezone(): string | undefined {
    return this.options.timezone ?? this.scope.settings.timezone
  }

  private archive(): Archive | null {
    const archive = new Archive(archiveFolder(this.scope.home))
    return archive.exists ? archive : null
  }

  private async reading(session: string): Promise<Reading> {
    const reading = await this.hot.reading(session)
    if (reading === null) throw noSession()
    return reading
  }

  private async filesOf(session: string): Promise<SessionFiles> {
    const files = await this.hot.files(session)
    if (files === null) throw noSession()
    return files
  }

  /** The index; null where it takes longer to make one than anybody would wait for a list. */
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
    const made = this.index.db()
    try {
      return await Promise.race([made, late])
    } finally {
      clearTimeout(timer)
      // Who asks next is told what is wrong.
      made.catch(() => {})
    }
  }

  /** From the index; a session that is too new for it, by the names of files that were just written. */
  private async known(id: string): Promise<SessionFiles | null> {
    const db = await this.soonDb()
    if (db === null) return this.quick.files(id)
    const found = indexedSession(db, id)?.session
    const { isInScope } = this.scope
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

  private contextOf(files: SessionFiles, db: Database | null, isQuick = false): HeadContext {
    const isLive = mainLogs(files).some(log => log.isKept !== true && Date.now() - log.modifiedMs < liveWithinMs)
    const context: HeadContext = {
      scope: this.scope,
      files,
      isLive: isLive && !this.scope.isSample,
      isKept: keptTest(this.archive())(files),
      lineage: [],
    }
    if (db === null) return context
    const facts = indexedSession(db, files.id)?.facts
    const cost = isQuick ? this.costs.lately(files.id) : this.costs.of(db, this.index.version()).get(files.id)
    return { ...context, ...(facts !== undefined && { facts }), ...(cost !== undefined && { cost }) }
  }

  /** Of a session that was just written to. */
  private async slotsOf(session: string): Promise<{ [thread: string]: number } | null> {
    this.hot.noteWritten(session)
    const reading = await this.hot.reading(session)
    return reading === null ? null : reading.reader.slotCounts()
  }

  private liveSessions(entries: readonly ListEntry[]): Set<string> {
    const { isSample } = this.scope
    if (isSample) return new Set()
    const since = Date.now() - liveWithinMs
    const isLive = ({ session }: ListEntry) => mainLogs(session).some(log => !log.isKept && log.modifiedMs > since)
    return this.live.sessions() ?? new Set(entries.filter(isLive).map(({ session }) => session.id as string))
  }

  /** Some files are not named after their session. A look that is a little old will do. */
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

function noSession(): Error {
  return notFound('There is no such session.', 'It may have been deleted or forgotten, or lie under another root.')
}

function knownThread(graph: SessionGraph, thread: string | undefined): string | undefined {
  if (thread === undefined || thread === '') return undefined
  if (graph.threads.some(({ id }) => id === thread)) return thread
  throw notFound('There is no such thread in this session.')
}
