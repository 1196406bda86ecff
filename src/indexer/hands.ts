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

export type ToWorker = { task: FileTask } | { credit: number }
export type Answer = { batch: RowBatch } | ({ file: number } & TaskFailure)

/** Starting a thread takes as long as reading about this much. */
const bytesPerWorker = 12 * 1024 * 1024
/** Batches that one thread may be ahead of the writer. */
const batchesAhead = 3
/** Files that a thread knows of, so that it need not wait for the next one. */
const tasksAhead = 2

/** The answers for all tasks; those of one file come in order. Stop asking, and what is under way is dropped. */
export function readAll(tasks: readonly FileTask[], source: ByteSource, home: string | null): AsyncGenerator<Answer> {
  const bytes = tasks.reduce((sum, task) => sum + task.size - task.indexed, 0)
  const useful = Math.min(availableParallelism(), tasks.length, Math.floor(bytes / bytesPerWorker))
  const file = workerFile()
  return file === null || useful < 1 ? readHere(tasks, source) : readThere(tasks, file, home, useful)
}

async function* readHere(tasks: readonly FileTask[], source: ByteSource): AsyncGenerator<Answer> {
  const given = new GivenTexts()
  for (const task of tasks) {
    try {
      for await (const batch of readTask(task, source, given)) yield { batch }
    } catch (error) {
      yield { file: task.file, ...answerOf(error) }
    }
  }
}

/** The built worker; null where the code runs from its sources. */
function workerFile(): string | null {
  const path = fileURLToPath(new URL('../indexer/index-worker.js', import.meta.url))
  return existsSync(path) ? path : null
}

async function* readThere(
  tasks: readonly FileTask[],
  file: string,
  home: string | null,
  count: number,
): AsyncGenerator<Answer> {
  const inbox: { hand: Hand; answer: Answer | Error }[] = []
  let wake = () => {}
  const waiting = tasks.values()
  const receive = (hand: Hand, answer: Answer | Error) => {
    inbox.push({ hand, answer })
    wake()
  }
  const hands = Array.from({ length: count }, () => new Hand(file, home, receive))
  let open = tasks.length
  try {
    for (const hand of hands) for (let n = 0; n < tasksAhead; n++) hand.giveNext(waiting)
    while (open > 0) {
      const next = inbox.shift()
      if (next === undefined) {
        await new Promise<void>(done => (wake = done))
        continue
      }
      const { hand, answer } = next
      if (answer instanceof Error) throw answer
      if (!('batch' in answer) || answer.batch.isLast) {
        open--
        hand.giveNext(waiting)
      }
      yield answer
      if ('batch' in answer) hand.credit()
    }
  } finally {
    await Promise.all(hands.map(hand => hand.close()))
  }
}

class Hand {
  private readonly worker: Worker
  private isClosed = false

  constructor(file: string, home: string | null, receive: (hand: Hand, answer: Answer | Error) => void) {
    this.worker = new Worker(file, { workerData: { home }, resourceLimits: { maxOldGenerationSizeMb: 512 } })
    this.worker.on('message', (answer: Answer) => receive(this, answer))
    this.worker.on('error', error => receive(this, error as Error))
    this.worker.on('exit', () => {
      if (!this.isClosed) receive(this, new Error('a reading thread ended early'))
    })
    this.send({ credit: batchesAhead })
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
