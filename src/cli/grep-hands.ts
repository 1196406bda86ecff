// Shares the searching among worker threads. First all of them look for files that may match, the main thread too; then
// what may match is searched, and what is found is given in the order of the sessions, while they search.

import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { GrepOptions } from './grep-events.ts'
import { bytesOfPart, type GrepPiece, type Part, rangeOf } from './grep-piece.ts'
import { type GrepBatch, GrepScanner } from './grep-scan.ts'
import { type Sieve, type Sifted, sieveOf, sieveRanges, sifted } from './grep-sieve.ts'
import { TextFilter } from './grep-texts.ts'
import { Turn } from './grep-turn.ts'
import type { OpenPlaces } from './places.ts'

/** Starting a thread takes as long as decoding, or as looking at, about this much. */
const bytesPerWorker = { decoded: 12 * 1024 * 1024, looked: 16 * 1024 * 1024 }

/** Less is decoded by the main thread before another is asked. */
const leastShared = 4 * 1024 * 1024

/** What a worker thread starts with. */
export interface GrepStart {
  options: GrepOptions
  /** Opens the same places there. */
  home: string
}
/** Looks for parts that may match, or begins with a piece, or goes on with the last one. */
export type GrepAsk = { sieve: Sieve } | { piece: GrepPiece } | { goOn: true }
export type GrepAnswer = { batch: GrepBatch | null; isLast: boolean } | { error: string }

interface Hand {
  search(piece: GrepPiece): AsyncGenerator<GrepBatch>
}

/** What of one session was found, as it comes. */
export type SessionBatches = AsyncIterable<GrepBatch>

export class GrepHands {
  private readonly options: GrepOptions
  private readonly places: OpenPlaces
  private readonly scanner: GrepScanner
  private readonly workers: WorkerHand[] = []

  constructor(options: GrepOptions, places: OpenPlaces) {
    this.options = options
    this.places = places
    this.scanner = new GrepScanner(options, places.source)
  }

  /** Starts threads for so many bytes, before it is known which ones: they need a while. */
  prepare(bytes: number): void {
    const isLooking = this.options.texts !== null
    const share = isLooking ? bytesPerWorker.looked : bytesPerWorker.decoded
    const wanted = Math.min(availableParallelism(), Math.floor(bytes / share))
    // While files are looked for, the main thread has time; when they are decoded, it prints.
    this.start(isLooking ? Math.min(wanted, availableParallelism() - 1) : wanted)
  }

  private start(count: number): void {
    if (count <= this.workers.length) return
    const file = workerFile()
    while (file !== null && this.workers.length < count) {
      this.workers.push(new WorkerHand(file, { options: this.options, home: this.places.home }))
    }
  }

  /** Which lines of each part may match, as far as bytes tell. */
  sift(parts: readonly Part[]): Sifted[] {
    const { filter } = this.scanner
    if (filter instanceof TextFilter) return parts.map(() => null)
    const sieve = sieveOf(parts.map(rangeOf))
    for (const worker of this.workers) worker.sieve(sieve)
    sieveRanges(sieve, this.places.source, filter)
    return sifted(sieve)
  }

  /** All sessions in their order, each cut into pieces; leave the loop to stop the search. */
  async *searchAll(sessions: readonly GrepPiece[][]): AsyncGenerator<SessionBatches> {
    const pieces = sessions.flat()
    const hands = this.handsFor(pieces)
    const turn = new Turn(pieces.length)
    const waiting = pieces.entries()
    const work = async (hand: Hand) => {
      for (const [at, piece] of waiting) {
        await turn.near(at)
        if (turn.isOver) return
        const box = turn.box(at)
        for await (const batch of hand.search(piece)) if (!(await box.put(batch))) break
        if (turn.isOver) return
        box.end()
      }
    }
    const working = Promise.all(hands.map(work)).catch((error: unknown) => turn.fail(error))
    try {
      let at = 0
      for (const session of sessions) {
        yield batchesOf(turn, at, at + session.length)
        at += session.length
        turn.pass(at)
      }
    } finally {
      turn.stop()
      await this.close()
      await working
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map(worker => worker.close()))
  }

  private handsFor(pieces: readonly GrepPiece[]): Hand[] {
    const bytes = pieces.reduce((sum, piece) => sum + piece.parts.reduce((all, part) => all + bytesOfPart(part), 0), 0)
    if (bytes < leastShared || pieces.length < 2) return [this.scanner]
    if (this.options.texts === null)
      this.start(Math.min(availableParallelism(), Math.ceil(bytes / bytesPerWorker.decoded)))
    // Threads that looked at bytes are there already, and the main one with them.
    const isAlone = this.options.texts === null && this.workers.length > 1
    return isAlone ? this.workers : [this.ownHand(), ...this.workers]
  }

  /** The main thread: after each piece it hears what the others say. */
  private ownHand(): Hand {
    const { scanner } = this
    return {
      async *search(piece) {
        yield* scanner.search(piece)
        await new Promise(done => setImmediate(done))
      },
    }
  }
}

async function* batchesOf(turn: Turn, from: number, to: number): AsyncGenerator<GrepBatch> {
  for (let at = from; at < to; at++) {
    turn.reach(at)
    yield* turn.box(at).take()
    turn.pass(at + 1)
  }
}

/** The built worker; null where the code runs from its sources. */
function workerFile(): string | null {
  const path = fileURLToPath(new URL('../cli/grep-worker.js', import.meta.url))
  return existsSync(path) ? path : null
}

/** A thread that searches one piece at a time and waits to be asked for more. */
class WorkerHand implements Hand {
  private readonly worker: Worker
  private settle: { done(answer: GrepAnswer | null): void; fail(error: Error): void } | undefined
  private isClosed = false
  private failure: Error | undefined

  constructor(file: string, start: GrepStart) {
    this.worker = new Worker(file, { workerData: start })
    this.worker.on('message', (answer: GrepAnswer) => this.settle?.done(answer))
    this.worker.on('error', error => this.fail(error))
    this.worker.on('exit', () => this.fail(new Error('a searching thread ended early')))
  }

  private fail(error: Error): void {
    this.failure ??= error
    this.settle?.fail(error)
  }

  /** Helps as soon as it is there; nothing is answered. */
  sieve(sieve: Sieve): void {
    this.worker.postMessage({ sieve } satisfies GrepAsk)
  }

  async *search(piece: GrepPiece): AsyncGenerator<GrepBatch> {
    let answer = await this.ask({ piece })
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
    if (this.failure !== undefined) return Promise.reject(this.failure)
    return new Promise((done, fail) => {
      this.settle = { done, fail }
      this.worker.postMessage(question)
    })
  }
}
