// Reads all that the archive holds and says whether it is as it was written, and whose bytes suffer where it is not. It
// changes nothing and takes no lock. What lies in the folder beside packs and manifest is `verify-files`' business.

import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../../disk/read/read.ts'
import type { Finding } from '../../model/finding.ts'
import { lastSeenSegment } from '../capture/seen.ts'
import type { Catalog, FramePlace, Generation } from '../format/catalog.ts'
import { isNamedByHash, isPackName } from '../format/layout.ts'
import { readSegment } from '../format/lines.ts'
import type { Manifest } from '../format/manifest.ts'
import { readFrame, readFrameSync } from '../format/pack.ts'
import type { Archive } from '../store/archive.ts'
import { hashFile } from '../store/file-hash.ts'
import { entriesOf, folderSigns, type Sign } from './verify-files.ts'
import { type DamagedPart, type Loss, nameLosses } from './verify-losses.ts'

export type { DamagedPart }

export interface VerifyOptions {
  /** The manifest as always, but packs only by presence and size. */
  isQuick?: boolean
  /** Told how many bytes of packs more were read. */
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

/** So many frames are unpacked at a time. */
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
      report.damaged = await nameLosses(archive, losses, lostLines)
    }
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
        this.error('missing-manifest', layout.manifest, 'The manifest is missing: nothing tells what the packs hold.')
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
        ? `The chain of segments is broken here: ${problem}. What only the missing one told is lost.`
        : `This part of the manifest is damaged: ${problem}.`
      this.error(isGap ? 'broken-chain' : 'damaged-segment', join(layout.manifest, segment), message)
    }
    for (const name of manifest.stale) this.checkStale(join(layout.manifest, name))
    const newest = lastSeenSegment(layout)
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
      if (frames.length > 0) continue
      const message =
        'Nothing needs this pack: a run was killed before it could say what for, or what it held is no longer kept.'
      this.add({ code: 'unneeded-pack', severity: 'info', file: join(layout.packs, name), message, isDamage: false })
    }
    for (const [name, frames] of needed) {
      const isPack = isPackName(name)
      for (const [id] of frames) this.bad.set(id, isPack ? `pack ${name} is missing` : `"${name}" is no name of a pack`)
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
        this.bad.set(id, 'the manifest no longer tells where these bytes are stored')
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
      const size = await this.readPack(file, sha256 => {
        isAsNamed = isNamedByHash(name, sha256)
      })
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

  /** Its size; `hashed` is told its hash unless a quick look is enough. */
  private async readPack(file: string, hashed: (sha256: string) => void): Promise<number> {
    if (this.options.isQuick === true) return statSync(file).size
    const { sha256, size } = await hashFile(file, this.options.progress)
    hashed(sha256)
    return size
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
      const message = 'What the manifest tells of some files is incomplete, so parts of them are lost.'
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
      const reason = 'the manifest no longer tells all parts that this file is made of'
      losses.push({ generation, from: 0, bytes: generation.size, reason, isManifest: true })
    }
    return losses
  }
}

/** Where the manifest has lost one frame of a file, its length is what the others leave; of several it cannot be told. */
function frameLengths({ frames, size }: Generation, catalog: Catalog): number[] {
  const lengths = frames.map(id => catalog.frames.get(id)?.bytes ?? Number.NaN)
  const missing = size - lengths.reduce((sum, length) => sum + (length || 0), 0)
  const isOne = lengths.filter(Number.isNaN).length === 1
  return lengths.map(length => (Number.isNaN(length) ? (isOne ? Math.max(0, missing) : 0) : length))
}
