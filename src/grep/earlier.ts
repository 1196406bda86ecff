// Earlier generations of a session's logs: what a file contained before it was rewritten, as far as the archive has it. Of a
// live file only a few bytes are read, which show whether it still begins with the archived bytes.

import { resolve } from 'node:path'
import type { Catalog, Generation } from '../archive/format/catalog.ts'
import { archivedGeneration } from '../archive/read/source.ts'
import type { Archive } from '../archive/store/archive.ts'
import { ReadError } from '../disk/read/read.ts'
import { canonicalPlace, placeOf } from '../files/place.ts'
import type { ByteSource, LogFile } from '../model/source.ts'
import type { EarlierLog } from './search-session.ts'

/** How much of the end of the archived bytes is compared. */
const comparedBytes = 4096

/** The earlier generations of a log, the latest first. */
export function earlierLogs(archive: Archive, source: ByteSource): (log: LogFile) => EarlierLog[] {
  const byPlace = placesOf(archive.manifest.catalog)
  return log => {
    const generations = byPlace.get(resolve(log.path)) ?? byPlace.get(canonicalPlace(log.path))
    if (generations === undefined) return []
    const current = generations.find(one => isCurrent(one, log, source))
    return generations.filter(one => one !== current).map(one => ({ log: logOf(one, log), generation: one.number }))
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

/** Whether this generation is the file's current content, or the beginning of it. */
function isCurrent(archived: Generation, log: LogFile, source: ByteSource): boolean {
  if (log.isArchiveOnly === true) return log.generation === archivedGeneration(archived.id)
  if (archived.size > log.size) return false
  if (archived.size === log.size && Math.abs(archived.modifiedMs - log.modifiedMs) <= 1) return true
  try {
    const from = Math.max(0, archived.size - comparedBytes)
    const before = source.readSync(archivedGeneration(archived.id), from, archived.size)
    const now = source.readSync(log.generation, from, archived.size)
    return Buffer.compare(before, now) === 0
  } catch (error) {
    if (error instanceof ReadError) return false
    throw error
  }
}

function logOf({ id, size, modifiedMs }: Generation, log: LogFile): LogFile {
  const { earlier: _earlier, ...rest } = log
  return { ...rest, generation: archivedGeneration(id), size, modifiedMs, isArchiveOnly: true }
}
