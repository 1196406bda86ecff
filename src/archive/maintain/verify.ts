// Reads all that is archived and reports whether each byte is as it was written, and which sessions suffer where it is not.
// It changes nothing and takes no lock.

import { createHash } from 'node:crypto'
import { createReadStream, type Dirent, existsSync, lstatSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '../../base/attempt.ts'
import { errorCode } from '../../base/error-code.ts'
import { chunkBytes } from '../../disk/read/read.ts'
import { entriesOf, isAside } from '../../files/durable.ts'
import type { Finding } from '../../model/finding.ts'
import { lastSeenSegment, readSeen, seenBytes } from '../capture/seen.ts'
import { type Catalog, type FramePlace, fileKey, type Generation } from '../format/catalog.ts'
import { earlierReadmes, isNamedByHash, isPackName, type Layout, readmeText, segmentNumber } from '../format/layout.ts'
import { hashOf, readSegment } from '../format/lines.ts'
import type { Manifest } from '../format/manifest.ts'
import { readFrame, readFrameSync } from '../format/pack.ts'
import { archivedHomes, ownersBy } from '../read/sessions.ts'
import { mayLackMore, type Shortened, shortenedFiles } from '../read/shortened.ts'
import type { Archive } from '../store/archive.ts'
import { planSalvage, type SalvagedFile, type SalvagePlan, unknownFolder } from './salvage.ts'

interface VerifyOptions {
  /** The manifest as always, but packs only by presence and size. */
  isQuick?: boolean
  /** Called with how many bytes of packs more were read. */
  progress?: (bytes: number) => void
}

export interface VerifyReport {
  /** Whether each bit is as it was written, as far as was looked. */
  isIntact: boolean
  segments: number
  packs: number
  frames: number
  generations: number
  /** Raw bytes of all generations. */
  bytes: number
  /** Bytes of packs and manifest. */
  stored: number
  findings: Finding[]
  damaged: DamagedPart[]
  /** Lines of the manifest are lost: more may be damaged than is named, and nothing says what. */
  mayLackMore: boolean
  /** What the packs still have of it; absent where nothing is lost, and after a quick look. */
  salvage?: SalvagePlan
}

/** An archive that another process changes meanwhile is looked at again before anything bad is said of it. */
export async function verifyArchive(archive: Archive, options: VerifyOptions = {}): Promise<VerifyReport> {
  for (let tries = 3; ; tries--) {
    archive.reload()
    const before = archive.lastSegment()
    const report = await new Verification(archive, options).run()
    if (report.isIntact || tries === 1 || archive.lastSegment() === before) return report
  }
}

/** This many frames are unpacked at a time. */
const atOnce = 4

/** Shorter ones are unpacked faster than another thread can be asked to. */
const shortFrame = 64 * 1024

class Verification {
  private readonly archive: Archive
  private readonly options: VerifyOptions
  private readonly report: VerifyReport
  /** Frames that cannot be read back, and why. */
  private readonly bad = new Map<string, string>()
  private readonly sizes = new Map<string, number>()

  constructor(archive: Archive, options: VerifyOptions) {
    this.archive = archive
    this.options = options
    this.report = {
      isIntact: true,
      segments: 0,
      packs: 0,
      frames: 0,
      generations: 0,
      bytes: 0,
      stored: 0,
      findings: [],
      damaged: [],
      mayLackMore: false,
    }
  }

  async run(): Promise<VerifyReport> {
    const { report, archive } = this
    const manifest = this.readManifest()
    if (manifest !== null) {
      this.checkSegments(manifest)
      await this.checkPacks(manifest.catalog)
      const losses = this.checkGenerations(manifest.catalog)
      const lostLines = manifest.damage.flatMap(({ lines }) => lines)
      report.mayLackMore = mayLackMore(archive)
      const found = report.mayLackMore && this.options.isQuick !== true ? planSalvage(archive) : undefined
      if (found !== undefined && found.files.length > 0) report.salvage = found
      const known = new Set(losses.map(({ generation }) => fileKey(generation.home, generation.path)))
      const parts = missingParts(archive, lostLines, found).filter(({ home, path }) => !known.has(fileKey(home, path)))
      report.damaged = await nameLosses(archive, losses, parts)
    } else if (!report.isIntact) report.mayLackMore = true
    if (existsSync(archive.layout.folder)) for (const sign of folderSigns(archive.layout)) this.add(sign)
    return report
  }

  private add({ isDamage, ...finding }: Sign): void {
    if (isDamage) this.report.isIntact = false
    this.report.findings.push(finding)
  }

  private error(code: string, file: string, message: string): void {
    this.add({ code, severity: 'error', file, message, isDamage: true })
  }

  private readManifest(): Manifest | null {
    const { layout } = this.archive
    if (!this.archive.exists) {
      if (entriesOf(layout.packs).length > 0) {
        this.error('missing-manifest', layout.manifest, 'The manifest is missing: nothing says what the packs contain.')
      }
      return null
    }
    try {
      return this.archive.manifest
    } catch (error) {
      if (errorCode(error) === 'newer-format') throw error
      this.error('unreadable-manifest', layout.manifest, `The manifest cannot be read (${errorCode(error)}).`)
      return null
    }
  }

  private checkSegments(manifest: Manifest): void {
    const { layout } = this.archive
    this.report.segments = manifest.segments.length
    this.report.stored += manifest.bytes
    for (const { segment, problem, isGap } of manifest.damage) {
      const message = isGap
        ? `The chain of segments is broken here: ${problem}. What only the missing one described is lost.`
        : `This part of the manifest is damaged: ${problem}.`
      this.error(isGap ? 'broken-chain' : 'damaged-segment', join(layout.manifest, segment), message)
    }
    for (const name of manifest.stale) this.checkStale(join(layout.manifest, name))
    const newest = lastSeenSegment(readSeen(layout))
    if (newest > manifest.last) {
      const message = `The manifest ends with segment ${manifest.last}, but there was a segment ${newest}: the last ones are missing.`
      this.error('missing-segment', layout.manifest, message)
    }
  }

  private checkStale(file: string): void {
    if (readSegment(readFileSync(file)).isIntact) {
      const message = 'A later segment replaced this one; the next run removes it.'
      this.add({ code: 'replaced-segment', severity: 'info', file, message, isDamage: false })
    } else {
      const message = 'This segment is damaged, but a later one replaced it; the next run removes it.'
      this.add({ code: 'damaged-segment', severity: 'warning', file, message, isDamage: true })
    }
  }

  private async checkPacks(catalog: Catalog): Promise<void> {
    const { layout } = this.archive
    const needed = this.neededFrames(catalog)
    for (const { name } of entriesOf(layout.packs)) {
      if (!isPackName(name)) continue
      const frames = needed.get(name) ?? []
      needed.delete(name)
      this.report.packs++
      await this.checkPack(name, frames)
      if (frames.length === 0) this.add(unneededSign(join(layout.packs, name), mayLackMore(this.archive)))
    }
    for (const [name, frames] of needed) {
      const isPack = isPackName(name)
      for (const [id] of frames)
        this.bad.set(id, isPack ? `pack ${name} is missing` : `"${name}" is not the name of a pack`)
      this.error('missing-pack', join(layout.packs, isPack ? name : ''), `Pack "${name}" is missing.`)
    }
  }

  /** Frames that some generation needs, by pack. Those without a place are lost. */
  private neededFrames(catalog: Catalog): Map<string, [string, FramePlace][]> {
    const needed = new Map<string, [string, FramePlace][]>()
    for (const id of catalog.liveFrames()) {
      const place = catalog.frames.get(id)
      this.report.frames++
      if (place === undefined) {
        this.bad.set(id, 'the manifest no longer says where these bytes are stored')
        continue
      }
      const frames = needed.get(place.pack)
      if (frames === undefined) needed.set(place.pack, [[id, place]])
      else frames.push([id, place])
    }
    return needed
  }

  private async checkPack(name: string, frames: readonly [string, FramePlace][]): Promise<void> {
    const file = join(this.archive.layout.packs, name)
    let isAsNamed = true
    try {
      let size: number
      if (this.options.isQuick === true) size = statSync(file).size
      else {
        const hashed = await hashFile(file, this.options.progress)
        size = hashed.size
        isAsNamed = isNamedByHash(name, hashed.sha256)
      }
      this.report.stored += size
      this.sizes.set(name, size)
    } catch (error) {
      for (const [id] of frames) this.bad.set(id, `pack ${name} cannot be read (${errorCode(error)})`)
      this.error('unreadable-pack', file, `This pack cannot be read (${errorCode(error)}).`)
      return
    }
    const before = this.bad.size
    await this.checkFrames(frames)
    const bad = this.bad.size - before
    if (bad > 0) {
      this.error(
        'damaged-pack',
        file,
        `This pack is damaged: ${bad} of its ${frames.length} frames cannot be read back.`,
      )
    } else if (!isAsNamed) {
      const message =
        'Bytes of this pack are not as they were written, but all that is needed of it can still be read back.'
      this.error('damaged-pack', file, message)
    }
  }

  private async checkFrames(frames: readonly [string, FramePlace][]): Promise<void> {
    const inOrder = [...frames].sort(([, a], [, b]) => a.at - b.at)
    let next = 0
    const work = async () => {
      for (let frame = inOrder[next++]; frame !== undefined; frame = inOrder[next++]) await this.checkFrame(...frame)
    }
    await Promise.all(Array.from({ length: atOnce }, work))
  }

  private async checkFrame(id: string, place: FramePlace): Promise<void> {
    const size = this.sizes.get(place.pack) ?? 0
    if (!(place.at >= 0 && place.stored >= 0 && place.at + place.stored <= size)) {
      this.bad.set(id, `pack ${place.pack} ends before these bytes do`)
    } else if (this.options.isQuick !== true) {
      try {
        if (place.bytes <= shortFrame) readFrameSync(this.archive.layout, id, place)
        else await readFrame(this.archive.layout, id, place)
      } catch (error) {
        this.bad.set(id, error instanceof Error ? error.message : String(error))
      }
    }
  }

  private checkGenerations(catalog: Catalog): Loss[] {
    const losses: Loss[] = []
    for (const generation of catalog.generations.values()) {
      this.report.generations++
      this.report.bytes += generation.size
      losses.push(...this.lossesOf(generation, catalog))
    }
    if (losses.some(loss => loss.isManifest)) {
      const message = 'The manifest is incomplete for some files, so parts of them are lost.'
      this.error('incomplete-generation', this.archive.layout.manifest, message)
    }
    return losses
  }

  /** Frames that follow each other and suffer from the same are one loss. */
  private lossesOf(generation: Generation, catalog: Catalog): Loss[] {
    const losses: Loss[] = []
    const lengths = frameLengths(generation, catalog)
    let at = 0
    for (const [index, id] of generation.frames.entries()) {
      const bytes = lengths[index] ?? 0
      const reason = this.bad.get(id)
      const last = losses.at(-1)
      if (reason !== undefined) {
        if (last?.reason === reason && last.from + last.bytes === at) last.bytes += bytes
        else losses.push({ generation, from: at, bytes, reason, isManifest: !catalog.frames.has(id) })
      }
      at += bytes
    }
    const isWhole = at === generation.size && !catalog.broken.has(generation.id)
    if (!isWhole && !losses.some(loss => loss.isManifest)) {
      const reason = 'the manifest no longer lists all parts of this file'
      losses.push({ generation, from: 0, bytes: generation.size, reason, isManifest: true })
    }
    return losses
  }
}

/** Where the manifest has lost one frame of a file, its length is what the others leave; of several it is unknown. */
function frameLengths({ frames, size }: Generation, catalog: Catalog): number[] {
  const lengths = frames.map(id => catalog.frames.get(id)?.bytes ?? Number.NaN)
  const missing = size - lengths.reduce((sum, length) => sum + (length || 0), 0)
  const isOne = lengths.filter(Number.isNaN).length === 1
  return lengths.map(length => (Number.isNaN(length) ? (isOne ? Math.max(0, missing) : 0) : length))
}

/** Hash and size; `progress` is called with how many bytes more were read. Throws what the file system throws. */
export async function hashFile(
  path: string,
  progress: (bytes: number) => void = () => {},
): Promise<{ sha256: string; size: number }> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
    hash.update(chunk)
    size += chunk.length
    progress(chunk.length)
  }
  return { sha256: hash.digest('hex'), size }
}

