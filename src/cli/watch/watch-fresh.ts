// Keeps archive and index fresh behind a watch: some time after something changed, seldom enough to cost little, and in a
// thread of its own, so that printing never waits for it. What a refresh does is not decided here.

import { Worker } from 'node:worker_threads'
import { escapeForLine } from '../../base/escape.ts'
import { builtWorker } from '../../disk/built-worker.ts'
import type { GlobalOptions } from '../command.ts'
import { say } from '../terminal/output.ts'

/** What the thread starts with. */
export interface FreshStart {
  home: string
  root: string[]
  isRootNamed: boolean
  /** Not 0: come to an end. */
  stop: SharedArrayBuffer
}

/** `busy`: another process is at it. */
export interface FreshAnswer {
  state: 'done' | 'busy' | 'failed'
  /** For people, said once. */
  message?: string
}

// After the first change, so that a turn's many lines are one refresh.
const firstMs = 1_000
const leastPauseMs = 4_000
/** Of one core, at most. */
const share = 0.1
// A thread that has nothing to do for so long is given up with what it remembers.
const idleMs = 120_000
// People who end a watch expect it to end: what takes longer is explained.
const patienceMs = 500
const hurryMs = 500

export class Freshener {
  private readonly start: FreshStart
  private readonly isQuiet: boolean
  private readonly stopFlag = new SharedArrayBuffer(4)
  private readonly said = new Set<string>()
  private worker: Worker | null = null
  private answered: ((answer: FreshAnswer) => void) | undefined
  private timer: NodeJS.Timeout | undefined
  private idleTimer: NodeJS.Timeout | undefined
  private running: Promise<void> | null = null
  private isDirty = false
  private isEnded = false
  private nextMs = 0

  constructor({ home, root, isRootNamed, quiet }: GlobalOptions) {
    this.start = { home, root, isRootNamed: isRootNamed === true, stop: this.stopFlag }
    this.isQuiet = quiet
  }

  /** Something changed. */
  touch(): void {
    this.isDirty = true
    this.plan()
  }

  private plan(): void {
    if (this.isEnded || !this.isDirty || this.running !== null || this.timer !== undefined) return
    const wait = Math.max(firstMs, this.nextMs - performance.now())
    this.timer = setTimeout(() => {
      this.timer = undefined
      this.refresh()
    }, wait)
  }

  private refresh(): Promise<void> {
    this.running ??= this.refreshOnce().finally(() => {
      this.running = null
      this.plan()
    })
    return this.running
  }

  private async refreshOnce(): Promise<void> {
    const file = builtWorker('cli/watch-worker')
    if (file === null) return
    this.isDirty = false
    clearTimeout(this.idleTimer)
    const started = performance.now()
    const answer = await this.ask(file)
    const tookMs = performance.now() - started
    this.nextMs = performance.now() + Math.max(leastPauseMs, tookMs / share - tookMs)
    if (answer.state === 'busy') this.isDirty = true
    if (answer.message !== undefined && !this.isQuiet && !this.said.has(answer.message)) {
      this.said.add(answer.message)
      say(`clew: ${escapeForLine(answer.message)}`)
    }
    this.idleTimer = setTimeout(() => this.giveUp(), idleMs).unref()
  }

  private ask(file: string): Promise<FreshAnswer> {
    return new Promise(done => {
      this.answered = done
      this.worker ??= this.startWorker(file)
      this.worker.postMessage('refresh')
    })
  }

  private startWorker(file: string): Worker {
    const worker = new Worker(file, { workerData: this.start })
    const fail = (reason: string) => {
      if (this.worker === worker) this.worker = null
      this.answered?.({ state: 'failed', message: `archive and index are not fresh${reason}` })
    }
    worker.on('message', (answer: FreshAnswer) => this.answered?.(answer))
    worker.on('error', error => fail(`: ${error.message}`))
    worker.on('exit', () => fail(''))
    return worker
  }

  private async giveUp(): Promise<void> {
    const { worker } = this
    this.worker = null
    this.answered = undefined
    await worker?.terminate()
  }

  /** What changed since the last refresh is still taken in, unless `hurry` is called. */
  async end(): Promise<void> {
    this.isEnded = true
    clearTimeout(this.timer)
    const patience = setTimeout(() => this.sayPatience(), patienceMs)
    await this.running
    if (this.isDirty && Atomics.load(new Int32Array(this.stopFlag), 0) === 0) await this.refresh()
    clearTimeout(patience)
    clearTimeout(this.idleTimer)
    await this.giveUp()
  }

  private sayPatience(): void {
    if (!this.isQuiet) say('clew: keeping and indexing the last lines; Ctrl-C again leaves them for the next time')
  }

  /** Comes to an end with what is done by then. */
  hurry(): void {
    Atomics.store(new Int32Array(this.stopFlag), 0, 1)
    // A thread that is ended in the middle of its work leaves nothing half done: rows and position are written together.
    setTimeout(() => this.answered?.({ state: 'failed' }), hurryMs).unref()
  }
}
