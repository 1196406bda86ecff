// One refresh of archive and index, and what came of it, in words that travel between threads.

import { ArchiveError } from '../../archive/format/error.ts'
import { refreshIndex } from '../../index/refresh/refresh.ts'
import { type KeepScope, refreshOptionsOf } from './scope.ts'

export interface FreshStart {
  scope: KeepScope
  /** Not 0: come to an end. */
  stop: SharedArrayBuffer
}

/** `busy`: another process is at it. */
export interface FreshAnswer {
  state: 'done' | 'busy' | 'failed'
  isChanged: boolean
  /** For people. */
  message?: string
}

/** Never fails: what goes wrong is said. */
export async function freshAnswer({ scope, stop }: FreshStart): Promise<FreshAnswer> {
  const stopped = new Int32Array(stop)
  try {
    const options = refreshOptionsOf(scope)
    const report = await refreshIndex({ ...options, isStopped: () => Atomics.load(stopped, 0) !== 0 })
    const failure = report.kept?.failure
    const isChanged = !report.isUnchanged
    if (failure === undefined) return { state: 'done', isChanged }
    return { state: 'done', isChanged, message: `Not everything is kept: ${failure.message}` }
  } catch (error) {
    if (error instanceof ArchiveError && error.code === 'locked') return { state: 'busy', isChanged: false }
    const reason = error instanceof Error ? error.message : String(error)
    return { state: 'failed', isChanged: false, message: `The index is not fresh: ${reason}` }
  }
}
