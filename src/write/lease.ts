// Keeps writers of one log apart: a lock in Clew's own folder, so that nothing is littered where Claude Code lists its files,
// held for a burst of appends and no longer, so that many writers take turns. What is written under it is append-file.ts's.

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { attempt } from '../base/attempt.ts'
import { errorCode } from '../base/error-code.ts'
import { ensureFolder } from '../files/durable.ts'
import { FileError } from '../files/error.ts'
import { acquireLock, type Lock } from '../files/lock.ts'
import type { WriteOps } from '../files/ops.ts'
import { canonicalPlace } from '../files/place.ts'
import { WriteError } from './wire/error.ts'

/** How long a burst may keep others waiting. */
const burstMs = 200
/** How long the way is left free between two bursts, and how often those who wait look: always the longer one is free. */
const freeMs = 12
const pollMs = 5

export interface LeaseOptions {
  /** Clew's own folder. */
  clewHome: string
  /** How long to wait for another writer. */
  waitMs: number
  /** What the lock is for, as a command's word; shown to those who wait. */
  what?: string
}

/** The folder in which a log is locked: by its real place, so that two spellings of a path are one log. */
export function lockFolderOf(clewHome: string, path: string): string {
  const name = createHash('sha256').update(canonicalPlace(path)).digest('hex').slice(0, 32)
  return join(clewHome, 'locks', name)
}

/** The right to write to one log, taken and returned again and again. */
export class Lease {
  private readonly ops: WriteOps
  private readonly path: string
  private readonly folder: string
  private readonly options: LeaseOptions
  private lock: Lock | null = null
  private since = 0
  private timer: NodeJS.Timeout | undefined

  constructor(ops: WriteOps, path: string, options: LeaseOptions) {
    // A lock says nothing after a power cut: no one needs to wait for the disk.
    this.ops = { ...ops, sync() {}, syncFolder() {} }
    this.path = path
    this.options = options
    this.folder = lockFolderOf(options.clewHome, path)
  }

  get isHeld(): boolean {
    return this.lock !== null && performance.now() - this.since < burstMs
  }

  /**
   * Returns when no one else writes: until the next turn of the event loop at least, or until `release` where it is not for a
   * burst. Fails with `locked`.
   */
  async hold(isBurst = true): Promise<void> {
    if (this.isHeld) return
    if (this.lock !== null) {
      this.release()
      await sleep(freeMs)
    }
    this.lock = await this.acquire()
    this.since = isBurst ? performance.now() : Number.POSITIVE_INFINITY
    if (!isBurst) return
    // Whoever appends does so at once after this: between two turns of the event loop it may be taken away.
    this.timer = setTimeout(() => this.release(), burstMs)
  }

  /** Lets others in; harmless where it is not held. */
  release(): void {
    clearTimeout(this.timer)
    const { lock } = this
    this.lock = null
    // One that cannot be removed is known as a leftover, here at once and elsewhere when this process has ended.
    attempt(() => lock?.release())
  }

  /** Releases, and removes the folder where no one else waits in it. */
  end(): void {
    this.release()
    attempt(() => this.ops.removeFolder(this.folder))
  }

  private async acquire(): Promise<Lock> {
    const { what = 'append', waitMs } = this.options
    const options = { what, waitMs, pollMs, subject: 'The session' }
    for (let tries = 1; ; tries++) {
      try {
        return await acquireLock(this.ops, this.folder, options)
      } catch (error) {
        // No one was here yet, or another writer that ended removed the folder a moment ago.
        if (errorCode(error) !== 'ENOENT' || tries === mostTries) throw lockError(error, this.path)
      }
      try {
        ensureFolder(this.ops, this.folder)
      } catch (error) {
        if (errorCode(error) !== 'ENOENT') throw lockError(error, this.path)
      }
    }
  }
}

const mostTries = 100

function lockError(error: unknown, path: string): unknown {
  if (error instanceof FileError && error.code === 'locked') return new WriteError('locked', error.message, path, error)
  return new WriteError(errorCode(error), `The session cannot be locked (${errorCode(error)}).`, path, error)
}

/** Does something to a log while no other clew writes to it. Fails with `locked`. */
export async function withLog<Result>(
  ops: WriteOps,
  path: string,
  options: LeaseOptions,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const lease = new Lease(ops, path, options)
  await lease.hold(false)
  try {
    return await work()
  } finally {
    lease.end()
  }
}
