// Rows of a session's files → what is said of the session as a whole: its row in lists, its threads and turns, and what links
// it to others. It works on thin events, with the same analysis that reads files.

import { toMillis } from '../../base/instant.ts'
import { foldersOf } from '../../disk/discover/folder-titles.ts'
import type { SessionFiles } from '../../model/source.ts'
import { insertRows } from '../store/insert.ts'
import type { Database, SqlValue } from '../store/port.ts'
import { Before, dropMarks, longLog, type Mark, markedLog, readMark, writeMark } from './settle-mark.ts'
import { type Settled, settledRows, wholeRows } from './settle-rows.ts'
import { ThinReader } from './thin.ts'
import { type FileIds, thinFiles } from './thin-graph.ts'

export { titleFolders } from './settle-titles.ts'

/**
 * Replaces all that is said of a session. `stamp`: which bytes of which files it is made from. `markFrom`: a log of so many events
 * is read from its last prompt on, the next time.
 */
export function settleSession(
  db: Database,
  session: SessionFiles & { twins?: unknown },
  fileIds: FileIds,
  stamp: string,
  reader: ThinReader = new ThinReader(db, 'settle'),
  markFrom = longLog,
): void {
  const file = fileIds.get(markedLog(session)?.generation ?? '') ?? null
  const mark = file === null ? null : readMark(db, file, session.id)
  const events = Number(db.prepare('SELECT events FROM file WHERE id = ?').get([file])?.[0] ?? 0)
  const sure = events >= markFrom ? events : 0
  const settled = settledFrom(reader, session, fileIds, sure, mark) ?? settledOf(reader, session, fileIds, sure)
  writeSettled(db, session, fileIds, stamp, settled)
  if (file === null || settled.mark === null) dropMarks(db, session.id)
  else if (settled.mark !== mark) writeMark(db, file, session.id, settled.mark)
}

/** From the rows behind a mark; null where those are not enough. */
function settledFrom(
  reader: ThinReader,
  session: SessionFiles,
  fileIds: FileIds,
  sure: number,
  mark: Mark | null,
): Settled | null {
  if (mark === null) return null
  const files = thinFiles(reader, session, fileIds, mark.events)
  return settledRows(session.id, files, sure, new Before(mark))
}

/**
 * Reads, and writes nothing. `reader`: one for many sessions is quicker than one for each. `sure`: events of its first log that
 * will not be told anew, where a mark is wanted.
 */
export function settledOf(reader: ThinReader, session: SessionFiles, fileIds: FileIds, sure = 0): Settled {
  return wholeRows(session.id, thinFiles(reader, session, fileIds), sure)
}

export function writeSettled(
  db: Database,
  session: SessionFiles & { twins?: unknown },
  fileIds: FileIds,
  stamp: string,
  { facts, summaries, threads, turns, digest, from }: Settled,
): void {
  const { twins: _twins, ...files } = session
  const { id, slug } = session
  const { title, titleFrom, startedAt, endedAt } = facts
  // One that is new has no rows.
  if (db.prepare('SELECT 1 FROM session WHERE id = ?').get([id]) !== undefined) dropRows(db, id, from)
  const texts = [JSON.stringify(files), JSON.stringify(facts), JSON.stringify(summaries), title]
  const times = [toMillis(startedAt), toMillis(endedAt)]
  const sql = `INSERT INTO session (id, slug, stamp, files, facts, summaries, title, started, ended, own)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
  db.prepare(sql).run([id, slug, stamp, ...texts, ...times, JSON.stringify({ title, titleFrom })])
  const folder = db.prepare('INSERT INTO folder (path, session) VALUES (?, ?)')
  for (const path of foldersOf(session)) folder.run([path, id])
  const log = db.prepare('INSERT OR FAIL INTO session_log SELECT ?, ?, generation FROM file WHERE id = ?')
  for (const [n, { generation }] of session.logs.entries()) log.run([id, n, fileIds.get(generation) ?? null])
  const withId = (rows: readonly SqlValue[][]) => rows.flatMap(row => [id, ...row])
  insertRows(db, 'thread', 7, withId(threads))
  insertRows(db, 'turn', 9, withId(turns))
  insertRows(db, 'digest', 3, withId(digest))
}

/** Forgets what was said of a session; its files and their rows stay. */
export function dropSession(db: Database, id: string): void {
  dropRows(db, id, 0)
  dropMarks(db, id)
}

/** `from`: turns before this one stay. */
function dropRows(db: Database, id: string, from: number): void {
  db.prepare('DELETE FROM session WHERE id = ?').run([id])
  db.prepare('DELETE FROM turn WHERE session = ? AND n >= ?').run([id, from])
  for (const table of ['thread', 'digest', 'folder', 'session_log']) {
    db.prepare(`DELETE FROM ${table} WHERE session = ?`).run([id])
  }
}