/** Bytes of one file that cannot be read back. */
export interface DamagedPart {
  /** Null where no session owns the file, or where it is unknown. A file of two sessions is named for each. */
  session: string | null
  home: string
  path: string
  /** The number of the generation among those of its file; 0 where it is unknown. */
  generation: number
  from: number
  /** 0 where it is unknown. */
  bytes: number
  reason: string
}

/** A part of a generation that cannot be read back. */
interface Loss {
  generation: Generation
  from: number
  bytes: number
  reason: string
  /** The manifest is the cause, not a pack. */
  isManifest: boolean
}

const lostReason = 'what the manifest says about these bytes is damaged'

/** Losses with the sessions that they concern, and what damaged lines of the manifest may have been about. */
async function nameLosses(archive: Archive, losses: readonly Loss[], missing: readonly Part[]): Promise<DamagedPart[]> {
  const parts = losses.map(({ generation, from, bytes, reason }) => toPart(generation, from, bytes, reason))
  parts.push(...missing)
  if (parts.length === 0) return []
  // Without owners, the names of files are all that is known.
  const homes = await archivedHomes(archive).catch(() => [])
  const owners = ownersBy(homes, ({ home, path }) => fileKey(home, path))
  return parts.flatMap(({ guesses, ...part }) => {
    const known = owners.get(fileKey(part.home, part.path)) ?? guesses
    return (known.length > 0 ? known : [null]).map(session => ({ session, ...part }))
  })
}

