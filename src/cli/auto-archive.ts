// Asks once, on a terminal, whether sessions are to be archived in passing; what that does is in src/answers/care/in-passing.ts.

import { isUndecided, setArchiveMode } from '../answers/archive-mode.ts'
import { UserError } from '../answers/error.ts'
import { escapeForLine } from '../base/escape.ts'
import type { GlobalOptions } from './command.ts'
import { canAsk, confirm } from './terminal/ask.ts'
import { say } from './terminal/output.ts'

/** Asks once whether sessions are to be archived, on a terminal; the answer goes into the config. True for a yes just now. */
export async function offerArchive(globals: GlobalOptions): Promise<boolean> {
  if (globals.json || globals.quiet || process.stdout.isTTY !== true || !canAsk()) return false
  try {
    if (!isUndecided(globals.clew)) return false
    say('Claude Code deletes sessions, by default after 30 days.')
    say('Clew can archive copies of them.')
    const isYes = await confirm('Archive new sessions whenever clew runs? [y/N]')
    setArchiveMode(globals.clew, isYes ? 'auto' : 'manual')
    say(
      isYes
        ? 'clew: archiving is on; to switch it off: clew config set archive manual'
        : 'clew: archiving is off; to switch it on: clew config set archive auto',
    )
    return isYes
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    say(`clew: not archived: ${escapeForLine(error.message)}`)
    return false
  }
}
