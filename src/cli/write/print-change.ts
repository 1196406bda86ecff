// How commands that append to a session say what was appended and how it is undone.

import type { WriteQuery } from '../../answers/write/fork.ts'
import { escapeForLine } from '../../base/escape.ts'
import type { ChangedSession } from '../../schema/contract-shapes.ts'
import { sizeText } from '../../view/words.ts'
import type { CommandInput, GlobalOptions } from '../command.ts'
import { printJson, printLine, say } from '../terminal/output.ts'

/** What every command that writes takes. */
export function writeQuery({ args, options }: Pick<CommandInput, 'args' | 'options'>): WriteQuery {
  return { word: args[0], isForced: options['force'] === true, isDry: options['dryRun'] === true }
}

/** `done`: what was done, for people. */
export async function printChange(
  report: ChangedSession,
  done: string,
  { json, quiet }: Pick<GlobalOptions, 'json' | 'quiet'>,
): Promise<void> {
  if (json) {
    await printJson(report)
    return
  }
  await printLine(report.dryRun ? `${done}: not done (--dry-run)` : done)
  if (quiet) return
  for (const { event, path, why } of report.losses)
    say(`clew: not written: ${escapeForLine(`${event} ${path}`.trim())}: ${escapeForLine(why)}`)
  if (report.dryRun) return
  say(`clew: appended ${sizeText(report.bytes)}; to undo:`)
  say(`clew:   ${escapeForLine(report.undo)}`)
}
