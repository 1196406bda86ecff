// `clew statusline` without flags, as Claude Code runs it again and again: the same answer without the parser of arguments and
// all that other commands need. It is bundled into one file of its own, since starting is most of what a call costs.

import { writeSync } from 'node:fs'
import { settingsOf } from '../../answers/configured.ts'
import { ownHome } from '../../answers/settings.ts'
import { statusAnswer } from '../commands/statusline.ts'

/** Prints the line, or nothing where its output is closed. */
export async function printStatus(): Promise<void> {
  const home = ownHome(undefined)
  const { roots, timezone } = settingsOf({ home })
  // Asking for a zone by name costs more than all the rest; as the machine's own it costs nothing.
  if (timezone !== undefined) process.env['TZ'] = timezone
  const answer = await statusAnswer(
    {},
    { clew: { home, root: process.env['CLAUDE_CONFIG_DIR'] ? [] : [...roots] }, json: false },
  )
  try {
    // At once: a stream has to be set up first.
    writeSync(1, `${answer}\n`)
  } catch {
    // Claude Code has gone.
  }
}
