// Brings kept files back, each byte for byte or not at all. It decides what may be written where; nothing that is there is
// replaced unless told to, and then only after it was kept itself. How a file is written is `restore-write`'s business.

import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { errorCode } from '../../disk/read/read.ts'
import { homeInUse, sessionInUse } from '../capture/in-use.ts'
import { keep } from '../capture/keep.ts'
import { scopeOf } from '../capture/scope.ts'
import { stateText } from '../capture/seen.ts'
import { stateOf } from '../capture/survey.ts'
import { fileKey, type Generation } from '../format/catalog.ts'
import { ArchiveError, writeFailure } from '../format/error.ts'
import { readFrame } from '../format/pack.ts'
import { ownRelative, pathBelow, UnsafePathError } from '../format/safe-path.ts'
import type { KeptSession } from '../read/sessions.ts'
import type { Archive } from '../store/archive.ts'
import { canonicalPlace } from '../store/place.ts'
import { hasContent } from './restore-content.ts'
import { type Batch, foldersIn, type WantedFile, wantedFiles } from './restore-wanted.ts'
import { FileWriter } from './restore-write.ts'

export interface RestoreOptions {
  /** Everything that is kept where this is absent, files of no session included. */
  sessions?: readonly KeptSession[]
  /** A folder to restore into, in place of the homes that the files came from. */
  to?: string
  /** Of main files the generation of this number, in place of the current one. */
  generation?: number
  /** Files that differ are kept as they are, and then replaced. */
  isOverwriting?: boolean
  /** Files get the time of their last change back: the client may delete old ones soon. */
  keepsTimes?: boolean
  /** The time that files get, milliseconds since 1970. */
  now?: number
  /** What is not kept even before it is replaced by something, except the replaced file itself. */
  exclude?: readonly string[]
  /** Told how many raw bytes more are done. */
  progress?: (bytes: number) => void
}

/**
 * `same`: it is there already. `different`: another content is there, and stays. `in-use`: the client has the session open.
 */
export type RestoreStatus = 'restored' | 'same' | 'different' | 'in-use' | 'failed'

export interface RestoredFile {
  /** Null for a file that no session owns. */
  session: string | null
  home: string
  path: string
  /** Where it is now, or would be. */
  target: string
  status: RestoreStatus
  bytes: number
  /** A sentence: why it is not there. */
  reason?: string
}

export interface RestoreReport {
  files: RestoredFile[]
  restored: number
  same: number
  different: number
  inUse: number
  failed: number
  /** Of the files that were restored. */
  bytes: number
  /** Where the files of each home went. */
  folders: { home: string; folder: string }[]
}

/** So long after its last change a session counts as in use, whoever changed it. */
const freshMs = 60_000

export async function restoreFiles(archive: Archive, options: RestoreOptions = {}): Promise<RestoreReport> {
  const batches = await wantedFiles(archive, options.sessions, options.generation)
  return new Restoring(archive, options, batches).run()
}

type Outcome = Pick<RestoredFile, 'status'> & { reason?: string }

class Restoring {
  private readonly archive: Archive
  private readonly options: RestoreOptions
  private readonly batches: readonly Batch[]
  private readonly writer: FileWriter
  private readonly now: number
  /** The folder of each home's files, without links. */
  private readonly roots = new Map<string, string>()
  /** The home that each of these folders is, or lies in; null where it is outside of any. */
  private readonly around = new Map<string, string | null>()
  private readonly report: RestoreReport
  private readonly done = new Set<string>()

  constructor(archive: Archive, options: RestoreOptions, batches: readonly Batch[]) {
    this.archive = archive
    this.options = options
    this.batches = batches
    this.writer = new FileWriter(archive)
    this.now = options.now ?? archive.now()
    this.report = { files: [], restored: 0, same: 0, different: 0, inUse: 0, failed: 0, bytes: 0, folders: [] }
  }

