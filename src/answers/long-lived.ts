// A handle that stays open: what changes on disk is noticed, taken in and reported; sessions that are read are held for a
// while. The server has one. It answers no question about sessions itself.

import { existsSync } from 'node:fs'
import { sep } from 'node:path'
import type { Instant } from '../base/instant.ts'
import { discover } from '../disk/discover/discover.ts'
import { resolveSession } from '../disk/discover/resolve.ts'
import { sampleHome } from '../files/package-folder.ts'
import { canonicalPlace } from '../files/place.ts'
import { hasPathsFrom, indexedSession } from '../index/search/sessions.ts'
import type { SessionFiles } from '../model/source.ts'
import type { Clew } from './clew.ts'
import { notFound } from './error.ts'
import { Background } from './knows/upkeep.ts'
import { Live } from './live/live.ts'
import { type OpenOptions, openClew } from './open.ts'
import { OpenSessions, type Reading } from './reading/open-sessions.ts'
import { findScope, scopeOf } from './scope.ts'
import { knownRows, sessionsByPath } from './sessions/known.ts'
import type { IndexProgress, LiveMessage } from './shapes.ts'
import { pricingOf } from './usage/prices.ts'

export interface LongLivedOptions extends OpenOptions {
  /** From this many bytes of logs on, a session is read by slots and never held whole; 24 MiB where absent. */
  largeBytes?: number
  /** Called with how far the first index is while it is made, and with null when there is one. */
  onIndexing?: (progress: IndexProgress | null) => void
}

/** How long the map from files to sessions is used. */
const pathsMs = 3_000
/** How often the progress of the first index is reported. */
const progressMs = 400

/** Close it when done. */
export async function openLongLived(options: LongLivedOptions): Promise<LongLived> {
  const handle = new LongLived(await openClew({ ...options, usesSample: true }), options)
  await handle.start()
  return handle
}

export class LongLived {
  readonly clew: Clew
  readonly isSample: boolean
  private readonly background: Background
  private readonly open: OpenSessions
  private readonly live: Live
  private readonly onIndexing: NonNullable<LongLivedOptions['onIndexing']>
  private progressTimer: NodeJS.Timeout | undefined
  private byPath: { atMs: number; sessions: ReadonlyMap<string, string> } = { atMs: -pathsMs, sessions: new Map() }

  constructor(clew: Clew, { largeBytes, onIndexing = () => {} }: LongLivedOptions) {
    const { isSample, roots } = scopeOf(clew)
    this.clew = clew
    this.isSample = isSample
    this.onIndexing = onIndexing
    this.background = new Background(clew, () => this.live.listChanged())
    clew.upkeep = this.background
    this.open = new OpenSessions({
      home: clew.home,
      places: () => clew,
      db: () => this.background.openNow(),
      pricing: () => pricingOf(clew),
      find: id => this.find(id),
      isFollowed: id => this.live.isFollowed(id),
      ...(largeBytes !== undefined && { largeBytes }),
    })
    this.live = new Live({
      // The samples do not change.
      roots: isSample ? [] : [...roots],
      onTouch: () => this.background.touch(),
      slotsOf: session => this.slotsOf(session),
      sessionAt: path => this.sessionAt(path),
      endedAt: session => this.now(session)?.endedAt,
      hasMainLog: session => hasMainLog(this.now(session)?.session),
      version: () => this.background.version(),
      onProblem: clew.listener.note,
    })
    this.background.watched = () => this.live.sessions()
    this.background.onRefreshed(() => this.live.listChanged())
  }

  async start(): Promise<void> {
    if (this.hasSampleRows()) await this.background.refreshNow()
    else this.background.start()
    this.reportIndexing()
  }

  /** Whether the samples still stand in for sessions of the user. */
  isStillEmpty(): boolean {
    return findScope(this.clew).isSample
  }

  /** How far the first index is; null where there is one, or none is being made here. */
  indexing(): IndexProgress | null {
    return this.background.firstProgress()
  }

  /** Of a session in full, as it is now; an error where there is none. */
  async reading(session: string): Promise<Reading> {
    const reading = await this.open.reading(session)
    if (reading === null) throw noSession()
    return reading
  }

  async files(session: string): Promise<SessionFiles> {
    const files = await this.open.files(session)
    if (files === null) throw noSession()
    return files
  }

