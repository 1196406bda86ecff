// Archives in passing: commands that read all homes archive what is new afterwards, where that was asked for; the first of them
// asks. What they print does not wait for it, and nothing that goes wrong here changes how they end.

import { archiveSettingOf, isUndecided } from '../answers/archive-mode.ts'
import { UserError } from '../answers/error.ts'
import { asUserError, homesOf } from '../answers/settings.ts'
import { archiveFolder } from '../archive/format/layout.ts'
import { chooseArchiveMode } from '../archive/store/mode.ts'
import { escapeForLine } from '../base/escape.ts'
import { toMillis } from '../base/instant.ts'
import { FileError } from '../files/error.ts'
import { lockHolder } from '../files/lock.ts'
import { canonicalPlace } from '../files/place.ts'
import type { GlobalOptions } from './command.ts'
import { captureWatched, openArchive } from './commands/archive/archive-open.ts'
import { canAsk, confirm } from './terminal/ask.ts'
import { say } from './terminal/output.ts'

/** Archives what is new, where the mode is `auto`. */
export async function archiveInPassing(globals: GlobalOptions): Promise<void> {
  try {
    if (archiveSettingOf(globals.clew).mode !== 'auto') return
    const roots = rootsFor(globals)
    if (roots.length === 0) return
    const report = await captureWatched(openArchive(globals, { waitMs: 0 }), roots, globals)
    if (report.failure !== undefined) throw report.failure
    if (report.isStopped && !globals.quiet) say('clew: not everything is archived yet; the next run continues')
  } catch (error) {
    if (!(error instanceof FileError || error instanceof UserError)) throw error
    const isBusy =
      error instanceof FileError && error.code === 'locked' && !isForgotten(archiveFolder(globals.clew.home))
    if (!isBusy && !globals.quiet) say(`clew: not archived: ${escapeForLine(error.message)}`)
  }
}

const dayMs = 86_400_000

/** Another process archives already. One that has run for a day has probably hung. */
function isForgotten(folder: string): boolean {
  const since = toMillis(lockHolder(folder)?.started ?? null)
  return since !== null && Date.now() - since > dayMs
}

/** The usual homes; of homes named with --root, only those that are archived already. */
function rootsFor(globals: GlobalOptions): string[] {
  const roots = homesOf(globals.clew)
  if (!globals.clew.isRootNamed) return roots
  const archived = globals.clew.archive?.manifest.catalog.homes() ?? new Set<string>()
  return roots.filter(root => archived.has(canonicalPlace(root)))
}

/** Asks once whether sessions are to be archived, on a terminal; the answer goes into the config. True for a yes just now. */
export async function offerArchive(globals: GlobalOptions): Promise<boolean> {
  if (globals.json || globals.quiet || process.stdout.isTTY !== true || !canAsk()) return false
  try {
    if (!isUndecided(globals.clew)) return false
    say('Claude Code deletes sessions, by default after 30 days.')
    say('Clew can archive copies of them.')
    const isYes = await confirm('Archive new sessions whenever clew runs? [y/N]')
    asUserError(() => chooseArchiveMode(globals.clew.home, isYes ? 'auto' : 'manual'))
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
