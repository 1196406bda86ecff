// What people at a terminal hear of the work behind an answer: sentences on standard error, a line of progress, and Ctrl-C
// that asks long work to stop.

import type { Listener } from '../../answers/clew.ts'
import { escapeForLine } from '../../base/escape.ts'
import { findingLine, note, say } from './output.ts'
import { startProgress, stoppable } from './progress.ts'

/** With `--quiet` only what could not be read is said where it is an error. */
export function listenerFor(isQuiet: boolean): Listener {
  return {
    note(message) {
      if (!isQuiet) note(`clew: ${escapeForLine(message)}`)
    },
    unread(finding) {
      if (!isQuiet || finding.severity === 'error') say(findingLine(finding))
    },
    progress: (what, total) => startProgress({ what, isQuiet, ...(total !== undefined && { total }) }),
    stoppable: (stopping, work) => stoppable({ quiet: isQuiet }, `clew: ${stopping}`, work),
  }
}
