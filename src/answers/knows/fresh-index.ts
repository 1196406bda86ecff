// The index behind the server: readable at any time, refreshed in the background. What is read from it is up to the callers.

import { existsSync } from 'node:fs'
import { archiveFolder, layoutOf } from '../../archive/format/layout.ts'
import { openArchiveView } from '../../archive/read/tree.ts'
import { diskTree, type FileTree } from '../../disk/discover/tree.ts'
import {
  BackgroundRefresh,
  type PlainRefreshOptions,
  type RefreshOutcome,
  type RefreshProgress,
} from '../../index/refresh/background.ts'
import { closedState } from '../../index/store/closed.ts'
import { currentPath, openToRead, UnusableIndexError } from '../../index/store/open.ts'
import type { Database } from '../../index/store/port.ts'
import { NewerIndexError } from '../../index/store/schema.ts'
import type { ByteSource } from '../../model/source.ts'
import type { Clew } from '../clew.ts'
import { conflict } from '../error.ts'
import { refreshOptions } from './index-refresh.ts'

const timing = { firstMs: 700, leastPauseMs: 3_000, share: 0.15, busyMs: 5_000, idleMs: 60_000 }
// Another process builds the first index: how long and how often to wait for it.
const longestWaitMs = 300_000
const pollMs = 250
/** A database that was replaced stays open this long for queries under way. */
const retireMs = 30_000
const closeMs = 1_000

export interface Places {
  tree: FileTree
  source: ByteSource
}

export class FreshIndex {
  private readonly clew: Clew
  private readonly listeners = new Set<() => void>()
  private readonly background: BackgroundRefresh
  private opened: { path: string; db: Database } | null = null
  private readonly retired = new Set<Database>()
  private known: (Places & { refreshes: number }) | null = null
  private refreshes = 0
  private isBusy = false
  private isClosed = false
  private failure: string | undefined
  private refusal: string | undefined

  constructor(clew: Clew) {
    this.clew = clew
    this.background = new BackgroundRefresh({
      ...timing,
      options: () => plainOptions(clew),
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

  /** The database; where there is none yet, as soon as there is, no matter which process builds it. */
  async db(): Promise<Database> {
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

  /** There is an index that this version of Clew cannot read, and must not replace. */
  get isRefused(): boolean {
    return this.refusal !== undefined
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

  /** Changes whenever rows may have changed. */
  version(): string {
    const db = this.openNow()
    if (db === null) return 'none'
    return `${db.path.slice(-19, -7)}.${db.prepare('PRAGMA data_version').get()?.[0] ?? 0}`
  }

  /** Where files are and their bytes come from, the archive included. */
  places(): Places {
    const { refreshes } = this
    if (this.known?.refreshes === refreshes) return this.known
    const folder = archiveFolder(this.clew.home)
    const hasArchive = existsSync(layoutOf(folder).manifest)
    const { tree, source } = hasArchive
      ? openArchiveView(folder, this.clew.listener.note)
      : { tree: diskTree, source: diskTree.source }
    this.known = { tree, source, refreshes }
    return this.known
  }

  /** The archive changed. */
  reopen(): void {
    this.known = null
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
    this.refreshes++
    for (const listener of this.listeners) listener()
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.background.stop(closeMs)
    await this.background.finish()
    this.retire()
    for (const db of this.retired) db.close()
  }
}

/** A thread has no listener to hand over. */
function plainOptions(clew: Clew): PlainRefreshOptions {
  const { onWait: _, ...options } = refreshOptions(clew, { waitMs: 0 })
  return options
}
