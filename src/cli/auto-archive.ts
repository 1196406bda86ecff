// Archives in passing: commands that read all homes archive what is new afterwards, unless the config forbids it. What they print
// does not wait for it, and nothing that goes wrong here changes how they end.

import { ArchiveError } from '../archive/format/error.ts'
import { archiveFolder } from '../archive/format/layout.ts'
import { lockHolder } from '../archive/store/lock.ts'
import { canonicalPlace } from '../archive/store/place.ts'
import { escapeForLine } from '../base/escape.ts'
import { toMillis } from '../base/instant.ts'
import { type GlobalOptions, UserError } from './command.ts'
import { archiveMode, captureWatched, openArchive } from './commands/archive/archive-open.ts'
import { homesOf } from './config.ts'
import { say } from './terminal/output.ts'

/**
 * `auto`, which is also what counts where the config says nothing: once there is an archive, it is kept up to date. Where the
 * config says `auto` itself, the first copy is made as well.
 */
export async function archiveInPassing(globals: GlobalOptions): Promise<void> {
  try {
    const mode = archiveMode(globals)
    if (mode === 'manual' || mode === 'off' || (globals.archive === undefined && mode !== 'auto')) return
    const roots = rootsFor(globals)
    if (roots.length === 0) return
    const report = await captureWatched(openArchive(globals, { waitMs: 0 }), roots, globals)
    if (report.failure !== undefined) throw report.failure
    if (report.isStopped && !globals.quiet) say('clew: not everything is archived yet; the next run continues')
  } catch (error) {
    if (!(error instanceof ArchiveError || error instanceof UserError)) throw error
    const isBusy = error instanceof ArchiveError && error.code === 'locked' && !isForgotten(archiveFolder(globals.home))
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
  const roots = homesOf(globals)
  if (globals.isRootNamed !== true) return roots
  const archived = globals.archive?.manifest.catalog.homes() ?? new Set<string>()
  return roots.filter(root => archived.has(canonicalPlace(root)))
}
