// Reads what is new of one log and emits its rows in batches: the index's task in the worker pool.

import { createHash, type Hash } from 'node:crypto'
import { newline } from '../../base/bytes.ts'
import { largestLine } from '../../decode/lines.ts'
import { ReadError } from '../../disk/read/read.ts'
import { FileError } from '../../files/error.ts'
import type { ByteSource, GenerationId } from '../../model/source.ts'
import { textEnd } from '../../session/stored-texts.ts'
import type { Task } from '../../worker/pool.ts'
import { openSource } from '../store/source.ts'
import { Extraction, StoredTexts } from './extract.ts'
import { type FileTask, isStored, type RowBatch } from './rows.ts'

/** A batch is emitted when this many bytes were read for it. */
const batchBytes = 1024 * 1024

export interface ReadArgs {
  /** Tasks of one run read from one state of the archive. */
  run: string
  /** Clew's own folder. */
  home: string
  task: FileTask
}

/** `rewritten`: the beginning of a live file is not what was indexed of it. `unread`: with the system's or the archive's words. */
export type ReadOutcome = { state: 'done' | 'rewritten' } | { state: 'unread'; problem: string }

export const readFileTask: Task<ReadArgs, ReadOutcome, RowBatch> = {
  name: 'index/read-file',
  async run({ run, home, task }, emit) {
    if (opened?.run !== run) useSource(run, openSource(home))
    try {
      for await (const batch of readFile(task, (opened as Opened).source)) await emit(batch)
      return { state: 'done' }
    } catch (error) {
      if (error instanceof RewrittenError) return { state: 'rewritten' }
      if (error instanceof ReadError || error instanceof FileError) return { state: 'unread', problem: error.message }
      throw error
    }
  },
}

/** What this thread reads from, opened once for all files of a run. */
interface Opened {
  run: string
  source: ByteSource
}

let opened: Opened | undefined

/** For tasks of a run that are run in this thread: the source is open already. */
export function useSource(run: string, source: ByteSource): void {
  opened = { run, source }
}

class RewrittenError extends Error {
  override readonly name = 'RewrittenError'
}

/** Throws what the source throws, and `RewrittenError`. */
async function* readFile(task: FileTask, source: Pick<ByteSource, 'read'>): AsyncGenerator<RowBatch> {
  if (isStored(task.role)) {
    // It has no lines of its own: what changed is read as a whole.
    if (task.indexed > 0) throw new RewrittenError()
    yield* readTexts(task, source)
    return
  }
  const extraction = new Extraction(task)
  const sum = task.isLive ? new PrefixSum(task) : null
  yield* readChunks(task, source, extraction, sum)
  sum?.check()
  const last = extraction.end()
  if (sum !== null) last.checkSum = sum.value()
  yield last
}

/** Mostly one text; of a very large file several, one at a time. */
async function* readTexts(task: FileTask, source: Pick<ByteSource, 'read'>): AsyncGenerator<RowBatch> {
  const texts = new StoredTexts(task)
  let held: Uint8Array[] = []
  let length = 0
  for await (const chunk of source.read(task.source as GenerationId, 0, task.size)) {
    held.push(chunk)
    length += chunk.length
    if (length <= largestLine) continue
    const bytes = Buffer.concat(held)
    const end = textEnd(bytes)
    yield texts.next(bytes.subarray(0, end))
    held = [bytes.subarray(end)]
    length -= end
  }
  yield { ...texts.next(Buffer.concat(held)), isLast: true }
}

async function* readChunks(
  task: FileTask,
  source: Pick<ByteSource, 'read'>,
  extraction: Extraction,
  sum: PrefixSum | null,
): AsyncGenerator<RowBatch> {
  const start = sum === null ? extraction.start : 0
  let at = start
  let waiting = 0
  for await (const chunk of source.read(task.source as GenerationId, start, task.size)) {
    sum?.add(chunk)
    const fresh = at >= extraction.start ? chunk : chunk.subarray(Math.max(0, extraction.start - at))
    at += chunk.length
    if (at > extraction.start) extraction.push(fresh)
    waiting += chunk.length
    if (waiting < batchBytes) continue
    waiting = 0
    yield extraction.take()
  }
}

/** The hash of a file's whole lines, and whether those before a place are as they were. */
class PrefixSum {
  private readonly task: FileTask
  private readonly hash: Hash = createHash('sha256')
  /** Bytes behind the last line end, not yet in the hash. */
  private open: Uint8Array[] = []
  private done = 0
  private isSame: boolean

  constructor(task: FileTask) {
    this.task = task
    this.isSame = task.indexed === 0
  }

  add(chunk: Uint8Array): void {
    let from = 0
    if (!this.isSame) {
      const left = this.task.indexed - this.done
      const part = chunk.subarray(0, left)
      this.hash.update(part)
      this.done += part.length
      from = part.length
      if (this.done === this.task.indexed) this.compare()
    }
    if (from === chunk.length) return
    const end = chunk.lastIndexOf(newline) + 1
    if (end <= from) {
      this.open.push(chunk.subarray(from))
      return
    }
    for (const part of this.open) this.hash.update(part)
    this.hash.update(chunk.subarray(from, end))
    this.open = end === chunk.length ? [] : [chunk.subarray(end)]
  }

  private compare(): void {
    const before = this.task.checkSum?.split(' ', 1)[0]
    if (this.hash.copy().digest('hex') !== before) throw new RewrittenError()
    this.isSame = true
  }

  /** A file that ends before what was indexed of it was rewritten too. */
  check(): void {
    if (!this.isSame) throw new RewrittenError()
  }

  /** The hash of the complete lines, and one of the bytes after them. */
  value(): string {
    const rest = createHash('sha256')
    for (const part of this.open) rest.update(part)
    return `${this.hash.copy().digest('hex')} ${rest.digest('hex').slice(0, 16)}`
  }
}
