// What there is outside of the index at one moment: files, sessions, what is kept of them. It keeps what is new, tells where
// bytes are, and knows nothing of tables.

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { type KeepOptions, type KeepReport, keep } from '../../archive/capture/keep.ts'
import { isSettled } from '../../archive/capture/look.ts'
import { stateText } from '../../archive/capture/seen.ts'
import { fileKey, type Generation } from '../../archive/format/catalog.ts'
import { archiveFolder } from '../../archive/format/layout.ts'
import { chosenTree, keptHomePaths, openKept } from '../../archive/read/kept.ts'
import { keptId } from '../../archive/read/source.ts'
import { Archive, type ArchiveOptions } from '../../archive/store/archive.ts'
import { canonicalPlace } from '../../archive/store/place.ts'
import { discover } from '../../disk/discover/discover.ts'
import type { PlacedSession } from '../../disk/discover/merge.ts'
import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import { diskTree, type FileTree } from '../../disk/discover/tree.ts'
import type { Finding } from '../../model/finding.ts'
import type { Discovery, GenerationId, LogFile } from '../../model/source.ts'
import { EarlyIngest } from '../ingest/early.ts'
import { Readers } from '../ingest/hands.ts'
import type { UsageLoad } from '../ingest/usage-load.ts'
import { WaitingSessions } from '../ingest/waiting.ts'
import type { Database } from '../store/port.ts'
import { openSource } from '../store/source.ts'
import { type Areas, areasOf } from './areas.ts'
import { type Grown, grownSince, sceneOf } from './grown.ts'
import { type LedgerFile, ledgerOf } from './ledger.ts'
import { lookNear, type Near } from './near.ts'
import { type RefreshOptions, surveyFor, type TimedSurvey } from './refresh-options.ts'
import { Settling } from './settle-all.ts'

/** What is kept is indexed from its first commits on, which are therefore smaller than usual. */
const earlyCommitBytes = 8 * 1024 * 1024

interface Found {
  discoveries: Discovery[]
  sessions: PlacedSession[]
}

/** What there is outside of the index at one moment. */
export class World {
  kept: KeepReport | undefined
  private readonly options: RefreshOptions
  private readonly surveyed: TimedSurvey
  private readonly archive: Archive
  private readonly tree: FileTree
  private justKept: readonly string[]
  private readonly problems: Finding[] = []

  /** `justKept`: roots of which somebody else has just kept everything. */
  constructor(options: RefreshOptions, justKept: readonly string[] = []) {
    this.options = options
    this.justKept = justKept.map(canonicalPlace)
    this.surveyed = options.surveyed ?? surveyFor(options)
    const folder = archiveFolder(options.home)
    this.archive = new Archive(folder, archiveOptions(options))
    this.tree = diskTree
  }

  /** First kept, then indexed: files that are kept may be indexed while others are not yet. Gives what was. */
  async keep(db: Database, usage?: UsageLoad): Promise<{ files: number; bytes: number; sessions: number }> {
    const nothing = { files: 0, bytes: 0, sessions: 0 }
    const { keepRoots } = this.options
    if (keepRoots.length === 0 || this.kept !== undefined || this.justKept.length > 0) return nothing
    const isFirst = !this.archive.exists && this.surveyed.files.some(({ state }) => state.size > 0)
    const early = isFirst ? this.earlyIngest(db, usage) : null
    // Whoever waits for it is told.
    early?.catch(() => {})
    try {
      this.kept = await keep(this.archive, this.keepOptions(early))
      const ingest = await early
      await ingest?.idle()
      ingest?.throwFailure()
    } catch (error) {
      // Whatever happened, nothing may still read or write when this ends.
      const ingest = await early?.catch(() => null)
      await ingest?.idle()
      await this.readers?.close()
      throw error
    }
    const { failure, isStopped: wasStopped } = this.kept
    if (failure === undefined && !wasStopped) this.justKept = keepRoots.map(canonicalPlace)
    return (await early) ?? nothing
  }

  private keepOptions(early: Promise<EarlyIngest> | null): KeepOptions {
    const { keepRoots, exclude, isStopped, begin, progress } = this.options
    const isAll = keepRoots.length === this.options.roots.length
    return {
      roots: keepRoots,
      ...(isAll && keepRoots.every(root => existsSync(root)) && { surveyed: this.surveyed }),
      ...(exclude !== undefined && { exclude }),
      // What is kept is indexed soon after: that is what is waited for.
      ...(early === null && { begin: bytes => begin?.('keeping', bytes), ...(progress !== undefined && { progress }) }),
      ...(isStopped !== undefined && { isStopped }),
      ...(early !== null && { onCommit: async () => (await early).note(), commitBytes: earlyCommitBytes }),
    }
  }

