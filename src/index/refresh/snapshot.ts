// What there is outside of the index at one moment: files, what the archive has of them, sessions. A stat walk comes first,
// and everything that it saw has to be listed and read afterwards: what was not stays due. It knows nothing of tables.

import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type CaptureReport, capture } from '../../archive/capture/capture.ts'
import { stateText } from '../../archive/capture/seen.ts'
import { type RootSurvey, surveyRoots } from '../../archive/capture/survey.ts'
import { archiveFolder } from '../../archive/format/layout.ts'
import { archiveSource } from '../../archive/read/source.ts'
import { archivedHomePaths, archiveTree } from '../../archive/read/tree.ts'
import { Archive, type ArchiveOptions } from '../../archive/store/archive.ts'
import { errorCode } from '../../base/error-code.ts'
import { discover } from '../../disk/discover/discover.ts'
import { isBelow } from '../../disk/discover/homes.ts'
import type { PlacedSession } from '../../disk/discover/merge.ts'
import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import { diskTree, type FileTree } from '../../disk/discover/tree.ts'
import { ReadError, rangeReader } from '../../disk/read/read.ts'
import { FileError } from '../../files/error.ts'
import type { WriteOps } from '../../files/ops.ts'
import { canonicalPlace } from '../../files/place.ts'
import type { Finding } from '../../model/finding.ts'
import type { ByteSource, Discovery, LogFile } from '../../model/source.ts'
import { ArchivedContents, type Ledger, ledgerOf, type StoredFile } from './ledger.ts'

export interface RefreshOptions {
  /** Clew's own folder. */
  home: string
  /** Claude homes to index; where `isScoped` is false, homes that are only in the archive are added. */
  roots: readonly string[]
  /** Only these roots: what is indexed of others stays as it is. */
  isScoped: boolean
  /** Homes that are not there, as when their disk is away: what is indexed of them stays. */
  missing?: readonly string[]
  /** Called with roots whose files leave the index, since they are not among those to index any more. */
  onLeft?: (roots: readonly string[]) => void
  /** Roots that are archived first; files of other roots are indexed from disk. */
  archiveRoots: readonly string[]
  exclude?: readonly string[]
  /** The stat walk, where it was done just now. */
  surveyed?: TimedSurvey
  /** How long to wait for another process that writes. */
  waitMs?: number
  onWait?: ArchiveOptions['onWait']
  /** Called with what begins, and of how many bytes. */
  begin?: (what: 'archiving' | 'indexing', bytes: number) => void
  progress?: (bytes: number) => void
  isStopped?: () => boolean
  /** For tests: system calls, and statements. */
  ops?: WriteOps
  onStep?: (what: string) => void
}

/** A stat walk, and when it began. */
export interface TimedSurvey extends RootSurvey {
  lookedAtMs: number
}

/** A root that is not there has no files; one that cannot be looked at is a finding. */
export function surveyFor({ roots }: Pick<RefreshOptions, 'roots'>): TimedSurvey {
  const lookedAtMs = Date.now()
  const unread: Finding[] = []
  const present = roots.filter(root => {
    try {
      return statSync(root, { throwIfNoEntry: false }) !== undefined
    } catch (error) {
      // A link that leads to itself leads nowhere.
      if (errorCode(error) !== 'ELOOP') unread.push(unreadFinding('unreadable-folder', root, errorCode(error)))
      return false
    }
  })
  const survey = surveyRoots(present)
  // A moment ago it was there.
  const missing = survey.findings.flatMap(({ code, file }) =>
    code === 'missing-root' && file !== undefined ? [file] : [],
  )
  unread.push(...missing.map(root => unreadFinding('vanished-file', root, 'it was there before')))
  return { ...survey, findings: [...unread, ...survey.findings], lookedAtMs }
}

/** Findings about something that was not taken in: the next refresh has to look again. */
const dueCodes: ReadonlySet<string> = new Set([
  'unreadable-file',
  'unreadable-folder',
  'vanished-file',
  'archive-problem',
  'not-indexed',
])

export function isDue({ code }: Finding): boolean {
  return dueCodes.has(code)
}

