// Keeping with somebody watching: a line that tells how far it is, and Ctrl-C as a wish to stop with what is kept by then.
// What is kept and when is decided by those who call it.

import type { Archive } from '../archive/archive.ts'
import { type KeepReport, keep } from '../archive/keep.ts'
import { excludeRules } from './archive-open.ts'
import type { GlobalOptions } from './command.ts'
import { say } from './output.ts'
import { type Progress, startProgress } from './progress.ts'

/** `isInPassing`: somebody waits for something else, so what was kept in a hurry is not compressed anew. */
export async function keepWatched(
  archive: Archive,
  roots: readonly string[],
  globals: GlobalOptions,
  isInPassing = false,
): Promise<KeepReport> {
  let progress: Progress | undefined
  let isStopped = false
  // Only the first Ctrl-C: the second one ends the process, which costs what is not yet on the disk and nothing else.
  const stop = () => {
    isStopped = true
    progress?.end()
    progress = undefined
    say('clew: stopping when this file is kept; Ctrl-C again stops at once')
  }
  process.once('SIGINT', stop)
  try {
    return await keep(archive, {
      roots,
      isQuick: isInPassing,
      exclude: excludeRules(globals),
      begin: total => {
        progress = startProgress({ what: 'keeping', total, isQuiet: globals.quiet, leavesSignals: true })
      },
      progress: bytes => progress?.add(bytes),
      isStopped: () => isStopped,
    })
  } finally {
    process.off('SIGINT', stop)
    progress?.end()
  }
}
