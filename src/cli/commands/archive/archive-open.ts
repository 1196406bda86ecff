// What every archive command begins with: the archive of this Clew home, and the homes that it is about.

import { existsSync, statSync } from 'node:fs'
import { archiveSettingOf, excludeRules, noteWaiting, sentence } from '../../../answers/archive-mode.ts'
import { UserError } from '../../../answers/error.ts'
import { homesOf } from '../../../answers/settings.ts'
import { type CaptureReport, capture } from '../../../archive/capture/capture.ts'
import { archiveFolder } from '../../../archive/format/layout.ts'
import { incompleteText } from '../../../archive/format/manifest.ts'
import { mayLackMore } from '../../../archive/read/shortened.ts'
import { archivedHomePaths } from '../../../archive/read/tree.ts'
import { Archive } from '../../../archive/store/archive.ts'
import type { ArchiveMode } from '../../../archive/store/mode.ts'
import { errorCode } from '../../../base/error-code.ts'
import { discover } from '../../../disk/discover/discover.ts'
import { diskTree } from '../../../disk/discover/tree.ts'
import { FileError } from '../../../files/error.ts'
import type { Discovery } from '../../../model/source.ts'
import type { CommandDeclaration, GlobalOptions } from '../../command.ts'
import { say } from '../../terminal/output.ts'

/** How long a command waits for another one that changes the archive. */
const longestWaitMs = 30_000

export function openArchive(globals: GlobalOptions, options: { waitMs?: number } = {}): Archive {
  const archive = new Archive(archiveFolder(globals.clew.home), {
    waitMs: options.waitMs ?? longestWaitMs,
    onWait: noteWaiting(globals.clew),
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
export function existingArchive(globals: GlobalOptions): Archive {
  const archive = openArchive(globals)
  if (!archive.exists) throw new UserError('nothing is archived yet; clew archive run archives your sessions')
  return archive
}

/** What is on disk, in the homes in question and in all that anything is archived of. */
export function liveDiscoveries(archive: Archive, globals: GlobalOptions): Promise<Discovery[]> {
  const roots = homesOf(globals.clew)
  if (archive.exists) roots.push(...archivedHomePaths(archive, roots).filter(home => existsSync(home)))
  return Promise.all(roots.map(root => discover(root, diskTree)))
}

/** Says that lines of the manifest are lost, where they are: what is given back may then lack its end. */
export function reportIncomplete(archive: Archive): boolean {
  const isLost = mayLackMore(archive)
  if (isLost) say(`clew: ${incompleteText}`)
  return isLost
}

/** What a mode means, for people. */
export function modeText(mode: ArchiveMode, commands: readonly CommandDeclaration[]): string {
  if (mode === 'off') return 'off: nothing is archived any more; what is archived stays'
  if (mode === 'manual') return 'manual: only clew archive run archives'
  const names = commands.filter(({ archives }) => archives !== undefined).map(({ name }) => name)
  return `auto: what is new is archived by clew, ${names.join(', ')}`
}

/** Where the config forbids it, the error says how to allow it. */
export function refuseOff(globals: GlobalOptions): void {
  if (archiveSettingOf(globals.clew).mode !== 'off') return
  throw new UserError('the config says archive off; clew config set archive manual allows it')
}

/** Errors of the archive and of the system are for people: one line, no stack. */
export async function withUserErrors<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof FileError) throw new UserError(sentence(error.message) + hintFor(error.code))
    if (isSystemError(error)) throw new UserError(`cannot read ${error.path} (${error.code})`)
    throw error
  }
}

function hintFor(code: string): string {
  return code === 'damaged-manifest' ? '; see clew archive verify; to continue anyway, pass --even-if-damaged' : ''
}

function isSystemError(error: unknown): error is { path: string; code: string } {
  return error instanceof Error && 'path' in error && 'syscall' in error && 'code' in error
}

export function captureWatched(
  archive: Archive,
  roots: readonly string[],
  { clew }: GlobalOptions,
): Promise<CaptureReport> {
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
