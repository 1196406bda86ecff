// Brings the index up to date: keep what is new, find the sessions, index what was kept, settle what changed. With nothing new
// it costs one look per file.

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { Archive, type ArchiveOptions } from '../archive/archive.ts'
import { type KeepReport, keep } from '../archive/keep.ts'
import { keptHomePaths, openKept } from '../archive/kept.ts'
import { archiveFolder } from '../archive/layout.ts'
import { acquireLock } from '../archive/lock.ts'
import { realOps, type WriteOps } from '../archive/ops.ts'
import { canonicalPlace } from '../archive/place.ts'
import { stateText } from '../archive/seen.ts'
import { type RootSurvey, surveyRoots } from '../archive/survey.ts'
import { discover } from '../disk/discover.ts'
import type { PlacedSession } from '../disk/merge.ts'
import { mergeDiscoveries } from '../disk/resolve.ts'
import { diskTree, type FileTree } from '../disk/tree.ts'
import type { Finding } from '../model/finding.ts'
import type { Discovery } from '../model/source.ts'
import { Ingest, type IngestReport } from './ingest.ts'
import { ledgerOf } from './ledger.ts'
import {
  indexFolder,
  isDamage,
  makeCurrent,
  makeFolder,
  newPath,
  openForWriting,
  openToWrite,
  UnusableIndexError,
} from './open.ts'
import type { Database } from './port.ts'
import { settleSessions } from './settle-all.ts'

export interface RefreshOptions {
  /** Clew's own folder. */
  home: string
  /** What is looked at; homes that are only kept are added where `isScoped` is false. */
  roots: readonly string[]
  /** Only these roots were asked for: what is indexed of others stays as it is. */
  isScoped: boolean
  /** Roots that are kept first; what of them is not kept is indexed as it lies there. */
  keepRoots: readonly string[]
  exclude?: readonly string[]
  /** How long to wait for another process that writes. */
  waitMs?: number
  onWait?: ArchiveOptions['onWait']
  /** Told what begins, and of how many bytes. */
  begin?: (what: 'keeping' | 'indexing', bytes: number) => void
  progress?: (bytes: number) => void
  isStopped?: () => boolean
  /** For tests: system calls of ours, and statements. */
  ops?: WriteOps
  onStep?: (what: string) => void
}

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

/** Refreshes the index in use. Throws what cannot be helped: a full disk, a lock that is not given, a newer index. */
export function refreshIndex(options: RefreshOptions): Promise<RefreshReport> {
  return underLock(options, async () => {
    const world = new World(options)
    await world.keep()
    let db: Database
    try {
      db = openToWrite(options.home, portOptions(options))
    } catch (error) {
      if (error instanceof UnusableIndexError) return makeAnew(world, options)
      throw error
    }
    try {
      return await fill(db, world, options)
    } catch (error) {
      if (!isDamage(error)) throw error
      db.close()
      return await makeAnew(world, options)
    } finally {
      db.close()
    }
  })
}

/** Makes a new index beside the one in use and puts it in its place when it is complete. */
export function rebuildIndex(options: RefreshOptions): Promise<RefreshReport> {
  return underLock(options, async () => {
    const world = new World(options)
    await world.keep()
    return makeAnew(world, options)
  })
}

/** The same tables in a file of their own, which nobody uses. */
export async function buildAside(path: string, options: RefreshOptions): Promise<void> {
  const db = openForWriting(path, portOptions(options))
  try {
    await fill(db, new World({ ...options, keepRoots: [] }, options.keepRoots.length > 0), options)
  } finally {
    db.close()
  }
}

async function underLock<Value>(options: RefreshOptions, work: () => Promise<Value>): Promise<Value> {
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
}

