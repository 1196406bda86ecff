// Who reads logs for the index: worker threads where there is enough to read, else this thread. Batches come back one at a
// time, and only as fast as they are taken.

import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { builtWorker } from '../../disk/built-worker.ts'
import type { ByteSource } from '../../model/source.ts'
import { taskSource } from '../store/source.ts'
import { answerOf, readTask, type TaskFailure } from './read-task.ts'
import type { FileTask, RowBatch } from './rows.ts'
import type { TaskQueue } from './tasks.ts'

/** `isNew`: what is kept may be more than it was, so the source is opened anew. */
export type ToWorker = { task: FileTask } | { credit: number } | { isNew: true }
export type Answer = { batch: RowBatch } | ({ file: number } & TaskFailure)

/** Starting a thread takes as long as reading about this much. */
const bytesPerWorker = 12 * 1024 * 1024
/** Batches that one thread may be ahead of the writer. */
const batchesAhead = 4
/** Files that a thread knows of, so that it need not wait for the next one. */
const tasksAhead = 8

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

  /**
   * The answers for all tasks; those of one file come in order. One reading at a time. `bytes`: how much there will be, where
   * the queue does not have all of it yet.
   */
  read(tasks: TaskQueue, bytes = tasks.bytes): AsyncGenerator<Answer> {
    // One core is left to the writer, who has as much to do.
    const cores = Math.max(1, availableParallelism() - 1)
    const useful = Math.min(cores, Math.floor(bytes / bytesPerWorker))
    const file = builtWorker('indexer/index-worker')
    if (file === null || (useful < 1 && this.hands.length === 0)) return this.readHere(tasks)
    return this.readThere(tasks, file, useful)
  }

  async close(): Promise<void> {
    const { hands } = this
    this.hands = []
    await Promise.all(hands.map(hand => hand.close()))
  }

  private async *readHere(tasks: TaskQueue): AsyncGenerator<Answer> {
    const source = this.open()
    for (;;) {
      const task = tasks.take()
      if (task !== undefined) yield* this.readOne(task, source)
      else if (tasks.isDone) return
      else await changeOf(tasks)
    }
  }

  private async *readOne(task: FileTask, source: ByteSource): AsyncGenerator<Answer> {
    try {
      const own = taskSource(task, () => source)
      for await (const batch of readTask(task, own)) yield { batch }
    } catch (error) {
      yield { file: task.file, ...answerOf(error) }
    }
  }

  private async *readThere(tasks: TaskQueue, file: string, useful: number): AsyncGenerator<Answer> {
    const inbox = new Inbox()
    for (const hand of this.hands) hand.begin(inbox)
    let open = 0
    const deal = () => {
      // What is still to come is worth being ready for.
      const wanted = tasks.isOpen ? useful : Math.min(useful, open + tasks.left)
      while (this.hands.length < wanted) this.hands.push(new Hand(file, this.home, inbox))
      for (const hand of this.idlestFirst()) while (hand.tasks < tasksAhead && hand.give(tasks.take())) open++
    }
    tasks.onChange = () => {
      deal()
      inbox.wake()
    }
    deal()
    try {
      while (open > 0 || !tasks.isDone) {
        const letter = inbox.take()
        if (letter === undefined) {
          await inbox.change()
          continue
        }
        const { hand, answer } = letter
        if (answer instanceof Error) throw answer
        if (!('batch' in answer) || answer.batch.isLast) {
          open--
          hand.tasks--
          deal()
        }
        yield answer
        if ('batch' in answer) hand.credit()
      }
    } finally {
      tasks.onChange = () => {}
      // Threads that were stopped in the middle would go on with what nobody asked for any more.
      if (open > 0) await this.close()
    }
  }

  private idlestFirst(): Hand[] {
    return [...this.hands].sort((one, other) => one.tasks - other.tasks)
  }
}

function changeOf(tasks: TaskQueue): Promise<void> {
  return new Promise(done => {
    tasks.onChange = done
  })
}

interface Letter {
  hand: Hand
  answer: Answer | Error
}

class Inbox {
  private readonly letters: Letter[] = []
  wake = () => {}

  put(letter: Letter): void {
    this.letters.push(letter)
    this.wake()
  }

  take(): Letter | undefined {
    return this.letters.shift()
  }

  /** Until something is put, or somebody wakes it. */
  async change(): Promise<void> {
    await new Promise<void>(done => {
      this.wake = done
    })
  }
}

class Hand {
  private readonly worker: Worker
  private inbox: Inbox
  private isClosed = false
  /** Given, and not done yet. */
  tasks = 0

  constructor(file: string, home: string, inbox: Inbox) {
    this.inbox = inbox
    this.worker = new Worker(file, {
      workerData: { home },
      resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 24 },
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
    this.tasks = 0
    this.send({ isNew: true })
  }

  /** False where there is none. */
  give(task: FileTask | undefined): boolean {
    if (task === undefined) return false
    this.tasks++
    this.send({ task })
    return true
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