  /** Where nothing was kept before, what is on disk is all there is: it is found while the first of it is kept. */
  private async earlyIngest(db: Database, usage: UsageLoad | undefined): Promise<EarlyIngest> {
    const found = await this.discoverOnDisk()
    const { discoveries, sessions } = found
    this.found = found
    const { files: survey, lookedAtMs } = this.surveyed
    const { archive, tree } = this
    const waiting = new WaitingSessions(sessions, discoveries, survey)
    const byLog = new Map<string, string>()
    const isKept = (log: LogFile) => keptId((byLog.get(log.generation) ?? '') as GenerationId) !== null
    const look = () => {
      const begun = waiting.begun(archive.manifest.catalog)
      const input = { discoveries, lookedAtMs, source: tree.source, isJustKept: () => true, archive }
      const ledger = ledgerOf({ ...input, ...begun })
      for (const [log, generation] of ledger.byLog) byLog.set(log, generation)
      waiting.drop(isKept)
      return { files: ledger.files.filter(({ state }) => state === undefined), byLog: ledger.byLog }
    }
    const early = new EarlyIngest(db, {
      readers: this.openReaders(),
      ...(usage !== undefined && { usage }),
      settling: new Settling(db, sessions, new Map(), this.options),
      look,
      framesOf: generation => this.framesOf(generation),
      bytes: logBytes(sessions, discoveries),
      ...this.ingestOptions(this.options),
    })
    early.begin()
    return early
  }

  private found: Found | undefined

  private async discoverOnDisk(): Promise<Found> {
    const discoveries = await Promise.all(this.options.roots.map(root => discover(root, this.tree)))
    return { discoveries, sessions: mergeDiscoveries(discoveries, this.tree.source) }
  }

  private framesOf(generation: string): LedgerFile['frames'] {
    const { generations, frames } = this.archive.manifest.catalog
    const kept = generations.get(keptId(generation as GenerationId) ?? '')
    if (kept === undefined) return undefined
    const state = this.settledStates().get(fileKey(kept.home, kept.path))
    const lengths = kept.frames.map(id => frames.get(id)?.bytes ?? 0)
    return { ids: kept.frames, lengths, ...(state !== undefined && { state }) }
  }

  private states: Map<string, string> | undefined

  /** How files looked before they were kept, of those where a later change would show. */
  private settledStates(): Map<string, string> {
    const { files, lookedAtMs } = this.surveyed
    const settled = () => files.filter(({ state }) => isSettled(state, lookedAtMs))
    this.states ??= new Map(settled().map(({ home, path, state }) => [fileKey(home, path), stateText(state)]))
    return this.states
  }

  private readers: Readers | undefined

  private openReaders(): Readers {
    // While things are being kept, what there is changes; afterwards the manifest is read already.
    const open = () => (this.known === undefined ? openSource(this.options.home) : this.known.source)
    this.readers ??= new Readers(open, this.options.home)
    return this.readers
  }

  async withReaders<Value>(work: (readers: Readers) => Promise<Value>): Promise<Value> {
    const readers = this.openReaders()
    try {
      return await work(readers)
    } finally {
      await readers.close()
    }
  }

  /** Another text means that something changed on disk, in the archive or in what was asked for. */
  stamp(): string {
    const hash = createHash('sha256')
    hash.update(this.base())
    for (const [area, text] of areasOf(this.surveyed)) hash.update(`${area}\n${text}\n`)
    return hash.digest('hex')
  }

  /** All of that but for what lies on disk. Ask before something is kept, too. */
  base(): string {
    const { roots, isScoped, keepRoots, exclude = [] } = this.options
    return JSON.stringify([roots, isScoped, keepRoots, exclude, this.archive.lastSegment()])
  }

  areas(): Areas {
    return areasOf(this.surveyed)
  }

  /** What it is known by, but for how long logs are: see `sceneOf`. Ask before something is kept, too. */
  scene(): string {
    return sceneOf(this.options, this.surveyed, this.archive.lastSegment())
  }

  /** Null where more happened than that logs grew. */
  grown(db: Database): Promise<Grown | null> {
    const isKept = this.justKept.length > 0 && this.kept !== undefined && this.problems.length === 0
    return isKept ? grownSince(db, this.surveyed, this.archive) : Promise.resolve(null)
  }

