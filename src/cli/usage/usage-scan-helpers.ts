// Threads that help to scan logs for usage. They are started before it is known what there is to do, since that takes a
// while; what they do is decided elsewhere.

import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { builtWorker } from '../../disk/built-worker.ts'
import type { ScanJob, ScanShare } from './usage-scan-work.ts'
import type { ScanAnswer } from './usage-worker.ts'

export class ScanHelpers {
  private readonly home: string
  private readonly workers: Worker[] = []

  /** `home`: Clew's own folder. */
  constructor(home: string) {
    this.home = home
  }

  /** At least so many, as far as there are processors besides the main thread's. */
  start(wanted: number): void {
    const count = Math.min(wanted, availableParallelism() - 1)
    if (count <= this.workers.length) return
    const file = builtWorker('cli/usage-worker')
    while (file !== null && this.workers.length < count) {
      this.workers.push(new Worker(file, { workerData: { home: this.home } }))
    }
  }

  /** What all of them found, when nothing is left to do. */
  give(job: ScanJob): Promise<ScanShare[]> {
    const shares = Promise.all(this.workers.map(worker => shareOf(worker, job)))
    // It is waited for later.
    shares.catch(() => {})
    return shares
  }

  close(): void {
    for (const worker of this.workers) void worker.terminate()
  }
}

function shareOf(worker: Worker, job: ScanJob): Promise<ScanShare> {
  return new Promise((done, fail) => {
    worker.once('message', (answer: ScanAnswer) => {
      if ('error' in answer) fail(new Error(answer.error))
      else done(answer.share)
    })
    worker.once('error', fail)
    worker.once('exit', () => fail(new Error('a reading thread ended early')))
    worker.postMessage(job)
  })
}
