// The one worker pool. A task is a named function and its arguments; the pool runs it in a worker thread, or in this thread
// where the code is not built or `size` is 0. It knows nothing of what tasks do: `src/worker.ts` maps names to functions.

import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type ResourceLimits, SHARE_ENV, Worker } from 'node:worker_threads'
import { packageFolder } from '../files/package-folder.ts'

/** A function that can run in another thread. Arguments, messages and result are plain data. */
export interface Task<Args, Result, Message = never> {
  name: string
  run(args: Args, emit: Emit<Message>): Result | Promise<Result>
}

/** Sends a message to the caller of the task. Resolves once the receiver is at most `messagesAhead` messages behind. */
export type Emit<Message> = (message: Message) => Promise<void>

export interface PoolOptions {
  /** Threads at most; they start when tasks come. Default: one per core. 0: everything runs in this thread. */
  size?: number
  resourceLimits?: ResourceLimits
  /** A thread without a task for this long ends, with everything it remembers. Default: threads stay until `close`. */
  idleMs?: number
}

export interface RunOptions<Message> {
  /** The next message of the same task waits for the returned promise, within `messagesAhead`. */
  onMessage?: (message: Message) => void | Promise<void>
}

export type ToWorker = { id: number; name: string; args: unknown } | { id: number; ack: true }
export type FromWorker =
  | { id: number; message: unknown }
  | { id: number; result: unknown }
  | { id: number; error: unknown }

/** Messages of one task that may wait for their receiver. */
export const messagesAhead = 4

interface Job {
  id: number
  name: string
  args: unknown
  onMessage: (message: unknown) => void | Promise<void>
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

export class WorkerPool {
  readonly size: number
  private readonly resourceLimits: ResourceLimits | undefined
  private readonly idleMs: number | undefined
  private readonly threads: Thread[] = []
  private readonly queue: Job[] = []
  private nextId = 1
  private isClosed = false

  constructor({ size = availableParallelism(), resourceLimits, idleMs }: PoolOptions = {}) {
    // With less than no thread no task would ever run, nor fail.
    if (!(Number.isSafeInteger(size) && size >= 0)) throw new RangeError(`a worker pool cannot have ${size} threads`)
    this.size = workerFile() === null ? 0 : size
    this.resourceLimits = resourceLimits
    this.idleMs = idleMs
  }

  /** Starts all threads before there are tasks: they load while this thread prepares the tasks. */
  start(): void {
    while (this.startThread() !== undefined);
  }

  /** Runs one task; tasks start in the order of the calls. */
  run<Args, Result, Message>(
    task: Task<Args, Result, Message>,
    args: Args,
    { onMessage = () => {} }: RunOptions<Message> = {},
  ): Promise<Result> {
    if (this.isClosed) return Promise.reject(new Error('the worker pool is closed'))
    if (this.size === 0) return runHere(task, args, onMessage)
    return new Promise<Result>((resolve, reject) => {
      this.queue.push({
        id: this.nextId++,
        name: task.name,
        args,
        onMessage: onMessage as (message: unknown) => void,
        resolve: resolve as (result: unknown) => void,
        reject,
      })
      this.dispatch()
    })
  }

  /** Results in the order of `args`. At most `ahead` tasks run or wait for the reader of the results. */
  async *map<Args, Result, Message>(
    task: Task<Args, Result, Message>,
    args: Iterable<Args> | AsyncIterable<Args>,
    options: RunOptions<Message> & { ahead?: number } = {},
  ): AsyncGenerator<Result> {
    const ahead = options.ahead ?? Math.max(1, this.size * 2)
    const pending: Promise<Result>[] = []
    for await (const one of args) {
      const result = this.run(task, one, options)
      // Awaited in order below; until then a failure must not count as unhandled.
      result.catch(() => {})
      pending.push(result)
      if (pending.length >= ahead) yield pending.shift() as Promise<Result>
    }
    yield* pending
  }