/** A part before it is known whose it is. */
interface Part extends Omit<DamagedPart, 'session'> {
  /** Sessions that it may belong to if nothing better is known. */
  guesses: string[]
}

function toPart({ home, path, number }: Generation, from: number, bytes: number, reason: string): Part {
  return { home, path, generation: number, from, bytes, reason, guesses: sessionsIn(path) }
}

/** What lost lines cost: as the last run saw it, as their texts say it, and as the packs show it. A file is named once. */
function missingParts(archive: Archive, lostLines: readonly string[], found: SalvagePlan | undefined): Part[] {
  const { catalog } = archive.manifest
  const parts = shortenedFiles(archive).map(toShortPart)
  const add = (more: readonly Part[]) => {
    const named = new Set(parts.filter(({ path }) => path !== '').map(({ home, path }) => fileKey(home, path)))
    parts.push(...more.filter(({ home, path }) => !named.has(fileKey(home, path))))
  }
  add(lostLines.flatMap(text => partsInText(text, catalog)))
  add((found?.files ?? []).filter(({ path }) => !path.startsWith(unknownFolder)).map(toFoundPart))
  return parts
}

function toShortPart({ home, path, generation, left, archived }: Shortened): Part {
  const bytes = Number.isNaN(archived) ? 0 : archived - left
  const reason = `the last run archived ${bytes > 0 ? `${archived} bytes of it` : 'it'}, and the manifest has ${left} of them`
  return { home, path, generation: generation?.number ?? 0, from: left, bytes, reason, guesses: sessionsIn(path) }
}

