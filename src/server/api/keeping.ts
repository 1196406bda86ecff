// What is kept and what the client is about to delete, and the only changes that the server can make: keep, restore, forget.
// Nothing inside a Claude home is written except by a restore.

import { existsSync } from 'node:fs'
import { keep } from '../../archive/capture/keep.ts'
import { ArchiveError } from '../../archive/format/error.ts'
import { archiveFolder } from '../../archive/format/layout.ts'
import { forget } from '../../archive/maintain/forget.ts'
import { archiveStatus } from '../../archive/maintain/status.ts'
import { keptHomePaths } from '../../archive/read/kept.ts'
import { keptHomes } from '../../archive/read/sessions.ts'
import { Archive } from '../../archive/store/archive.ts'
import { type RestoreReport, restoreFiles } from '../../archive/transfer/restore.ts'
import { discover } from '../../disk/discover/discover.ts'
import { Retention } from '../../disk/discover/homes.ts'
import { diskTree } from '../../disk/discover/tree.ts'
import { erasing } from '../../index/store/erase.ts'
import { bytesOf, type Discovery, isOnDisk } from '../../model/source.ts'
import { conflict, notFound, refused } from '../http/problem.ts'
import type { KeepingAnswer } from './api.ts'
import type { ListEntry } from './list.ts'
import type { Scope } from './scope.ts'

/** How long a change waits for another process that is at it. */
const longestWaitMs = 10_000
/** So many sessions are named one by one. */
const mostNamed = 500

export class Keeping {
  private readonly scope: Scope

  constructor(scope: Scope) {
    this.scope = scope
  }

  archive(): Archive {
    return new Archive(archiveFolder(this.scope.home), { waitMs: longestWaitMs })
  }

  async answer(entries: readonly ListEntry[]): Promise<KeepingAnswer> {
    const { settings, roots, isSample, isReadOnly } = this.scope
    const archive = this.archive()
    const present = isSample ? [] : roots.filter(root => existsSync(root))
    const status = await telling(async () =>
      archiveStatus(archive, {
        roots: present,
        discoveries: await discoverAll(present),
        exclude: settings.exclude,
        retention: new Retention(),
      }),
    )
    const byId = new Map(entries.map(entry => [entry.session.id as string, entry]))
    const titleOf = (session: string) => byId.get(session)?.facts.title ?? session
    const { files, bytes, storedBytes, unarchivedBytes, expiring } = status
    return {
      hasArchive: archive.exists,
      mode: settings.mode,
      files,
      bytes,
      storedBytes,
      unkeptBytes: unarchivedBytes,
      expiring: expiring.slice(0, mostNamed).map(({ session, deletedOn, archived }) => {
        return { session, title: titleOf(session), deletedOn, isKept: archived }
      }),
      gone: goneOf(entries),
      isReadOnly,
    }
  }

  async keepNow(): Promise<{ files: number; bytes: number }> {
    this.refuseChanges('kept')
    const { settings, roots } = this.scope
    if (settings.mode === 'off') {
      throw conflict('Keeping is switched off.', 'clew config set archive manual allows it.')
    }
    const present = roots.filter(root => existsSync(root))
    const report = await telling(() => keep(this.archive(), { roots: present, exclude: settings.exclude }))
    if (report.failure !== undefined) throw problemOf(report.failure)
    return { files: report.added + report.grown + report.rewritten, bytes: report.bytes }
  }

  /** Puts a session's files back where they were; what is there already stays as it is. */
  async restore(session: string): Promise<{ files: number }> {
    this.refuseChanges('restored')
    const archive = this.archive()
    const all = archive.exists ? (await telling(() => keptHomes(archive))).flatMap(home => home.sessions) : []
    const sessions = all.filter(({ id }) => id === session)
    if (sessions.length === 0) throw notFound('Nothing is kept of this session.', 'Only what is kept can be restored.')
    const { exclude } = this.scope.settings
    const report = await telling(() => restoreFiles(archive, { sessions, exclude }))
    refuseTrouble(report)
    return { files: report.restored }
  }

  /** Erases all that is kept and indexed of a session; files of the client are not touched. */
  async forget(session: string): Promise<{ files: number }> {
    this.refuseChanges('forgotten')
    const archive = this.archive()
    const { home, roots } = this.scope
    const homes = [...roots, ...(archive.exists ? keptHomePaths(archive, roots) : [])].filter(root => existsSync(root))
    const discoveries = await discoverAll(homes)
    const isLive = discoveries.some(({ sessions }) => sessions.some(({ id }) => id === session))
    const isKept =
      archive.exists && (await keptHomes(archive)).some(one => one.sessions.some(({ id }) => id === session))
    if (!isKept && !isLive) throw notFound('There is no such session.')
    const erased = { sessions: [session], live: isLive ? [session] : [] }
    const report = await telling(() =>
      erasing({ home, waitMs: longestWaitMs }, erased, () => forget(archive, session, { discoveries })),
    )
    return { files: report.files.length }
  }

  private refuseChanges(what: string): void {
    const { isReadOnly, isSample } = this.scope
    if (isReadOnly) throw refused(`Nothing can be ${what} here.`, 'The server was started so that it changes nothing.')
    if (isSample) throw refused('This is the sample history.', 'Your own sessions are kept once there are some.')
  }
}

function discoverAll(roots: readonly string[]): Promise<Discovery[]> {
  return Promise.all(roots.map(root => discover(root, diskTree)))
}

/** The last ended first. */
function goneOf(entries: readonly ListEntry[]): KeepingAnswer['gone'] {
  const gone = entries.filter(({ session }) => !isOnDisk(session)).slice(0, mostNamed)
  return gone.map(({ session, facts }) => {
    return { session: session.id, title: facts.title, endedAt: facts.endedAt, bytes: bytesOf(session) }
  })
}

function refuseTrouble({ inUse, different, failed, files }: RestoreReport): void {
  if (inUse > 0) {
    const reason = files.find(({ status }) => status === 'in-use')?.reason
    throw conflict('This session is in use.', reason ?? 'Try again when nothing writes to it.')
  }
  if (failed > 0) throw conflict('Not all of its files could be restored.', 'clew archive restore tells why.')
  if (different > 0) {
    throw conflict(
      'Files with other content are there, and were left alone.',
      'clew archive restore --overwrite keeps those and replaces them.',
    )
  }
}

async function telling<Value>(act: () => Promise<Value>): Promise<Value> {
  try {
    return await act()
  } catch (error) {
    throw error instanceof ArchiveError ? problemOf(error) : error
  }
}

/** Without the paths that such errors name. */
function problemOf({ code }: ArchiveError): Error {
  if (code === 'locked') return conflict('Another clew is at work on what is kept.', 'Try again when it is done.')
  if (code === 'damaged-manifest') return conflict('The archive is damaged.', 'clew archive verify tells more.')
  return conflict('The archive could not be read or changed.', 'clew archive status tells more.')
}
