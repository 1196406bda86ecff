// Questions about all texts of a large session, which is read whole for them: in a thread of its own, so that others get their
// answers meanwhile, and for as long as more such questions come.

import { Worker } from 'node:worker_threads'
import { builtWorker } from '../../disk/built-worker.ts'
import type { ByteSource, SessionFiles } from '../../model/source.ts'
import { loadSession } from '../../session/load.ts'
import { type GraphReader, graphReader } from '../../session/reading/graph-reader.ts'
import type { ContextAt, FileTouched } from '../../view/reading.ts'

/** How long a session that had to be read whole stays so. */
const wholeMs = 30_000

export type WholeQuestion = { files: true } | { contextAt: string | null }
/** What the thread starts with; the questions carry a number that their answers repeat. */
export interface WholeStart {
  home: string
  files: SessionFiles
}
export type WholeAnswer = { number: number; value: unknown } | { number: number; error: string }

/** The same in any thread. */
export async function answerWhole(reader: GraphReader, question: WholeQuestion): Promise<FileTouched[] | ContextAt> {
  return 'files' in question ? reader.files() : reader.contextAt(question.contextAt)
}

export class Whole {
  private readonly session: SessionFiles
  private readonly source: ByteSource
  private readonly home: string | undefined
  private readonly answers = new Map<string, Promise<unknown>>()
  private held: Promise<GraphReader> | null = null
  private worker: Worker | null = null
  private readonly waiting = new Map<number, { done(value: unknown): void; fail(error: Error): void }>()
  private count = 0
  private timer: NodeJS.Timeout | undefined

  /** `home`: Clew's own folder; without it no thread is started. */
  constructor(session: SessionFiles, source: ByteSource, home?: string) {
    this.session = session
    this.source = source
    this.home = home
  }

  files(): Promise<FileTouched[]> {
    return this.ask({ files: true }) as Promise<FileTouched[]>
  }

  contextAt(event: string | null): Promise<ContextAt> {
    return this.ask({ contextAt: event }) as Promise<ContextAt>
  }

  /** A session that does not change has the same answers. */
  private ask(question: WholeQuestion): Promise<unknown> {
    const key = JSON.stringify(question)
    const known = this.answers.get(key)
    if (known !== undefined) return known
    const answer = this.answerNow(question)
    this.answers.set(key, answer)
    answer.catch(() => this.answers.delete(key))
    return answer
  }

  private answerNow(question: WholeQuestion): Promise<unknown> {
    this.rest()
    const file = this.home === undefined ? null : builtWorker('server/whole-worker')
    if (file === null || this.home === undefined) {
      this.held ??= loadSession(this.source, this.session).then(graph => graphReader(graph))
      return this.held.then(reader => answerWhole(reader, question))
    }
    this.worker ??= this.start(file, { home: this.home, files: this.session })
    const number = this.count++
    this.worker.postMessage({ number, question })
    return new Promise((done, fail) => this.waiting.set(number, { done, fail }))
  }

  /** Lets go of what it holds when nobody asks any more. */
  private rest(): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      if (this.waiting.size > 0) return this.rest()
      this.held = null
      void this.worker?.terminate()
      this.worker = null
    }, wholeMs)
    this.timer.unref()
  }

  private start(file: string, start: WholeStart): Worker {
    const worker = new Worker(file, { workerData: start })
    worker.on('message', (answer: WholeAnswer) => {
      const asked = this.waiting.get(answer.number)
      this.waiting.delete(answer.number)
      if ('error' in answer) asked?.fail(new Error(answer.error))
      else asked?.done(answer.value)
    })
    const end = (error: Error) => {
      if (this.worker === worker) this.worker = null
      for (const { fail } of this.waiting.values()) fail(error)
      this.waiting.clear()
    }
    worker.on('error', end)
    worker.on('exit', () => end(new Error('The session could not be read.')))
    worker.unref()
    return worker
  }
}
