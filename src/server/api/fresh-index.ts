// The index behind the server: asked at any time, refreshed behind everybody's back, in a thread of its own where there is
// one. What is asked of it is decided elsewhere.

import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { archiveFolder, layoutOf } from '../../archive/format/layout.ts'
import { openKept } from '../../archive/read/kept.ts'
import { builtWorker } from '../../disk/built-worker.ts'
import { diskTree, type FileTree } from '../../disk/discover/tree.ts'
import { currentPath, openToRead, UnusableIndexError } from '../../index/store/open.ts'
import type { Database } from '../../index/store/port.ts'
import { NewerIndexError } from '../../index/store/schema.ts'
import type { ByteSource } from '../../model/source.ts'
import { conflict } from '../http/problem.ts'
import { type FreshAnswer, type FreshStart, freshAnswer } from './fresh-answer.ts'
import type { Scope } from './scope.ts'

// After the first change, so that a turn's many lines are one refresh; then seldom enough to cost little.
const firstMs = 700
const leastPauseMs = 3_000
/** Of one core, at most. */
const share = 0.15
const busyMs = 5_000
// Somebody else makes the first index: how long and how often that is waited for.
const longestWaitMs = 300_000
const pollMs = 250
// A thread that has nothing to do for so long is given up with what it remembers.
const idleMs = 60_000
const retireMs = 30_000

export interface Places {
  tree: FileTree
  source: ByteSource
}

export class FreshIndex {
  private readonly scope: Scope
  private readonly onProblem: (message: string) => void
  private readonly listeners = new Set<() => void>()
  private readonly stop = new SharedArrayBuffer(4)
  private opened: { path: string; db: Database } | null = null
  private readonly retired = new Set<Database>()
  private known: (Places & { segment: number }) | null = null
  private refreshes = 0
  private worker: Worker | null = null
  private answered: ((answer: FreshAnswer) => void) | undefined
  private running: Promise<void> | null = null
  private timer: NodeJS.Timeout | undefined
  private idleTimer: NodeJS.Timeout | undefined
  private nextMs = 0
  private isDirty = false
  private isBusy = false
  private isClosed = false
  private failure: string | undefined
  private refusal: string | undefined

  constructor(scope: Scope, onProblem: (message: string) => void) {
    this.scope = scope
    this.onProblem = onProblem
  }

  /** Begins the first refresh. */
  start(): void {
    this.isDirty = true
    void this.refresh()
  }

  /** Called after every refresh that changed something. */
  onRefreshed(listener: () => void): void {
    this.listeners.add(listener)
  }

  /** Something changed on disk. */
  touch(): void {
    this.isDirty = true
    this.plan()
  }

  /** Resolves when everything that was there when this was called is in the index. */
  async refreshNow(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    await this.running
    this.isDirty = true
    await this.refresh()
  }

  /** The database; where there is none yet, as soon as there is, whoever makes it. */
  async db(): Promise<Database> {
    for (let waitedMs = 0; ; waitedMs += pollMs) {
      const db = this.openNow()
      if (db !== null) return db
      if (this.refusal !== undefined) {
        throw conflict(
          `There is no index to ask: ${this.refusal}.`,
          'Start the newer Clew, or give this one a --home of its own.',
        )
      }
      this.isDirty = true
      await this.refresh()
      const made = this.openNow()
      if (made !== null) return made
      if (this.isClosed || !this.isBusy || waitedMs > longestWaitMs) break
      await new Promise(resolve => setTimeout(resolve, pollMs))
    }
    throw conflict('There is no index yet.', 'clew index refresh makes one and says what is wrong.')
  }

  /** The same at once; null where there is none. */
  openNow(): Database | null {
    if (this.isClosed) return null
    this.refusal = undefined
    const path = currentPath(this.scope.home)
    if (path === null) return null
    if (this.opened?.path === path) return this.opened.db
    this.retire()
    try {
      const db = openToRead(this.scope.home)
      if (db !== null) this.opened = { path: db.path, db }
      return db
    } catch (error) {
      // It is made anew by the refresh that is due.
      if (error instanceof UnusableIndexError) return null
      if (!(error instanceof NewerIndexError)) throw error
      this.refusal = error.message
      return null
    }
  }

