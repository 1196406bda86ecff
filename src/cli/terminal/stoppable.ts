// Long work with somebody watching: a line that tells how far it is, and Ctrl-C as a wish to stop with what is done by then.
// What the work is, and what it leaves, is decided by those who call it.

import type { GlobalOptions } from '../command.ts'
import { say } from './output.ts'
import { type Progress, startProgress } from './progress.ts'

/** What the work tells, and asks. */
export interface Watching {
  /** Something begins, of so many bytes. */
  begin(what: string, total: number): void
  /** So many bytes more are done. */
  progress(bytes: number): void
  isStopped(): boolean
}

/**
 * `stopping`: what is said at the first Ctrl-C. The second one ends the process, which costs what is not yet on the disk and
 * nothing else.
 */
export async function stoppable<Value>(
  { quiet }: GlobalOptions,
  stopping: string,
  work: (watching: Watching) => Promise<Value>,
): Promise<Value> {
  let progress: Progress | undefined
  let isStopped = false
  const stop = () => {
    isStopped = true
    progress?.end()
    progress = undefined
    say(stopping)
  }
  process.once('SIGINT', stop)
  try {
    return await work({
      begin(what, total) {
        progress?.end()
        if (!isStopped) progress = startProgress({ what, total, isQuiet: quiet, leavesSignals: true })
      },
      progress: bytes => progress?.add(bytes),
      isStopped: () => isStopped,
    })
  } finally {
    process.off('SIGINT', stop)
    progress?.end()
  }
}
