// Takes old backups in: folders and tars that have a Claude home or a part of one, and exports of an archive. What comes in
// is next to what was archived from the home itself and never in its place.

import { createHash } from 'node:crypto'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { attempt } from '../../base/attempt.ts'
import { grouped } from '../../base/grouped.ts'
import type { FileFacts } from '../../disk/discover/facts.ts'
import { ReadError } from '../../disk/read/read.ts'
import { removeAll } from '../../files/durable.ts'
import { FileError } from '../../files/error.ts'
import { canonicalPlace } from '../../files/place.ts'
import type { Finding } from '../../model/finding.ts'
import { captureContent, factsAt, PrefixCheck } from '../capture/content.ts'
import { LiveReader } from '../capture/live-reader.ts'
import { inRuleOrder, RuleReasons } from '../capture/rules.ts'
import { homeSigns, realPlace, survey, weakSigns } from '../capture/survey.ts'
import { fileKey, type Generation, newGenerationId } from '../format/catalog.ts'
import { hashOf } from '../format/lines.ts'
import type { Manifest } from '../format/manifest.ts'
import { readFrame } from '../format/pack.ts'
import {
  artifactNames,
  isSessionPath,
  logPattern,
  projectFolders,
  sessionPattern,
  sideFolders,
} from '../format/session-path.ts'
import { tidy } from '../maintain/tidy.ts'
import type { Archive } from '../store/archive.ts'
import { Intake } from '../store/intake.ts'
import { makeUnpackFolder } from '../store/unpack-folder.ts'
import { findBackupHomes } from './backup-homes.ts'
import { ExpansionGuard } from './expansion.ts'
import { type ExportedFile, type ExportList, exportFolder, exportListName, parseExportList } from './export.ts'
import { openTar, readTar, TarError } from './tar.ts'
import { type Skipped, type SkipReason, type Unpacked, unpack } from './unpack.ts'

interface ImportOptions {
  /** The Claude home that the files of a backup are taken to belong to. An export names its own homes. */
  as: string
  /** As for `capture`. */
  exclude?: readonly string[]
  /** Homes of this machine. Those that something is archived of are known, too. */
  known?: readonly string[]
  /** What homes that an export names are called here; one that is not known may be mapped to itself. */
  homeMap?: ReadonlyMap<string, string>
  /** Whether it may unpack to very much more than it is; else that fails with the code `expands`. */
  mayExpand?: boolean
  /** Called with how many raw bytes more are done. */
  progress?: (bytes: number) => void
}

export interface ImportReport {
  /** The backup's name, as it is noted with what came from it. */
  origin: string
  /** Whether it is an export of an archive. */
  isExport: boolean
  /** The homes that were found, by their places in the backup. */
  found: string[]
  /** Files, or generations of an export, that were looked at. */
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
  /** Set where the backup could not be read to its end; what came before is taken in. */
  problem?: string
}

/** An export names homes that this machine does not know: a restore would write there. Nothing was taken in. */
export class UnknownHomesError extends FileError {
  readonly homes: readonly string[]

  constructor(homes: readonly string[]) {
    super('unknown-home', `The export names homes that this machine does not know: ${homes.join(', ')}.`)
    this.homes = homes
  }
}

/** A folder, or a tar with or without gzip. A second import of the same changes nothing. */
export async function importBackup(archive: Archive, source: string, options: ImportOptions): Promise<ImportReport> {
  const place = realPlace(source)
  if (place === null) throw new FileError('ENOENT', `There is nothing at ${source}.`, source)
  const kind = statSync(place)
  if (!kind.isDirectory() && !kind.isFile()) {
    throw new FileError('bad-backup', `${source} is neither a folder nor a tar.`, source)
  }
  const isExport = kind.isFile() && (await beginsAsExport(place))
  return archive.change('import', async manifest => {
    const run = new ImportRun(archive, manifest, options, basename(place))
    if (kind.isDirectory()) await run.folder(place, null)
    else await run.tar(place, isExport)
    return run.report
  })
}

/** Also proves that it is a tar at all. */
async function beginsAsExport(tar: string): Promise<boolean> {
  try {
    for await (const { kind, path } of readTar(openTar(tar))) {
      if (kind !== 'folder') return path === `${exportFolder}/${exportListName}`
    }
    return false
  } catch (error) {
    if (error instanceof TarError && error.fault !== 'not-tar' && error.fault !== 'compressed') return false
    if (!(error instanceof TarError || error instanceof ReadError)) throw error
    throw new FileError('bad-backup', `${tar} cannot be taken in: ${error.message}.`, tar, error)
  }
}

