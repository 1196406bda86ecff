// What the index has in numbers, and how far it is behind what is on disk.

import { type Survey, surveyRoots } from '../../archive/capture/survey.ts'
import { isBelow } from '../../disk/discover/homes.ts'
import { isLogName } from '../../disk/discover/project.ts'
import { databaseBytes } from './open.ts'
import type { Database } from './port.ts'

export interface IndexNumbers {
  sessions: number
  events: number
  files: number
  /** Of all logs, archived ones included. */
  bytes: number
  indexedBytes: number
  pendingBytes: number
  dbBytes: number
  refreshed: string | null
  /** Homes that are not there, of which files are indexed. */
  missing: string[]
}

/** `roots`: where to look for what is not indexed yet; `missing`: homes that are not there. */
export function indexNumbers(db: Database, roots: readonly string[], missing: readonly string[] = []): IndexNumbers {
  const count = (sql: string) => Number(db.prepare(sql).get()?.[0] ?? 0)
  const pendingBytes = pendingOf(db, surveyRoots(roots))
  const logs = "FROM file WHERE role NOT IN ('spill', 'paste')"
  const indexedBytes = count(`SELECT coalesce(sum(covered), 0) ${logs}`)
  return {
    sessions: count('SELECT count(*) FROM session'),
    events: count("SELECT count(*) - (SELECT coalesce(sum(events), 0) FROM file WHERE role = 'spill') FROM event"),
    files: count(`SELECT count(*) ${logs}`),
    bytes: indexedBytes + pendingBytes,
    indexedBytes,
    pendingBytes,
    dbBytes: databaseBytes(db.path),
    refreshed: (db.prepare("SELECT value FROM meta WHERE key = 'refreshed'").get()?.[0] as string | undefined) ?? null,
    missing: missing.filter(home => filesBelow(db, home) > 0),
  }
}

/** How many files are indexed of a root. */
export function filesBelow(db: Database, root: string): number {
  const paths = db.prepare('SELECT path FROM file').all()
  return paths.filter(([path]) => isBelow(String(path), root)).length
}

/** Bytes of logs on disk that no row covers yet; a rewritten log counts by the difference of lengths. */
export function pendingOf(db: Database, { files }: Survey): number {
  const covered = new Map<string, number>()
  for (const [path, bytes] of db.prepare('SELECT path, covered FROM file WHERE standing = 0').all()) {
    covered.set(String(path), Number(bytes))
  }
  let pending = 0
  for (const { place, path, state } of files) {
    if (isLogName(path)) pending += Math.max(0, state.size - (covered.get(place) ?? 0))
  }
  return pending
}
