// Keeping in passing: commands that look at all homes keep what is new afterwards, where people want it. What they print
// does not wait for it, and nothing that goes wrong here changes how they end.

import { homedir } from 'node:os'
import { ArchiveError } from '../archive/error.ts'
import { keep } from '../archive/keep.ts'
import { canonicalPlace } from '../archive/place.ts'
import { escapeForLine } from '../base/escape.ts'
import { claudeHomes } from '../disk/homes.ts'
import { archiveMode, excludeRules, openArchive } from './archive-open.ts'
import type { GlobalOptions } from './command.ts'
import { say } from './output.ts'
import { type Progress, startProgress } from './progress.ts'

/**
 * `auto`, which is also what counts where the config says nothing: once there is an archive, it is kept fresh. Where the
 * config says `auto` itself, the first copy is made as well.
 */
export async function keepInPassing(globals: GlobalOptions): Promise<void> {
  const mode = archiveMode(globals)
  if (mode === 'manual' || mode === 'off' || (globals.archive === undefined && mode !== 'auto')) return
  let progress: Progress | undefined
  try {
    const archive = openArchive(globals, { waitMs: 0 })
    const report = await keep(archive, {
      roots: rootsFor(globals),
      exclude: excludeRules(globals),
      begin: total => {
        progress = startProgress({ what: 'keeping', total, isQuiet: globals.quiet })
      },
      progress: bytes => progress?.add(bytes),
    })
    if (report.failure !== undefined) throw report.failure
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    // Another one is at it already.
    if (error.code !== 'locked' && !globals.quiet) say(`clew: not kept: ${escapeForLine(error.message)}`)
  } finally {
    progress?.end()
  }
}

/** The usual homes, and of those named for once only the ones that are kept already. */
function rootsFor(globals: GlobalOptions): string[] {
  const roots = claudeHomes({ roots: globals.root, env: process.env, homeDir: homedir() })
  if (globals.isRootNamed !== true) return roots
  const kept = globals.archive?.manifest.catalog.homes() ?? new Set<string>()
  return roots.filter(root => kept.has(canonicalPlace(root)))
}
