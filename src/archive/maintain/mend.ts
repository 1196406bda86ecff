// Repairs damage as far as possible: frames whose bytes a live file still has are stored again, and damaged packs are
// rewritten. Lines of the manifest are not guessed: what is lost for good stays damaged, and stays where it is.

import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '../../base/attempt.ts'
import { placeOf } from '../../files/place.ts'
import { type Catalog, frameLine, type Generation } from '../format/catalog.ts'
import { isNamedByHash, isPackName } from '../format/layout.ts'
import { hashOf } from '../format/lines.ts'
import { appendSegment, isLossy, type Manifest } from '../format/manifest.ts'
import { readFrame, readFrameSync, writePacks } from '../format/pack.ts'
import { unnamedFrames } from '../format/unnamed.ts'
import type { Archive } from '../store/archive.ts'
import { rewritePacks } from './tidy.ts'
import { hashFile } from './verify.ts'

export interface MendReport {
  /** Lines of the manifest that were rewritten: those that only guard the others. */
  lines: number
  /** Lost lines, and gaps between segments or at their ends; while there are any, the manifest stays as it is. */
  linesLost: number
  /** Frames that were stored again from a live file. */
  frames: number
  /** Frames that are lost for good. */
  lost: number
  /** Packs that were rewritten. */
  packs: number
}

/** Changes nothing where nothing is damaged. */
export async function mendArchive(archive: Archive, progress?: (bytes: number) => void): Promise<MendReport> {
  return archive.change('mend', async manifest => {
    const report: MendReport = { lines: 0, linesLost: 0, frames: 0, lost: 0, packs: 0 }
    for (const damage of manifest.damage) {
      if (isLossy(damage)) report.linesLost += Math.max(1, damage.lines.length)
      else report.lines++
    }
    const packs = await damagedPacks(archive, progress)
    const bad = await badFrames(archive, manifest)
    report.frames = findAgain(archive, manifest, bad)
    report.frames += bad.size === report.frames ? 0 : await storeAgain(archive, manifest, bad)
    report.lost = bad.size - report.frames
    if (report.linesLost > 0) return report
    if (report.frames + packs.size === 0 && manifest.damage.length === 0) return report
    await rewritePacks(archive, manifest, packs)
    report.packs = [...packs].filter(name => !readdirSync(archive.layout.packs).includes(name)).length
    return report
  })
}

/** Packs whose bytes do not match their names. */
async function damagedPacks(archive: Archive, progress?: (bytes: number) => void): Promise<Set<string>> {
  const damaged = new Set<string>()
  for (const name of readdirSync(archive.layout.packs).filter(isPackName)) {
    const { sha256 } = await hashFile(join(archive.layout.packs, name), progress)
    if (!isNamedByHash(name, sha256)) damaged.add(name)
  }
  return damaged
}

/** Frames that are needed and cannot be read back. */
async function badFrames(archive: Archive, manifest: Manifest): Promise<Set<string>> {
  const bad = new Set<string>()
  for (const id of manifest.catalog.liveFrames()) {
    const place = manifest.catalog.frames.get(id)
    const isGood = place !== undefined && (await readFrame(archive.layout, id, place).catch(() => null)) !== null
    if (!isGood) bad.add(id)
  }
  return bad
}

/** Frames whose lines are lost are still in the packs, and known by their hashes; returns how many, and takes them out. */
function findAgain(archive: Archive, manifest: Manifest, bad: ReadonlySet<string>): number {
  const { catalog } = manifest
  const lost = [...bad].filter(id => !catalog.frames.has(id))
  if (lost.length === 0) return 0
  const found = unnamedFrames(archive.layout, catalog).filter(({ id }) => bad.has(id) && !catalog.frames.has(id))
  const places = new Map(found.map(({ id, place }) => [id, place]))
  for (const [id, place] of places) catalog.frames.set(id, place)
  const lines = Array.from(places, ([id, place]) => frameLine(id, place))
  if (lines.length > 0) appendSegment(archive.ops, archive.layout, manifest, lines)
  return places.size
}

/** Stores the frames that live files still have at their places; returns how many. */
async function storeAgain(archive: Archive, manifest: Manifest, all: ReadonlySet<string>): Promise<number> {
  const bad = new Set<string>()
  for (const id of all) if (!isReadable(archive, id, manifest.catalog)) bad.add(id)
  const done = new Set<string>()
  const placed = await writePacks(archive.ops, archive.layout, async packs => {
    for (const generation of manifest.catalog.generations.values()) {
      if (!generation.frames.some(id => bad.has(id) && !done.has(id))) continue
      for (const [id, raw] of liveFrames(generation, manifest.catalog, bad)) {
        if (done.has(id)) continue
        done.add(id)
        await packs.add(id, raw)
      }
    }
  })
  const lines = Array.from(placed, ([id, place]) => frameLine(id, place))
  if (lines.length > 0) appendSegment(archive.ops, archive.layout, manifest, lines)
  for (const [id, place] of placed) manifest.catalog.frames.set(id, place)
  return done.size
}

function isReadable({ layout }: Archive, id: string, { frames }: Catalog): boolean {
  const place = frames.get(id)
  return place !== undefined && attempt(() => readFrameSync(layout, id, place)) !== undefined
}

/** The wanted frames of a generation, where the file that it is of has them still. */
function* liveFrames(
  generation: Generation,
  catalog: Catalog,
  wanted: ReadonlySet<string>,
): Generator<[id: string, raw: Buffer]> {
  let file: number
  try {
    file = openSync(placeOf(generation), 'r')
  } catch {
    return
  }
  try {
    let at = 0
    for (const id of generation.frames) {
      const bytes = catalog.frames.get(id)?.bytes
      // Without its length, the place of the frames after it is unknown.
      if (bytes === undefined) return
      if (wanted.has(id)) {
        const raw = Buffer.alloc(bytes)
        const length = readSync(file, raw, 0, bytes, at)
        if (length === bytes && hashOf(raw) === id) yield [id, raw]
      }
      at += bytes
    }
  } finally {
    closeSync(file)
  }
}
