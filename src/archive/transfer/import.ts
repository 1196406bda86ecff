// Takes old backups in: folders that have a Claude home or a part of one, and other archives of Clew. What comes in is next to what
// was archived from the home itself and never in its place.

import { existsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { grouped } from '../../base/grouped.ts'
import { type FileFacts, factsOf } from '../../disk/discover/facts.ts'
import { namesIn } from '../../disk/discover/homes.ts'
import { isLogName } from '../../disk/discover/project.ts'
import { FileError } from '../../files/error.ts'
import { canonicalPlace, placeOf } from '../../files/place.ts'
import type { Finding } from '../../model/finding.ts'
import { captureContent, factsAt, type OpenContent, PrefixCheck } from '../capture/content.ts'
import { LiveReader } from '../capture/live-reader.ts'
import { inRuleOrder, RuleReasons } from '../capture/rules.ts'
import { realPlace, survey } from '../capture/survey.ts'
import { fileKey, type Generation, newGenerationId } from '../format/catalog.ts'
import { segmentNumber } from '../format/layout.ts'
import { hashOf } from '../format/lines.ts'
import { incompleteText, type Manifest } from '../format/manifest.ts'
import { readFrame } from '../format/pack.ts'
import { isSessionPath } from '../format/session-path.ts'
import { tidy } from '../maintain/tidy.ts'
import { mayLackMore } from '../read/shortened.ts'
import { archivedBytes, archivedGeneration, framesSource } from '../read/source.ts'
import { Archive } from '../store/archive.ts'
import { Intake } from '../store/intake.ts'
import { findBackupHomes } from './backup-homes.ts'

interface ImportOptions {
  /** The Claude home that the files of a backup are taken to belong to. An archive names its own homes. */
  as: string
  /** As for `capture`. */
  exclude?: readonly string[]
  /** Homes of this machine. Those that something is archived of are known, too. */
  known?: readonly string[]
  /** What homes that an archive names are called here; one that is not known may be mapped to itself. */
  homeMap?: ReadonlyMap<string, string>
  /** Whether it may be very much more than it takes on the disk; else that fails with the code `expands`. */
  mayExpand?: boolean
  /** Called with how many raw bytes more are done. */
  progress?: (bytes: number) => void
}

/** Why something of a backup is not taken in. */
export type SkipReason = 'not-a-session' | 'damaged' | 'unreadable' | 'excluded' | 'forgotten'

export interface Skipped {
  path: string
  reason: SkipReason
}

export interface ImportReport {
  /** The backup's name, as it is noted with what came from it. */
  origin: string
  /** Whether it is an archive of Clew. */
  isArchive: boolean
  /** The homes that were found: by their places in a backup, as an archive's own homes are called here. */
  found: string[]
  /** Files, or generations of an archive, that were looked at. */
  files: number
  /** Generations that are new. */
  added: number
  /** Those whose content was archived already, whole or as the beginning of more. */
  known: number
  /** Raw bytes of the new ones, and bytes written for them. */
  bytes: number
  stored: number
  skipped: Skipped[]
  findings: Finding[]
  /** Set where lines of the other archive's manifest are lost; what the others describe is taken in. */
  problem?: string
}

/** An archive names homes that this machine does not know: a restore would write there. Nothing was taken in. */
export class UnknownHomesError extends FileError {
  readonly homes: readonly string[]

  constructor(homes: readonly string[]) {
    super('unknown-home', `The archive names homes that this machine does not know: ${homes.join(', ')}.`)
    this.homes = homes
  }
}

/** A second import of the same changes nothing. */
export async function importBackup(archive: Archive, source: string, options: ImportOptions): Promise<ImportReport> {
  const place = realPlace(source)
  if (place === null) throw new FileError('ENOENT', `There is nothing at ${source}.`, source)
  refuseOther(place, source)
  return archive.change('import', async manifest => {
    const run = new ImportRun(archive, manifest, options, basename(place))
    const other = archiveIn(place)
    if (other === null) await run.folder(place)
    else await run.otherArchive(other)
    return run.report
  })
}

/** Packed backups are for the tool that packed them. */
function refuseOther(place: string, source: string): void {
  if (!statSync(place).isDirectory()) {
    const how = 'unpack a tar into an empty folder (tar xf FILE -C FOLDER) and import that'
    throw new FileError('bad-backup', `${source} is no folder: ${how}.`, source)
  }
  const former = [place, join(place, 'clew-export')].find(folder => existsSync(join(folder, 'generations')))
  if (former === undefined || !existsSync(join(former, 'manifest.json'))) return
  const how = `import ${join(former, 'home-0')} and so on, each with --as HOME`
  throw new FileError('bad-backup', `${source} is an export of an earlier Clew: ${how}.`, source)
}

/** The archive that a folder is, or that Clew has in its own folder. */
function archiveIn(place: string): Archive | null {
  const folders = [place, join(place, 'archive')]
  const found = folders.find(folder => namesIn(join(folder, 'manifest')).some(name => segmentNumber(name) !== null))
  return found === undefined ? null : new Archive(found)
}

class ImportRun {
  readonly report: ImportReport
  private readonly archive: Archive
  private readonly manifest: Manifest
  private readonly options: ImportOptions
  private readonly intake: Intake

  constructor(archive: Archive, manifest: Manifest, options: ImportOptions, origin: string) {
    this.archive = archive
    this.manifest = manifest
    this.options = options
    this.intake = new Intake(archive, manifest)
    const counts = { files: 0, added: 0, known: 0, bytes: 0, stored: 0 }
    this.report = { origin, isArchive: false, found: [], ...counts, skipped: [], findings: [] }
  }

  async folder(place: string): Promise<void> {
    const { origin } = this.report
    const homes = findBackupHomes(place, origin)
    if (homes.length === 0) this.noteNothing(origin)
    const home = canonicalPlace(this.options.as)
    for (const { scope, prefix, inner } of homes) {
      this.report.found.push(inner === '' ? '.' : inner)
      const { files, findings } = survey([scope])
      this.report.findings.push(...findings)
      this.guardHoles(
        place,
        files.map(file => file.place),
      )
      const incoming = files.map(({ path, place, mode, state }): Incoming => {
        const named = { home, path: prefix + path }
        return {
          ...named,
          mode,
          modifiedMs: Math.trunc(state.mtimeMs),
          origin: homes.length > 1 ? `${origin}/${inner}` : origin,
          facts: () => factsAt({ path: named.path, place }),
          open: () => new LiveReader(place),
        }
      })
      await this.take(incoming.map(file => [file]))
    }
  }

  async otherArchive(other: Archive): Promise<void> {
    const generations = [...other.manifest.catalog.generations.values()].sort((a, b) => a.number - b.number)
    const homes = this.homesHere(generations.map(({ home }) => home))
    this.report.isArchive = true
    this.report.found.push(...new Set(homes.values()))
    if (mayLackMore(other)) this.report.problem = incompleteText
    this.guardFrames(other, generations)
    const listed: Incoming[] = []
    for (const generation of generations) {
      const home = homes.get(generation.home) ?? generation.home
      if (await isReadable(other, generation)) listed.push(this.fromArchive(other, generation, home))
      else this.report.skipped.push({ path: placeOf(generation), reason: 'damaged' })
    }
    await this.take([...grouped(listed, ({ home, path }) => fileKey(home, path)).values()])
  }

  private fromArchive(other: Archive, generation: Generation, home: string): Incoming {
    const { id, path, size, mode, modifiedMs, number } = generation
    const origin = generation.origin ?? this.originOfNeighbour(home, path)
    const file = { path, size, modifiedMs, generation: archivedGeneration(id) }
    return {
      home,
      path,
      mode,
      modifiedMs,
      number,
      ...(origin !== undefined && { origin }),
      facts: async () => (isLogName(path) ? factsOf(file, framesSource(other)) : undefined),
      open: () => ({ state: { size }, chunks: () => archivedBytes(other, generation), close() {} }),
    }
  }

  /** What the homes of an archive are called here. Throws where one is neither known nor mapped. */
  private homesHere(named: readonly string[]): Map<string, string> {
    const { as, known = [], homeMap } = this.options
    const here = new Set([...known, as].map(canonicalPlace))
    const isKnown = (home: string) => this.manifest.catalog.homes().has(home) || here.has(home)
    const homes = new Map<string, string>()
    const unknown: string[] = []
    for (const home of new Set(named)) {
      const found = homeMap?.get(home) ?? [home, canonicalPlace(home)].find(isKnown)
      if (found === undefined) unknown.push(home)
      else homes.set(home, found)
    }
    if (unknown.length > 0) throw new UnknownHomesError(unknown)
    return homes
  }

  /** Files with holes claim more than they take. */
  private guardHoles(source: string, places: readonly string[]): void {
    const sizes = places.flatMap(place => statSync(place, { throwIfNoEntry: false }) ?? [])
    const onDisk = sizes.reduce((sum, { blocks }) => sum + blocks * 512, 0)
    this.guard(
      source,
      onDisk,
      sizes.reduce((sum, { size }) => sum + size, 0),
    )
  }

  /** A manifest may name one frame any number of times. */
  private guardFrames({ layout }: Archive, generations: readonly Generation[]): void {
    const packs = namesIn(layout.packs).map(name => sizeOf(join(layout.packs, name)))
    this.guard(
      layout.folder,
      packs.reduce((sum, size) => sum + size, 0),
      generations.reduce((sum, { size }) => sum + size, 0),
    )
  }

  private guard(source: string, onDisk: number, bytes: number): void {
    if (this.options.mayExpand === true || bytes <= Math.max(freeBytes, onDisk * mostRatio)) return
    const message = `${source} is more than ${mostRatio} times what it takes on the disk: it may be made to fill your disk.`
    throw new FileError('expands', message, source)
  }

  /** What another archive has of its own home is ours as well, unless ours has the file from the home itself. */
  private originOfNeighbour(home: string, path: string): string | undefined {
    const isOwn = this.manifest.catalog.of(home, path).some(({ origin }) => origin === undefined)
    return isOwn ? this.report.origin : undefined
  }

  /** Generations of one file are committed together. */
  private async take(groups: readonly Incoming[][]): Promise<void> {
    const { intake } = this
    const { forgotten, forgottenFiles } = this.manifest.catalog
    const rules = new RuleReasons(this.options.exclude ?? [], forgotten, forgottenFiles.keys())
    try {
      for (const group of inRuleOrder(groups, ([first]) => first?.path ?? '')) {
        await this.takeGroup(group, rules)
        if (intake.isDue) await intake.commit()
      }
      await intake.commit()
      this.report.stored = intake.stored
      await tidy(this.archive, this.manifest)
    } catch (error) {
      await intake.abandon()
      throw error
    }
  }

  /** All that comes of one file, the earliest first. */
  private async takeGroup(group: readonly Incoming[], rules: RuleReasons): Promise<void> {
    const added: Generation[] = []
    for (const file of group) {
      if (!isSessionPath(file.path, file.home)) {
        this.report.skipped.push({ path: `${file.home}/${file.path}`, reason: 'not-a-session' })
        continue
      }
      this.report.files++
      const facts = await file.facts()
      const rule = rules.reasonFor(file.home, file.path, facts)
      if (rule !== null) this.skip(file, rule)
      else await this.takeOne(file, facts, added)
    }
    for (const generation of added) this.intake.add(generation)
  }

  private async takeOne(file: Incoming, facts: FileFacts | undefined, added: Generation[]): Promise<void> {
    let reader: ReturnType<Incoming['open']>
    try {
      reader = file.open()
    } catch {
      return this.skip(file, 'unreadable')
    }
    this.options.progress?.(reader.state.size)
    try {
      if (await this.isKnown(file, reader)) this.report.known++
      else await this.store(file, reader, facts, added)
    } finally {
      reader.close()
    }
  }

  private async store(
    file: Incoming,
    reader: OpenContent,
    facts: FileFacts | undefined,
    added: Generation[],
  ): Promise<void> {
    const { home, path, mode, modifiedMs, origin } = file
    const { size, closed, frames } = await captureContent(reader, undefined, this.intake)
    const taken = new Set([...this.intake.catalog.of(home, path), ...added].map(({ number }) => number))
    const isFree = file.number !== undefined && !taken.has(file.number)
    const number = isFree ? file.number : [...taken].reduce((most, next) => Math.max(most, next), 0) + 1
    const id = newGenerationId()
    const archivedMs = this.archive.now()
    const known = { ...(origin !== undefined && { origin }), ...(facts !== undefined && { facts }) }
    added.push({ id, number: number ?? 1, home, path, size, modifiedMs, mode, archivedMs, closed, frames, ...known })
    this.report.added++
    this.report.bytes += size
  }

  /** Whether some generation of the file begins with all of it. */
  private async isKnown(file: Incoming, reader: OpenContent): Promise<boolean> {
    const { catalog } = this.intake
    for (const generation of catalog.of(file.home, file.path)) {
      if (generation.size < reader.state.size || catalog.broken.has(generation.id)) continue
      if (await this.isBeginningOf(reader, generation)) return true
    }
    return false
  }

  private async isBeginningOf(reader: OpenContent, generation: Generation): Promise<boolean> {
    const prefix = new PrefixCheck(generation, this.intake.catalog)
    for await (const chunk of reader.chunks()) if (!prefix.see(chunk)) return false
    const { open } = prefix
    const place = open === null ? undefined : this.intake.catalog.frames.get(open.frame)
    if (open === null || place === undefined) return true
    try {
      const frame = await readFrame(this.archive.layout, open.frame, place)
      return hashOf(frame.subarray(0, open.seen)) === open.sha256
    } catch {
      // A damaged frame proves nothing: the backup may be what is left of it.
      return false
    }
  }

  private skip(file: Incoming, reason: SkipReason): void {
    this.report.skipped.push({ path: file.path, reason })
  }

  private noteNothing(origin: string): void {
    const message = 'No sessions were found in this backup.'
    this.report.findings.push({ code: 'no-sessions', severity: 'warning', file: origin, message })
  }
}

/** Archives are at most some tens of times as large as what they take on the disk; files of zeros are a thousand. */
const mostRatio = 200

/** So much is taken from any backup without a question. */
const freeBytes = 64 * 1024 * 1024

/** Whether every byte of it is there, as its hashes say. */
async function isReadable(archive: Archive, generation: Generation): Promise<boolean> {
  if (archive.manifest.catalog.broken.has(generation.id)) return false
  try {
    let size = 0
    for await (const part of archivedBytes(archive, generation)) size += part.length
    return size === generation.size
  } catch {
    return false
  }
}

function sizeOf(place: string): number {
  return statSync(place, { throwIfNoEntry: false })?.size ?? 0
}

/** A file of a backup, or a generation of an archive, and what it is to be archived as. */
interface Incoming {
  home: string
  path: string
  mode: number
  modifiedMs: number
  /** Which generation of the file it was in another archive. */
  number?: number
  origin?: string
  /** What the ends of a log say. */
  facts(): Promise<FileFacts | undefined>
  /** Throws where it cannot be read. */
  open(): OpenContent & { close(): void }
}