function unreadFinding(code: string, file: string, reason: string): Finding {
  const message = `This could not be read (${reason}); the next refresh tries again.`
  return { code, severity: 'warning', file, message }
}

interface Found {
  /** Logs that belong to no session, and histories. */
  discoveries: Pick<Discovery, 'histories' | 'strays'>[]
  sessions: PlacedSession[]
  /** Pasted texts that Claude Code stored next to the prompt history. */
  pastes: StoredFile[]
}

/** Less is archived before a second look at all files is worth it. */
const muchToArchive = 32 * 1024 * 1024

export class Snapshot {
  /** What archiving it did; undefined where nothing had to be archived. */
  captured: CaptureReport | undefined
  readonly archive: Archive
  private readonly options: RefreshOptions
  private readonly surveyed: TimedSurvey
  /** Homes that were archived completely just now. */
  private archivedHomes: readonly string[] = []
  private readonly isArchived: boolean
  private readonly problems: Finding[] = []

  /** `isArchived`: nothing is left to archive. */
  constructor(options: RefreshOptions, isArchived = false) {
    this.options = options
    this.isArchived = isArchived
    if (isArchived) this.archivedHomes = options.archiveRoots.map(canonicalPlace)
    this.surveyed = options.surveyed ?? surveyFor(options)
    this.archive = new Archive(archiveFolder(options.home), archiveOptions(options))
  }

  /** Equal for two snapshots between which nothing changed on disk, in the archive or in the options. */
  fingerprint(): string {
    const { roots, isScoped, archiveRoots, exclude = [] } = this.options
    const options = JSON.stringify([roots, isScoped, archiveRoots, exclude, this.archive.lastSegment()])
    this.filesHash ??= this.hashOfFiles()
    return createHash('sha256').update(options).update(this.filesHash).digest('hex')
  }

  private hashOfFiles(): string {
    const { files, linked } = this.surveyed
    const lines = [
      ...files.map(({ place, state }) => `${place} ${stateText(state)}\n`),
      ...linked.map(({ place, target, state }) => `${place} -> ${target} ${stateText(state)}\n`),
    ]
    return createHash('sha256').update(lines.join('')).digest('hex')
  }

  private filesHash: string | undefined

  /** Whether nothing was archived yet, and so much has to be that it takes a while. */
  get isMuchToArchive(): boolean {
    if (this.options.archiveRoots.length === 0 || this.isArchived || this.archive.exists) return false
    return this.surveyed.files.reduce((sum, { state }) => sum + state.size, 0) >= muchToArchive
  }

  /** The same files, as if nothing was to be archived. */
  asNotArchived(): Snapshot {
    return new Snapshot({ ...this.options, archiveRoots: [], surveyed: this.surveyed })
  }

  /** Brings the archive up to the files on disk. */
  async capture({ begin, progress }: Pick<RefreshOptions, 'begin' | 'progress'> = this.options): Promise<void> {
    const { archiveRoots, roots, exclude, isStopped } = this.options
    if (archiveRoots.length === 0 || this.isArchived || this.captured !== undefined) return
    this.captured = await capture(this.archive, {
      roots: archiveRoots,
      ...(archiveRoots.length === roots.length && { surveyed: this.surveyed }),
      ...(exclude !== undefined && { exclude }),
      begin: bytes => begin?.('archiving', bytes),
      ...(progress !== undefined && { progress }),
      ...(isStopped !== undefined && { isStopped }),
    })
    const { failure, isStopped: wasStopped } = this.captured
    if (failure === undefined && !wasStopped) this.archivedHomes = archiveRoots.map(canonicalPlace)
  }

  /** All sessions, found once. */
  discover(): Promise<Found> {
    this.found ??= this.discoverAll()
    return this.found
  }

  private found: Promise<Found> | undefined

