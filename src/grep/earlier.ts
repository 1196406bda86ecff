// Earlier generations of a session's logs: what a file held before it was rewritten, as far as the archive kept it. Nothing
// is read but, of a live file, a few bytes that tell whether it still begins with what was kept.

import { resolve } from 'node:path'
import type { Catalog, Generation } from '../archive/format/catalog.ts'
import { archivedGeneration } from '../archive/read/source.ts'
import type { Archive } from '../archive/store/archive.ts'
import { canonicalPlace, placeOf } from '../archive/store/place.ts'
import { ReadError } from '../disk/read/read.ts'
import type { ByteSource, LogFile } from '../model/source.ts'
import type { EarlierLog } from './piece.ts'

/** So much of the end of what was kept is compared. */
const comparedBytes = 4096

/** Gives the earlier generations of any log, the latest first. */
export function earlierLogs(archive: Archive, source: ByteSource): (log: LogFile) => EarlierLog[] {
  const byPlace = placesOf(archive.manifest.catalog)
  return log => {
    const generations = byPlace.get(resolve(log.path)) ?? byPlace.get(canonicalPlace(log.path))
    if (generations === undefined) return []
    const now = generations.find(one => isNow(one, log, source))
    return generations.filter(one => one !== now).map(one => ({ log: logOf(one, log), generation: one.number }))
  }
}

function placesOf(catalog: Catalog): Map<string, Generation[]> {
  const places = new Map<string, Generation[]>()
  for (const generations of catalog.files()) {
    const first = generations[0]
    if (first !== undefined) places.set(placeOf(first), [...generations].reverse())
  }
  return places
}

/** Whether the file holds this generation now, maybe with more behind it. */
function isNow(kept: Generation, log: LogFile, source: ByteSource): boolean {
  if (log.isKept === true) return log.generation === archivedGeneration(kept.id)
  if (kept.size > log.size) return false
  if (kept.size === log.size && Math.abs(kept.modifiedMs - log.modifiedMs) <= 1) return true
  try {
    const from = Math.max(0, kept.size - comparedBytes)
    const then = source.readSync(archivedGeneration(kept.id), from, kept.size)
    const now = source.readSync(log.generation, from, kept.size)
    return Buffer.compare(then, now) === 0
  } catch (error) {
    if (error instanceof ReadError) return false
    throw error
  }
}

function logOf({ id, size, modifiedMs }: Generation, log: LogFile): LogFile {
  const { earlier: _earlier, ...rest } = log
  return { ...rest, generation: archivedGeneration(id), size, modifiedMs, isKept: true }
}
