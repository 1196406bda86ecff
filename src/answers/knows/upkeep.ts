// Keeps a handle up to date that stays open: its index is readable at any time and refreshed in the background, and files are
// read from where they are now. What is read is up to questions.

import { archiveFolder } from '../../archive/format/layout.ts'
import { openArchiveView } from '../../archive/read/tree.ts'
import { Archive } from '../../archive/store/archive.ts'
import { hasArchive } from '../../archive/store/mode.ts'
import { diskTree } from '../../disk/discover/tree.ts'
import { BackgroundRefresh, type RefreshOutcome, type RefreshProgress } from '../../index/refresh/background.ts'
import { closedState } from '../../index/store/closed.ts'
import { currentPath, openToRead, UnusableIndexError } from '../../index/store/open.ts'
import type { Database } from '../../index/store/port.ts'
import { NewerIndexError } from '../../index/store/schema.ts'
import type { QuickRow } from '../../session/scan/quick-rows.ts'
import type { Clew, Upkeep } from '../clew.ts'
import { stateOf } from '../configured.ts'
import { conflict } from '../error.ts'
import { scopeOf } from '../scope.ts'
import { plainRefreshOptions } from './index-refresh.ts'
import { QuickList } from './quick-list.ts'
import type { UsedIndex } from './used-index.ts'

const timing = { firstMs: 700, leastPauseMs: 3_000, share: 0.15, busyMs: 5_000, idleMs: 60_000 }
// Another process builds the first index: how long and how often to wait for it.
const longestWaitMs = 300_000
const pollMs = 250
/** A database that was replaced stays open this long for queries under way. */
const retireMs = 30_000
const closeMs = 1_000

/** Where there is no index yet, a list waits this long for it. */
const patienceMs = 250

export class Background implements Upkeep {
  private readonly clew: Clew
  private readonly listeners = new Set<() => void>()
  private readonly background: BackgroundRefresh
  private opened: { path: string; db: Database } | null = null
  private readonly retired = new Set<Database>()
  private readonly quick: QuickList
  /** The last segment of the archive that was opened. */
  private segment = ''
  private refreshes = 0
  /** The index takes long to build: no list waits for it any more. */
  private isLate = false
  /** Sessions that are being written, where somebody watches. */
  watched: () => ReadonlySet<string> | null = () => null
  private isBusy = false
  private isClosed = false
  private failure: string | undefined
  private refusal: string | undefined

  /** `onRead`: called when more sessions have their titles, before there is an index. */
  constructor(clew: Clew, onRead: () => void) {
    this.clew = clew
    this.segment = clew.archive?.lastSegment() ?? ''
    this.quick = new QuickList(clew, onRead)
    this.background = new BackgroundRefresh({
      ...timing,
      options: () => plainRefreshOptions(clew),
      onOutcome: outcome => this.onOutcome(outcome),
    })
  }

  /** Begins the first refresh. */
  start(): void {
    void this.background.refresh()
  }

  /** Called after every refresh that changed something. */
  onRefreshed(listener: () => void): void {
    this.listeners.add(listener)
  }

  /** Something changed on disk. */
  touch(): void {
    this.background.touch()
  }

  /** Resolves once everything that was there before this call is in the index. */
  refreshNow(): Promise<void> {
    return this.background.refreshNow()
  }

  /** Where there is none yet, as soon as there is, no matter which process builds it. */
  private async db(): Promise<Database> {
    for (let waitedMs = 0; ; waitedMs += pollMs) {
      const db = this.openNow()
      if (db !== null) return db
      if (this.refusal !== undefined) {
        throw conflict(
          `The index cannot be read: ${this.refusal}.`,
          'Start the newer Clew, or give this one another --home.',
        )
      }
      await this.background.refresh()
      const built = this.openNow()
      if (built !== null) return built
      if (this.isClosed || !this.isBusy || waitedMs > longestWaitMs) break
      await new Promise(resolve => setTimeout(resolve, pollMs))
    }
    throw conflict('There is no index yet.', 'Run clew index refresh to build it and to see what is wrong.')
  }

