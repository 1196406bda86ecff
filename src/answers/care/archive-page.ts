// The archive screen: what is archived, what Claude Code will delete, and the changes that it offers. They are those of the
// commands; here it is said whether they are allowed, and what of their answers the screen shows.

import { bytesOf, isOnDisk } from '../../model/source.ts'
import { byLatest } from '../../session/latest.ts'
import type { Clew } from '../clew.ts'
import { conflict } from '../error.ts'
import { refuseChanges, scopeOf } from '../scope.ts'
import { archivedIn } from '../session/detail.ts'
import { knownRows } from '../sessions/known.ts'
import type { ListRow } from '../sessions/rows.ts'
import type { ArchiveAnswer } from '../shapes.ts'
import { archiveNow, archiveState, type RestoreReport, restore } from './archive.ts'
import { forgetSession } from './forget.ts'

/** Sessions that are listed one by one. */
const mostNamed = 500

export async function archivePage(clew: Clew): Promise<ArchiveAnswer> {
  const known = await knownRows(clew)
  const { rows } = known
  const { status, isChosen } = await archiveState(clew)
  const isArchived = await archivedIn(clew)
  const { exists, mode, files, bytes, storedBytes, unarchivedBytes, expiring } = status
  const unarchived = rows.filter(({ session }) => isOnDisk(session) && !isArchived(session))
  return {
    hasArchive: exists,
    mode,
    isModeChosen: isChosen,
    ...{ files, bytes, storedBytes, unarchivedBytes },
    unarchivedSessions: scopeOf(clew).isSample ? 0 : unarchived.length,
    expiring: expiring.slice(0, mostNamed).map(({ session, deletedOn, archived }) => {
      return { session, title: known.title(session), deletedOn, isArchived: archived }
    }),
    gone: goneOf(rows),
    isReadOnly: clew.isReadOnly,
  }
}

export async function archiveFromPage(clew: Clew): Promise<{ files: number; bytes: number }> {
  refuseChanges(clew, 'archived', ownAdvice)
  const { report } = await archiveNow(clew)
  if (report.failure !== undefined) throw conflict(report.failure.message)
  return { files: report.added + report.grown + report.rewritten, bytes: report.bytes }
}

/** Puts a session's files back where they were; what is there already stays as it is. */
export async function restoreFromPage(clew: Clew, session: string): Promise<{ files: number }> {
  refuseChanges(clew, 'restored', ownAdvice)
  const report = await restore(clew, { sessions: [session], isOverwriting: false, keepsTimes: false })
  refuseTrouble(report)
  return { files: report.restored }
}

/** Deletes a session from archive and index; Claude Code's own files stay. */
export async function forgetFromPage(clew: Clew, session: string): Promise<{ files: number }> {
  refuseChanges(clew, 'forgotten', ownAdvice)
  return { files: (await forgetSession(clew, session, false)).files.length }
}

const ownAdvice = 'Your own sessions are archived once there are some.'

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
