// Settles the sessions whose files changed since they were settled last, and drops those that are no more.

import { createHash } from 'node:crypto'
import { foldersOf } from '../../disk/discover/folder-titles.ts'
import type { PlacedSession } from '../../disk/discover/merge.ts'
import type { SessionFiles } from '../../model/source.ts'
import { WrittenRows } from '../ingest/written.ts'
import type { Database, SqlValue } from '../store/port.ts'
import { dropSession, settleSession, titleFolders } from './settle.ts'
import { titleSession } from './settle-titles.ts'
import { ThinReader } from './thin.ts'

/** A transaction is closed after so many sessions. */
const sessionsAtOnce = 200

/** Settles sessions of one refresh. `byLog`: the indexed generation that stands for each log. */
export class Settling {
  /** How many were settled or dropped. */
  count = 0
  /** Rows that are written while it settles. */
  readonly written = new WrittenRows()
  private readonly db: Database
  private readonly sessions: readonly PlacedSession[]
  private readonly byLog: Map<string, string>
  private readonly reader: ThinReader
  private readonly markFrom: number | undefined
  /** Folders whose sessions have to be named anew, as the index has them. */
  private due: Set<string> | null = null
  private readonly sessionOf: ReadonlyMap<string, PlacedSession>
  /** Sessions by the generations that stand for their logs. */
  private readonly owners = new Map<string, PlacedSession>()
  /** By session: the place of a log that was not told as a whole when it was looked at last. */
  private readonly missing = new Map<string, number>()

  /** `markFrom`: see `settleSession`. */
  constructor(
    db: Database,
    sessions: readonly PlacedSession[],
    byLog: ReadonlyMap<string, string>,
    { markFrom }: { markFrom?: number } = {},
  ) {
    this.db = db
    this.markFrom = markFrom
    this.sessions = sessions
    this.byLog = new Map()
    this.sessionOf = new Map(sessions.flatMap(session => session.logs.map(log => [log.generation as string, session])))
    this.reader = new ThinReader(db, 'settle', this.written)
    this.renew(byLog)
  }

  /** More is kept than was: these generations stand for these logs from now on. */
  renew(byLog: ReadonlyMap<string, string>): void {
    for (const [log, generation] of byLog) {
      this.byLog.set(log, generation)
      const session = this.sessionOf.get(log)
      if (session !== undefined) this.owners.set(generation, session)
    }
  }

  /** All of a generation is told: settles its session where that was the last of its files, within the open transaction. */
  fileDone(generation: string): void {
    const session = this.owners.get(generation)
    if (session === undefined) return
    const files = this.filesOf(session)
    if (files === null) return
    const { db } = this
    const before = db.prepare('SELECT stamp, summaries FROM session WHERE id = ?').get([session.id])
    const stamp = stampOf(session, this.byLog, files)
    if (before?.[0] === stamp) return
    const former = formerFolders(db, session.id)
    const folders = foldersOf(session)
    this.settle(session, files, stamp)
    const summaries = db.prepare('SELECT summaries FROM session WHERE id = ?').get([session.id])?.[0]
    // Others are named by what it says of branches; where that is the same, so are they.
    const isAlone = summaries === before?.[1] && isSameSet(folders, former)
    if (isAlone) titleSession(db, session.id)
    else this.noteDue([...folders, ...former])
  }

  private noteDue(folders: readonly string[]): void {
    const { db } = this
    this.due ??= new Set(dueFolders(db))
    const before = this.due.size
    for (const folder of folders) this.due.add(folder)
    if (this.due.size === before) return
    db.prepare("INSERT OR REPLACE INTO meta VALUES ('untitled', ?)").run([JSON.stringify([...this.due])])
  }

