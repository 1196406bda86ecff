// Brings the index up to date in one of two ways. Build: an empty database next to the one in use gets everything and then
// takes its place. Update: where the snapshot is not that of the last refresh, changed files are read from their checkpoints
// and their sessions are summarised again.

import { type CaptureReport, sumOfRuns } from '../../archive/capture/capture.ts'
import { errorCode } from '../../base/error-code.ts'
import { asArray, parseJson } from '../../base/json.ts'
import { writeFailure } from '../../files/error.ts'
import { acquireLock } from '../../files/lock.ts'
import { realOps } from '../../files/ops.ts'
import type { Finding } from '../../model/finding.ts'
import { Ingest, type IngestReport } from '../ingest/ingest.ts'
import { countUsage } from '../ingest/usage.ts'
import { mustScrub, scrub } from '../store/erase.ts'
import {
  clearCurrent,
  closeWritten,
  currentPath,
  discard,
  finishBuild,
  indexFolder,
  isCorrupt,
  makeCurrent,
  makeFolder,
  newPath,
  openToBuild,
  openToRead,
  openToWrite,
  removeOthers,
  UnusableIndexError,
} from '../store/open.ts'
import type { Database } from '../store/port.ts'
import { createIndexes } from '../store/schema.ts'
import { filesBelow } from '../store/status.ts'
import { type LedgerFile, racyState } from './ledger.ts'
import { type RefreshOptions, Snapshot } from './snapshot.ts'
import { summariseSessions } from './summarise.ts'

export { isDue, type RefreshOptions, surveyFor, type TimedSurvey } from './snapshot.ts'

export interface RefreshReport {
  /** Nothing had changed since the last time. */
  isUnchanged: boolean
  /** The index was damaged or of another version, and was built again. */
  isRebuilt: boolean
  /** It was built again since the one in use was damaged, which people should know. */
  wasDamaged?: true
  files: number
  dropped: number
  bytes: number
  /** Sessions that were summarised or dropped. */
  sessions: number
  isStopped: boolean
  findings: Finding[]
  archived?: CaptureReport
}

/** Whether a refresh would find nothing to do. It takes no lock. */
export function isFresh(db: Database, options: RefreshOptions): boolean {
  return fingerprintOf(db) === new Snapshot(options).fingerprint() && !mustScrub(db)
}

function fingerprintOf(db: Database): unknown {
  return db.prepare("SELECT value FROM meta WHERE key = 'fingerprint'").get()?.[0]
}

/** Refreshes the index in use, or builds the first. Throws on a full disk, a lock that is not released, a newer index. */
export function refreshIndex(options: RefreshOptions): Promise<RefreshReport> {
  return underLock(options, () => refreshTo(new Snapshot(options), options))
}

async function refreshTo(snapshot: Snapshot, options: RefreshOptions): Promise<RefreshReport> {
  const isOld = currentPath(options.home) !== null
  let db: Database | null
  try {
    db = openToWrite(options.home, portOptions(options))
  } catch (error) {
    if (error instanceof UnusableIndexError) return rebuildDamaged(snapshot, options)
    throw error
  }
  if (db === null) return { ...(await build(snapshot, options)), isRebuilt: isOld }
  try {
    const report = await update(db, snapshot, options)
    const isDue = !report.isStopped && mustScrub(db)
    closeWritten(db)
    if (isDue) scrub(options.home, options.ops)
    return report
  } catch (error) {
    // What is wrong with the program itself would be wrong with a new index, too.
    if (!isCorrupt(error)) throw error
    db.close()
    return await rebuildDamaged(snapshot, options)
  } finally {
    db.close()
  }
}

/** Builds a new index, which takes the place of the one in use when it is complete. */
export function rebuildIndex(options: RefreshOptions): Promise<RefreshReport> {
  return underLock(options, () => rebuild(new Snapshot(options), options))
}

/** Builds an index at a path of its own; everything is archived already. */
export async function buildIndexAt(path: string, options: RefreshOptions): Promise<void> {
  await buildAt(path, new Snapshot(options, true), options)
}

/**
 * Refreshes the index, builds a second one of the same snapshot at `path`, and calls `compare` before anyone else can write.
 * The index may be about more roots than those that were named: all of them count. Null where the refresh was stopped.
 */
