// Keeps the archive small and fast to read: joins small packs, drops frames that nothing needs, and rewrites the manifest
// when it has many segments. What is archived stays the same, byte for byte.

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { FramePlace } from '../format/catalog.ts'
import { isGzipPack, isPackName } from '../format/layout.ts'
import { type Manifest, writeBase } from '../format/manifest.ts'
import { readFrame, storedFrame, writePacks } from '../format/pack.ts'
import type { Archive } from '../store/archive.ts'

/** Packs below this size are joined once there are this many. */
const smallPack = 1024 * 1024
const mostSmall = 16

/** A pack is rewritten when more than this part of it is not needed; that is checked once in this many segments. */
const mostWaste = 0.25
const wasteEvery = 8

const mostSegments = 64

/** What a pack has that is needed. */
interface PackUse {
  name: string
  size: number
  frames: [string, FramePlace][]
}

/** Does what is due, if anything is. `isThorough`: removes every byte that is not needed, whatever that costs. */
export async function tidy(archive: Archive, manifest: Manifest, isThorough = false): Promise<void> {
  // What a damaged manifest does not name may still be of use to someone.
  if (manifest.damage.length > 0 && !isThorough) return
  const areFew = manifest.segments.length <= mostSegments
  if (!isThorough && areFew && !isAnyDue(archive, manifest)) return
  const isChanged = await repack(archive, manifest, duePacks(packUses(archive, manifest), isThorough))
  if (!isChanged && !isThorough && areFew) return
  rewriteManifest(archive, manifest)
}

/** Rewrites these packs, as far as what is needed of them can be read, and the manifest. */
export async function rewritePacks(archive: Archive, manifest: Manifest, names: ReadonlySet<string>): Promise<void> {
  await repack(
    archive,
    manifest,
    packUses(archive, manifest).filter(use => names.has(use.name)),
  )
  rewriteManifest(archive, manifest)
}

function rewriteManifest(archive: Archive, manifest: Manifest): void {
  writeBase(archive.ops, archive.layout, manifest)
  dropUnnamed(manifest)
  archive.removeStale()
}

function packUses(archive: Archive, manifest: Manifest): PackUse[] {
  const uses = new Map<string, PackUse>()
  for (const name of packsOf(archive)) uses.set(name, { name, size: sizeOf(archive, name), frames: [] })
  for (const id of manifest.catalog.liveFrames()) {
    const place = manifest.catalog.frames.get(id)
    if (place !== undefined) uses.get(place.pack)?.frames.push([id, place])
  }
  return [...uses.values()]
}

function packsOf(archive: Archive): string[] {
  return readdirSync(archive.layout.packs).filter(isPackName)
}

function sizeOf(archive: Archive, name: string): number {
  return statSync(join(archive.layout.packs, name)).size
}

/** Checked after every run, mostly for nothing: without a list of what each pack contains. */
function isAnyDue(archive: Archive, { catalog, segments }: Manifest): boolean {
  const sizes = new Map(packsOf(archive).map(name => [name, sizeOf(archive, name)]))
  if (areSmallDue([...sizes.values()])) return true
  if (segments.length % wasteEvery !== 1) return false
  const waste = new Map(sizes)
  for (const id of catalog.liveFrames()) {
    const { pack = '', stored = 0 } = catalog.frames.get(id) ?? {}
    waste.set(pack, (waste.get(pack) ?? 0) - stored)
  }
  return [...sizes].some(([name, size]) => isWasteful(size, waste.get(name) ?? 0))
}

function areSmallDue(sizes: readonly number[]): boolean {
  return sizes.filter(size => size < smallPack).length >= mostSmall
}

function isWasteful(size: number, waste: number): boolean {
  return size >= smallPack && waste > size * mostWaste
}

function duePacks(uses: readonly PackUse[], isThorough: boolean): PackUse[] {
  const isSmallDue = areSmallDue(uses.map(use => use.size))
  return uses.filter(({ size, frames }) => {
    const waste = size - frames.reduce((sum, [, place]) => sum + place.stored, 0)
    if (isThorough) return waste > 0
    return size < smallPack ? isSmallDue : isWasteful(size, waste)
  })
}

/**
 * Copies what is needed into new packs; gzip frames of older archives become brotli. False where nothing changed, since all
 * that is due is damaged: such a pack stays for `verify` to report.
 */
async function repack(archive: Archive, manifest: Manifest, due: readonly PackUse[]): Promise<boolean> {
  const { ops, layout } = archive
  const moved = await writePacks(ops, layout, async packs => {
    for (const [id, place] of due.flatMap(use => use.frames)) {
      const raw = await readFrame(layout, id, place).catch(() => null)
      // A damaged frame stays where it is.
      if (raw === null) continue
      if (isGzipPack(place.pack)) await packs.add(id, raw)
      else packs.addStored(id, storedFrame(layout, id, place), place.bytes)
    }
  })
  const { frames } = manifest.catalog
  const isMoved = [...moved].some(([id, place]) => place.pack !== frames.get(id)?.pack)
  for (const [id, place] of moved) {
    const more = frames.get(id)?.more
    frames.set(id, more === undefined ? place : { ...place, more })
  }
  return isMoved || due.some(use => use.frames.length === 0)
}

function dropUnnamed(manifest: Manifest): void {
  const live = manifest.catalog.liveFrames()
  for (const id of [...manifest.catalog.frames.keys()]) if (!live.has(id)) manifest.catalog.frames.delete(id)
}
