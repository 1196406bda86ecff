// A dropped file as a session to read: the other end of the worker that has it.

import type { SessionReader } from '../../src/view/reading.ts'

export type LocalReader = SessionReader & { id: 'local' }

/** What a worker does, as far as it is used: tests hand in another. */
export interface WorkerLike {
  postMessage(message: ToWorker): void
  addEventListener(type: 'message', listener: (event: MessageEvent<FromWorker>) => void): void
  addEventListener(type: 'error', listener: (event: Event) => void): void
  terminate(): void
}

export interface OpenOptions {
  /** Called with bytes while the files are read. */
  onProgress?: (done: number, total: number) => void
  makeWorker?: () => WorkerLike
}

/** The last one opened: the one before is not asked any more. */
let current: WorkerLike | undefined

/** One file, or a session's file with the agent files that belong to it. Rejects with words for people. */
export async function openLocal(dropped: File | readonly File[], options: OpenOptions = {}): Promise<LocalReader> {
  const files = dropped instanceof File ? [dropped] : dropped
  const worker = (options.makeWorker ?? startWorker)()
  try {
    const reader = await openIn(worker, files, options)
    current?.terminate()
    current = worker
    return reader
  } catch (error) {
    worker.terminate()
    throw error
  }
}

interface ScriptPolicy {
  createScriptURL(url: string): string
}

/** Made once: a page that demands trusted addresses of scripts refuses a second policy of the same name. */
let policy: ScriptPolicy | undefined

/** The worker's address in the form that such a page takes. It comes from the build alone. */
function workerUrl(): string {
  const { trustedTypes } = globalThis as {
    trustedTypes?: { createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy }
  }
  policy ??= trustedTypes?.createPolicy('clew', { createScriptURL: () => WORKER_URL })
  return policy?.createScriptURL('') ?? WORKER_URL
}

function startWorker(): WorkerLike {
  return new Worker(workerUrl(), { type: 'module', name: 'dropped file' })
}

function openIn(worker: WorkerLike, files: readonly File[], { onProgress }: OpenOptions): Promise<LocalReader> {
  const pending = new Pending(worker)
  return new Promise((resolve, reject) => {
    worker.addEventListener('error', () => {
      const error = new Error('The file could not be read: it may be too large for this browser.')
      pending.failAll(error)
      reject(error)
    })
    worker.addEventListener('message', ({ data }) => {
      if (data.type === 'progress') onProgress?.(data.done, data.total)
      else if (data.type === 'opened') resolve(readerOver(pending))
      else if (data.type === 'refused') reject(new Error(data.why))
      else pending.settle(data)
    })
    worker.postMessage({ type: 'open', files })
  })
}

interface Waiting {
  resolve: (value: unknown) => void
  reject: (error: Error) => void
}

/** Questions on their way, by number. */
class Pending {
  private readonly worker: WorkerLike
  private readonly waiting = new Map<number, Waiting>()
  private count = 0

  constructor(worker: WorkerLike) {
    this.worker = worker
  }

  ask(question: Question): Promise<unknown> {
    const id = this.count++
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject })
      this.worker.postMessage({ type: 'ask', id, question })
    })
  }

  settle(message: Extract<FromWorker, { id: number }>): void {
    const one = this.waiting.get(message.id)
    this.waiting.delete(message.id)
    if (message.type === 'answer') one?.resolve(message.value)
    else one?.reject(new Error(message.why))
  }

  failAll(error: Error): void {
    for (const one of this.waiting.values()) one.reject(error)
    this.waiting.clear()
  }
}

function readerOver(pending: Pending): LocalReader {
  const to =
    <Name extends keyof SessionReader>(name: Name) =>
    (...args: Parameters<SessionReader[Name]>) =>
      pending.ask({ name, args } as Question) as ReturnType<SessionReader[Name]>
  return {
    id: 'local',
    head: to('head'),
    outline: to('outline'),
    items: to('items'),
    placeOf: to('placeOf'),
    errors: to('errors'),
    raw: to('raw'),
    files: to('files'),
    netDiff: to('netDiff'),
    contextAt: to('contextAt'),
    find: to('find'),
    document: to('document'),
  }
}

export type Question = {
  [Name in keyof SessionReader]: { name: Name; args: Parameters<SessionReader[Name]> }
}[keyof SessionReader]

export type ToWorker = { type: 'open'; files: readonly File[] } | { type: 'ask'; id: number; question: Question }

export type FromWorker =
  | { type: 'progress'; done: number; total: number }
  | { type: 'opened' }
  | { type: 'refused'; why: string }
  | { type: 'answer'; id: number; value: unknown }
  | { type: 'failed'; id: number; why: string }