  /** There is one that this Clew cannot read, and must not replace. */
  get isRefused(): boolean {
    return this.refusal !== undefined
  }

  /** Another one took its place: who is in the middle of a question may end it. */
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

  /** Another text whenever rows may be others. */
  version(): string {
    const db = this.openNow()
    if (db === null) return 'none'
    return `${db.path.slice(-19, -7)}.${db.prepare('PRAGMA data_version').get()?.[0] ?? 0}`
  }

  /** Where files are and their bytes come from, what is kept included. */
  places(): Places {
    const { refreshes } = this
    if (this.known?.segment === refreshes) return this.known
    const folder = archiveFolder(this.scope.home)
    const hasArchive = existsSync(layoutOf(folder).manifest)
    const { tree, source } = hasArchive ? openKept(folder, this.onProblem) : { tree: diskTree, source: diskTree.source }
    this.known = { tree, source, segment: refreshes }
    return this.known
  }

  /** What is kept is no longer what it was. */
  reopen(): void {
    this.known = null
  }

  private plan(): void {
    if (this.isClosed || !this.isDirty || this.running !== null || this.timer !== undefined) return
    const wait = Math.max(firstMs, this.nextMs - performance.now())
    this.timer = setTimeout(() => {
      this.timer = undefined
      void this.refresh()
    }, wait)
    this.timer.unref()
  }

  private refresh(): Promise<void> {
    this.running ??= this.refreshOnce().finally(() => {
      this.running = null
      this.plan()
    })
    return this.running
  }

  private async refreshOnce(): Promise<void> {
    if (this.isClosed) return
    this.isDirty = false
    clearTimeout(this.idleTimer)
    const started = performance.now()
    const answer = await this.ask()
    const tookMs = performance.now() - started
    const pauseMs = Math.max(leastPauseMs, tookMs / share - tookMs)
    this.nextMs = performance.now() + (answer.state === 'busy' ? busyMs : pauseMs)
    this.isBusy = answer.state === 'busy'
    if (this.isBusy) this.isDirty = true
    if (answer.message !== undefined && answer.message !== this.failure) this.onProblem(answer.message)
    this.failure = answer.message
    this.idleTimer = setTimeout(() => this.giveUp(), idleMs).unref()
    if (answer.state !== 'done' || !answer.isChanged) return
    this.refreshes++
    for (const listener of this.listeners) listener()
  }

  private ask(): Promise<FreshAnswer> {
    const { scope } = this
    const start: FreshStart = { scope: { ...plainScope(scope) }, stop: this.stop }
    const file = builtWorker('server/fresh-worker')
    if (file === null) return freshAnswer(start)
    return new Promise(done => {
      this.answered = done
      this.worker ??= this.startWorker(file, start)
      this.worker.postMessage('refresh')
    })
  }

  private startWorker(file: string, start: FreshStart): Worker {
    const worker = new Worker(file, { workerData: start })
    const fail = (reason: string) => {
      if (this.worker === worker) this.worker = null
      this.answered?.({ state: 'failed', isChanged: false, message: `The index is not fresh${reason}.` })
    }
    worker.on('message', (answer: FreshAnswer) => this.answered?.(answer))
    worker.on('error', error => fail(`: ${error.message}`))
    worker.on('exit', () => fail(''))
    // It must not keep a process alive that is about to end.
    worker.unref()
    return worker
  }

  private async giveUp(): Promise<void> {
    const { worker } = this
    this.worker = null
    this.answered = undefined
    await worker?.terminate()
  }

  /** Comes to an end with what is done by then: rows and position are written together, so nothing is half done. */
  async close(): Promise<void> {
    this.isClosed = true
    Atomics.store(new Int32Array(this.stop), 0, 1)
    clearTimeout(this.timer)
    clearTimeout(this.idleTimer)
    const { running } = this
    if (this.worker !== null) setTimeout(() => this.answered?.({ state: 'failed', isChanged: false }), 1_000).unref()
    await running
    await this.giveUp()
    this.retire()
    for (const db of this.retired) db.close()
  }
}

/** What can be handed to another thread. */
function plainScope({ isInScope: _isInScope, settings, ...rest }: Scope): FreshStart['scope'] {
  const { prices: _prices, ...plain } = settings
  return { ...rest, settings: plain }
}
