// Erases sessions from the index and from the bytes of its file: deleted rows leave their content behind until the file is
// rewritten. The new file is written next to the one in use, which it then replaces.

import { closeSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join, sep } from 'node:path'
import { archivedGeneration } from '../../archive/read/source.ts'
import { searchable } from '../../base/searchable.ts'
import { foldersOf } from '../../disk/discover/folder-titles.ts'
import { acquireLock, type LockOptions } from '../../files/lock.ts'
import { realOps } from '../../files/ops.ts'
import type { SessionFiles } from '../../model/source.ts'
import { countUsage } from '../ingest/usage.ts'
import { RowWriter } from '../ingest/write.ts'
import { dropSession, summariseCopies } from '../refresh/summarise.ts'
import { titleFolders } from '../refresh/titles.ts'
import { noteOpened } from './closed.ts'
import {
  closeWritten,
  currentPath,
  indexFolder,
  isDamage,
  makeCurrent,
  newPath,
  openForWriting,
  openInUse,
  UnusableIndexError,
} from './open.ts'
import { Database } from './port.ts'
import { eventsPerFile, tokenizer } from './schema.ts'

/** What to erase: everything of some sessions, or some archived generations. */
export interface Erased {
  sessions?: readonly string[]
  /** Ids of the archive's. */
  generations?: readonly string[]
  /** Files and folders, by their whole paths. */
  places?: readonly string[]
  /**
   * Sessions, files, and pasted texts (by the names of their files) of which something is still on disk: it is indexed again
   * until it goes, and then erased once more.
   */
  live?: readonly string[]
}

export interface EraseOptions extends Omit<LockOptions, 'what'> {
  home: string
}

/**
 * Does `act`, which erases from the archive, and erases the same from the index, under its lock. Fails with the code `locked`
 * before anything is done where another process writes. After a kill in between, the next refresh does the rest.
 */
export async function erasing<Value>(options: EraseOptions, erased: Erased, act: () => Promise<Value>): Promise<Value> {
  const { home, ...waiting } = options
  if (currentPath(home) === null) return act()
  const lock = await acquireLock(realOps, indexFolder(home), { ...waiting, what: 'erase' })
  try {
    discardDamaged(home, () =>
      inIndex(home, db => noteDue(db, { isDue: true, sessions: [...dueOf(db).sessions, ...(erased.live ?? [])] })),
    )
    const value = await act()
    discardDamaged(home, () => {
      inIndex(home, db => {
        db.transaction(() => dropErased(db, erased))
        summariseCopies(db)
        countUsage(db)
      })
      scrub(home, realOps, erased.live)
    })
    return value
  } finally {
    lock.release()
  }
}

/** A damaged file is removed: the next refresh builds a new one from what is left. */
function discardDamaged(home: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof UnusableIndexError || isDamage(error))) throw error
    const folder = indexFolder(home)
    for (const name of ['current', 'closed']) rmSync(join(folder, name), { force: true })
    for (const name of readdirSync(folder)) if (/\.sqlite/.test(name)) rmSync(join(folder, name), { force: true })
  }
}

/** Cancels the erasing of a session that is due when it leaves the disk. */
export async function cancelErase(options: EraseOptions, session: string): Promise<void> {
  const { home, ...waiting } = options
  if (currentPath(home) === null) return
  const lock = await acquireLock(realOps, indexFolder(home), { ...waiting, what: 'undo' })
  try {
    inIndex(home, db => {
      const { isDue, sessions } = dueOf(db)
      noteDue(db, { isDue, sessions: sessions.filter(id => id !== session) })
    })
  } finally {
    lock.release()
  }
}

function inIndex(home: string, work: (db: Database) => void): void {
  const path = currentPath(home)
  if (path === null) return
  const db = openInUse(path)
  try {
    work(db)
    closeWritten(db)
  } finally {
    db.close()
  }
}

/** What was erased elsewhere, or will be, and may still be in the file. */
interface Due {
  /** Now. */
  isDue: boolean
  /** As soon as nothing is indexed of them any more. */
  sessions: string[]
}

function dueOf(db: Database): Due {
  const json = db.prepare("SELECT value FROM meta WHERE key = 'erase'").get()?.[0]
  return typeof json === 'string' ? (JSON.parse(json) as Due) : { isDue: false, sessions: [] }
}

function noteDue(db: Database, { isDue, sessions }: Due): void {
  const unique = [...new Set(sessions)]
  if (!isDue && unique.length === 0) db.exec("DELETE FROM meta WHERE key = 'erase'")
  else db.prepare("INSERT OR REPLACE INTO meta VALUES ('erase', ?)").run([JSON.stringify({ isDue, sessions: unique })])
}

/** Whether the file has to be rewritten, so that nothing erased is left in it. */
export function mustScrub(db: Database): boolean {
  const { isDue, sessions } = dueOf(db)
  return isDue || sessions.some(session => !isIndexed(db, session))
}

/** Whether rows have something of a session, a file, or a pasted text of that name. */
function isIndexed(db: Database, name: string): boolean {
  if (db.prepare('SELECT 1 FROM file WHERE session = ?1 OR stored = ?1 OR path = ?1').get([name]) !== undefined)
    return true
  // Prompt histories are of many sessions.
  const prompts = `SELECT 1 FROM file JOIN event ON event.id >= file.id * ${eventsPerFile}
      AND event.id < (file.id + 1) * ${eventsPerFile}
    JOIN origin ON origin.id = event.origin JOIN name ON name.id = origin.session
    WHERE file.session IS NULL AND name.text = ?`
  return db.prepare(prompts).get([name]) !== undefined
}