  async run(): Promise<RestoreReport> {
    this.placeHomes()
    // A file may belong to two sessions: neither may be in use.
    const busy = new Map<string, string>()
    for (const batch of this.batches) {
      const use = this.useOf(batch)
      if (use !== null) for (const { home, path } of batch.files) busy.set(fileKey(home, path), use)
    }
    for (const batch of this.batches) {
      const use = this.useOf(batch)
      for (const file of batch.files) {
        const key = fileKey(file.home, file.path)
        if (this.done.has(key)) continue
        this.done.add(key)
        await this.restore(batch, file, use ?? busy.get(key) ?? null)
      }
    }
    return this.report
  }

  private placeHomes(): void {
    const { to } = this.options
    const homes = [...new Set(this.batches.filter(({ files }) => files.length > 0).map(({ home }) => home))].sort()
    const folders = to === undefined ? new Map(homes.map(home => [home, home])) : foldersIn(resolve(to), homes)
    for (const [home, folder] of folders) {
      const root = isPlace(folder) ? canonicalPlace(folder) : folder
      if (to !== undefined) refuseInside(root, canonicalPlace(this.archive.layout.folder))
      this.roots.set(home, root)
      this.around.set(home, this.homeAround(root))
      this.report.folders.push({ home, folder: root })
    }
  }

  /** A home is one that files were kept of, or any folder where clients tell that they run. */
  private homeAround(root: string): string | null {
    if (!isPlace(root)) return null
    for (const home of this.archive.manifest.catalog.homes()) {
      if (isPlace(home) && isWithin(root, canonicalPlace(home))) return canonicalPlace(home)
    }
    for (let at = root; ; at = dirname(at)) {
      if (holdsClients(at)) return at
      if (dirname(at) === at) return null
    }
  }

  /** Why the files of a session cannot be written now; null where nothing speaks against it. */
  private useOf({ session, home, files }: Batch): string | null {
    const around = this.around.get(home) ?? null
    if (session === null || around === null) return null
    const client = sessionInUse(around, session)
    if (client !== null) return `Claude Code has this session open (process ${client.pid}).`
    for (const file of files) if (file.isMain && this.isFresh(file)) return freshReason
    return null
  }

  /** Whether somebody just wrote it. What a restore wrote is what is kept, and does not count. */
  private isFresh({ home, path, generation }: WantedFile): boolean {
    if (ownRelative(path) !== path) return false
    const target = join(this.roots.get(home) ?? home, path)
    const facts = lookAt(target)
    if (facts === undefined || !facts.isFile() || Math.abs(this.now - facts.mtimeMs) >= freshMs) return false
    try {
      return generation === undefined || !hasContent(target, generation, this.archive.manifest.catalog)
    } catch {
      return true
    }
  }

  private async restore(batch: Batch, file: WantedFile, use: string | null): Promise<void> {
    const { report } = this
    const { home, path, generation } = file
    const outcome = use === null ? await this.tryRestore(batch, file) : { status: 'in-use' as const, reason: use }
    const target = join(this.roots.get(home) ?? home, path)
    const bytes = generation?.size ?? 0
    report.files.push({ session: batch.session, home, path, target, bytes, ...outcome })
    report[outcome.status === 'in-use' ? 'inUse' : outcome.status]++
    if (outcome.status === 'restored') report.bytes += bytes
    this.options.progress?.(bytes)
  }

  private async tryRestore(batch: Batch, file: WantedFile): Promise<Outcome> {
    const target = join(this.roots.get(file.home) ?? file.home, file.path)
    try {
      return await this.restoreFile(batch, file)
    } catch (error) {
      const reason = error instanceof UnsafePathError ? error.message : writeFailure(error, target).message
      return { status: 'failed', reason }
    }
  }

  private async restoreFile(batch: Batch, { home, path, generation }: WantedFile): Promise<Outcome> {
    const root = this.roots.get(home) ?? home
    if (!isPlace(root)) return { status: 'failed', reason: `"${home}" is no folder of this machine: say where else.` }
    if (isWithin(root, canonicalPlace(this.archive.layout.folder))) refuseInside(root, root)
    if (generation === undefined) {
      return { status: 'failed', reason: `No generation ${this.options.generation} was kept of this file.` }
    }
    if (ownRelative(path) !== path)
      throw new UnsafePathError(path, 'its name could lead out of the folder or is not portable')
    const target = await pathBelow(root, path, ownRelative)
    const facts = lstatSync(target, { throwIfNoEntry: false })
    if (facts === undefined) return this.writeNew(root, generation)
    if (!facts.isFile()) return { status: 'failed', reason: `A folder of this name is at ${target}.` }
    if (hasContent(target, generation, this.archive.manifest.catalog)) return { status: 'same' }
    if (this.options.isOverwriting !== true) {
      return { status: 'different', reason: 'Another content is there, and was left alone.' }
    }
    return this.replace(batch, root, target, generation)
  }

