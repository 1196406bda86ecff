// Brings the index up to date: keep what is new, find the sessions, index what was kept, settle what changed. With nothing new
// it costs one look per file.

import type { KeepReport } from '../../archive/capture/keep.ts'
import { writeFailure } from '../../archive/format/error.ts'
import { acquireLock } from '../../archive/store/lock.ts'
import { realOps } from '../../archive/store/ops.ts'
import { errorCode } from '../../disk/read/read.ts'
import type { Finding } from '../../model/finding.ts'
import { withTightHeap } from '../ingest/heap.ts'
import { Ingest, type IngestOptions, type IngestReport } from '../ingest/ingest.ts'
import { settleUsage, usageLoad } from '../ingest/usage.ts'
import { mustScrub, scrub } from '../store/erase.ts'
import {
  discard,
  finishAside,
  indexFolder,
  isSenseless,
  makeCurrent,
  makeFolder,
  newPath,
  openAside,
  openToWrite,
  UnusableIndexError,
} from '../store/open.ts'
import type { Database } from '../store/port.ts'
import { createIndexes } from '../store/schema.ts'
import { storeAreas } from './areas.ts'
import type { Grown } from './grown.ts'
import { type LedgerFile, ledgerOf, racyState } from './ledger.ts'
import type { RefreshOptions } from './refresh-options.ts'
import { Settling } from './settle-all.ts'
import { World } from './world.ts'

export type { RefreshOptions, TimedSurvey } from './refresh-options.ts'
export { surveyFor } from './refresh-options.ts'

export interface RefreshReport {
  /** Nothing had changed since the last time. */
  isUnchanged: boolean
  /** The index was damaged or of another form and was made anew. */
  isRebuilt: boolean
  files: number
  dropped: number
  bytes: number
  /** Sessions whose rows were made anew. */
  sessions: number
  isStopped: boolean
  findings: Finding[]
  kept?: KeepReport
}

/** Whether a refresh would find nothing to do: then nobody has to wait for the lock. */
export function isFresh(db: Database, options: RefreshOptions): boolean {
  return knownStamp(db) === new World(options).stamp() && !mustScrub(db)
}

function knownStamp(db: Database): unknown {
  return metaOf(db, 'stamp')
}

function metaOf(db: Database, key: string): unknown {
  return db.prepare('SELECT value FROM meta WHERE key = ?').get([key])?.[0]
}

/** Refreshes the index in use. Throws what cannot be helped: a full disk, a lock that is not given, a newer index. */
export function refreshIndex(options: RefreshOptions): Promise<RefreshReport> {
  return underLock(options, async () => {
    const world = new World(options)
    let db: Database | null
    try {
      db = openToWrite(options.home, portOptions(options))
    } catch (error) {
      if (error instanceof UnusableIndexError) return makeAnew(world, options)
      throw error
    }
    if (db === null) return makeFirst(world, options)
    try {
      const report = await fill(db, world, options)
      if (!report.isStopped && mustScrub(db)) {
        db.close()
        scrub(options.home, options.ops)
      }
      return report
    } catch (error) {
      // What is wrong with the program itself is wrong with the new one, too.
      if (!isSenseless(error)) throw error
      db.close()
      return await makeAnew(world, options)
    } finally {
      db.close()
    }
  })
}

/** Makes a new index beside the one in use and puts it in its place when it is complete. */
export function rebuildIndex(options: RefreshOptions): Promise<RefreshReport> {
  return underLock(options, () => makeAnew(new World(options), options))
}

/** The same tables in a file of their own, which nobody uses. */
export async function buildAside(path: string, options: RefreshOptions): Promise<void> {
  const db = openAside(path, portOptions(options))
  try {
    await withTightHeap(() => fill(db, new World(options, options.keepRoots), options))
    finishAside(db)
  } finally {
    db.close()
  }
}

async function underLock<Value>(options: RefreshOptions, work: () => Promise<Value>): Promise<Value> {
  try {
    const ops = options.ops ?? realOps
    makeFolder(options.home, ops)
    const { waitMs = 0, onWait } = options
    const what = { what: 'index', waitMs, ...(onWait !== undefined && { onWait }) }
    const lock = await acquireLock(ops, indexFolder(options.home), what)
    try {
      return await work()
    } finally {
      lock.release()
    }
  } catch (error) {
    throw isOfSystem(error) ? writeFailure(error, indexFolder(options.home)) : error
  }
}

/** What a system call of ours said: `ENOSPC`, `EACCES`. */
function isOfSystem(error: unknown): boolean {
  return /^E[A-Z0-9]+$/.test(errorCode(error))
}

/** What is done when somebody stops it is of use already. */
async function makeFirst(world: World, options: RefreshOptions): Promise<RefreshReport> {
  const { path, report } = await makeAside(world, options)
  makeCurrent(options.home, path, options.ops)
  return report
}

async function makeAnew(world: World, options: RefreshOptions): Promise<RefreshReport> {
  const { path, report } = await makeAside(world, options)
  if (report.isStopped) discard(path)
  else makeCurrent(options.home, path, options.ops)
  return { ...report, isRebuilt: true }
}

