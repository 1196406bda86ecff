// What every question about the archive begins with: the archive of this Clew home, and the homes that it is about.

import { existsSync, statSync } from 'node:fs'
import { type CaptureReport, capture } from '../../archive/capture/capture.ts'
import { archiveFolder } from '../../archive/format/layout.ts'
import { archivedHomePaths } from '../../archive/read/tree.ts'
import { Archive } from '../../archive/store/archive.ts'
import { errorCode } from '../../base/error-code.ts'
import { discover } from '../../disk/discover/discover.ts'
import { diskTree } from '../../disk/discover/tree.ts'
import type { Discovery } from '../../model/source.ts'
import { archiveSettingOf, excludeRules, noteWaiting } from '../archive-mode.ts'
import type { Clew } from '../clew.ts'
import { conflict, NotFoundError, UserError } from '../error.ts'
import { homesOf } from '../settings.ts'

/** How long a question waits for another one that changes the archive. */
const longestWaitMs = 30_000

export function openArchive(clew: Clew, options: { waitMs?: number } = {}): Archive {
  const archive = new Archive(archiveFolder(clew.home), {
    waitMs: options.waitMs ?? longestWaitMs,
    onWait: noteWaiting(clew),
  })
  refuseHidden(archive.layout.manifest)
  return archive
}

/** What may not be looked at is not the same as what is not there. */
function refuseHidden(path: string): void {
  try {
    statSync(path)
  } catch (error) {
    const code = errorCode(error)
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw new UserError(`cannot look at ${path} (${code})`)
  }
}

/** The archive where there is one; an error that says how to begin where there is none. */
export function existingArchive(clew: Clew): Archive {
  const archive = openArchive(clew)
  if (!archive.exists) throw new NotFoundError('nothing is archived yet; clew archive run archives your sessions')
  return archive
}

/** What is on disk, in the homes in question and in all that anything is archived of. */
export function liveDiscoveries(archive: Archive, clew: Clew): Promise<Discovery[]> {
  const roots = homesOf(clew)
  if (archive.exists) roots.push(...archivedHomePaths(archive, roots).filter(home => existsSync(home)))
  return Promise.all(roots.map(root => discover(root, diskTree)))
}

/** Where the config forbids it, the error says how to allow it. */
export function refuseOff(clew: Clew): void {
  if (archiveSettingOf(clew).mode !== 'off') return
  throw conflict('the config says archive off; clew config set archive manual allows it')
}

export function captureWatched(archive: Archive, roots: readonly string[], clew: Clew): Promise<CaptureReport> {
  const stopping = 'stopping after this file; Ctrl-C again stops at once'
  return clew.listener.stoppable(stopping, watching =>
    capture(archive, {
      ...watching,
      roots,
      exclude: excludeRules(clew),
      begin: total => watching.begin('archiving', total),
    }),
  )
}