  /** What there is to index where something happened in few places; null where everything has to be looked through. */
  async near(db: Database): Promise<Near | null> {
    const { options, kept, archive, surveyed } = this
    const isKept = this.justKept.length > 0 && options.keepRoots.length === options.roots.length
    // What was moved may have lain anywhere.
    if (!isKept || kept === undefined || kept.moved > 0 || kept.findings.length > 0) return null
    const { source } = this.places()
    const others = options.isScoped ? [] : keptHomePaths(archive, options.roots)
    const { catalog, damage } = archive.manifest
    if (damage.length > 0) return null
    const place = (found: readonly Discovery[]) => this.placed(found)
    const treeOf = (isChosen: (file: Generation) => boolean) => chosenTree(archive, source, isChosen)
    const near = await lookNear({ db, options, surveyed, catalog, others, treeOf, place })
    return this.problems.length > 0 ? null : near
  }

  private placed(found: readonly Discovery[]): Found {
    const discoveries = found.map(discovery => this.withoutNew(discovery))
    return { discoveries, sessions: mergeDiscoveries(discoveries, this.places().source) }
  }

  /** What there is to index. Where all that was found was kept, and nothing else ever was, it need not be looked for again. */
  async discover(): Promise<Found> {
    const { found } = this
    this.found = undefined
    return found !== undefined && this.kept?.findings.length === 0
      ? this.noted(found)
      : this.noted(await this.discoverAll())
  }

  private noted(found: Found): Found {
    for (const { findings } of found.discoveries) {
      this.problems.push(...findings.filter(({ code }) => code !== 'no-sessions' && code !== 'missing-root'))
    }
    return found
  }

  private async discoverAll(): Promise<Found> {
    const { roots, isScoped } = this.options
    const places = this.places()
    const kept =
      isScoped || !this.archive.exists
        ? []
        : keptHomePaths(this.archive, roots).filter(home => isThere(home, places.tree))
    const found = await Promise.all([...roots, ...kept].map(root => discover(root, places.tree)))
    return this.placed(found)
  }

  /** What appeared after it was looked what is to be kept waits for the next refresh: first kept, then indexed. */
  private withoutNew(discovery: Discovery): Discovery {
    const { justKept, surveyed } = this
    if (justKept.length === 0) return discovery
    const seen = new Set(surveyed.files.map(({ place }) => place))
    const isOld = (log: LogFile) => {
      if (log.isKept === true || seen.has(log.path) || log.modifiedMs < surveyed.lookedAtMs - 1000) return true
      const place = canonicalPlace(log.path)
      return seen.has(place) || !justKept.some(root => isBelow(place, root))
    }
    const { sessions, histories, strays } = discovery
    if ([...sessions.flatMap(({ logs }) => logs), ...histories, ...strays].every(isOld)) return discovery
    const old = sessions.map(session => ({ ...session, logs: session.logs.filter(isOld) }))
    const left = old.filter(({ logs }) => logs.length > 0)
    return { ...discovery, sessions: left, histories: histories.filter(isOld), strays: strays.filter(isOld) }
  }

  private known: ReturnType<World['open']> | undefined

  private places() {
    this.known ??= this.open()
    return this.known
  }

  private open() {
    if (!this.archive.exists) return { tree: this.tree, source: this.tree.source }
    return openKept(this.archive, message =>
      this.problems.push({ code: 'archive-problem', severity: 'warning', message }),
    )
  }

  ledgerInput() {
    const { archive, justKept, surveyed } = this
    return {
      survey: surveyed.files,
      lookedAtMs: surveyed.lookedAtMs,
      source: this.places().source,
      isJustKept: ({ place }: { place: string }) => justKept.some(root => isBelow(place, root)),
      ...(archive.exists && { archive }),
    }
  }

  ingestOptions(options: RefreshOptions) {
    const { begin, progress, isStopped } = options
    return {
      begin: (bytes: number) => begin?.('indexing', bytes),
      ...(progress !== undefined && { progress }),
      ...(isStopped !== undefined && { isStopped }),
    }
  }

  /** For an ingest that drops what is gone. */
  scopeOption(): { isInScope: (path: string) => boolean } {
    return { isInScope: path => this.isInScope(path) }
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

function logBytes(sessions: readonly PlacedSession[], discoveries: readonly Discovery[]): number {
  const logs = [
    ...sessions.flatMap(({ logs: own, twins }) => [...own, ...twins]),
    ...discoveries.flatMap(({ histories, strays }) => [...histories, ...strays]),
  ]
  return logs.reduce((sum, { size }) => sum + size, 0)
}
