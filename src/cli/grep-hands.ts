// Shares the searching of sessions among worker threads and gives what they find in the order of the sessions, while they
// search. What is found early waits; who is too far ahead waits too, so that memory stays small whatever is found.

import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { type GrepBatch, type GrepOptions, GrepScanner, type GrepTask } from './grep-scan.ts'
import { bytesOf } from './list-row.ts'
import type { OpenPlaces } from './places.ts'

/** Starting a thread takes as long as decoding, or as looking at, about this much. */
const bytesPerWorker = { decoded: 16 * 1024 * 1024, filtered: 256 * 1024 * 1024 }
/** So many sessions may be searched before their turn. */
const mostAhead = 64
/** So many batches of a session may wait for their turn. */
const mostWaiting = 4

/** What a worker thread starts with. */
export interface GrepStart {
  options: GrepOptions
  /** Opens the same places there. */
  home: string
}
/** Begins with a session, or goes on with the last one. */
export type GrepAsk = { task: GrepTask } | { goOn: true }
export type GrepAnswer = { batch: GrepBatch | null; isLast: boolean } | { error: string }

interface Hand {
  search(task: GrepTask): AsyncGenerator<GrepBatch>
  close(): Promise<unknown>
}

/** What of one session was found, as it comes. */
export interface SessionBatches {
  task: GrepTask
  batches: AsyncIterable<GrepBatch>
}

/** All sessions in their order; leave the loop to stop the search. */
export async function* searchAll(
  tasks: readonly GrepTask[],
  options: GrepOptions,
  places: OpenPlaces,
): AsyncGenerator<SessionBatches> {
  const hands = handsFor(tasks, options, places)
  const turn = new Turn(tasks.length)
  const waiting = tasks.entries()
  const work = async (hand: Hand) => {
    for (const [at, task] of waiting) {
      await turn.near(at)
      if (turn.isOver) return
      const box = turn.box(at)
      for await (const batch of hand.search(task)) {
        await box.put(batch)
        if (turn.isOver) return
      }
      box.end()
    }
  }
  const working = Promise.all(hands.map(work)).catch((error: unknown) => turn.fail(error))
  try {
    for (const [at, task] of tasks.entries()) {
      turn.reach(at)
      yield { task, batches: turn.box(at).take() }
      turn.drop(at)
    }
  } finally {
    turn.stop()
    await Promise.all(hands.map(hand => hand.close()))
    await working
  }
}

/** Whose turn it is, with a box for each session that is near it. */
class Turn {
  isOver = false
  private reached = 0
  private readonly boxes = new Map<number, Box>()
  private readonly count: number
  private wake: (() => void)[] = []
  private failure: { error: unknown } | undefined

  constructor(count: number) {
    this.count = count
  }

  box(at: number): Box {
    const box = this.boxes.get(at) ?? new Box()
    this.boxes.set(at, box)
    if (this.failure) box.fail(this.failure.error)
    return box
  }

  drop(at: number): void {
    this.boxes.delete(at)
  }

  reach(at: number): void {
    this.reached = Math.min(at, this.count)
    this.wakeAll()
  }

  async near(at: number): Promise<void> {
    while (!this.isOver && at > this.reached + mostAhead) await new Promise<void>(done => this.wake.push(done))
  }

  stop(): void {
    this.isOver = true
    this.wakeAll()
    for (const box of this.boxes.values()) box.open()
  }

  /** Whoever waits for a box learns of it. */
  fail(error: unknown): void {
    if (this.isOver) return
    this.failure = { error }
    for (const box of this.boxes.values()) box.fail(error)
  }

  private wakeAll(): void {
    for (const done of this.wake.splice(0)) done()
  }
}

/** Batches of one session between who finds and who prints them. */
class Box {
  private readonly batches: GrepBatch[] = []
  private isEnded = false
  private isOpen = false
  private failure: { error: unknown } | undefined
  private changed: (() => void)[] = []

  /** Waits while too much is in it. */
  async put(batch: GrepBatch): Promise<void> {
    this.batches.push(batch)
    this.wake()
    while (!this.isOpen && this.batches.length >= mostWaiting) await this.change()
  }

  end(): void {
    this.isEnded = true
    this.wake()
  }

  fail(error: unknown): void {
    this.failure = { error }
    this.wake()
  }

  /** Nobody takes from it any more. */
  open(): void {
    this.isOpen = true
    this.wake()
  }

  async *take(): AsyncGenerator<GrepBatch> {
    for (;;) {
      const batch = this.batches.shift()
      if (batch !== undefined) {
        this.wake()
        yield batch
      } else if (this.failure !== undefined) {
        throw this.failure.error
      } else if (this.isEnded) {
        return
      } else {
        await this.change()
      }
    }
  }

  private change(): Promise<void> {
    return new Promise(done => this.changed.push(done))
  }

  private wake(): void {
    for (const done of this.changed.splice(0)) done()
  }
}

function handsFor(tasks: readonly GrepTask[], options: GrepOptions, { home, source }: OpenPlaces): Hand[] {
  const file = workerFile()
  const bytes = tasks.reduce((sum, { session }) => sum + bytesOf(session), 0)
  const share = options.texts === null ? bytesPerWorker.decoded : bytesPerWorker.filtered
  const useful = Math.min(availableParallelism(), tasks.length, Math.floor(bytes / share))
  if (file === null || useful < 2) {
    const scanner = new GrepScanner(options, source)
    return [{ search: task => scanner.search(task), close: async () => {} }]
  }
  return Array.from({ length: useful }, () => new WorkerHand(file, { options, home }))
}

/** The built worker; null where the code runs from its sources. */
function workerFile(): string | null {
  const path = fileURLToPath(new URL('../cli/grep-worker.js', import.meta.url))
  return existsSync(path) ? path : null
}

/** A thread that searches one session at a time and waits to be asked for more. */
class WorkerHand implements Hand {
  private readonly worker: Worker
  private settle: { done(answer: GrepAnswer | null): void; fail(error: Error): void } | undefined
  private isClosed = false

  constructor(file: string, start: GrepStart) {
    this.worker = new Worker(file, { workerData: start })
    this.worker.on('message', (answer: GrepAnswer) => this.settle?.done(answer))
    this.worker.on('error', error => this.settle?.fail(error))
    this.worker.on('exit', () => this.settle?.fail(new Error('a searching thread ended early')))
  }

  async *search({ session, countsTimeless }: GrepTask): AsyncGenerator<GrepBatch> {
    let answer = await this.ask({ task: { session: { ...session, side: [] }, countsTimeless } })
    while (answer !== null) {
      if ('error' in answer) throw new Error(answer.error)
      if (answer.batch !== null) yield answer.batch
      if (answer.isLast) return
      answer = await this.ask({ goOn: true })
    }
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.settle?.done(null)
    await this.worker.terminate()
  }

  /** Null after the search was stopped. */
  private ask(question: GrepAsk): Promise<GrepAnswer | null> {
    if (this.isClosed) return Promise.resolve(null)
    return new Promise((done, fail) => {
      this.settle = { done, fail }
      this.worker.postMessage(question)
    })
  }
}