  private async discoverAll(): Promise<Found> {
    const { roots, isScoped } = this.options
    const { tree, source } = this.open()
    const others = isScoped || !this.archive.exists ? [] : archivedHomePaths(this.archive, roots)
    const homes = [...roots, ...others.filter(home => isThere(home, tree))]
    const found = await Promise.all(homes.map(root => discover(root, tree)))
    for (const { findings } of found) {
      this.problems.push(...findings.filter(({ code }) => code !== 'no-sessions' && code !== 'missing-root'))
    }
    const discoveries = found.map(discovery => this.withoutNew(discovery))
    const histories = discoveries.flatMap(discovery => discovery.histories)
    const pastes = await Promise.all(histories.map(({ path }) => pastesIn(join(dirname(path), 'paste-cache'), tree)))
    return {
      discoveries: discoveries.map(({ histories, strays }) => ({ histories, strays })),
      sessions: mergeDiscoveries(discoveries, source),
      pastes: pastes.flat(),
    }
  }

  /** Logs that appeared after the stat walk wait for the next refresh: archived first, then indexed. */
  private withoutNew(discovery: Discovery): Discovery {
    const { archivedHomes, surveyed } = this
    if (archivedHomes.length === 0) return discovery
    const seen = this.seen()
    const isOld = (log: LogFile) => {
      if (log.isArchiveOnly === true || seen.has(log.path) || log.modifiedMs < surveyed.lookedAtMs - 1000) return true
      const place = canonicalPlace(log.path)
      return seen.has(place) || !archivedHomes.some(root => isBelow(place, root))
    }
    const { sessions, histories, strays } = discovery
    const old = sessions.map(session => ({ ...session, logs: session.logs.filter(isOld) }))
    const left = old.filter(({ logs }) => logs.length > 0)
    return { ...discovery, sessions: left, histories: histories.filter(isOld), strays: strays.filter(isOld) }
  }

  /** Places of all files of the stat walk, and of the folders on the way to them. */
  private seen(): ReadonlySet<string> {
    if (this.seenPlaces === undefined) {
      this.seenPlaces = new Set<string>()
      for (const { place } of [...this.surveyed.files, ...this.surveyed.linked]) {
        for (let at = place; !this.seenPlaces.has(at); at = dirname(at)) this.seenPlaces.add(at)
      }
    }
    return this.seenPlaces
  }

  private seenPlaces: Set<string> | undefined

  /** Where bytes come from, the archive included. */
  get source(): ByteSource {
    this.openedSource ??= this.watched(this.archive.exists ? archiveSource(this.archive) : diskTree.source)
    return this.openedSource
  }

  private openedSource: ByteSource | undefined

  /** Where files are. It knows every archived file by its place: it is held only until sessions are found. */
  private open(): { tree: FileTree; source: ByteSource } {
    const live = this.liveTree()
    const { source } = this
    if (!this.archive.exists) return { tree: { ...live, source }, source }
    const onBroken = (error: unknown) => {
      if (!(error instanceof FileError)) throw error
      this.problems.push({ code: 'archive-problem', severity: 'warning', message: error.message })
    }
    const archived = archiveTree(this.archive, { source, live, onBroken })
    const tree: FileTree = {
      list: folder => archived.list(folder),
      stat: path => archived.stat(path),
      isLink: path => archived.isLink(path),
      source,
      // What the archive knows of a file that did not change since needs no look into the file.
      known: file => archived.known?.(file) ?? this.contents().factsOf(file.path),
    }
    return { tree, source }
  }

  /** The disk. What the stat walk saw and is not there any more is due; other failures become findings of `discover`. */
  private liveTree(): FileTree {
    const note = (path: string, error: unknown) => {
      const code = errorCode(error)
      if ((code === 'ENOENT' || code === 'ENOTDIR') && this.seen().has(path)) {
        this.problems.push(unreadFinding('vanished-file', path, code))
      }
      return error
    }
    return {
      ...diskTree,
      async list(folder) {
        try {
          return await diskTree.list(folder)
        } catch (error) {
          throw note(folder, error)
        }
      },
      stat(path) {
        try {
          return diskTree.stat(path)
        } catch (error) {
          throw note(path, error)
        }
      },
      source: diskTree.source,
    }
  }