export function compareWithRebuild<Value>(
  path: string,
  options: RefreshOptions,
  compare: (findings: readonly Finding[]) => Value,
): Promise<Value | null> {
  return underLock(options, async () => {
    const known = options.isScoped ? knownRoots(options.home) : []
    const roots = [...new Set([...options.roots, ...known])]
    const whole = known.length === 0 ? options : { ...options, roots, isScoped: false }
    // The first one looks at the files twice: what is compared is of one moment.
    if (!new Snapshot(whole).archive.exists) await refreshTo(new Snapshot(whole), whole)
    const snapshot = new Snapshot(whole)
    const { isStopped, findings } = await refreshTo(snapshot, whole)
    if (isStopped) return null
    await buildAt(path, snapshot, whole)
    return compare(findings)
  })
}

/** The roots that the index in use is about. */
function knownRoots(home: string): string[] {
  const db = openToRead(home)
  try {
    return db === null ? [] : rootsIn(db)
  } finally {
    db?.close()
  }
}

function rootsIn(db: Database): string[] {
  const text = db.prepare("SELECT value FROM meta WHERE key = 'roots'").get()?.[0]
  return asArray(parseJson(String(text ?? '[]'))).map(String)
}

/** A refresh of all leaves no others behind, except those that are missing; one of some adds to what is there. Gives what it leaves. */
function noteRoots(db: Database, { roots, isScoped, missing = [] }: RefreshOptions): string[] {
  const former = rootsIn(db)
  const staying = isScoped ? former : former.filter(root => missing.includes(root))
  const all = new Set([...staying, ...roots])
  db.prepare("INSERT OR REPLACE INTO meta VALUES ('roots', ?)").run([JSON.stringify([...all])])
  return former.filter(root => !all.has(root))
}

async function underLock<Value>(options: RefreshOptions, work: () => Promise<Value>): Promise<Value> {
  try {
    const ops = options.ops ?? realOps
    makeFolder(options.home, ops)
    const { waitMs = 0, onWait } = options
    const what = { what: 'index', waitMs, ...(onWait !== undefined && { onWait }) }
    const lock = await acquireLock(ops, indexFolder(options.home), what)
    try {
      removeOthers(options.home, ops)
      clearCurrent(options.home, ops)
      return await work()
    } finally {
      lock.release()
    }
  } catch (error) {
    throw isOfSystem(error) ? writeFailure(error, indexFolder(options.home)) : error
  }
}

/** An error of a system call: `ENOSPC`, `EACCES`. */
function isOfSystem(error: unknown): boolean {
  return /^E[A-Z0-9]+$/.test(errorCode(error))
}

/** Builds the first index. It is put to use even if it was stopped early. */
async function build(snapshot: Snapshot, options: RefreshOptions): Promise<RefreshReport> {
  const path = newPath(options.home)
  const report = await buildAt(path, snapshot, options)
  makeCurrent(options.home, path, options.ops)
  return report
}

async function rebuild(snapshot: Snapshot, options: RefreshOptions): Promise<RefreshReport> {
  const path = newPath(options.home)
  const report = await buildAt(path, snapshot, options)
  if (report.isStopped) discard(path)
  else makeCurrent(options.home, path, options.ops)
  return { ...report, isRebuilt: true }
}

async function rebuildDamaged(snapshot: Snapshot, options: RefreshOptions): Promise<RefreshReport> {
  return { ...(await rebuild(snapshot, options)), wasDamaged: true }
}

async function buildAt(path: string, first: Snapshot, options: RefreshOptions): Promise<RefreshReport> {
  const db = openToBuild(path, portOptions(options))
  try {
    const read = first.isMuchToArchive ? await readWhileArchiving(db, first, options) : null
    const snapshot = read === null ? first : read.next
    await snapshot.capture()
    const report = await takeIn(db, snapshot, options)
    finishBuild(db)
    return read === null ? report : withEarlier(report, read)
  } catch (error) {
    db.close()
    discard(path)
    throw error
  }
}

/**
 * The first archive and the first index at once: the one mostly reads, hashes and compresses, the other one decodes and writes.
 * Rows are those of live files until all is archived; the snapshot after that adopts those of files that nothing was done to
 * since the first look, and reads the others again. No one sees the new index before.
 */
