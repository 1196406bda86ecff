// The archive screen: what is archived, what Claude Code will delete, and its changes: archive now, restore,
// forget. Of these only a restore writes inside a Claude home; new sessions are written in ../sessions/new-session.ts.

import { existsSync } from 'node:fs'
import { capture } from '../../archive/capture/capture.ts'
import { archiveFolder } from '../../archive/format/layout.ts'
import { archiveStatus } from '../../archive/maintain/status.ts'
import { archivedHomes } from '../../archive/read/sessions.ts'
import { archivedHomePaths } from '../../archive/read/tree.ts'
import { Archive } from '../../archive/store/archive.ts'
import { type RestoreReport, restoreFiles } from '../../archive/transfer/restore.ts'
import { discover } from '../../disk/discover/discover.ts'
import { Retention } from '../../disk/discover/homes.ts'
import { diskTree } from '../../disk/discover/tree.ts'
import { FileError } from '../../files/error.ts'
import { bytesOf, type Discovery, isOnDisk } from '../../model/source.ts'
import { byLatest } from '../../session/latest.ts'
import { archiveSettingOf, excludeRules } from '../archive-mode.ts'
import type { Clew } from '../clew.ts'
import { settingsOf } from '../configured.ts'
import { conflict, notFound } from '../error.ts'
import { refuseChanges, scopeOf } from '../scope.ts'
import { archivedIn } from '../session/detail.ts'
import { knownRows } from '../sessions/known.ts'
import type { ListRow } from '../sessions/rows.ts'
import type { ArchiveAnswer } from '../shapes.ts'
import { eraseEverywhere, planOf } from './forget.ts'

/** How long a change waits for another process that writes. */
const longestWaitMs = 10_000
/** Sessions that are listed one by one. */
const mostNamed = 500

export class ArchiveData {
  private readonly clew: Clew

  constructor(clew: Clew) {
    this.clew = clew
  }

  archive(): Archive {
    return new Archive(archiveFolder(this.clew.home), { waitMs: longestWaitMs })
  }

  async answer(): Promise<ArchiveAnswer> {
    const known = await knownRows(this.clew)
    const { roots, isSample } = scopeOf(this.clew)
    const { mode, isChosen } = archiveSettingOf(this.clew)
    const archive = this.archive()
    const present = isSample ? [] : roots.filter(root => existsSync(root))
    const status = await withProblems(async () =>
      archiveStatus(archive, {
        roots: present,
        discoveries: await discoverAll(present),
        exclude: [...settingsOf(this.clew).exclude],
        retention: new Retention(),
      }),
    )
    const isArchived = await archivedIn(this.clew)
    const titleOf = (session: string) => known.row(session)?.title ?? session
    const { files, bytes, storedBytes, unarchivedBytes, expiring } = status
    return {
      hasArchive: archive.exists,
      mode,
      isModeChosen: isChosen,
      files,
      bytes,
      storedBytes,
      unarchivedBytes,
      unarchivedSessions: isSample
        ? 0
        : known.rows.filter(({ session }) => isOnDisk(session) && !isArchived(session)).length,
      expiring: expiring.slice(0, mostNamed).map(({ session, deletedOn, archived }) => {
        return { session, title: titleOf(session), deletedOn, isArchived: archived }
      }),
      gone: goneOf(known.rows),
      isReadOnly: this.clew.isReadOnly,
    }
  }

  async archiveNow(): Promise<{ files: number; bytes: number }> {
    refuseChanges(this.clew, 'archived', ownAdvice)
    const { roots } = scopeOf(this.clew)
    if (archiveSettingOf(this.clew).mode === 'off') {
      throw conflict('Archiving is switched off.', 'Run clew config set archive manual to allow it.')
    }
    const present = roots.filter(root => existsSync(root))
    const report = await withProblems(() =>
      capture(this.archive(), { roots: present, exclude: [...excludeRules(this.clew)] }),
    )
    if (report.failure !== undefined) throw problemOf(report.failure)
    return { files: report.added + report.grown + report.rewritten, bytes: report.bytes }
  }

  /** Puts a session's files back where they were; what is there already stays as it is. */
  async restore(session: string): Promise<{ files: number }> {
    refuseChanges(this.clew, 'restored', ownAdvice)
    const archive = this.archive()
    const all = archive.exists ? (await withProblems(() => archivedHomes(archive))).flatMap(home => home.sessions) : []
    const sessions = all.filter(({ id }) => id === session)
    if (sessions.length === 0)
      throw notFound('This session is not in the archive.', 'Only archived sessions can be restored.')
    const exclude = [...excludeRules(this.clew)]
    const report = await withProblems(() => restoreFiles(archive, { sessions, exclude }))
    refuseTrouble(report)
    return { files: report.restored }
  }

  /** Deletes a session from archive and index; Claude Code's own files stay. */
  async forget(session: string): Promise<{ files: number }> {
    refuseChanges(this.clew, 'forgotten', ownAdvice)
    const archive = this.archive()
    const { roots } = scopeOf(this.clew)
    const homes = [...roots, ...(archive.exists ? archivedHomePaths(archive, roots) : [])].filter(root =>
      existsSync(root),
    )
    const discoveries = await discoverAll(homes)
    const isLive = discoveries.some(({ sessions }) => sessions.some(({ id }) => id === session))
    const isArchived =
      archive.exists && (await archivedHomes(archive)).some(one => one.sessions.some(({ id }) => id === session))
    if (!isArchived && !isLive) throw notFound('There is no such session.')
    const { report } = await withProblems(async () => {
      const forgetting = await planOf(this.clew, { id: session, isGuess: false }, archive, discoveries)
      return eraseEverywhere(this.clew, forgetting)
    })
    return { files: report.files.length }
  }
}

const ownAdvice = 'Your own sessions are archived once there are some.'

function discoverAll(roots: readonly string[]): Promise<Discovery[]> {
  return Promise.all(roots.map(root => discover(root, diskTree)))
}

/** The last ended first. */
function goneOf(rows: readonly ListRow[]): ArchiveAnswer['gone'] {
  const gone = rows.filter(({ session }) => !isOnDisk(session)).sort(byLatest)
  return gone.slice(0, mostNamed).map(({ session, title, endedAt }) => {
    return { session: session.id, title, endedAt, bytes: bytesOf(session) }
  })
}

function refuseTrouble({ inUse, different, failed, files }: RestoreReport): void {
  if (inUse > 0) {
    const reason = files.find(({ status }) => status === 'in-use')?.reason
    throw conflict('This session is in use.', reason ?? 'Try again when nothing writes to it.')
  }
  if (failed > 0) throw conflict('Some files could not be restored.', 'Run clew archive restore to see why.')
  if (different > 0) {
    throw conflict(
      'Files with other content are in their place and were left alone.',
      'Run clew archive restore --overwrite to archive and replace them.',
    )
  }
}

async function withProblems<Value>(act: () => Promise<Value>): Promise<Value> {
  try {
    return await act()
  } catch (error) {
    throw error instanceof FileError ? problemOf(error) : error
  }
}

/** Without the paths that such errors name. */
function problemOf({ code }: FileError): Error {
  if (code === 'locked') return conflict('Another clew is writing to the archive.', 'Try again when it is done.')
  if (code === 'damaged-manifest') return conflict('The archive is damaged.', 'Run clew archive verify for details.')
  return conflict('The archive could not be read or changed.', 'Run clew archive status for details.')
}
