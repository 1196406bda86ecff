// Where the index is and how it is opened. `current` names the database in use: a rebuilt one takes its place by one rename,
// and processes that still read the old one are not disturbed.

import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../../base/error-code.ts'
import { ensureFolder, entriesOf, isAside, writeWhole } from '../../files/durable.ts'
import { FileError } from '../../files/error.ts'
import { acquireLock } from '../../files/lock.ts'
import { realOps, type WriteOps } from '../../files/ops.ts'
import { type ClosedState, closedState, noteClosed, noteDamaged, noteOpened } from './closed.ts'
import { Database, type PortOptions, sqliteCode } from './port.ts'
import { createTables, NewerIndexError, schemaVersion, versionOf } from './schema.ts'

const namePattern = /^[0-9a-f]{12}\.sqlite$/

/** The file is damaged or of an older version: it has to be built again. */
export class UnusableIndexError extends Error {
  override readonly name = 'UnusableIndexError'
}

/** Its bytes are not those that its last writer left: nothing shows which of them are right. */
export class ChangedIndexError extends UnusableIndexError {
  constructor() {
    super('another program changed the index')
  }
}

/** Treated like a missing index. */
class OldIndexError extends UnusableIndexError {}

export function indexFolder(home: string): string {
  return join(home, 'index')
}

/** The database in use; null where there is none yet. */
export function currentPath(home: string): string | null {
  for (let name = currentName(home); name !== null; ) {
    const path = join(indexFolder(home), name)
    if (existsSync(path)) return path
    // It is gone: nothing is in use, or another one took its place since its name was read.
    const later = currentName(home)
    if (later === name) return null
    name = later
  }
  return null
}

function currentName(home: string): string | null {
  const path = join(indexFolder(home), 'current')
  try {
    // Reading anything else may fail, or wait.
    if (!statSync(path).isFile()) return null
    const name = readFileSync(path, 'utf8').trim()
    return namePattern.test(name) ? name : null
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return null
    throw error
  }
}

export function newPath(home: string): string {
  return join(indexFolder(home), `${randomBytes(6).toString('hex')}.sqlite`)
}

/** For queries. Null where there is no index of this version; throws where it is damaged or newer. */
export function openToRead(home: string, options: PortOptions = {}): Database | null {
  for (let tries = 5; ; tries--) {
    const path = currentPath(home)
    if (path === null) return null
    try {
      const db = openPathToRead(path, options)
      if (tries === 0 || currentPath(home) === path) return db
      // Another one took its place: its log may have been removed before it was read.
      db?.close()
    } catch (error) {
      if (tries === 0 || currentPath(home) === path) throw error
    }
  }
}

function openPathToRead(path: string, options: PortOptions): Database | null {
  const state = closedState(path)
  const db = opened(path, { ...options, isReadOnly: true }, made => {
    refuseNewer(made)
    refuseChanged(state)
    // A query touches few pages, each once: to read them in place saves copying.
    made.exec('PRAGMA mmap_size = 1073741824')
    // A damaged file may show only here.
    made.prepare('SELECT 1 FROM meta LIMIT 1').get()
  })
  if (versionOf(db) === schemaVersion) return db
  db.close()
  return null
}

/** For the one that has the lock, who closes it with `closeWritten`; null where there is no index of this version. */
export function openToWrite(home: string, options: PortOptions = {}): Database | null {
  const path = currentPath(home)
  if (path === null) return null
  try {
    return openInUse(path, options)
  } catch (error) {
    if (error instanceof OldIndexError) return null
    throw error
  }
}

