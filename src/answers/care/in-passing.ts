// Archives in passing: what reads all homes archives what is new afterwards, where that was asked for. Nothing that goes wrong
// here changes how a command ends.

import { archiveFolder } from '../../archive/format/layout.ts'
import { toMillis } from '../../base/instant.ts'
import { FileError } from '../../files/error.ts'
import { lockHolder } from '../../files/lock.ts'
import { canonicalPlace } from '../../files/place.ts'
import { archiveSettingOf } from '../archive-mode.ts'
import type { Clew } from '../clew.ts'
import { UserError } from '../error.ts'
import { homesOf } from '../settings.ts'
import { captureWatched, openArchive } from './archive-open.ts'

/** Archives what is new, where the mode is `auto`. */
export async function archiveInPassing(clew: Clew): Promise<void> {
  try {
    if (archiveSettingOf(clew).mode !== 'auto') return
    const roots = rootsFor(clew)
    if (roots.length === 0) return
    const report = await captureWatched(openArchive(clew, { waitMs: 0 }), roots, clew)
    if (report.failure !== undefined) throw report.failure
    if (report.isStopped) clew.listener.note('not everything is archived yet; the next run continues')
  } catch (error) {
    if (!(error instanceof FileError || error instanceof UserError)) throw error
    const isBusy = error instanceof FileError && error.code === 'locked' && !isForgotten(archiveFolder(clew.home))
    if (!isBusy) clew.listener.note(`not archived: ${error.message}`)
  }
}

const dayMs = 86_400_000

/** Another process archives already. One that has run for a day has probably hung. */
function isForgotten(folder: string): boolean {
  const since = toMillis(lockHolder(folder)?.started ?? null)
  return since !== null && Date.now() - since > dayMs
}

/** The usual homes; of homes named with --root, only those that are archived already. */
function rootsFor(clew: Clew): string[] {
  const roots = homesOf(clew)
  if (!clew.isRootNamed) return roots
  const archived = clew.archive?.manifest.catalog.homes() ?? new Set<string>()
  return roots.filter(root => archived.has(canonicalPlace(root)))
}
