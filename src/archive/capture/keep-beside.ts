// Keeps what is new in a thread of its own, so that whoever waits for it can work on what is kept already. It is the same run:
// what it tells, and when it goes on, crosses the border as messages.

import { Worker } from 'node:worker_threads'
import { builtWorker } from '../../disk/built-worker.ts'
import { ArchiveError } from '../format/error.ts'
import type { Archive, ArchiveOptions } from '../store/archive.ts'
import type { LockHolder } from '../store/holder.ts'
import { keep } from './keep.ts'
import type { KeepOptions, KeepReport } from './keep-options.ts'

/** Starting a thread takes as long as keeping about this much. */
const worthThread = 32 * 1024 * 1024

export interface KeeperData {
  folder: string
  waitMs: number
  options: Omit<KeepOptions, 'begin' | 'progress' | 'isStopped' | 'onCommit'>
  /** 1 where it is to stop. */
  stop: Int32Array
}

export type PlainFailure = Pick<ArchiveError, 'code' | 'message' | 'path'>

export type FromKeeper =
  | { begin: number }
  | { bytes: number }
  | { holder: LockHolder }
  | { isCommitted: true }
  | { report?: Omit<KeepReport, 'failure'>; failure?: PlainFailure }

/** Like `keep`; the archive knows afterwards, and whenever `onCommit` is called, what was kept. */
export function keepBeside(
  archive: Archive,
  options: KeepOptions,
  { ops, waitMs = 0, onWait }: ArchiveOptions,
): Promise<KeepReport> {
  const bytes = options.surveyed?.files.reduce((sum, { state }) => sum + state.size, 0) ?? 0
  const file = bytes < worthThread || ops !== undefined ? null : builtWorker('archive/keep-worker')
  if (file === null) return keep(archive, options)
  const { begin, progress, isStopped, onCommit, ...plain } = options
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const data: KeeperData = { folder: archive.layout.folder, waitMs, options: plain, stop }
  // It makes little garbage, and room is dear while others work beside it.
  const resourceLimits = { maxYoungGenerationSizeMb: 6 }
  const worker = new Worker(file, { workerData: data, resourceLimits })
  return new Promise<KeepReport>((done, fail) => {
    const take = async (message: FromKeeper) => {
      if (isStopped?.() === true) Atomics.store(stop, 0, 1)
      if ('begin' in message) begin?.(message.begin)
      else if ('bytes' in message) progress?.(message.bytes)
      else if ('holder' in message) onWait?.(message.holder)
      else if ('isCommitted' in message) {
        archive.readFurther()
        await onCommit?.()
        worker.postMessage('go on')
      } else {
        archive.reload()
        const failure = message.failure === undefined ? undefined : toError(message.failure)
        if (message.report !== undefined) done({ ...message.report, ...(failure !== undefined && { failure }) })
        else fail(failure)
      }
    }
    worker.on('message', message => void take(message).catch(fail))
    worker.on('error', fail)
    worker.on('exit', () => fail(new ArchiveError('ended', 'the thread that keeps ended early')))
  }).finally(() => worker.terminate())
}

function toError({ code, message, path }: PlainFailure): ArchiveError {
  return new ArchiveError(code, message, path)
}