  private async writeNew(root: string, generation: Generation): Promise<Outcome> {
    try {
      await this.writer.write({ generation, root, modifiedMs: this.timeFor(generation), mayReplace: () => false })
      return { status: 'restored' }
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
      return { status: 'different', reason: 'A file of this name appeared meanwhile, and was left alone.' }
    }
  }

  private async replace(batch: Batch, root: string, target: string, generation: Generation): Promise<Outcome> {
    const around = this.around.get(batch.home) ?? null
    // Prompt histories and indexes belong to every client that runs.
    const client = batch.session === null && around !== null ? homeInUse(around) : null
    if (client !== null) return { status: 'in-use', reason: `Claude Code runs in this home (process ${client.pid}).` }
    const before = lookOf(target)
    await this.secure(root, target, generation.path)
    const mayReplace = () => {
      if (lookOf(target) === before) return true
      throw new ArchiveError('changed', 'The file that is there changed meanwhile, so it was left alone.', target)
    }
    await this.writer.write({ generation, root, modifiedMs: this.timeFor(generation), mayReplace })
    return { status: 'restored' }
  }

  /** Makes sure that what is about to be replaced can be read back from the archive. */
  private async secure(root: string, target: string, path: string): Promise<void> {
    const { archive, options } = this
    if (await this.isSafe(root, target, path)) return
    const { exclude = [] } = options
    const isOwn = scopeOf(target)?.home === root
    const replaced = canonicalPlace(target)
    const attempts = [
      { roots: [target], replaced },
      { roots: [root], exclude, replaced },
    ]
    // A file beside the projects is known to belong to its home only when the home is looked at.
    for (const attempt of isOwn || options.to !== undefined ? attempts.slice(0, 1) : attempts.reverse()) {
      const { failure } = await keep(archive, attempt)
      archive.reload()
      if (await this.isSafe(root, target, path)) return
      if (failure !== undefined) throw failure
    }
    throw new ArchiveError('not-kept', 'What is there could not be kept first, so it was not replaced.', target)
  }

  private async isSafe(root: string, target: string, path: string): Promise<boolean> {
    const { catalog } = this.archive.manifest
    const scope = scopeOf(target)
    const generations = [...catalog.of(root, path), ...catalog.of(scope?.home ?? '', scope?.parts[0]?.path ?? '')]
    for (const generation of generations) {
      if (hasContent(target, generation, catalog) && (await this.isReadable(generation))) return true
    }
    return false
  }

  private async isReadable(generation: Generation): Promise<boolean> {
    const { layout, manifest } = this.archive
    try {
      for (const id of generation.frames) {
        const place = manifest.catalog.frames.get(id)
        if (place === undefined) return false
        await readFrame(layout, id, place)
      }
      return true
    } catch {
      return false
    }
  }

  private timeFor(generation: Generation): number {
    return this.options.keepsTimes === true ? generation.modifiedMs : this.now
  }
}

const freshReason = 'This session changed within the last minute: something may be writing to it. Try again later.'

function lookAt(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Equal as long as nobody touches the file. */
function lookOf(path: string): string {
  return stateText(stateOf(lstatSync(path)))
}

function isPlace(path: string): boolean {
  return isAbsolute(path) && !path.includes('\0')
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

function refuseInside(root: string, folder: string): void {
  if (!isWithin(root, folder)) return
  throw new ArchiveError('inside-archive', `${root} lies in the archive itself: nothing is restored there.`, root)
}

function holdsClients(folder: string): boolean {
  const sessions = join(folder, 'sessions')
  if (!existsSync(sessions)) return false
  try {
    return readdirSync(sessions).some(name => /^\d+\.json$/.test(name))
  } catch {
    return false
  }
}