/** Folders of a home and of sessions, wherever the home is in the backup. */
const wantedFolders: ReadonlySet<string> = new Set([...projectFolders, ...sideFolders, ...artifactNames, exportFolder])

/** Signs of a home; what is in them stays in the backup. */
const signs: ReadonlySet<string> = new Set([...homeSigns, ...weakSigns, ...projectFolders])

/** What a survey of the same files in a folder may want. */
function wantedOf(name: string): 'bytes' | 'name' | null {
  const parts = name.split('/')
  const isInside = parts.some(
    (part, at) => (at < parts.length - 1 && wantedFolders.has(part)) || sessionPattern.test(part),
  )
  if (isInside || logPattern.test(basename(name)) || artifactNames.includes(basename(name))) return 'bytes'
  return parts.some(part => signs.has(part)) ? 'name' : null
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
    this.report = { origin, isExport: false, found: [], ...counts, skipped: [], findings: [] }
  }

  async tar(tar: string, isExport: boolean): Promise<void> {
    const { ops, layout } = this.archive
    // The walk gives real places, and the archive may be behind a link.
    const folder = realpathSync(makeUnpackFolder(ops, layout.folder))
    try {
      const wants = isExport ? () => 'bytes' as const : wantedOf
      const guard = new ExpansionGuard(tar, statSync(tar).size, this.options.mayExpand === true)
      const unpacked = await unpack(ops, tar, folder, { wants, isFlat: isExport, guard })
      this.report.skipped.push(...unpacked.skipped)
      if (unpacked.problem !== undefined) this.report.problem = unpacked.problem
      if (isExport) await this.flatExport(unpacked)
      else await this.folder(folder, unpacked)
    } finally {
      // The error that led here counts more than leftovers, which the next import removes.
      attempt(() => removeAll(ops, folder))
    }
  }

  /** `unpacked`: what a tar says about the files in it. */
  async folder(place: string, unpacked: Unpacked | null): Promise<void> {
    const exported = exportIn(place)
    if (exported !== null) {
      return this.exported(exported.list, file => join(exported.folder, ...file.entry.split('/')))
    }
    const { origin } = this.report
    const homes = findBackupHomes(place, projectName(origin))
    if (homes.length === 0) this.noteNothing(origin)
    const home = canonicalPlace(this.options.as)
    for (const { scope, prefix, inner } of homes) {
      this.report.found.push(inner === '' ? '.' : inner)
      const { files, findings } = survey([scope])
      this.report.findings.push(...findings)
      if (unpacked === null)
        this.guardHoles(
          place,
          files.map(file => file.place),
        )
      const incoming = files.map(file => {
        const entry = unpacked?.files.get(file.place)
        return {
          home,
          path: prefix + file.path,
          place: file.place,
          mode: entry?.mode ?? file.mode,
          modifiedMs: entry?.modifiedMs ?? Math.trunc(file.state.mtimeMs),
          origin: homes.length > 1 ? `${origin}/${inner}` : origin,
        }
      })
      await this.take(incoming.map(file => [file]))
    }
  }

  private async flatExport({ names }: Unpacked): Promise<void> {
    const listed = names.get(`${exportFolder}/${exportListName}`)
    const list = listed === undefined ? null : listAt(listed.place)
    if (list === null) throw new FileError('bad-backup', 'The list in this export cannot be read by this Clew.')
    await this.exported(list, file => names.get(`${exportFolder}/${file.entry}`)?.place ?? null)
  }

  private async exported(list: ExportList, placeFor: (file: ExportedFile) => string | null): Promise<void> {
    const homes = this.homesHere(list)
    this.report.isExport = true
    this.report.found.push(...homes)
    const listed: Incoming[] = []
    for (const file of [...list.files].sort((a, b) => a.number - b.number)) {
      const place = placeFor(file)
      const home = homes[file.home] ?? ''
      if (place === null || !(await isAsListed(place, file))) {
        this.report.skipped.push({ path: file.entry, reason: 'damaged' })
        continue
      }
      const { path, mode, modifiedMs, number } = file
      const origin = file.origin ?? this.originOfNeighbour(home, path)
      listed.push({ home, path, place, mode, modifiedMs, number, ...(origin !== undefined && { origin }) })
    }
    await this.take([...grouped(listed, ({ home, path }) => fileKey(home, path)).values()])
  }

  /** What the homes of an export are called here. Throws where one is neither known nor mapped. */
  private homesHere(list: ExportList): string[] {
    const { as, known = [], homeMap } = this.options
    const here = new Set([...known, as].map(canonicalPlace))
    const isKnown = (home: string) => this.manifest.catalog.homes().has(home) || here.has(home)
    const unknown = new Set<string>()
    const homes = list.homes.map(home => {
      const mapped = homeMap?.get(home)
      if (mapped !== undefined) return mapped
      if (isKnown(home)) return home
      if (isKnown(canonicalPlace(home))) return canonicalPlace(home)
      unknown.add(home)
      return home
    })
    const used = new Set(list.files.map(file => list.homes[file.home]))
    const named = [...unknown].filter(home => used.has(home))
    if (named.length > 0) throw new UnknownHomesError(named)
    return homes
  }

  /** Files with holes claim more than they take. */
  private guardHoles(source: string, places: readonly string[]): void {
    const sizes = places.flatMap(place => statSync(place, { throwIfNoEntry: false }) ?? [])
    const onDisk = sizes.reduce((sum, { blocks }) => sum + blocks * 512, 0)
    const guard = new ExpansionGuard(source, onDisk, this.options.mayExpand === true)
    for (const { size } of sizes) guard.add(size)
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
        for (const { place } of group) this.options.progress?.(sizeOf(place))
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
      const facts = await factsAt(file)
      const rule = rules.reasonFor(file.home, file.path, facts)
      if (rule !== null) this.skip(file, rule)
      else await this.takeOne(file, facts, added)
    }
    for (const generation of added) this.intake.add(generation)
  }

  private async takeOne(file: Incoming, facts: FileFacts | undefined, added: Generation[]): Promise<void> {
    let reader: LiveReader
    try {
      reader = new LiveReader(file.place)
    } catch {
      return this.skip(file, 'unreadable')
    }
    try {
      if (await this.isKnown(file, reader)) this.report.known++
      else await this.store(file, reader, facts, added)
    } finally {
      reader.close()
    }
  }

  private async store(
    file: Incoming,
    reader: LiveReader,
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
  private async isKnown(file: Incoming, reader: LiveReader): Promise<boolean> {
    const { catalog } = this.intake
    for (const generation of catalog.of(file.home, file.path)) {
      if (generation.size < reader.state.size || catalog.broken.has(generation.id)) continue
      if (await this.isBeginningOf(reader, generation)) return true
    }
    return false
  }

  private async isBeginningOf(reader: LiveReader, generation: Generation): Promise<boolean> {
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

/** `claude-2024.tar.gz` and the like, as the name of a project folder. */
function projectName(origin: string): string {
  return origin.replace(/\.(tar(\.gz)?|tgz)$/i, '') || origin
}

/** Longer than any list: a million files take some 300 MB. */
const longestList = 400 * 1024 * 1024

function listAt(place: string): ExportList | null {
  const text = attempt(() => (sizeOf(place) > longestList ? undefined : readFileSync(place, 'utf8')))
  return text === undefined ? null : parseExportList(text)
}

function exportIn(place: string): { folder: string; list: ExportList } | null {
  for (const folder of [place, join(place, exportFolder)]) {
    const list = listAt(join(folder, exportListName))
    if (list !== null) return { folder, list }
  }
  return null
}

async function isAsListed(place: string, file: ExportedFile): Promise<boolean> {
  let reader: LiveReader
  try {
    reader = new LiveReader(place)
  } catch {
    return false
  }
  try {
    if (reader.state.size !== file.size) return false
    const hash = createHash('sha256')
    for await (const chunk of reader.chunks()) hash.update(chunk)
    return hash.digest('hex') === file.sha256
  } catch {
    return false
  } finally {
    reader.close()
  }
}

function sizeOf(place: string): number {
  return statSync(place, { throwIfNoEntry: false })?.size ?? 0
}

/** A file of a backup and what it is to be archived as. */
interface Incoming {
  home: string
  path: string
  /** Where its bytes are now. */
  place: string
  mode: number
  modifiedMs: number
  /** Which generation of the file it was in another archive. */
  number?: number
  origin?: string
}