function dropErased(db: Database, { sessions = [], generations = [], places = [] }: Erased): void {
  // Files of no session, such as prompt histories, may have had its words when they were indexed, whatever they have now: the
  // next refresh reads them again.
  const files = `SELECT id, generation FROM file WHERE session IN (SELECT value FROM json_each(?))
    OR generation IN (SELECT value FROM json_each(?)) OR session IS NULL
    OR EXISTS (SELECT 1 FROM json_each(?) WHERE path = value OR substr(path, 1, length(value) + 1) = value || '${sep}')`
  const archived = generations.map(archivedGeneration)
  const dropped = db.prepare(files).all([sessions, archived, places].map(list => JSON.stringify(list)))
  const affected = `SELECT id, files FROM session WHERE id IN (SELECT value FROM json_each(?))
    OR id IN (SELECT session FROM session_log WHERE generation IN (SELECT value FROM json_each(?)))`
  const contents = dropped.map(([, generation]) => generation)
  const folders = new Set<string>()
  for (const [id, json] of db.prepare(affected).all([JSON.stringify(sessions), JSON.stringify(contents)])) {
    for (const folder of foldersOf(JSON.parse(json as string) as SessionFiles)) folders.add(folder)
    dropSession(db, id as string)
  }
  new RowWriter(db).dropFiles(dropped.map(([id]) => Number(id)))
  // Titles that they gave to other sessions go, too; the next refresh indexes what is left of them.
  titleFolders(db, folders)
  db.exec("DELETE FROM meta WHERE key = 'fingerprint'")
}

/** Rewrites the file with nothing in it but its rows. For the one that has the lock. `live`: see Erased. */
export function scrub(home: string, ops = realOps, live: readonly string[] = []): void {
  const from = currentPath(home)
  if (from === null) return
  const path = newPath(home)
  noteOpened(from)
  try {
    copyTo(from, path)
    const db = new Database(path)
    try {
      // No one uses it yet: where this fails, it is removed.
      db.exec('PRAGMA journal_mode = OFF')
      db.transaction(() => dropUnused(db))
      db.exec("INSERT INTO words (words) VALUES ('optimize')")
      const sessions = dueOf(db).sessions.filter(session => live.includes(session) || isIndexed(db, session))
      noteDue(db, { isDue: false, sessions })
      db.exec('VACUUM')
    } finally {
      db.close()
    }
    openForWriting(path).close()
    makeCurrent(home, path, ops)
  } catch (error) {
    for (const end of ['', '-wal', '-shm', '-journal']) rmSync(path + end, { force: true })
    throw error
  }
}

function copyTo(from: string, path: string): void {
  // SQLite fills an empty file that is there: so it is private from the first byte on.
  closeSync(openSync(path, 'wx', 0o600))
  const db = new Database(from)
  try {
    db.exec(`VACUUM INTO '${path.replaceAll("'", "''")}'`)
  } finally {
    db.close()
  }
}

/** Names and origins that no row refers to any more: paths, directories, names of sessions. */
function dropUnused(db: Database): void {
  db.exec('DELETE FROM origin WHERE id NOT IN (SELECT origin FROM event)')
  const columns = [
    ...['session', 'thread', 'cwd', 'branch', 'version', 'wire', 'common'].map(column => `${column} FROM origin`),
    ...['model', 'stop', 'tier', 'geo'].map(column => `${column} FROM message`),
    ...['name', 'path'].map(column => `${column} FROM call`),
    'name FROM result',
    ...['session', 'thread', 'model', 'tools'].map(column => `${column} FROM message_usage`),
  ]
  const used = columns.map(column => `SELECT ${column} WHERE ${column.split(' ')[0]} IS NOT NULL`).join(' UNION ')
  db.exec(`DELETE FROM name WHERE id NOT IN (${used})`)
}

/**
 * Rare words of these texts that the file still has though no text of the index does: what deleting left behind. Empty where
 * there is no index.
 */
export function wordsLeft(home: string, texts: readonly string[]): string[] {
  const path = currentPath(home)
  if (path === null || texts.length === 0) return []
  const db = openInUse(path)
  try {
    db.exec(`CREATE VIRTUAL TABLE temp.sought USING fts5(text, ${tokenizer});
      CREATE VIRTUAL TABLE temp.sought_words USING fts5vocab(temp, sought, row);
      CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, row)`)
    const insert = db.prepare('INSERT INTO temp.sought (text) VALUES (?)')
    for (const text of texts) insert.run([searchable(text)])
    // Words that very many texts have say nothing of these.
    const known = db.prepare(`SELECT v.term, v.doc FROM temp.sought_words s JOIN temp.vocabulary v ON v.term = s.term
      WHERE v.doc <= 100`)
    const used = db.prepare(`SELECT count(*) FROM words WHERE words MATCH ?
      AND EXISTS (SELECT 1 FROM text_event WHERE text = words.rowid)`)
    return known
      .all()
      .filter(([term, documents]) => Number(used.get([`"${term}"`])?.[0]) < Number(documents))
      .map(([term]) => String(term))
  } finally {
    db.close()
  }
}