  /** The database without waiting; null where there is none. */
  openNow(): Database | null {
    if (this.isClosed) return null
    this.refusal = undefined
    const path = currentPath(this.clew.home)
    if (path === null) return null
    if (this.opened?.path === path && closedState(path) !== 'changed') return this.opened.db
    this.retire()
    try {
      const db = openToRead(this.clew.home)
      if (db !== null) this.opened = { path: db.path, db }
      return db
    } catch (error) {
      // The next refresh rebuilds it.
      if (error instanceof UnusableIndexError) return null
      if (!(error instanceof NewerIndexError)) throw error
      this.refusal = error.message
      return null
    }
  }

  /** How far the first index is; null where there is one, or none is being made here. */
  firstProgress(): RefreshProgress | null {
    return this.openNow() === null ? this.background.progress() : null
  }

  /** Another database took its place: queries under way may end. */
  private retire(): void {
    const db = this.opened?.db
    this.opened = null
    if (db === undefined) return
    this.retired.add(db)
    const timer = setTimeout(() => {
      this.retired.delete(db)
      db.close()
    }, retireMs)
    timer.unref()
  }

  version(): string {
    const db = this.openNow()
    const rows = db === null ? `none.${this.quick.read}` : rowsVersion(db)
    return `${rows}.${this.refreshes}.${stateOf(this.clew.home)}`
  }

  async index(): Promise<UsedIndex | null> {
    this.lookAtArchive()
    const db = await this.soonDb()
    return db === null ? null : this.used(db)
  }

  async neededIndex(): Promise<UsedIndex> {
    this.lookAtArchive()
    return this.used(await this.db())
  }

  quickRows(): Promise<readonly QuickRow[]> {
    return this.quick.rows()
  }

  /** As far as it was found and read. */
  quickRow(session: string): QuickRow | undefined {
    return this.quick.rowOf(session)
  }

  live(): ReadonlySet<string> | null {
    return this.watched()
  }

  /** Another process may have archived, or this one. */
  lookAtArchive(): void {
    const { clew } = this
    const folder = archiveFolder(clew.home)
    const segment = hasArchive(clew.home) ? new Archive(folder).lastSegment() : ''
    if (segment === this.segment) return
    this.segment = segment
    this.refreshes++
    if (segment !== '') {
      Object.assign(clew, openArchiveView(folder, clew.listener.note))
      return
    }
    delete clew.archive
    Object.assign(clew, { tree: diskTree, source: diskTree.source })
  }

  private used(db: Database): UsedIndex {
    const { isSample, isInScope } = scopeOf(this.clew)
    const { source } = this.clew
    return { db, source, isStale: false, findings: [], isSample, ...(isInScope !== undefined && { isInScope }) }
  }

  /** Null where building it takes longer than a list may take. */
  private async soonDb(): Promise<Database | null> {
    const db = this.openNow()
    if (db !== null || this.isLate || this.refusal !== undefined) return db
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<null>(resolve => {
      timer = setTimeout(() => {
        this.isLate = true
        resolve(null)
      }, patienceMs)
    })
    const built = this.db()
    try {
      return await Promise.race([built, late])
    } finally {
      clearTimeout(timer)
      // The next request gets the error.
      built.catch(() => {})
    }
  }

  private onOutcome({ state, isChanged, reason, notArchived }: RefreshOutcome): void {
    this.isBusy = state === 'busy'
    const failure =
      reason !== undefined
        ? `The index is out of date: ${reason}`
        : notArchived !== undefined
          ? `Not everything is archived: ${notArchived}`
          : undefined
    if (failure !== undefined && failure !== this.failure) this.clew.listener.note(failure)
    this.failure = failure
    if (state !== 'done' || !isChanged) return
    this.lookAtArchive()
    for (const listener of this.listeners) listener()
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.quick.end()
    this.background.stop(closeMs)
    await this.background.finish()
    this.retire()
    for (const db of this.retired) db.close()
  }
}

/** Changes with every transaction. */
function rowsVersion(db: Database): string {
  return `${db.path.slice(-19, -7)}.${db.prepare('PRAGMA data_version').get()?.[0] ?? 0}`
}
