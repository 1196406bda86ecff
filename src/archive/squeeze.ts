// Compresses frames in a hurry: in a thread of its own where there is much, else at once. How it is done is `quick-gzip`'s
// business.

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { quickGzip } from './quick-gzip.ts'

/** Starting a thread takes as long as compressing about this much. */
const worthThread = 32 * 1024 * 1024

export class Squeezer {
  private readonly worker: Worker | null
  private readonly waiting: { done: (stored: Uint8Array) => void; fail: (error: unknown) => void }[] = []
  private failure: { error: unknown } | null = null

  /** `bytes`: about how much there will be. */
  constructor(bytes: number) {
    const file = bytes < worthThread ? null : workerFile()
    this.worker = file === null ? null : new Worker(file)
    this.worker?.unref()
    // Answers come in the order of the questions.
    this.worker?.on('message', (stored: Uint8Array) => this.waiting.shift()?.done(stored))
    this.worker?.on('error', error => this.end(error))
    this.worker?.on('exit', () => this.end(new Error('the compressing thread ended early')))
  }

  /** One gzip member. */
  squeeze(raw: Uint8Array): Uint8Array | Promise<Uint8Array> {
    const { worker } = this
    if (worker === null) return quickGzip(raw)
    if (this.failure !== null) throw this.failure.error
    // What is handed over is gone from here: the frame is part of something larger.
    const own = new Uint8Array(raw)
    return new Promise((done, fail) => {
      this.waiting.push({ done, fail })
      worker.ref()
      worker.postMessage(own, [own.buffer])
    }).finally(() => {
      if (this.waiting.length === 0) worker.unref()
    }) as Promise<Uint8Array>
  }

  private end(error: unknown): void {
    this.failure ??= { error }
    for (const { fail } of this.waiting.splice(0)) fail(error)
  }

  async close(): Promise<void> {
    await this.worker?.terminate()
  }
}

/** The built worker; null where the code runs from its sources. */
function workerFile(): string | null {
  const path = fileURLToPath(new URL('../archive/squeeze-worker.js', import.meta.url))
  return existsSync(path) ? path : null
}
