// Where the index lies and how it is opened. `current` names the database in use, so that a rebuilt one takes its place by one
// rename, and whoever still reads the old one is not disturbed.

import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { ensureFolder, isAside, writeWhole } from '../../archive/store/durable.ts'
import { realOps, type WriteOps } from '../../archive/store/ops.ts'
import { errorCode } from '../../disk/read/read.ts'
import { Database, type PortOptions, sqliteCode } from './port.ts'
import { formatOf, migrate, NewerIndexError, newestFormat } from './schema.ts'

/** Raise it when rows or words are made of logs in another way: an index of another one is made anew. */
export const rowVersion = '4'

const namePattern = /^[0-9a-f]{12}\.sqlite$/

/** The file is damaged, or of a form that cannot be brought up to date: it has to be made anew. */
export class UnusableIndexError extends Error {
  override readonly name = 'UnusableIndexError'
}

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
  try {
    const name = readFileSync(join(indexFolder(home), 'current'), 'utf8').trim()
    return namePattern.test(name) ? name : null
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return null
    throw error
  }
}

export function newPath(home: string): string {
  return join(indexFolder(home), `${randomBytes(6).toString('hex')}.sqlite`)
}

/** For asking only. Null where there is no index; throws where it cannot be used. */
export function openToRead(home: string, options: PortOptions = {}): Database | null {
  for (let tries = 5; ; tries--) {
    const path = currentPath(home)
    if (path === null) return null
    try {
      const db = openPathToRead(path, options)
      if (tries === 0 || currentPath(home) === path) return db
      // Another one took its place: what SQLite keeps beside it may have been removed before it was read.
      db.close()
    } catch (error) {
      if (tries === 0 || currentPath(home) === path) throw error
    }
  }
}

function openPathToRead(path: string, options: PortOptions): Database {
  return opened(path, { ...options, isReadOnly: true }, db => {
    const format = formatOf(db)
    refuseNewer(format)
    if (format < newestFormat) throw new UnusableIndexError('the index has an older form')
    // A question touches few pages, each once: to read them where they lie saves copying.
    db.exec('PRAGMA mmap_size = 1073741824')
    refuseOtherRows(db)
  })
}

/** For the one who holds the lock; null where there is none yet. */
export function openToWrite(home: string, options: PortOptions = {}): Database | null {
  const path = currentPath(home)
  return path === null ? null : openForWriting(path, options)
}

/** A database at a path of its own, made where it is not there. */
export function openForWriting(path: string, options: PortOptions = {}): Database {
  return prepared(path, options, db => {
    db.exec('PRAGMA journal_mode = WAL')
    db.exec('PRAGMA synchronous = NORMAL')
    db.exec('PRAGMA wal_autocheckpoint = 4096')
    db.exec('PRAGMA journal_size_limit = 67108864')
  })
}

/**
 * A new database that nobody else knows of: where anything goes wrong it is thrown away, so it needs neither a journal nor
 * the disk's word for every step. `finish` makes it one that others may use.
 */
export function openAside(path: string, options: PortOptions = {}): Database {
  return prepared(path, options, db => {
    db.exec('PRAGMA journal_mode = OFF')
    db.exec('PRAGMA synchronous = OFF')
    db.exec('PRAGMA locking_mode = EXCLUSIVE')
    // Rows are written one behind the other; few are read again, and soon.
    db.exec('PRAGMA cache_size = -12288')
  })
}

/** Closes it; after that all of it is on the disk. */
export function finishAside(db: Database): void {
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

/** Removes a database that is of no use, with what SQLite keeps beside it. */
export function discard(path: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(path + end, { force: true })
}

function prepared(path: string, options: PortOptions, prepare: (db: Database) => void): Database {
  return opened(path, options, db => {
    refuseNewer(formatOf(db))
    // Nobody else may read what people said; SQLite gives the same mode to the files it makes beside.
    chmodSync(path, 0o600)
    // Only a new file takes it: what words are stored in fits into one page.
    db.exec('PRAGMA page_size = 8192')
    db.exec('PRAGMA cache_size = -32768')
    prepare(db)
    db.exec('PRAGMA temp_store = MEMORY')
    migrate(db)
    refuseOtherRows(db)
    db.prepare("INSERT OR IGNORE INTO meta VALUES ('texts', ?)").run([rowVersion])
  })
}

function refuseNewer(format: number): void {
  if (format > newestFormat) throw new NewerIndexError(format)
}

function refuseOtherRows(db: Database): void {
  const found = db.prepare("SELECT value FROM meta WHERE key = 'texts'").get()?.[0]
  if (found !== undefined && found !== rowVersion) throw new UnusableIndexError('its rows were made in another way')
}

/** Codes of SQLite for a file that is damaged or no database. */
const damaged: ReadonlySet<number> = new Set([11, 26])

/** Whether an error says that the file itself is beyond use. */
export function isDamage(error: unknown): boolean {
  return damaged.has(sqliteCode(error) & 0xff)
}

/** Codes of SQLite for tables that are not as they were made: other ones, rows that must not be there, other values. */
const senseless: ReadonlySet<number> = new Set([1, 19, 20])

/** Whether an error of our own statements says that what the file holds makes no sense, damaged or not. */
export function isSenseless(error: unknown): boolean {
  const code = sqliteCode(error) & 0xff
  if (code !== 0) return damaged.has(code) || senseless.has(code)
  return error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError
}

function opened(path: string, options: PortOptions, prepare: (db: Database) => void): Database {
  const db = new Database(path, options)
  try {
    prepare(db)
    return db
  } catch (error) {
    db.close()
    if (isSenseless(error)) throw new UnusableIndexError('the index is damaged', { cause: error })
    throw error
  }
}

/** From now on this database is the one in use; others are removed. */
export function makeCurrent(home: string, path: string, ops: WriteOps = realOps): void {
  const folder = indexFolder(home)
  const name = path.slice(folder.length + 1)
  writeWhole(ops, join(folder, 'current'), Buffer.from(`${name}\n`))
  removeOthers(home, ops)
}

/** What killed rebuilds left, and what was in use before. A file that somebody still has open may stay until the next time. */
export function removeOthers(home: string, ops: WriteOps = realOps): void {
  const folder = indexFolder(home)
  const path = currentPath(home)
  if (path === null) return
  const keep = path.slice(folder.length + 1)
  for (const name of readdirSync(folder)) {
    const base = name.replace(/-(wal|shm|journal)$/, '')
    const isOther = namePattern.test(base) ? base !== keep : isAside(name)
    if (!isOther) continue
    try {
      ops.unlink(join(folder, name))
    } catch {
      // It is tried again after the next rebuild.
    }
  }
}

export function makeFolder(home: string, ops: WriteOps = realOps): void {
  ensureFolder(ops, home)
  ensureFolder(ops, indexFolder(home))
}

/** Bytes on disk, of what SQLite keeps beside it too. */
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