  /** Ends all threads at once. Tasks that are not done fail. */
  async close(): Promise<void> {
    this.isClosed = true
    for (const job of this.queue.splice(0)) job.reject(new Error('the worker pool was closed'))
    await Promise.all(this.threads.splice(0).map(thread => thread.close()))
  }

  private dispatch(): void {
    while (this.queue.length > 0) {
      const thread = this.threads.find(({ job }) => job === undefined) ?? this.startThread()
      if (thread === undefined) return
      thread.start(this.queue.shift() as Job)
    }
  }

  private startThread(): Thread | undefined {
    const file = workerFile()
    if (file === null || this.threads.length >= this.size) return undefined
    const thread: Thread = new Thread(file, this.resourceLimits, isAlive => {
      // An error is followed by an exit: the thread may be gone from the list already.
      if (!isAlive && this.threads.includes(thread)) this.threads.splice(this.threads.indexOf(thread), 1)
      if (!this.isClosed) this.dispatch()
      if (isAlive && this.idleMs !== undefined && thread.job === undefined) thread.endAfter(this.idleMs)
    })
    this.threads.push(thread)
    return thread
  }
}

/** One worker thread, with one task at a time. */
class Thread {
  private readonly worker: Worker
  private readonly onFree: (isAlive: boolean) => void
  private idleTimer: NodeJS.Timeout | undefined
  job: Job | undefined

  constructor(file: string, resourceLimits: ResourceLimits | undefined, onFree: (isAlive: boolean) => void) {
    this.onFree = onFree
    this.worker = new Worker(file, { env: SHARE_ENV, ...(resourceLimits && { resourceLimits }) })
    this.worker.on('message', (message: FromWorker) => this.receive(message))
    this.worker.on('error', error => this.end(false, job => job.reject(error)))
    this.worker.on('exit', () => this.end(false, job => job.reject(new Error('a worker thread ended early'))))
    // An idle thread must not hold up the end of the process; `start` holds it while there is a task.
    this.worker.unref()
  }

  start(job: Job): void {
    clearTimeout(this.idleTimer)
    this.job = job
    this.worker.ref()
    this.worker.postMessage({ id: job.id, name: job.name, args: job.args } satisfies ToWorker)
  }

  endAfter(ms: number): void {
    this.idleTimer = setTimeout(() => {
      // Taken off the list before it ends, so that no task is given to it meanwhile.
      this.onFree(false)
      void this.close()
    }, ms).unref()
  }

  async close(): Promise<void> {
    clearTimeout(this.idleTimer)
    const { job } = this
    this.job = undefined
    await this.worker.terminate()
    job?.reject(new Error('the worker pool was closed'))
  }

  private receive(answer: FromWorker): void {
    const { job } = this
    if (job === undefined || job.id !== answer.id) return
    if ('message' in answer) void this.deliver(job, answer.message)
    else if ('error' in answer) this.end(true, one => one.reject(answer.error))
    else this.end(true, one => one.resolve(answer.result))
  }

  private async deliver(job: Job, message: unknown): Promise<void> {
    try {
      await job.onMessage(message)
    } catch (error) {
      job.reject(error)
    }
    this.worker.postMessage({ id: job.id, ack: true } satisfies ToWorker)
  }

  private end(isAlive: boolean, settle: (job: Job) => void): void {
    const { job } = this
    this.job = undefined
    this.worker.unref()
    if (job !== undefined) settle(job)
    this.onFree(isAlive)
  }
}

async function runHere<Args, Result, Message>(
  task: Task<Args, Result, Message>,
  args: Args,
  onMessage: (message: Message) => void | Promise<void>,
): Promise<Result> {
  return await task.run(args, async message => onMessage(message))
}

/** Null where the code runs from its sources, which threads cannot load. */
function workerFile(): string | null {
  return import.meta.url.endsWith('.ts') ? null : join(packageFolder(), 'dist', 'worker.js')
}
