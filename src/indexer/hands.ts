// Who reads logs for the index: worker threads where there is enough to read, else this thread. Batches come back one at a
// time, and only as fast as they are taken.

import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { ByteSource } from '../model/source.ts'
import { GivenTexts } from './extract.ts'
import { answerOf, readTask, type TaskFailure } from './read-task.ts'
import type { FileTask, RowBatch } from './rows.ts'

/** `isNew`: what is kept may be more than it was, so the source is opened anew. */
export type ToWorker = { task: FileTask } | { credit: number } | { isNew: true }
export type Answer = { batch: RowBatch } | ({ file: number } & TaskFailure)

/** Starting a thread takes as long as reading about this much. */
const bytesPerWorker = 12 * 1024 * 1024
/** Batches that one thread may be ahead of the writer. */
const batchesAhead = 2
/** Files that a thread knows of, so that it need not wait for the next one. */
const tasksAhead = 2

/** Threads are made when they are first of use, and stay until they are closed. */
export class Readers {
  private readonly open: () => ByteSource
  private readonly home: string
  private hands: Hand[] = []

  /** `open`: for what is read in this thread. `home`: Clew's own folder, for threads that open the same source. */
  constructor(open: () => ByteSource, home: string) {
    this.open = open
    this.home = home
  }

  /** The answers for all tasks; those of one file come in order. One reading at a time. */
  read(tasks: readonly FileTask[]): AsyncGenerator<Answer> {
    const bytes = tasks.reduce((sum, task) => sum + task.size - task.indexed, 0)
    const useful = Math.min(availableParallelism(), tasks.length, Math.floor(bytes / bytesPerWorker))
    const file = workerFile()
    if (file === null || (useful < 1 && this.hands.length === 0)) return this.readHere(tasks)
    return this.readThere(tasks, file, useful)
  }

  async close(): Promise<void> {
    const { hands } = this
    this.hands = []
    await Promise.all(hands.map(hand => hand.close()))
  }

  private async *readHere(tasks: readonly FileTask[]): AsyncGenerator<Answer> {
    const given = new GivenTexts()
    const source = this.open()
    for (const task of tasks) {
      try {
        for await (const batch of readTask(task, source, given)) yield { batch }
      } catch (error) {
        yield { file: task.file, ...answerOf(error) }
      }
    }
  }

  private async *readThere(tasks: readonly FileTask[], file: string, useful: number): AsyncGenerator<Answer> {
    const inbox = new Inbox()
    for (const hand of this.hands) hand.begin(inbox)
    while (this.hands.length < useful) this.hands.push(new Hand(file, this.home, inbox))
    const waiting = tasks.values()
    let open = tasks.length
    for (let n = 0; n < tasksAhead; n++) for (const hand of this.hands) hand.giveNext(waiting)
    try {
      while (open > 0) {
        const { hand, answer } = await inbox.next()
        if (answer instanceof Error) throw answer
        if (!('batch' in answer) || answer.batch.isLast) {
          open--
          hand.giveNext(waiting)
        }
        yield answer
        if ('batch' in answer) hand.credit()
      }
    } finally {
      // Threads that were stopped in the middle would go on with what nobody asked for any more.
      if (open > 0) await this.close()
    }
  }
}

/** The built worker; null where the code runs from its sources. */
function workerFile(): string | null {
  const path = fileURLToPath(new URL('../indexer/index-worker.js', import.meta.url))
  return existsSync(path) ? path : null
}

interface Letter {
  hand: Hand
  answer: Answer | Error
}

class Inbox {
  private readonly letters: Letter[] = []
  private wake = () => {}

  put(letter: Letter): void {
    this.letters.push(letter)
    this.wake()
  }

  async next(): Promise<Letter> {
    for (;;) {
      const letter = this.letters.shift()
      if (letter !== undefined) return letter
      await new Promise<void>(done => {
        this.wake = done
      })
    }
  }
}

class Hand {
  private readonly worker: Worker
  private inbox: Inbox
  private isClosed = false

  constructor(file: string, home: string, inbox: Inbox) {
    this.inbox = inbox
    this.worker = new Worker(file, {
      workerData: { home },
      resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 },
    })
    this.worker.on('message', (answer: Answer) => this.inbox.put({ hand: this, answer }))
    this.worker.on('error', error => this.inbox.put({ hand: this, answer: error as Error }))
    this.worker.on('exit', () => {
      const answer = new Error('a reading thread ended early')
      if (!this.isClosed) this.inbox.put({ hand: this, answer })
    })
    this.send({ credit: batchesAhead })
  }

  /** A further reading. */
  begin(inbox: Inbox): void {
    this.inbox = inbox
    this.send({ isNew: true })
  }

  giveNext(tasks: IterableIterator<FileTask>): void {
    const next = tasks.next()
    if (next.done !== true) this.send({ task: next.value })
  }

  credit(): void {
    this.send({ credit: 1 })
  }

  private send(message: ToWorker): void {
    this.worker.postMessage(message)
  }

  async close(): Promise<void> {
    this.isClosed = true
    await this.worker.terminate()
  }
}