  /** Null where a log is not told as a whole. */
  private filesOf(session: PlacedSession): Map<string, IndexedFile> | null {
    const { logs, id } = session
    // Most often it is the one that was missing the last time, or one behind it: then the others need no look.
    const from = this.missing.get(id) ?? 0
    const known = new Map<string, IndexedFile>()
    for (let n = 0; n < logs.length; n++) {
      const at = (from + n) % logs.length
      const generation = this.byLog.get(logs[at]?.generation ?? '') ?? ''
      const row = this.db.prepare('SELECT id, told, check_sum, size FROM file WHERE generation = ?').get([generation])
      if (row === undefined || row[1] !== row[3]) {
        this.missing.set(id, at)
        return null
      }
      known.set(generation, { id: Number(row[0]), told: toldText(row[1], row[2]) })
    }
    return known
  }

  private settle(session: PlacedSession, files: IndexedFiles, stamp: string): void {
    const ids = idsOf(session, this.byLog, files)
    settleSession(this.db, session, ids, stamp, this.reader, this.markFrom)
    for (const id of ids.values()) this.written.drop(id)
    this.count++
  }

  /** All sessions whose files are not as they were when they were settled; drops those (`among` these) that are no more. */
  rest(isInScope: (path: string) => boolean, among?: ReadonlySet<string>): void {
    const { db } = this
    const files = this.indexedFiles(among !== undefined)
    const known = this.stamps(among)
    const folders = new Set<string>()
    const work: (() => void)[] = []
    for (const session of this.sessions) {
      const stamp = stampOf(session, this.byLog, files)
      const before = known.get(session.id)
      known.delete(session.id)
      if (before === stamp) continue
      for (const folder of [...foldersOf(session), ...formerFolders(db, session.id)]) folders.add(folder)
      work.push(() => this.settle(session, files, stamp))
    }
    for (const id of known.keys()) {
      const gone = filesBefore(db, id)
      if (gone === null || !gone.logs.every(log => isInScope(log.path))) continue
      for (const folder of foldersOf(gone)) folders.add(folder)
      work.push(() => {
        dropSession(db, id)
        this.count++
      })
    }
    for (let from = 0; from < work.length; from += sessionsAtOnce) {
      db.transaction(() => {
        if (from === 0) this.noteDue([...folders])
        for (const settle of work.slice(from, from + sessionsAtOnce)) settle()
      })
    }
    this.title()
  }

  private indexedFiles(isOwn: boolean): Map<string, IndexedFile> {
    const where = isOwn ? ' WHERE generation IN (SELECT value FROM json_each(?))' : ''
    const values = isOwn ? [JSON.stringify([...this.byLog.values()])] : []
    const rows = this.db.prepare(`SELECT generation, id, told, check_sum FROM file${where}`).all(values)
    return new Map(
      rows.map(([generation, id, told, sum]) => [String(generation), { id: Number(id), told: toldText(told, sum) }]),
    )
  }

  /** Of sessions that were settled, and may be no more. */
  private stamps(among: ReadonlySet<string> | undefined): Map<string, string> {
    const where = among === undefined ? '' : ' WHERE id IN (SELECT value FROM json_each(?))'
    const values = among === undefined ? [] : [JSON.stringify([...among, ...this.sessions.map(({ id }) => id)])]
    const rows = this.db.prepare(`SELECT id, stamp FROM session${where}`).all(values)
    return new Map(rows.map(([id, stamp]) => [String(id), String(stamp)]))
  }

  /** Titles that the sessions of a folder give each other; `rest` does it, too. */
  title(): void {
    titleDue(this.db)
    this.due = null
  }
}

function toldText(told: SqlValue | undefined, sum: SqlValue | undefined): string {
  return `${told} ${sum ?? ''}`
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every(item => other.includes(item))
}

/** A session that was moved gave titles where it was. */
function formerFolders(db: Database, id: string): string[] {
  const before = filesBefore(db, id)
  return before === null ? [] : foldersOf(before)
}

/** The files it was settled with last. */
function filesBefore(db: Database, id: string): SessionFiles | null {
  const json = db.prepare('SELECT files FROM session WHERE id = ?').get([id])?.[0]
  return typeof json === 'string' ? (JSON.parse(json) as SessionFiles) : null
}

/** Titles of whole folders come last; a kill before that must not make them be forgotten. */
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