  /** The id of the session that a text names, as for commands: itself, or the one that it is the beginning of. */
  async fullId(text: string): Promise<string> {
    if ((await this.open.files(text)) !== null) return text
    const { rows } = await knownRows(this.clew)
    const named = resolveSession(
      rows.map(({ session }) => session),
      text,
    )
    if ('found' in named) return named.found.id
    if ('none' in named) throw noSession()
    throw notFound(`${named.candidates.length} sessions begin with ${text}.`, 'Write more of the id.')
  }

  /** Reports changes until it is stopped; `session` undefined: of the list only. `onMessage` must not wait. */
  follow(session: string | undefined, onMessage: (message: LiveMessage) => void): () => void {
    return this.live.follow(session, onMessage)
  }

  /** Sends it to all followers. */
  report(message: LiveMessage): void {
    this.live.report(message)
  }

  /** Makes all followers load the list again. */
  listChanged(): void {
    this.live.listChanged()
  }

  /** Something was changed from here: it is taken in soon. */
  touch(): void {
    this.background.touch()
  }

  /** The next answer shows what was changed from here. */
  async changed(session: string): Promise<void> {
    this.open.drop(session)
    await this.background.refreshNow()
    this.background.lookAtArchive()
    this.live.listChanged()
  }

  async close(): Promise<void> {
    clearInterval(this.progressTimer)
    await this.live.close()
    await this.background.close()
    this.open.drop()
  }

  /** The index was built from the samples alone: until it is refreshed, it lists them. */
  private hasSampleRows(): boolean {
    const db = scopeOf(this.clew).isScoped ? null : this.background.openNow()
    const sample = sampleHome()
    return db !== null && [sample, canonicalPlace(sample)].some(root => hasPathsFrom(db, root + sep))
  }

  /** Until there is an index, says how far it is. */
  private reportIndexing(): void {
    if (this.background.openNow() !== null) return
    let isSaid = false
    this.progressTimer = setInterval(() => {
      const progress = this.background.firstProgress()
      if (progress !== null) {
        isSaid = true
        this.live.report({ type: 'indexing', ...progress })
        this.onIndexing(progress)
      } else if (this.background.openNow() !== null) {
        clearInterval(this.progressTimer)
        if (isSaid) this.onIndexing(null)
      }
    }, progressMs)
    this.progressTimer.unref()
  }

  /** From the index; a session that is too new for it, by the names of recently written files. */
  private async find(id: string): Promise<SessionFiles | null> {
    const index = await this.background.index()
    if (index === null) {
      await this.background.quickRows()
      return this.background.quickRow(id)?.session ?? null
    }
    const { db, isInScope } = index
    const found = indexedSession(db, id)?.session
    const isOut = isInScope !== undefined && found?.logs.every(({ path }) => !isInScope(path))
    if (found !== undefined && !isOut) return found
    await this.live.ready
    for (const path of this.live.pathsOf(id)) {
      const { sessions } = await discover(path, this.clew.tree)
      const session = sessions.find(one => one.id === id)
      if (session !== undefined) return session
    }
    return null
  }

  /** After a write to the session. */
  private async slotsOf(session: string): Promise<{ [thread: string]: number } | null> {
    this.open.noteWritten(session)
    const reading = await this.open.reading(session)
    return reading === null ? null : reading.reader.slotCounts()
  }

  /** What is known of a session without waiting. */
  private now(session: string): { session: SessionFiles; endedAt: Instant } | undefined {
    const db = this.background.openNow()
    if (db === null) return this.background.quickRow(session)
    const known = indexedSession(db, session)
    return known === null ? undefined : { session: known.session, endedAt: known.facts.endedAt }
  }

  /** Some files are not named after their session. A map that is a little old will do. */
  private sessionAt(path: string): string | undefined {
    const atMs = performance.now()
    if (atMs - this.byPath.atMs >= pathsMs) {
      this.byPath = { ...this.byPath, atMs }
      void sessionsByPath(this.clew).then(
        sessions => {
          this.byPath = { atMs, sessions }
        },
        () => {},
      )
    }
    return this.byPath.sessions.get(path)
  }
}

function hasMainLog(session: SessionFiles | undefined): boolean {
  return session?.logs.some(log => log.role === 'session' && existsSync(log.path)) === true
}

function noSession(): Error {
  return notFound('There is no such session.', 'It may have been deleted or forgotten, or be under another root.')
}
