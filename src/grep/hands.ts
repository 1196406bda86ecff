// Shares the searching among worker threads. First all of them look for files that may match, the main thread too; then
// what may match is searched, and what is found is given in the order of the sessions, while they search.

import { availableParallelism } from 'node:os'
import { SHARE_ENV, Worker } from 'node:worker_threads'
import type { OpenPlaces } from '../archive/read/places.ts'
import { optimizeAsUsual, optimizeLate } from '../cli/terminal/late-optimizing.ts'
import { builtWorker } from '../disk/built-worker.ts'
import type { TreeFile } from '../disk/discover/tree.ts'
import type { GrepOptions } from './events.ts'
import { bytesOfPart, type Found, type GrepPiece, type LogPart, type Part, rangeOf } from './piece.ts'
import { type GrepBatch, GrepScanner } from './scan.ts'
import type { Sieve } from './sieve.ts'
import { Sifting, type Tell } from './sifting.ts'
import { tallyFor } from './tally.ts'
import { TextFilter } from './texts.ts'
import { Turn } from './turn.ts'

/** Starting a thread takes as long as decoding, or as looking at, about this much. */
const bytesPerWorker = { decoded: 12 * 1024 * 1024, looked: 16 * 1024 * 1024 }

/** Less is decoded by the main thread before another is asked. */
const leastShared = 4 * 1024 * 1024
/** More is decoded by other threads alone. */
const mostShared = 48 * 1024 * 1024

/** Up to this much, all bytes are looked at before the first match is printed. */
const mostLooked = 1024 * 1024 * 1024

const mostWorkers = availableParallelism()

/** What a worker thread starts with. */
export interface GrepStart {
  options: GrepOptions
  /** Opens the same places there. */
  home: string
}
/** Begins with a piece, or goes on with the last one of its lane. */
export type GrepAsk = { lane: number; piece?: GrepPiece }
/** `batch` is null where there is no more. */
export type GrepAnswer = { lane: number; batch: GrepBatch | null } | { lane: number; error: string }

interface Hand {
  search(piece: GrepPiece): AsyncGenerator<GrepBatch>
}

/** What of one session was found, as it comes. */
export type SessionBatches = AsyncIterable<GrepBatch>

export class GrepHands {
  private readonly options: GrepOptions
  private readonly places: OpenPlaces
  private ownScanner: GrepScanner | undefined
  private readonly workers: WorkerThread[] = []
  private readonly sifting: Sifting
  /** Of all logs that were discovered so far. */
  private metBytes = 0
  private closing: Promise<void> | undefined

  constructor(options: GrepOptions, places: OpenPlaces) {
    this.options = options
    this.places = places
    if (options.texts !== null) optimizeLate()
    this.sifting = new Sifting({
      areThere: () => this.workers.length > 0,
      sieve: sieve => {
        for (const worker of this.workers) worker.sieve(sieve)
      },
    })
  }

  /** Made when it is needed: others begin before. */
  private get scanner(): GrepScanner {
    this.ownScanner ??= new GrepScanner(this.options, this.places.source)
    return this.ownScanner
  }

  /** A log was discovered: others may begin with it while more are looked for. */
  meet(log: TreeFile): void {
    this.metBytes += log.size
    this.prepare(this.metBytes)
    if (this.options.texts !== null && this.metBytes <= mostLooked) this.sifting.meet(log)
  }

  /** Starts threads for so many bytes, before it is known which ones: they need a while. */
  prepare(bytes: number): void {
    const isLooking = this.options.texts !== null
    const share = isLooking ? bytesPerWorker.looked : bytesPerWorker.decoded
    // While bytes are looked at, the main thread has time; when they are decoded, it prints.
    this.start(Math.min(isLooking ? mostWorkers - 1 : mostWorkers, Math.floor(bytes / share)))
  }

  private start(count: number): void {
    if (count <= this.workers.length) return
    const file = builtWorker('cli/grep-worker')
    if (file !== null) optimizeAsUsual()
    while (file !== null && this.workers.length < count) {
      this.workers.push(new WorkerThread(file, { options: this.options, home: this.places.home }))
    }
  }

