// Stores anew what a first run with much to keep compressed in a hurry. What is kept stays the same, byte for byte; how packs
// are written anew, and in which order, is `tidy`'s business.

import type { Catalog } from '../format/catalog.ts'
import { packBytes } from '../format/layout.ts'
import type { Manifest } from '../format/manifest.ts'
import type { Archive } from '../store/archive.ts'
import { type PackUse, packUses, type RepackOptions, repack, sayAnew } from './tidy.ts'

/** So much of old packs lies beside the new ones before it is removed. */
const stepBytes = 4 * packBytes

/** Raw bytes of needed frames that were compressed in a hurry. */
export function quickBytes(catalog: Catalog): number {
  let sum = 0
  if (!hasQuick(catalog)) return sum
  for (const id of catalog.liveFrames()) {
    const place = catalog.frames.get(id)
    if (place?.isQuick === true) sum += place.bytes
  }
  return sum
}

export interface RecompressOptions extends Pick<RepackOptions, 'progress' | 'isStopped'> {
  /** Tests take smaller steps. */
  stepBytes?: number
}

/** Compresses as usual what was compressed in a hurry, step by step. False where it was stopped before the end. */
export async function recompress(
  archive: Archive,
  manifest: Manifest,
  options: RecompressOptions = {},
): Promise<boolean> {
  // What a damaged manifest does not name may still be of use to somebody.
  if (manifest.damage.length > 0 || !hasQuick(manifest.catalog)) return true
  const due = packUses(archive, manifest).filter(use => use.frames.some(([, place]) => place.isQuick === true))
  for (const step of stepsOf(due, options.stepBytes ?? stepBytes)) {
    const isChanged = await repack(archive, manifest, step, { ...options, isSmaller: true })
    if (isChanged) sayAnew(archive, manifest)
    if (options.isStopped?.() === true) return false
  }
  return true
}

/** Asked in every run, mostly for nothing: before it is known which frames are needed. */
function hasQuick(catalog: Catalog): boolean {
  for (const { isQuick } of catalog.frames.values()) if (isQuick === true) return true
  return false
}

function stepsOf(uses: readonly PackUse[], most: number): PackUse[][] {
  const steps: PackUse[][] = []
  let size = most
  for (const use of uses) {
    if (size >= most) {
      steps.push([])
      size = 0
    }
    steps.at(-1)?.push(use)
    size += use.size
  }
  return steps
}