async function makeAnew(world: World, options: RefreshOptions): Promise<RefreshReport> {
  const path = newPath(options.home)
  const db = openForWriting(path, portOptions(options))
  let report: RefreshReport
  try {
    report = await fill(db, world, options)
    if (!report.isStopped) db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
  if (!report.isStopped) makeCurrent(options.home, path, options.ops)
  return { ...report, isRebuilt: true }
}

function portOptions({ onStep, ops }: RefreshOptions) {
  return { ...(onStep !== undefined && { onStep }), ...(ops !== undefined && { ops }) }
}

async function fill(db: Database, world: World, options: RefreshOptions): Promise<RefreshReport> {
  const stamp = world.stamp()
  const nothing = { isRebuilt: false, files: 0, dropped: 0, bytes: 0, sessions: 0, isStopped: false }
  const known = db.prepare("SELECT value FROM meta WHERE key = 'stamp'").get()?.[0]
  if (known === stamp && world.kept?.isStopped !== true) {
    return { ...nothing, isUnchanged: true, findings: world.findings(), ...world.keptReport() }
  }
  const { discoveries, sessions } = await world.discover()
  const ledger = ledgerOf({ sessions, discoveries, ...world.ledgerInput() })
  // Texts get their numbers in this order: the newest are looked at first when somebody searches.
  ledger.files.sort((one, other) => one.modifiedMs - other.modifiedMs)
  const ingested = await new Ingest(db, world.ingestOptions(options)).run(ledger.files)
  const isWhole = !ingested.isStopped && world.kept?.isStopped !== true && world.kept?.failure === undefined
  const settled = ingested.isStopped ? 0 : settleSessions(db, sessions, ledger.byLog, path => world.isInScope(path))
  if (isWhole && ingested.findings.length === 0) noteStamp(db, stamp)
  return reportOf(ingested, settled, world)
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

function noteStamp(db: Database, stamp: string): void {
  db.transaction(() => {
    const set = db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)')
    set.run(['stamp', stamp])
    set.run(['refreshed', new Date().toISOString()])
  })
}

/** What there is outside of the index at one moment. */
class World {
  kept: KeepReport | undefined
  private readonly options: RefreshOptions
  private readonly surveyed: RootSurvey
  private readonly archive: Archive
  private readonly tree: FileTree
  private readonly isKeptBefore: boolean
  private readonly problems: Finding[] = []

  /** `isKept`: everything was just kept by somebody else. */
  constructor(options: RefreshOptions, isKept = false) {
    this.options = options
    this.isKeptBefore = isKept
    this.surveyed = surveyRoots(options.roots.filter(root => existsSync(root)))
    const folder = archiveFolder(options.home)
    this.archive = new Archive(folder, archiveOptions(options))
    this.tree = diskTree
  }

  /** First kept, then indexed. */
  async keep(): Promise<void> {
    const { keepRoots, exclude, isStopped, begin, progress } = this.options
    if (keepRoots.length === 0) return
    const isAll = keepRoots.length === this.options.roots.length
    this.kept = await keep(this.archive, {
      roots: keepRoots,
      ...(isAll && keepRoots.every(root => existsSync(root)) && { surveyed: this.surveyed }),
      isQuick: true,
      ...(exclude !== undefined && { exclude }),
      begin: bytes => begin?.('keeping', bytes),
      ...(progress !== undefined && { progress }),
      ...(isStopped !== undefined && { isStopped }),
    })
  }

  /** Another text means that something changed on disk, in the archive or in what was asked for. */
  stamp(): string {
    const { roots, isScoped, keepRoots, exclude = [] } = this.options
    const hash = createHash('sha256')
    hash.update(JSON.stringify([roots, isScoped, keepRoots, exclude, this.archive.lastSegment()]))
    for (const file of this.surveyed.files) hash.update(`${file.place}\n${stateText(file.state)}\n`)
    return hash.digest('hex')
  }

  async discover(): Promise<{ discoveries: Discovery[]; sessions: PlacedSession[] }> {
    const { roots, isScoped } = this.options
    const places = this.places()
    const kept =
      isScoped || !this.archive.exists
        ? []
        : keptHomePaths(this.archive, roots).filter(home => isThere(home, places.tree))
    const discoveries = await Promise.all([...roots, ...kept].map(root => discover(root, places.tree)))
    for (const { findings } of discoveries) {
      this.problems.push(...findings.filter(({ code }) => code !== 'no-sessions' && code !== 'missing-root'))
    }
    return { discoveries, sessions: mergeDiscoveries(discoveries, places.source) }
  }

  private known: ReturnType<World['open']> | undefined

  private places() {
    this.known ??= this.open()
    return this.known
  }

  private open() {
    if (!this.archive.exists) return { tree: this.tree, source: this.tree.source }
    return openKept(this.archive.layout.folder, message =>
      this.problems.push({ code: 'archive-problem', severity: 'warning', message }),
    )
  }

  ledgerInput() {
    const isJustKept = this.isKeptBefore || (this.kept !== undefined && this.kept.failure === undefined)
    const { archive } = this
    return { survey: this.surveyed.files, isJustKept, ...(archive.exists && { archive: this.openedArchive() }) }
  }

  /** With what the places know, so that the manifest is read once. */
  private openedArchive(): Archive {
    const places = this.places()
    return 'archive' in places ? places.archive : this.archive
  }

  ingestOptions(options: RefreshOptions) {
    const { begin, progress, isStopped } = options
    return {
      source: this.places().source,
      home: options.home,
      isInScope: (path: string) => this.isInScope(path),
      begin: (bytes: number) => begin?.('indexing', bytes),
      ...(progress !== undefined && { progress }),
      ...(isStopped !== undefined && { isStopped }),
    }
  }

  isInScope(path: string): boolean {
    if (!this.options.isScoped) return true
    return this.options.roots.some(root => isBelow(path, resolve(root)) || isBelow(path, canonicalPlace(root)))
  }

  findings(): Finding[] {
    return [...(this.kept?.findings ?? []), ...this.problems]
  }

  keptReport(): { kept?: KeepReport } {
    return this.kept === undefined ? {} : { kept: this.kept }
  }
}

function archiveOptions({ ops, waitMs, onWait }: RefreshOptions): ArchiveOptions {
  return {
    ...(ops !== undefined && { ops }),
    ...(waitMs !== undefined && { waitMs }),
    ...(onWait !== undefined && { onWait }),
  }
}

function isThere(path: string, tree: FileTree): boolean {
  try {
    tree.stat(path)
    return true
  } catch {
    return false
  }
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : join(root, sep))
}