async function readWhileArchiving(db: Database, snapshot: Snapshot, options: RefreshOptions): Promise<ReadBefore> {
  const live = snapshot.asNotArchived()
  const { files } = await live.ledger()
  const failures: unknown[] = []
  // How far both are, is how far the reader is.
  const archiving = snapshot.capture({}).catch(error => failures.push(error))
  const isStopped = () => failures.length > 0 || options.isStopped?.() === true
  const read = await ingestInto(db, live, files, { ...options, isStopped }).finally(() => archiving)
  if (failures.length > 0) throw failures[0]
  const { surveyed: _former, ...later } = options
  return { read, captured: snapshot.captured, next: new Snapshot(later) }
}

interface ReadBefore {
  read: IngestReport
  captured: CaptureReport | undefined
  next: Snapshot
}

/** What could not be read was tried again since. */
function withEarlier(report: RefreshReport, { read, captured }: ReadBefore): RefreshReport {
  const { archived } = report
  return {
    ...report,
    files: report.files + read.files,
    bytes: report.bytes + read.bytes,
    ...(archived !== undefined && captured !== undefined && { archived: sumOfRuns(captured, archived) }),
  }
}

async function update(db: Database, snapshot: Snapshot, options: RefreshOptions): Promise<RefreshReport> {
  await snapshot.capture()
  const known = fingerprintOf(db)
  if (known === snapshot.fingerprint() && snapshot.isComplete) {
    const nothing = { isRebuilt: false, files: 0, dropped: 0, bytes: 0, sessions: 0, isStopped: false }
    return { ...nothing, isUnchanged: true, findings: snapshot.findings(), ...captured(snapshot) }
  }
  // From here to the end the index is of no snapshot.
  if (known !== undefined) db.exec("DELETE FROM meta WHERE key = 'fingerprint'")
  return takeIn(db, snapshot, options)
}

/** Brings an empty or older index up to the snapshot, which is archived. */
async function takeIn(db: Database, snapshot: Snapshot, options: RefreshOptions): Promise<RefreshReport> {
  // Before files are found: what others archive from here on is not a part of it.
  const fingerprint = snapshot.fingerprint()
  const left = noteRoots(db, options).filter(root => filesBelow(db, root) > 0)
  const { sessions } = await snapshot.discover()
  const ledger = await snapshot.ledger()
  const isGone = (path: string) => snapshot.isGone(path)
  const { findings, ...counts } = await ingestInto(db, snapshot, ledger.files, options)
  const gone = left.filter(root => filesBelow(db, root) === 0)
  if (gone.length > 0) options.onLeft?.(gone)
  let changed = 0
  if (!counts.isStopped) {
    changed = summariseSessions(db, { sessions, byLog: ledger.byLog, isGone })
    countUsage(db)
    createIndexes(db)
  }
  const isSure = ledger.files.every(({ state }) => state !== racyState)
  if (isSure && !counts.isStopped && findings.length === 0 && snapshot.isComplete) noteFingerprint(db, fingerprint)
  return {
    isUnchanged: false,
    isRebuilt: false,
    ...counts,
    sessions: changed,
    isStopped: counts.isStopped || snapshot.captured?.isStopped === true,
    findings: [...snapshot.findings(), ...findings],
    ...captured(snapshot),
  }
}

function ingestInto(
  db: Database,
  snapshot: Snapshot,
  files: readonly LedgerFile[],
  { home, begin, progress, isStopped }: RefreshOptions,
): Promise<IngestReport> {
  return new Ingest(db, {
    home,
    source: snapshot.source,
    isGone: path => snapshot.isGone(path),
    begin: bytes => begin?.('indexing', bytes),
    ...(progress !== undefined && { progress }),
    ...(isStopped !== undefined && { isStopped }),
  }).run(files)
}

function captured(snapshot: Snapshot): { archived?: CaptureReport } {
  return snapshot.captured === undefined ? {} : { archived: snapshot.captured }
}

function noteFingerprint(db: Database, fingerprint: string): void {
  db.transaction(() => {
    const set = db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)')
    set.run(['fingerprint', fingerprint])
    set.run(['refreshed', new Date().toISOString()])
  })
}

function portOptions({ onStep, ops }: RefreshOptions) {
  return { ...(onStep !== undefined && { onStep }), ...(ops !== undefined && { ops }) }
}
