// Does long work in short slices, so that nothing else waits for it, and measures what it costs. It knows nothing of what
// the work is.

/** One piece of work: it yields often, and may be gone on with much later. */
export type Job = Generator<void, void>

interface Waiting {
  job: Job
  costMs: number
  done(costMs: number): void
}

// Nothing else runs during a slice.
const sliceMs = 4
// Between two slices of work that nobody waits for.
const pauseMs = 4

/** Runs jobs in order, urgent ones before others. */
export class Work {
  private readonly urgent: Waiting[] = []
  private readonly patient: Waiting[] = []
  private timer: NodeJS.Timeout | undefined
  private immediate: NodeJS.Immediate | undefined
  private isClosed = false

  /** Resolves with the milliseconds that the job ran, also when it is given up because of `close`. */
  add(job: Job, isUrgent: boolean): Promise<number> {
    if (this.isClosed) return Promise.resolve(0)
    return new Promise(done => {
      const queue = isUrgent ? this.urgent : this.patient
      queue.push({ job, costMs: 0, done })
      this.plan()
    })
  }

  close(): void {
    this.isClosed = true
    clearTimeout(this.timer)
    clearImmediate(this.immediate)
    for (const { job, costMs, done } of [...this.urgent, ...this.patient]) {
      job.return()
      done(costMs)
    }
    this.urgent.length = 0
    this.patient.length = 0
  }

  private plan(): void {
    if (this.isClosed) return
    if (this.urgent.length > 0) {
      this.immediate ??= setImmediate(() => {
        this.immediate = undefined
        this.slice(this.urgent)
      })
    }
    if (this.patient.length > 0) {
      this.timer ??= setTimeout(() => {
        this.timer = undefined
        this.slice(this.patient)
      }, pauseMs)
    }
  }

  private slice(queue: Waiting[]): void {
    const end = performance.now() + sliceMs
    for (let now = performance.now(); now < end && !this.isClosed; ) {
      const first = queue[0]
      if (first === undefined) break
      const isDone = first.job.next().done === true
      const after = performance.now()
      first.costMs += after - now
      now = after
      if (!isDone) continue
      // Closing empties the queue while the job runs.
      if (queue[0] === first) queue.shift()
      first.done(first.costMs)
    }
    this.plan()
  }
}
