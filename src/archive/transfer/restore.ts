// Brings archived files back, each byte for byte or not at all. It decides what may be written where; nothing that is there is
// replaced unless the caller says so, and then only after it was archived itself.

import { lstatSync, readdirSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { attempt } from '../../base/attempt.ts'
import { errorCode } from '../../base/error-code.ts'
import { grouped } from '../../base/grouped.ts'
import { homeInUse, sessionInUse } from '../../disk/in-use.ts'
import { asideFor, ensureFolder } from '../../files/durable.ts'
import { FileError, writeFailure } from '../../files/error.ts'
import { isAlive } from '../../files/lock.ts'
import { canonicalPlace } from '../../files/place.ts'
import { ownRelative, pathBelow, UnsafePathError } from '../../files/safe-path.ts'
import { capture } from '../capture/capture.ts'
import { hasContent, isWhole } from '../capture/content.ts'
import { stateText } from '../capture/seen.ts'
import { scopeOf, stateOf } from '../capture/survey.ts'
import { currentOf, fileKey, type Generation } from '../format/catalog.ts'
import { isSessionPath } from '../format/session-path.ts'
import { type ArchivedSession, archivedHomes } from '../read/sessions.ts'
import { shortenedFiles } from '../read/shortened.ts'
import { archivedBytes } from '../read/source.ts'
import type { Archive } from '../store/archive.ts'

interface RestoreOptions {
  /** Everything that is archived where this is absent, files of no session included. */
  sessions?: readonly ArchivedSession[]
  /** A folder to restore into, in place of the homes that the files came from. */
  to?: string
  /** Of main files the generation of this number, in place of the current one. */
  generation?: number
  /** Files that differ are archived as they are, and then replaced. */
  isOverwriting?: boolean
  /** Files get the time of their last change back: Claude Code may delete old ones soon. */
  keepsTimes?: boolean
  /** The time that files get, milliseconds since 1970. */
  now?: number
  /** What is not archived even before it is replaced by something, except the replaced file itself. */
  exclude?: readonly string[]
  /** Called with how many raw bytes more are done. */
  progress?: (bytes: number) => void
}

/**
 * `same`: it is there already. `different`: another content is there, and stays. `in-use`: Claude Code has the session open.
 */
type RestoreStatus = 'restored' | 'same' | 'different' | 'in-use' | 'failed'

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

/** What was restored, what was there already, and what was left alone or failed. */
export interface RestoreReport {
  files: RestoredFile[]
  restored: number
  same: number
  different: number
  inUse: number
  failed: number
  /** Of the files that were restored. */
  bytes: number
  /** Files of which the damaged manifest has less than was archived, or nothing any more. */
  shortened: { session: string | null; home: string; path: string; left: number; archived: number | null }[]
  /** Where the files of each home went. */
  folders: { home: string; folder: string }[]
}

/** This long after its last change a session counts as in use, whatever changed it. */
const freshMs = 60_000

export async function restoreFiles(archive: Archive, options: RestoreOptions = {}): Promise<RestoreReport> {
  const batches = await filesToRestore(archive, options.sessions, options.generation)
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
  /** The home that each of these folders is, or is in; null where it is outside of any. */
  private readonly around = new Map<string, string | null>()
  private readonly report: RestoreReport
  private readonly done = new Set<string>()

  constructor(archive: Archive, options: RestoreOptions, batches: readonly Batch[]) {
    this.archive = archive
    this.options = options
    this.batches = batches
    this.writer = new FileWriter(archive)
    this.now = options.now ?? archive.now()
    this.report = {
      files: [],
      restored: 0,
      same: 0,
      different: 0,
      inUse: 0,
      failed: 0,
      bytes: 0,
      shortened: [],
      folders: [],
    }
  }

  async run(): Promise<RestoreReport> {
    this.placeHomes()
    this.report.shortened = this.shortened()
    // A file may belong to two sessions: neither may be in use.
    const busy = new Map<string, string>()
    for (const batch of this.batches) {
      const use = await this.useOf(batch)
      if (use !== null) for (const { home, path } of batch.files) busy.set(fileKey(home, path), use)
    }
    for (const batch of this.batches) {
      const use = await this.useOf(batch)
      for (const file of batch.files) {
        const key = fileKey(file.home, file.path)
        if (this.done.has(key)) continue
        this.done.add(key)
        await this.restore(batch, file, use ?? busy.get(key) ?? null)
      }
    }
    return this.report
  }

  /** Of the files that are to be restored, and of their sessions. */
  private shortened(): RestoreReport['shortened'] {
    const owners = new Map(
      this.batches.flatMap(({ session, files }) =>
        files.map(file => [fileKey(file.home, file.path), session] as const),
      ),
    )
    return shortenedFiles(this.archive).flatMap(({ home, path, left, archived }) => {
      const owner = owners.get(fileKey(home, path))
      const named = this.options.sessions?.find(({ id }) => path.split(/[/.]/).includes(id))?.id
      if (owner === undefined && named === undefined && this.options.sessions !== undefined) return []
      return [{ session: owner ?? named ?? null, home, path, left, archived: Number.isNaN(archived) ? null : archived }]
    })
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

  /** A home is one that files were archived of, or any folder where a running Claude Code left its file. */
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
  private async useOf({ session, home, files }: Batch): Promise<string | null> {
    const around = this.around.get(home) ?? null
    if (session === null || around === null) return null
    const pid = sessionInUse(around, session)
    if (pid !== null) return `Claude Code has this session open (process ${pid}).`
    for (const file of files) if (file.isMain && (await this.isFresh(file))) return freshReason
    return null
  }

  /** Whether someone just wrote it. What a restore wrote is what is archived, and does not count. */
  private async isFresh(file: FileToRestore): Promise<boolean> {
    const { path, generation } = file
    if (ownRelative(path) !== path) return false
    const target = this.targetOf(file)
    const facts = attempt(() => lstatSync(target, { throwIfNoEntry: false }))
    if (facts === undefined || !facts.isFile() || Math.abs(this.now - facts.mtimeMs) >= freshMs) return false
    try {
      return generation === undefined || !(await hasContent(target, generation, this.archive.manifest.catalog))
    } catch {
      return true
    }
  }

  private targetOf({ home, path }: FileToRestore): string {
    return join(this.roots.get(home) ?? home, path)
  }

  private async restore(batch: Batch, file: FileToRestore, use: string | null): Promise<void> {
    const { report } = this
    const { home, path, generation } = file
    const outcome = use === null ? await this.tryRestore(batch, file) : { status: 'in-use' as const, reason: use }
    const target = this.targetOf(file)
    const bytes = generation?.size ?? 0
    report.files.push({ session: batch.session, home, path, target, bytes, ...outcome })
    report[outcome.status === 'in-use' ? 'inUse' : outcome.status]++
    if (outcome.status === 'restored') report.bytes += bytes
    this.options.progress?.(bytes)
  }

  private async tryRestore(batch: Batch, file: FileToRestore): Promise<Outcome> {
    const target = this.targetOf(file)
    try {
      return await this.restoreFile(batch, file)
    } catch (error) {
      const reason = error instanceof UnsafePathError ? error.message : writeFailure(error, target).message
      return { status: 'failed', reason }
    }
  }

  private async restoreFile(batch: Batch, { home, path, generation }: FileToRestore): Promise<Outcome> {
    const root = this.roots.get(home) ?? home
    if (!isPlace(root))
      return { status: 'failed', reason: `"${home}" is not a folder of this machine; name another one.` }
    if (isWithin(root, canonicalPlace(this.archive.layout.folder))) refuseInside(root, root)
    if (generation === undefined) {
      return { status: 'failed', reason: `No generation ${this.options.generation} was archived of this file.` }
    }
    if (ownRelative(path) !== path)
      throw new UnsafePathError(path, 'its name could lead out of the folder or is not portable')
    if (!isSessionPath(path, home) || !isSessionPath(path, root)) return { status: 'failed', reason: notSession }
    const target = await pathBelow(root, path, ownRelative)
    const facts = lstatSync(target, { throwIfNoEntry: false })
    if (facts === undefined) return this.writeNew(root, generation)
    if (!facts.isFile()) return { status: 'failed', reason: `A folder of this name is at ${target}.` }
    if (await hasContent(target, generation, this.archive.manifest.catalog)) return { status: 'same' }
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
    const pid = batch.session === null && around !== null ? homeInUse(around) : null
    if (pid !== null) return { status: 'in-use', reason: `Claude Code runs in this home (process ${pid}).` }
    const before = lookOf(target)
    await this.secure(root, target, generation.path)
    const mayReplace = () => {
      if (lookOf(target) === before) return true
      throw new FileError('changed', 'The file that is there changed meanwhile, so it was left alone.', target)
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
    // A file next to the projects is known to belong to its home only when the home is looked at.
    for (const attempt of isOwn || options.to !== undefined ? attempts.slice(0, 1) : attempts.reverse()) {
      const { failure } = await capture(archive, attempt)
      archive.reload()
      if (await this.isSafe(root, target, path)) return
      if (failure !== undefined) throw failure
    }
    throw new FileError('not-kept', 'What is there could not be archived first, so it was not replaced.', target)
  }

  private async isSafe(root: string, target: string, path: string): Promise<boolean> {
    const { catalog } = this.archive.manifest
    const scope = scopeOf(target)
    const generations = [...catalog.of(root, path), ...catalog.of(scope?.home ?? '', scope?.parts[0]?.path ?? '')]
    for (const generation of generations) {
      if ((await hasContent(target, generation, catalog)) && (await this.isReadable(generation))) return true
    }
    return false
  }

  private async isReadable(generation: Generation): Promise<boolean> {
    try {
      for await (const _ of archivedBytes(this.archive, generation));
      return true
    } catch {
      return false
    }
  }

  private timeFor(generation: Generation): number {
    return this.options.keepsTimes === true ? generation.modifiedMs : this.now
  }
}

const notSession = 'This is not part of a session: settings, memory, commands and the like are not restored.'

const freshReason = 'This session changed within the last minute: something may be writing to it. Try again later.'

/** Equal as long as the file is not touched. */
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
  throw new FileError('inside-archive', `${root} lies in the archive itself: nothing is restored there.`, root)
}

function holdsClients(folder: string): boolean {
  const names = attempt(() => readdirSync(join(folder, 'sessions'))) ?? []
  return names.some(name => /^\d+\.json$/.test(name))
}

/** A file to be restored. */
interface FileToRestore {
  home: string
  path: string
  /** Undefined where the file has no generation of the number that was requested. */
  generation: Generation | undefined
  /** A session's own log, not one of its agents' or a file next to it. */
  isMain: boolean
}

/** The files of one session, or files of a home that no session owns. */
interface Batch {
  session: string | null
  home: string
  files: FileToRestore[]
}

/** Everything, or all files of some sessions. `number` picks another generation of main files than the current one. */
async function filesToRestore(
  archive: Archive,
  sessions: readonly ArchivedSession[] | undefined,
  number: number | undefined,
): Promise<Batch[]> {
  if (sessions !== undefined) return sessions.map(session => batchOf(session, number))
  const batches: Batch[] = []
  for (const { home, sessions: found, others } of await archivedHomes(archive)) {
    for (const session of found) batches.push(batchOf(session, number))
    const files = byFile(others).map(list => fileToRestore(list, currentOf(list), false))
    batches.push({ session: null, home, files })
  }
  return batches
}

function batchOf(session: ArchivedSession, number: number | undefined): Batch {
  const { id, home, generations } = session
  const mains = new Set(
    session.files.logs.filter(log => log.role === 'session').map(log => relative(home, log.path).split(sep).join('/')),
  )
  const files = byFile(generations).map(list => {
    const isMain = mains.has(list[0]?.path ?? '')
    const isPicked = isMain && number !== undefined
    return fileToRestore(list, currentOf(isPicked ? list.filter(one => one.number === number) : list), isMain)
  })
  return { session: id, home, files }
}

function fileToRestore(
  list: readonly Generation[],
  generation: Generation | undefined,
  isMain: boolean,
): FileToRestore {
  const [first] = list
  return { home: first?.home ?? '', path: first?.path ?? '', generation, isMain }
}

function byFile(generations: readonly Generation[]): Generation[][] {
  return [...grouped(generations, ({ home, path }) => fileKey(home, path)).values()]
}

/** Where the files of each home go: a single one straight into the folder, of several each into one of its own. */
export function foldersIn(to: string, homes: readonly string[]): Map<string, string> {
  const folders = new Map<string, string>()
  const [only] = homes
  if (homes.length === 1 && only !== undefined) return folders.set(only, to)
  const taken = new Set<string>()
  for (const home of homes) {
    const name = folderName(home)
    let free = name
    // Some file systems ignore case.
    for (let n = 2; taken.has(free.toLowerCase()); n++) free = `${name}-${n}`
    taken.add(free.toLowerCase())
    folders.set(home, join(to, free))
  }
  return folders
}

/** `/home/mira/.claude` becomes `mira-claude`: a name that is allowed everywhere and not hidden. */
function folderName(home: string): string {
  const parts = [basename(dirname(home)), basename(home)]
  const words = parts.map(part => part.replace(/[^\p{L}\p{N}_-]+/gu, '-').replace(/^-+|-+$/g, ''))
  return (
    words
      .filter(word => word !== '')
      .join('-')
      .slice(0, 80) || 'home'
  )
}

/** A file to be written. */
export interface Writing {
  generation: Generation
  /** The folder below which it is, without links. */
  root: string
  /** Its last change, as it will be. */
  modifiedMs: number
  /** Called right before its name is given away; true: what is there may be replaced. */
  mayReplace: () => boolean
}

const asidePattern = /^clew-restore\.tmp-(\d+)-[0-9a-f]{8}$/

/** Puts files of one archive on the disk. */
class FileWriter {
  private readonly archive: Archive
  private readonly swept = new Set<string>()

  constructor(archive: Archive) {
    this.archive = archive
  }

  /** When it returns, the file is on the disk. When it throws, no part of it is there. */
  async write(writing: Writing): Promise<void> {
    const { ops } = this.archive
    const { generation, root } = writing
    if (!isWhole(generation, this.archive.manifest.catalog)) {
      throw new FileError('damaged', 'The manifest is damaged and no longer lists all parts of this file.')
    }
    const folder = dirname(await pathBelow(root, generation.path, ownRelative))
    const missing = missingFolders(folder, root)
    let aside: string | null = null
    try {
      ensureFolder(ops, folder)
      this.sweep(folder)
      // The folders were made since the last look.
      const target = await pathBelow(root, generation.path, ownRelative)
      aside = join(folder, asideFor('clew-restore'))
      await this.fill(aside, generation)
      await this.prove(aside, generation)
      ops.setMode(aside, fileMode(generation))
      ops.setTimes(aside, writing.modifiedMs, writing.modifiedMs)
      this.name(aside, target, writing.mayReplace())
    } catch (error) {
      if (aside !== null) attempt(() => ops.unlink(aside ?? ''))
      for (const made of missing) attempt(() => ops.removeFolder(made))
      throw error
    }
    ops.syncFolder(folder)
  }

  private async fill(aside: string, generation: Generation): Promise<void> {
    const { ops } = this.archive
    const file = ops.create(aside, 0o600)
    try {
      for await (const part of archivedBytes(this.archive, generation)) ops.write(file, part)
      ops.sync(file)
    } catch (error) {
      attempt(() => ops.close(file))
      throw error
    }
    ops.close(file)
  }

  private async prove(aside: string, generation: Generation): Promise<void> {
    if (await hasContent(aside, generation, this.archive.manifest.catalog)) return
    throw new FileError('not-as-written', 'What was read back from the disk is not what was written to it.', aside)
  }

  private name(aside: string, target: string, mayReplace: boolean): void {
    const { ops } = this.archive
    if (mayReplace) {
      ops.rename(aside, target)
      return
    }
    try {
      ops.link(aside, target)
    } catch (error) {
      if (!linkless.has(errorCode(error))) throw error
      // Without second names, the best there is: a look, and the name at once.
      if (lstatSync(target, { throwIfNoEntry: false }) !== undefined) throw existing(target)
      ops.rename(aside, target)
      return
    }
    // Under its name it is whole; a second name that stays is removed when this folder is next written to.
    attempt(() => ops.unlink(aside))
  }

  /** Removes what killed processes left in the folder, once. */
  private sweep(folder: string): void {
    if (this.swept.has(folder)) return
    this.swept.add(folder)
    for (const name of readdirSync(folder)) {
      const pid = Number(asidePattern.exec(name)?.[1] ?? 0)
      if (pid > 0 && pid !== process.pid && !isAlive(pid)) attempt(() => this.archive.ops.unlink(join(folder, name)))
    }
  }
}

// What systems say where a file cannot have two names.
const linkless = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL', 'EISDIR', 'UNKNOWN'])

function existing(target: string): Error {
  return Object.assign(new Error(`${basename(target)} is there already`), { code: 'EEXIST' })
}

/** Readable for its owner at least, and nothing beyond reading, writing and executing. */
function fileMode({ mode }: Generation): number {
  return Number.isSafeInteger(mode) && mode >= 0 ? (mode & 0o777) | 0o400 : 0o600
}

/** The folders from here up to the root that are not there, the deepest first. */
function missingFolders(folder: string, root: string): string[] {
  const missing: string[] = []
  for (let at = folder; lstatSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) {
    missing.push(at)
    if (at === root || dirname(at) === at) break
  }
  return missing
}
