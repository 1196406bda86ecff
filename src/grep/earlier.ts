// Earlier contents of a session's logs, as far as the archive has them. Which those are is decided in `archive/read/contents.ts`.

import { resolve } from 'node:path'
import type { Catalog, Generation } from '../archive/format/catalog.ts'
import { ArchivedFiles } from '../archive/read/contents.ts'
import { archivedGeneration } from '../archive/read/source.ts'
import type { Archive } from '../archive/store/archive.ts'
import { canonicalPlace, placeOf } from '../files/place.ts'
import type { ByteSource, LogFile } from '../model/source.ts'
import type { EarlierLog } from './search-session.ts'

export interface LogContents {
  /** Of what the log contains now; the first content that it had is 1. */
  number: number
  /** The latest first. */
  earlier: EarlierLog[]
}

/** The contents of a log. */
export function logContents(archive: Archive, source: ByteSource): (log: LogFile) => LogContents {
  const { catalog } = archive.manifest
  const byPlace = placesOf(catalog)
  const files = new ArchivedFiles(archive, source)
  return log => {
    const generations = byPlace.get(resolve(log.path)) ?? byPlace.get(canonicalPlace(log.path))
    if (generations === undefined) return { number: 1, earlier: [] }
    const { number, earlier } = files.contentsOf(log, generations)
    const whole = earlier.filter(({ id }) => !catalog.broken.has(id))
    return { number, earlier: whole.reverse().map(one => ({ log: logOf(one, log), generation: one.number })) }
  }
}

function placesOf(catalog: Catalog): Map<string, readonly Generation[]> {
  const places = new Map<string, readonly Generation[]>()
  for (const generations of catalog.files()) {
    const first = generations[0]
    if (first !== undefined) places.set(placeOf(first), generations)
  }
  return places
}

function logOf({ id, size, modifiedMs }: Generation, log: LogFile): LogFile {
  const { earlier: _earlier, ...rest } = log
  return { ...rest, generation: archivedGeneration(id), size, modifiedMs, isArchiveOnly: true }
}
