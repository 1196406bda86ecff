// Keeps the archive small and quick to read: joins small packs, leaves out frames that nothing needs any more, and says the
// manifest anew when it has many segments. What is kept stays the same, byte for byte.

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { FramePlace } from '../format/catalog.ts'
import { isPackName } from '../format/layout.ts'
import { type Manifest, writeBase } from '../format/manifest.ts'
import { PackWriter, readFrame, storedFrame } from '../format/pack.ts'
import type { Archive } from '../store/archive.ts'

/** A pack below this size is joined with others once there are so many. */
const smallPack = 4 * 1024 * 1024
const mostSmall = 16

/** A pack is written anew when more than this part of it is not needed; that is looked for after so many segments. */
const mostWaste = 0.25
const wasteEvery = 8

const mostSegments = 64

/** While somebody waits it is done less often, and so much at once; larger packs wait for a run with time. */
const hurriedSmall = 64
const hurriedSegments = 128
const hurriedBytes = 8 * 1024 * 1024

/** How much is done: a piece where somebody waits, what is due, or all that is not needed goes. */
export type Care = 'hurried' | 'usual' | 'thorough'

/** What a pack holds that is needed. */
export interface PackUse {
  name: string
  size: number
  frames: [string, FramePlace][]
}

/** Does what is due, if anything is. */
export async function tidy(archive: Archive, manifest: Manifest, care: Care = 'usual'): Promise<void> {
  const isThorough = care === 'thorough'
  // What a damaged manifest does not name may still be of use to somebody.
  if (manifest.damage.length > 0 && !isThorough) return
  const areFew = manifest.segments.length <= (care === 'hurried' ? hurriedSegments : mostSegments)
  if (!isThorough && areFew && !isAnyDue(archive, manifest, care)) return
  const due = duePacks(packUses(archive, manifest), care)
  const isChanged = await repack(archive, manifest, due)
  if (!isChanged && !isThorough && areFew) return
  sayAnew(archive, manifest)
}

/** Writes these packs anew, as far as what is needed of them can be read, and says the manifest anew. */
export async function rewritePacks(archive: Archive, manifest: Manifest, names: ReadonlySet<string>): Promise<void> {
  await repack(
    archive,
    manifest,
    packUses(archive, manifest).filter(use => names.has(use.name)),
  )
  sayAnew(archive, manifest)
}

export function sayAnew(archive: Archive, manifest: Manifest): void {
  writeBase(archive.ops, archive.layout, manifest)
  dropUnnamed(manifest)
  archive.removeStale()
}

export function packUses(archive: Archive, manifest: Manifest): PackUse[] {
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

/** Asked after every run, mostly for nothing: without a list of what each pack holds. */
function isAnyDue(archive: Archive, { catalog, segments }: Manifest, care: Care): boolean {
  const sizes = new Map(packsOf(archive).map(name => [name, sizeOf(archive, name)]))
  if (areDue([...sizes.values()], care)) return true
  if (segments.length % wasteEvery !== 1) return false
  const waste = new Map(sizes)
  for (const id of catalog.liveFrames()) {
    const { pack = '', stored = 0 } = catalog.frames.get(id) ?? {}
    waste.set(pack, (waste.get(pack) ?? 0) - stored)
  }
  return [...sizes].some(([name, size]) => isWasteful(size, waste.get(name) ?? 0))
}

/** Whether packs of these sizes are so many that small ones are to be joined. */
function areDue(sizes: readonly number[], care: Care): boolean {
  return sizes.filter(size => size < smallPack).length >= (care === 'hurried' ? hurriedSmall : mostSmall)
}

function isWasteful(size: number, waste: number): boolean {
  return size >= smallPack && waste > size * mostWaste
}

function duePacks(uses: readonly PackUse[], care: Care): PackUse[] {
  const areSmallDue = areDue(
    uses.map(use => use.size),
    care,
  )
  const due = uses.filter(({ size, frames }) => {
    const waste = size - frames.reduce((sum, [, place]) => sum + place.stored, 0)
    if (care === 'thorough') return waste > 0
    return size < smallPack ? areSmallDue : isWasteful(size, waste)
  })
  return care === 'hurried' ? smallest(due) : due
}

/** As many as are read and written soon. */
function smallest(uses: readonly PackUse[]): PackUse[] {
  let bytes = 0
  return [...uses]
    .sort((one, other) => one.size - other.size)
    .filter(({ size }) => {
      bytes += size
      return bytes <= hurriedBytes
    })
}

export interface RepackOptions {
  /** Frames that were compressed in a hurry are compressed as usual; else they are copied as they are. */
  isSmaller?: boolean
  /** Told how many raw bytes more were compressed. */
  progress?: (bytes: number) => void
  /** Asked between frames; true stops with what is done by then. */
  isStopped?: () => boolean
}

/**
 * Puts what is needed into new packs; false where nothing came of it, since all that is due is damaged. A pack with damage
 * stays as it is: it is for `verify` to tell.
 */
export async function repack(
  archive: Archive,
  manifest: Manifest,
  due: readonly PackUse[],
  options: RepackOptions = {},
): Promise<boolean> {
  const { ops, layout } = archive
  const moved: [string, FramePlace][] = []
  const packs = new PackWriter(ops, layout, (id, place) => moved.push([id, place]))
  try {
    for (const [id, place] of due.flatMap(use => use.frames)) {
      if (options.isStopped?.() === true) break
      if (options.isSmaller === true && place.isQuick === true) {
        await compressAgain(archive, packs, id, place)
        options.progress?.(place.bytes)
      } else {
        const stored = await provedFrame(archive, id, place)
        if (stored !== null) packs.addStored(id, stored, place)
      }
    }
    await packs.finish()
  } catch (error) {
    await packs.abandon()
    throw error
  }
  const { frames } = manifest.catalog
  const isMoved = moved.some(([id, place]) => isElsewhere(place, frames.get(id)))
  for (const [id, place] of moved) {
    const more = frames.get(id)?.more
    frames.set(id, more === undefined ? place : { ...place, more })
  }
  return isMoved || due.some(use => use.frames.length === 0)
}

/** The same content may compress to the same bytes either way: then only the mark is another. */
function isElsewhere(place: FramePlace, before: FramePlace | undefined): boolean {
  return place.pack !== before?.pack || place.isQuick !== before.isQuick
}

/** A damaged one stays where it is. */
async function compressAgain(archive: Archive, packs: PackWriter, id: string, place: FramePlace): Promise<void> {
  const raw = await readFrame(archive.layout, id, place).catch(() => null)
  if (raw !== null) await packs.add(id, raw)
}

/** Null where the frame is damaged: it stays where it is. */
async function provedFrame(archive: Archive, id: string, place: FramePlace): Promise<Buffer | null> {
  try {
    await readFrame(archive.layout, id, place)
    return storedFrame(archive.layout, id, place)
  } catch {
    return null
  }
}

function dropUnnamed(manifest: Manifest): void {
  const live = manifest.catalog.liveFrames()
  for (const id of [...manifest.catalog.frames.keys()]) if (!live.has(id)) manifest.catalog.frames.delete(id)
}
