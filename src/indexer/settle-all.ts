// Settles the sessions whose files changed since they were settled last, and drops those that are no more.

import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import type { PlacedSession } from '../disk/merge.ts'
import type { SessionFiles } from '../model/source.ts'
import type { Database } from './port.ts'
import { dropSession, settleSession, titleFolders } from './settle.ts'

/** A transaction is closed after so many sessions. */
const sessionsAtOnce = 200

/** How many were settled. `byLog`: the indexed generation that stands for each log. */
export function settleSessions(
  db: Database,
  sessions: readonly PlacedSession[],
  byLog: ReadonlyMap<string, string>,
  isInScope: (path: string) => boolean,
): number {
  const files = new Map<string, IndexedFile>()
  for (const [generation, id, told, sum] of db.prepare('SELECT generation, id, told, check_sum FROM file').all()) {
    files.set(String(generation), { id: Number(id), told: `${told} ${sum ?? ''}` })
  }
  const known = new Map<string, { stamp: string; files: string }>()
  for (const [id, stamp, json] of db.prepare('SELECT id, stamp, files FROM session').all()) {
    known.set(String(id), { stamp: String(stamp), files: String(json) })
  }
  const folders = new Set<string>()
  const work: (() => void)[] = []
  for (const session of sessions) {
    const stamp = stampOf(session, byLog, files)
    const before = known.get(session.id)
    known.delete(session.id)
    if (before?.stamp === stamp) continue
    for (const folder of [...foldersOf(session), ...formerFolders(before)]) folders.add(folder)
    work.push(() => settleSession(db, session, idsOf(session, byLog, files), stamp))
  }
  for (const [id, { files: json }] of known) {
    const gone = JSON.parse(json) as SessionFiles
    if (!gone.logs.every(log => isInScope(log.path))) continue
    for (const folder of foldersOf(gone)) folders.add(folder)
    work.push(() => dropSession(db, id))
  }
  for (let from = 0; from < work.length; from += sessionsAtOnce) {
    db.transaction(() => {
      if (from === 0) noteDue(db, folders)
      for (const settle of work.slice(from, from + sessionsAtOnce)) settle()
    })
  }
  titleDue(db)
  return work.length
}

/** A session that was moved gave titles where it was. */
function formerFolders(before: { files: string } | undefined): string[] {
  return before === undefined ? [] : foldersOf(JSON.parse(before.files) as SessionFiles)
}

/** Titles of whole folders come last; a kill before that must not make them be forgotten. */
function noteDue(db: Database, folders: ReadonlySet<string>): void {
  const all = new Set([...dueFolders(db), ...folders])
  db.prepare("INSERT OR REPLACE INTO meta VALUES ('untitled', ?)").run([JSON.stringify([...all])])
}

function dueFolders(db: Database): string[] {
  return JSON.parse(String(db.prepare("SELECT value FROM meta WHERE key = 'untitled'").get()?.[0] ?? '[]'))
}

function titleDue(db: Database): void {
  const folders = dueFolders(db)
  if (folders.length === 0) return
  db.transaction(() => {
    titleFolders(db, folders)
    db.exec("DELETE FROM meta WHERE key = 'untitled'")
  })
}

interface IndexedFile {
  id: number
  /** How many bytes are told and, where a file may have been rewritten, which. */
  told: string
}

type IndexedFiles = ReadonlyMap<string, IndexedFile>

/** Which bytes of which files a session is made from, and what is known of the files. */
function stampOf(session: PlacedSession, byLog: ReadonlyMap<string, string>, files: IndexedFiles): string {
  const hash = createHash('sha256').update(JSON.stringify([session.slug, session.logs, session.side]))
  for (const log of session.logs) {
    const generation = byLog.get(log.generation) ?? ''
    hash.update(`${generation} ${files.get(generation)?.told ?? ''}\n`)
  }
  return hash.digest('hex').slice(0, 32)
}

/** The index's ids of the logs, by the logs' own generations. */
function idsOf(session: PlacedSession, byLog: ReadonlyMap<string, string>, files: IndexedFiles): Map<string, number> {
  const ids = new Map<string, number>()
  for (const log of session.logs) {
    const id = files.get(byLog.get(log.generation) ?? '')?.id
    if (id !== undefined) ids.set(log.generation, id)
  }
  return ids
}

export function foldersOf(session: SessionFiles): string[] {
  const mains = session.logs.filter(log => log.role === 'session')
  const logs = mains.length > 0 ? mains : session.logs.slice(0, 1)
  return [...new Set(logs.map(log => dirname(log.path)))]
}
