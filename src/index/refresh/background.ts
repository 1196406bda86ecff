// Refreshes archive and index in a thread of their own, behind the web app and `clew watch`: some time after something
// changed, and seldom enough to cost little. What a refresh does is in refresh.ts.

import { setPriority } from 'node:os'
import { isMainThread } from 'node:worker_threads'
import { FileError } from '../../files/error.ts'
import { type Task, WorkerPool } from '../../worker/pool.ts'
import { type RefreshOptions, refreshIndex } from './refresh.ts'

/** The options that can be handed to another thread. */
export type PlainRefreshOptions = Pick<
  RefreshOptions,
  'home' | 'roots' | 'isScoped' | 'missing' | 'archiveRoots' | 'exclude' | 'waitMs'
>

export interface RefreshTaskArgs {
  options: PlainRefreshOptions
  /** Three numbers: see `cells`. */
  shared: SharedArrayBuffer
}

/** What the two threads share. `stop`: not 0, stop with what is done by then; `phase`: its place in `phases`. */
const cells = { stop: 0, phase: 1, percent: 2 } as const
const phases = [null, 'archiving', 'indexing'] as const

/** How far a refresh is with what it does now. */
export interface RefreshProgress {
  what: 'archiving' | 'indexing'
  /** From 0 to 99: what follows the last byte takes a moment, too. */
  percent: number
}

export interface RefreshOutcome {
  /** `busy`: another process writes. */
  state: 'done' | 'busy' | 'failed'
  isChanged: boolean
  /** Why it failed. */
  reason?: string
  /** Why not everything could be archived; the index is up to date all the same. */
  notArchived?: string
}

/** Never fails: what goes wrong is in the outcome. */
export const refreshTask: Task<RefreshTaskArgs, RefreshOutcome> = {
  name: 'index/refresh',
  async run({ options, shared }) {
    giveWay()
    const numbers = new Int32Array(shared)
    try {
      const isStopped = () => Atomics.load(numbers, cells.stop) !== 0
      const report = await refreshIndex({ ...options, isStopped, ...reportInto(numbers) })
      const notArchived = report.archived?.failure?.message
      return { state: 'done', isChanged: !report.isUnchanged, ...(notArchived !== undefined && { notArchived }) }
    } catch (error) {
      if (error instanceof FileError && error.code === 'locked') return { state: 'busy', isChanged: false }
      return failed(error instanceof Error ? error.message : String(error))
    } finally {
      Atomics.store(numbers, cells.phase, 0)
    }
  },
}

function reportInto(numbers: Int32Array): Required<Pick<RefreshOptions, 'begin' | 'progress'>> {
  let total = 0
  let done = 0
  return {
    begin(what, bytes) {
      total = bytes
      done = 0
      Atomics.store(numbers, cells.percent, 0)
      Atomics.store(numbers, cells.phase, phases.indexOf(what))
    },
    progress(bytes) {
      done += bytes
      Atomics.store(numbers, cells.percent, Math.min(99, Math.floor((done / Math.max(1, total)) * 100)))
    },
  }
}

function failed(reason: string): RefreshOutcome {
  return { state: 'failed', isChanged: false, reason }
}

/** On Linux a priority is that of one thread: others go first. */
function giveWay(): void {
  if (process.platform !== 'linux' || isMainThread) return
  try {
    setPriority(0, 5)
  } catch {
    // Not allowed here: it runs like any other thread.
  }
}

export interface BackgroundOptions {
  /** From the first change to a refresh, so that the many lines of one answer are one refresh. */
  firstMs: number
  /** Between two refreshes, at least. */
  leastPauseMs: number
  /** Of one core, at most. */
  share: number
  /** After another process was found writing. */
  busyMs: number
  /** The thread ends after this long without work. */
  idleMs: number
  /** Called before each refresh; null: there is nothing to refresh. */
  options(): PlainRefreshOptions | null | Promise<PlainRefreshOptions | null>
  onOutcome(outcome: RefreshOutcome): void
}

export class BackgroundRefresh {
  private readonly options: BackgroundOptions
  private readonly pool: WorkerPool
  private readonly shared = new SharedArrayBuffer(12)
  private readonly numbers = new Int32Array(this.shared)
  private timer: NodeJS.Timeout | undefined
  private running: Promise<void> | null = null
  private nextMs = 0
  private isDirty = false
  private isEnded = false

  constructor(options: BackgroundOptions) {
    this.options = options
    this.pool = new WorkerPool({ size: 1, idleMs: options.idleMs })
  }

  /** Something changed. */
  touch(): void {
    this.isDirty = true
    this.plan()
  }

  /** Joins a refresh that is running, else starts one. */
  refresh(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    this.running ??= this.refreshOnce().finally(() => {
      this.running = null
      this.plan()
    })
    return this.running
  }

  /** Resolves once everything that was there before this call is in the index. */
  async refreshNow(): Promise<void> {
    await this.running
    await this.refresh()
  }

  /** Null where no refresh runs. */
  progress(): RefreshProgress | null {
    if (this.running === null) return null
    const what = phases[Atomics.load(this.numbers, cells.phase)] ?? null
    // It has not found out yet how much there is to do.
    if (what === null) return { what: 'indexing', percent: 0 }
    return { what, percent: Atomics.load(this.numbers, cells.percent) }
  }

  /** Ends after what changed so far is in the index, unless `stop` is called. */
  async finish(): Promise<void> {
    this.isEnded = true
    clearTimeout(this.timer)
    await this.running
    if (this.isDirty && !this.isStopped) await this.refresh()
    await this.pool.close()
  }

  /** Ends within `withinMs` with what is done by then: rows and position are one transaction, so nothing is half done. */
  stop(withinMs: number): void {
    this.isEnded = true
    clearTimeout(this.timer)
    Atomics.store(this.numbers, cells.stop, 1)
    setTimeout(() => void this.pool.close(), withinMs).unref()
  }

  private get isStopped(): boolean {
    return Atomics.load(this.numbers, cells.stop) !== 0
  }

  private plan(): void {
    if (this.isEnded || !this.isDirty || this.running !== null || this.timer !== undefined) return
    const wait = Math.max(this.options.firstMs, this.nextMs - performance.now())
    this.timer = setTimeout(() => void this.refresh(), wait)
    this.timer.unref()
  }

  private async refreshOnce(): Promise<void> {
    if (this.isStopped) return
    const { leastPauseMs, share, busyMs, onOutcome } = this.options
    this.isDirty = false
    const started = performance.now()
    const options = await this.options.options()
    if (options === null) return
    const outcome = await this.pool
      .run(refreshTask, { options, shared: this.shared })
      .catch((error: Error) => (this.isStopped ? null : failed(error.message)))
    const now = performance.now()
    const tookMs = now - started
    this.nextMs = now + (outcome?.state === 'busy' ? busyMs : Math.max(leastPauseMs, tookMs / share - tookMs))
    if (outcome?.state === 'busy') this.isDirty = true
    if (outcome !== null) onOutcome(outcome)
  }
}