async function makeAside(world: World, options: RefreshOptions): Promise<{ path: string; report: RefreshReport }> {
  const path = newPath(options.home)
  const db = openAside(path, portOptions(options))
  try {
    const report = await withTightHeap(() => fill(db, world, options))
    finishAside(db)
    return { path, report }
  } catch (error) {
    db.close()
    discard(path)
    throw error
  }
}

function portOptions({ onStep, ops }: RefreshOptions) {
  return { ...(onStep !== undefined && { onStep }), ...(ops !== undefined && { ops }) }
}

async function fill(db: Database, world: World, options: RefreshOptions): Promise<RefreshReport> {
  const isSameScene = metaOf(db, 'scene') === world.scene()
  const isSameBase = metaOf(db, 'base') === world.base()
  const usage = usageLoad(db)
  const early = await world.keep(db, usage)
  const stamp = world.stamp()
  // What others keep from here on is no part of what this refresh goes by.
  const base = world.base()
  const nothing = { isRebuilt: false, files: 0, dropped: 0, bytes: 0, sessions: 0, isStopped: false }
  const known = knownStamp(db)
  if (known === stamp && world.kept?.isStopped !== true) {
    return { ...nothing, isUnchanged: true, findings: world.findings(), ...world.keptReport() }
  }
  // From here on until the end the index is of no state that could be asked for.
  if (known !== undefined) db.exec("DELETE FROM meta WHERE key IN ('stamp', 'scene', 'base')")
  const grown = isSameScene && known !== undefined ? await world.grown(db) : null
  if (grown !== null) return readOn(db, world, options, { ...grown, stamp, base })
  const near = isSameBase && known !== undefined ? await world.near(db) : null
  options.onWay?.(near === null ? 'all' : 'near')
  const { discoveries, sessions } = near ?? (await world.discover())
  const ledger = ledgerOf({ sessions, discoveries, ...world.ledgerInput() })
  // Texts get their numbers in this order: the newest are looked at first when somebody searches.
  ledger.files.sort((one, other) => one.modifiedMs - other.modifiedMs)
  const settling = new Settling(db, sessions, ledger.byLog, options)
  const ingested = await ingest(
    db,
    world,
    {
      ...world.ingestOptions(options),
      ...world.scopeOption(),
      ...(near !== null && { among: near.generations }),
      ...(usage !== undefined && { usage }),
    },
    settling,
    ledger.files,
  )
  if (!ingested.isStopped) {
    settling.rest(path => world.isInScope(path), near?.known)
    settleUsage(db, usage)
    createIndexes(db)
  }
  const isSure = ledger.files.every(({ state }) => state !== racyState)
  if (isSure && isWhole(ingested, world)) noteStamp(db, { stamp, base }, world)
  ingested.files += early.files
  ingested.bytes += early.bytes
  return reportOf(ingested, settling.count + early.sessions, world)
}

/** The same where nothing happened but that logs grew. */
async function readOn(
  db: Database,
  world: World,
  options: RefreshOptions,
  { files, sessions, byLog, ...noted }: Grown & Noted,
): Promise<RefreshReport> {
  options.onWay?.('grown')
  const settling = new Settling(db, sessions, byLog, options)
  const ingested = await ingest(db, world, world.ingestOptions(options), settling, files)
  if (!ingested.isStopped) {
    settling.title()
    settleUsage(db)
  }
  if (isWhole(ingested, world)) noteStamp(db, noted, world)
  return reportOf(ingested, settling.count, world)
}

function ingest(
  db: Database,
  world: World,
  options: Omit<IngestOptions, 'readers' | 'onFile'>,
  settling: Settling,
  files: readonly LedgerFile[],
): Promise<IngestReport> {
  const onFile = (generation: string) => settling.fileDone(generation)
  const { written } = settling
  return world.withReaders(readers => new Ingest(db, { ...options, readers, onFile, written }).run(files))
}

/** Whether all that there is was kept and told. */
function isWhole({ isStopped, findings }: IngestReport, { kept }: World): boolean {
  return !isStopped && findings.length === 0 && kept?.isStopped !== true && kept?.failure === undefined
}

function reportOf(ingested: IngestReport, sessions: number, world: World): RefreshReport {
  const { files, dropped, bytes } = ingested
  return {
    isUnchanged: false,
    isRebuilt: false,
    files,
    dropped,
    bytes,
    sessions,
    isStopped: ingested.isStopped || world.kept?.isStopped === true,
    findings: [...world.findings(), ...ingested.findings],
    ...world.keptReport(),
  }
}

/** What the next refresh compares with: see `stamp` and `base` of a world. */
interface Noted {
  stamp: string
  base: string
}

function noteStamp(db: Database, { stamp, base }: Noted, world: World): void {
  db.transaction(() => {
    const set = db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)')
    set.run(['stamp', stamp])
    set.run(['scene', world.scene()])
    set.run(['base', base])
    storeAreas(db, world.areas())
    set.run(['refreshed', new Date().toISOString()])
  })
}