  /** A source whose failures are due, also where the one that reads continues without the bytes. */
  private watched(source: ByteSource): ByteSource {
    const noted = <Value>(generation: string, look: () => Value): Value => {
      try {
        return look()
      } catch (error) {
        const path = error instanceof ReadError ? error.path : generation
        this.problems.push(unreadFinding('unreadable-file', path, errorCode(error)))
        throw error
      }
    }
    return {
      read: (generation, from, to) => source.read(generation, from, to),
      readSync: (generation, from, to) => noted(generation, () => source.readSync(generation, from, to)),
      openSync: generation => {
        const reader = noted(generation, () => rangeReader(source, generation))
        return {
          read: (into, from) => noted(generation, () => reader.read(into, from)),
          close: () => reader.close(),
        }
      },
    }
  }

  private contents(): ArchivedContents {
    const { archivedHomes, surveyed, archive } = this
    this.archived ??= new ArchivedContents({
      survey: surveyed,
      lookedAtMs: surveyed.lookedAtMs,
      source: this.source,
      isJustArchived: ({ place }) => archivedHomes.some(root => isBelow(place, root)),
      ...(archive.exists && { archive }),
    })
    return this.archived
  }

  private archived: ArchivedContents | undefined

  /** The generations to index, oldest first: new texts get the highest numbers, and a search looks at those first. */
  async ledger(): Promise<Ledger> {
    const ledger = ledgerOf(await this.discover(), this.contents())
    ledger.files.sort((one, other) => one.modifiedMs - other.modifiedMs)
    // Seldom asked again, and they know every file by its place.
    this.archived = undefined
    return ledger
  }

  /** Whether a file that was not found is gone: it is below the roots, and nothing on the way to it was unread. */
  isGone(path: string): boolean {
    this.unread ??= this.findings().filter(isDue)
    const isUnread = ({ file }: Finding) =>
      // A problem of the whole archive may hide any file.
      file === undefined || isBelow(path, resolve(file)) || isBelow(path, canonicalPlace(file))
    return this.isInScope(path) && !this.isMissing(path) && !this.unread.some(isUnread)
  }

  private unread: Finding[] | undefined

  private isMissing(path: string): boolean {
    return this.options.missing?.some(home => isBelow(path, home)) === true
  }

  private isInScope(path: string): boolean {
    if (!this.options.isScoped) return true
    return this.options.roots.some(root => isBelow(path, resolve(root)) || isBelow(path, canonicalPlace(root)))
  }

  /** Whether everything was archived, listed and found. */
  get isComplete(): boolean {
    const { captured } = this
    return captured?.isStopped !== true && captured?.failure === undefined && !this.findings().some(isDue)
  }

  /** What could not be read, each file once. */
  findings(): Finding[] {
    const own = this.surveyed.findings.filter(isDue)
    const all = [...(this.captured?.findings ?? []), ...own, ...this.problems]
    const unread = new Set<string>()
    return all.filter(finding => {
      if (!isDue(finding) || finding.file === undefined) return true
      const isFirst = !unread.has(finding.file)
      unread.add(finding.file)
      return isFirst
    })
  }
}

function archiveOptions({ ops, waitMs, onWait }: RefreshOptions): ArchiveOptions {
  return {
    ...(ops !== undefined && { ops }),
    ...(waitMs !== undefined && { waitMs }),
    ...(onWait !== undefined && { onWait }),
  }
}

/** None where there is no such folder; what cannot be read is noted by the tree. */
async function pastesIn(folder: string, tree: FileTree): Promise<StoredFile[]> {
  const found: StoredFile[] = []
  try {
    for (const { name, path } of await tree.list(folder)) {
      const facts = /^[0-9a-f]{8,128}\.txt$/i.test(name) ? tree.stat(path) : undefined
      if (facts?.kind !== 'file') continue
      const { generation, size, modifiedMs, isArchiveOnly } = facts
      found.push({ path, generation, size, modifiedMs, role: 'paste', ...(isArchiveOnly && { isArchiveOnly }) })
    }
  } catch (error) {
    if (!/^E[A-Z]+$/.test(errorCode(error))) throw error
  }
  return found
}

function isThere(path: string, tree: FileTree): boolean {
  try {
    tree.stat(path)
    return true
  } catch {
    return false
  }
}