/** The same; throws where it is of another version, too. */
export function openInUse(path: string, options: PortOptions = {}): Database {
  const state = closedState(path)
  const db = openForWriting(path, options)
  try {
    refuseChanged(state)
    noteOpened(path)
    const problem = state === 'unknown' ? problemOf(db, 'quick_check') : null
    if (problem !== null) throw new UnusableIndexError(`the index is damaged: ${problem}`)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Closes it, and notes how its file looks, so that whatever else changes it will show. */
export function closeWritten(db: Database): void {
  // SQLite closes a file when its last statement is collected, at any later time. Nothing may be left to be written then; who
  // reads just now may prevent that.
  db.exec('PRAGMA busy_timeout = 0')
  const isWaiting = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.[0] !== 0
  db.close()
  if (!isWaiting) noteClosed(db.path)
}

function refuseChanged(state: ClosedState): void {
  if (state === 'changed') throw new ChangedIndexError()
}

/** What SQLite finds wrong with the file; null where it is sound. `quick_check` does not compare tables with their indexes. */
export function problemOf(db: Database, check: 'quick_check' | 'integrity_check'): string | null {
  try {
    const found = db.prepare(`PRAGMA ${check}(1)`).get()?.[0]
    return found === 'ok' ? null : String(found)
  } catch (error) {
    if (!isDamage(error)) throw error
    return (error as Error).message
  }
}

/** Whether an error of a question says that the index in use is damaged; if so, the next command that may builds a new one. */
export function hasFoundDamage(error: unknown, home: string): boolean {
  if (!isDamage(error)) return false
  const path = currentPath(home)
  if (path !== null) noteDamaged(path)
  return true
}

/** A database at a path of its own, created where it is not there. */
export function openForWriting(path: string, options: PortOptions = {}): Database {
  return prepared(path, options, db => {
    db.exec('PRAGMA journal_mode = WAL')
    db.exec('PRAGMA synchronous = NORMAL')
    db.exec('PRAGMA wal_autocheckpoint = 4096')
    db.exec('PRAGMA journal_size_limit = 67108864')
  })
}

/**
 * A new database that no one else knows of: where anything goes wrong it is thrown away, so it needs neither a journal nor
 * syncs. `finishBuild` makes it one that others may use.
 */
export function openToBuild(path: string, options: PortOptions = {}): Database {
  return prepared(path, options, db => {
    db.exec('PRAGMA journal_mode = OFF')
    db.exec('PRAGMA synchronous = OFF')
    db.exec('PRAGMA locking_mode = EXCLUSIVE')
    // Rows are appended; few are read again, and soon.
    db.exec('PRAGMA cache_size = -12288')
  })
}

/** Closes it; after that all of it is on the disk. */
export function finishBuild(db: Database): void {
  db.exec('PRAGMA locking_mode = NORMAL')
  db.exec('PRAGMA journal_mode = WAL')
  db.close()
  const file = openSync(db.path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Removes a database with the files that SQLite creates next to it. */
export function discard(path: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(path + end, { force: true })
}

function prepared(path: string, options: PortOptions, prepare: (db: Database) => void): Database {
  return opened(path, options, db => {
    refuseNewer(db)
    // Only the user may read what people said; SQLite gives the same mode to the files it creates next to it.
    chmodSync(path, 0o600)
    // Only a new file takes it: what words are stored in fits into one page.
    db.exec('PRAGMA page_size = 8192')
    db.exec('PRAGMA cache_size = -32768')
    prepare(db)
    db.exec('PRAGMA temp_store = MEMORY')
    const isEmpty = db.prepare('SELECT 1 FROM sqlite_master LIMIT 1').get() === undefined
    if (isEmpty) createTables(db)
    else if (versionOf(db) !== schemaVersion) throw new OldIndexError('the index is of an older version')
  })
}

function refuseNewer(db: Database): void {
  const version = versionOf(db)
  if (version > schemaVersion) throw new NewerIndexError(version)
}

/** Codes of SQLite for a file that is damaged or not a database. */
const damaged: ReadonlySet<number> = new Set([11, 26])

/** Whether an error says that the file itself is beyond use. */
export function isDamage(error: unknown): boolean {
  return damaged.has(sqliteCode(error) & 0xff)
}

/** Codes of SQLite for tables that are not as they were created: other ones, rows that must not be there, other values. */
const inconsistent: ReadonlySet<number> = new Set([1, 19, 20])

/** Whether an error of our own statements says that the content of the file is corrupt, on the disk or in its meaning. */
export function isCorrupt(error: unknown): boolean {
  const code = sqliteCode(error) & 0xff
  if (code !== 0) return damaged.has(code) || inconsistent.has(code)
  return error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError
}

function opened(path: string, options: PortOptions, prepare: (db: Database) => void): Database {
  const db = new Database(path, options)
  try {
    prepare(db)
    return db
  } catch (error) {
    db.close()
    if (isCorrupt(error)) throw new UnusableIndexError('the index is damaged', { cause: error })
    throw error
  }
}

/** From now on this database is the one in use; the others are removed. */
export function makeCurrent(home: string, path: string, ops: WriteOps = realOps): void {
  const folder = indexFolder(home)
  const name = path.slice(folder.length + 1)
  writeWhole(ops, join(folder, 'current'), Buffer.from(`${name}\n`))
  noteClosed(path)
  removeOthers(home, ops)
}

/** Leftovers of killed builds, and what was in use before. For the one that has the lock. */
export function removeOthers(home: string, ops: WriteOps = realOps): void {
  const folder = indexFolder(home)
  for (const name of leftovers(home)) {
    try {
      ops.unlink(join(folder, name))
    } catch {
      // Some systems refuse while another process reads it: the next command tries again.
    }
  }
}

/** A folder in the place of the name of the database: an empty one is removed. For the one that has the lock. */
export function clearCurrent(home: string, ops: WriteOps = realOps): void {
  const path = join(indexFolder(home), 'current')
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return
  try {
    ops.removeFolder(path)
  } catch (error) {
    const message = `${path} is a folder with something in it; remove it, and the next command builds the index.`
    throw new FileError('not-a-file', message, path, error)
  }
}

/** `removeOthers` for a command that only reads, unless another process builds just now. */
export async function removeLeftovers(home: string): Promise<void> {
  if (!existsSync(indexFolder(home)) || leftovers(home).length === 0) return
  try {
    const lock = await acquireLock(realOps, indexFolder(home), { what: 'index', waitMs: 0 })
    try {
      removeOthers(home)
    } finally {
      lock.release()
    }
  } catch {
    // Another process has the lock, or the folder is read-only: they cost space, nothing else.
  }
}

/** Files of databases that are not in use. A build under way is one of them. */
export function leftovers(home: string): string[] {
  const path = currentPath(home)
  const used = path?.slice(indexFolder(home).length + 1)
  const names = entriesOf(indexFolder(home)).map(entry => entry.name)
  return names.filter(name => {
    const base = name.replace(/-(wal|shm|journal)$/, '')
    return namePattern.test(base) ? base !== used : isAside(name)
  })
}

export function makeFolder(home: string, ops: WriteOps = realOps): void {
  ensureFolder(ops, home)
  ensureFolder(ops, indexFolder(home))
}

/** Bytes on disk, with the files that SQLite creates next to it. */
export function databaseBytes(path: string): number {
  return ['', '-wal', '-shm'].reduce((sum, end) => sum + sizeOf(path + end), 0)
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch {
    return 0
  }
}

/** Linux's numbers of file systems that other machines share: NFS, SMB, CIFS, AFS, Ceph, FUSE's sshfs among them. */
const sharedKinds: ReadonlySet<number> = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x00c36400])

/** SQLite's locks are not to be trusted on a disk of another machine. */
export function isOnNetwork(home: string): boolean {
  try {
    return sharedKinds.has(statfsSync(existsSync(home) ? home : join(home, '..')).type)
  } catch {
    return false
  }
}