function toFoundPart({ session, home, path, from, found }: SalvagedFile): Part {
  const reason = 'the packs have these bytes, and no readable line of the manifest says whose they are'
  return {
    home,
    path,
    generation: 0,
    from,
    bytes: found,
    reason,
    guesses: session === null ? [] : [session],
  }
}

/** The file that a damaged line was about, as far as its text shows. */
function partsInText(text: string, catalog: Catalog): Part[] {
  const known = catalog.generations.get(textAfter(text, 'generation'))
  if (known !== undefined) {
    const size = Number(/"size":(\d+),/.exec(text)?.[1] ?? 0)
    return [toPart(known, known.size, Math.max(0, size - known.size), lostReason)]
  }
  const home = textAfter(text, 'home')
  const path = textAfter(text, 'path')
  const guesses = sessionsIn(text)
  // A frame's line names no file; whose frame it was shows in the generations that miss it.
  if (path === '' && guesses.length === 0) return []
  return [{ home, path, generation: 0, from: 0, bytes: 0, reason: lostReason, guesses }]
}

function textAfter(text: string, name: string): string {
  const found = new RegExp(`"${name}":"((?:[^"\\\\]|\\\\.)*)"`).exec(text)
  return found === null ? '' : Buffer.from(found[1] ?? '', 'latin1').toString('utf8')
}

const uuidPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Ids of sessions in a path, or in the text of a line that names one. */
function sessionsIn(text: string): string[] {
  const named = [...new Set(text.match(uuidPattern) ?? [])]
  if (named.length > 0) return named
  const stem = /\/([^/"]+)\.jsonl(?:"|$)/.exec(text)?.[1]
  return stem === undefined ? [] : [stem]
}

/** A finding, and whether it means that bytes are not as they were written. */
interface Sign extends Finding {
  isDamage: boolean
}

function unneededSign(file: string, mayBeNeeded: boolean): Sign {
  const isDamage = false
  if (mayBeNeeded) {
    const message =
      'No file in the readable part of the manifest needs this pack: it may have what the lost part was about.'
    return { code: 'unnamed-pack', severity: 'warning', file, message, isDamage }
  }
  const message = 'Nothing needs this pack: a run was killed before it could say what for, or its content was removed.'
  return { code: 'unneeded-pack', severity: 'info', file, message, isDamage }
}

/** What is known without reading packs or segments. */
function folderSigns(layout: Layout): Sign[] {
  return [...readmeSigns(layout), ...seenSigns(layout), ...nameSigns(layout), ...modeSigns(layout)]
}

function readmeSigns(layout: Layout): Sign[] {
  const bytes = attempt(() => readFileSync(layout.readme))
  if (bytes === undefined) {
    const message = 'README.txt is missing; the next run writes it again.'
    return [{ code: 'missing-readme', severity: 'info', file: layout.readme, message, isDamage: false }]
  }
  if (Buffer.from(readmeText).equals(bytes) || earlierReadmes.has(hashOf(bytes))) return []
  const message =
    'README.txt is not as it was written. Nothing depends on it: delete it, and the next run writes it again.'
  return [{ code: 'changed-readme', severity: 'warning', file: layout.readme, message, isDamage: true }]
}

function seenSigns(layout: Layout): Sign[] {
  const bytes = attempt(() => readFileSync(layout.seen))
  if (bytes === undefined) return []
  const seen = readSeen(layout)
  if (seen !== null && seenBytes(seen).equals(bytes)) return []
  const message =
    'seen.tsv is not as it was written. Nothing is lost: the next run looks at all files and writes it again.'
  return [{ code: 'damaged-seen', severity: 'warning', file: layout.seen, message, isDamage: true }]
}

function nameSigns(layout: Layout): Sign[] {
  const signs: Sign[] = []
  const look = (folder: string, isOurs: (entry: Dirent) => boolean) => {
    for (const entry of entriesOf(folder)) {
      const file = join(folder, entry.name)
      if (isAside(entry.name)) {
        const message =
          'This was left by a run that was killed, or is being written right now; the next run removes it.'
        signs.push({ code: 'leftover', severity: 'info', file, message, isDamage: false })
      } else if (!isOurs(entry)) {
        const message = 'This is not part of the archive; nothing reads it.'
        signs.push({ code: 'unknown-file', severity: 'info', file, message, isDamage: false })
      }
    }
  }
  look(layout.folder, ({ name }) => ownNames.test(name))
  look(layout.packs, entry => isPackName(entry.name) && !entry.isDirectory())
  look(layout.manifest, entry => segmentNumber(entry.name) !== null && !entry.isDirectory())
  return signs
}

const ownNames = /^(packs|manifest|README\.txt|seen\.tsv|known\.json|lock|lock\.break-.*)$/

/** One sign for all of them: who copies an archive mostly opens every file of it. */
function modeSigns(layout: Layout): Sign[] {
  if (process.platform === 'win32') return []
  const open: string[] = []
  const look = (path: string) => {
    const facts = lstatSync(path, { throwIfNoEntry: false })
    if (facts !== undefined && !facts.isSymbolicLink() && (facts.mode & 0o077) !== 0) open.push(path)
  }
  for (const folder of [layout.folder, layout.packs, layout.manifest]) {
    look(folder)
    for (const entry of entriesOf(folder)) if (!entry.isDirectory()) look(join(folder, entry.name))
  }
  const [first] = open
  if (first === undefined) return []
  const rest = open.length === 1 ? '' : ` and ${open.length - 1} more`
  const message = `Others than you may be able to look into this${rest}. Folders should have mode 700, files 600.`
  return [{ code: 'open-to-others', severity: 'warning', file: first, message, isDamage: false }]
}