  /** Which lines of each part may match, as far as bytes tell; false where that was not looked for. */
  async sift(parts: readonly Part[], tell: Tell): Promise<boolean> {
    const bytes = parts.reduce((sum, part) => sum + bytesOfPart(part), 0)
    this.prepare(bytes)
    const { filter } = this.scanner
    if (filter instanceof TextFilter || bytes > mostLooked) {
      this.sifting.stop()
      return false
    }
    const looks = { source: this.places.source, filter, tally: tallyFor(this.options, filter) }
    await this.sifting.sift(parts.map(rangeOf), looks, tell)
    return true
  }

  /** Searches a part before its turn; null where too much is found to be kept until then. */
  searchEarly(part: LogPart, piece: GrepPiece): Promise<Found[] | null> {
    return this.scanner.searchEarly(part, piece)
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
      // What was found is told before all threads have ended.
      this.closing ??= this.end()
      await working
    }
  }

  async close(): Promise<void> {
    this.closing ??= this.end()
    await this.closing
  }

  private async end(): Promise<void> {
    await Promise.all(this.workers.map(worker => worker.close()))
  }

  private handsFor(pieces: readonly GrepPiece[]): Hand[] {
    const bytes = pieces.reduce((sum, piece) => sum + piece.parts.reduce((all, part) => all + bytesOfPart(part), 0), 0)
    if (bytes < leastShared || pieces.length < 2) return [this.scanner]
    // Where it takes longer than to start a thread, the main one only prints: it would not hear the others while it searches.
    const isMuch = this.options.texts === null || bytes >= mostShared
    if (isMuch) this.start(Math.min(mostWorkers, Math.ceil(bytes / bytesPerWorker.decoded)))
    const others = this.workers.flatMap(worker => worker.hands)
    return isMuch && this.workers.length > 1 ? others : [this.ownHand(), ...others]
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

/** What fails ahead is told when it is its turn. */
function ignore(): void {}

/** A thread works on the next piece while what it found in the last one is on its way. */
const lanes = 2

/** A thread that searches a piece for each lane and waits to be asked for more. */
class WorkerThread {
  readonly hands: readonly Hand[]
  private readonly worker: Worker
  private readonly waiting: (Waiting | undefined)[] = []
  private isClosed = false
  private failure: Error | undefined

  constructor(file: string, start: GrepStart) {
    this.worker = new Worker(file, { workerData: start, env: SHARE_ENV })
    this.worker.on('message', (answer: GrepAnswer) => this.waiting[answer.lane]?.done(answer))
    this.worker.on('error', error => this.fail(error))
    this.worker.on('exit', () => this.fail(new Error('a searching thread ended early')))
    this.hands = Array.from({ length: lanes }, (_, lane) => ({ search: piece => this.search(piece, lane) }))
  }

  private fail(error: Error): void {
    this.failure ??= error
    for (const one of this.waiting) one?.fail(error)
  }

  /** Helps as soon as it is there; nothing is answered. */
  sieve(sieve: Sieve): void {
    this.worker.postMessage({ sieve })
  }

  private async *search(piece: GrepPiece, lane: number): AsyncGenerator<GrepBatch> {
    let next = this.ask({ lane, piece })
    try {
      for (let answer = await next; answer !== null; answer = await next) {
        if ('error' in answer) throw new Error(answer.error)
        if (answer.batch === null) return
        // It goes on while this batch waits to be taken.
        next = this.ask({ lane })
        next.catch(ignore)
        yield answer.batch
      }
    } finally {
      // The answer must not be taken for that to the next question.
      await next.catch(ignore)
    }
  }

  async close(): Promise<void> {
    this.isClosed = true
    for (const one of this.waiting) one?.done(null)
    await this.worker.terminate()
  }

  /** Null after the search was stopped. */
  private ask(question: GrepAsk): Promise<GrepAnswer | null> {
    if (this.isClosed) return Promise.resolve(null)
    if (this.failure !== undefined) return Promise.reject(this.failure)
    return new Promise((done, fail) => {
      this.waiting[question.lane] = { done, fail }
      this.worker.postMessage(question)
    })
  }
}

interface Waiting {
  done(answer: GrepAnswer | null): void
  fail(error: Error): void
}
