// Which of the contents that the archive has of a file is in the file now, and which were in it before. Grep, usage and the
// index ask here, so that none of them shows what another takes for gone. It reads no lines.

import { statSync } from 'node:fs'
import { attempt } from '../../base/attempt.ts'
import { ReadError } from '../../disk/read/read.ts'
import { placeOf } from '../../files/place.ts'
import type { ByteSource, LogFile } from '../../model/source.ts'
import { readSeen, type Seen, seenKey, stateText } from '../capture/seen.ts'
import { stateOf } from '../capture/survey.ts'
import type { Catalog, Generation } from '../format/catalog.ts'
import { hashOf } from '../format/lines.ts'
import type { Archive } from '../store/archive.ts'
import { archivedId } from './source.ts'

type File = Pick<LogFile, 'generation' | 'size' | 'isArchiveOnly'>

export interface Contents {
  /** The first content that the file had is 1. */
  number: number
  /** What the archive has of other contents, the first one first. */
  earlier: readonly Generation[]
}

/** Whether a file begins with exactly the bytes of a generation. */
export function beginsWith(file: File, { size, frames }: Generation, { frames: places }: Catalog, source: ByteSource) {
  if (size > file.size) return false
  let at = 0
  for (const frame of frames) {
    const bytes = places.get(frame)?.bytes
    if (bytes === undefined || hashAt(file, at, at + bytes, source) !== frame) return false
    at += bytes
  }
  return at === size
}

function hashAt(file: File, from: number, to: number, source: ByteSource): string | null {
  try {
    return hashOf(source.readSync(file.generation, from, to))
  } catch (error) {
    // Whoever reads the file itself reports that.
    if (error instanceof ReadError) return null
    throw error
  }
}

/** Of a file and the generations of its place: `last` is the one that it was in when it was archived last. */
export function contentsOf(
  generations: readonly Generation[],
  last: Generation | undefined,
  isIn: (generation: Generation) => boolean,
): Contents {
  const current = last !== undefined && isIn(last) ? last : undefined
  const highest = generations.reduce((most, { number }) => Math.max(most, number), 0)
  return { number: current?.number ?? highest + 1, earlier: generations.filter(one => one !== current) }
}

/** Answers for files that are on disk or in the archive only. */
export class ArchivedFiles {
  private readonly catalog: Catalog
  private readonly source: ByteSource
  private readonly seen: Seen | null

  constructor(archive: Archive, source: ByteSource) {
    this.catalog = archive.manifest.catalog
    this.source = source
    this.seen = readSeen(archive.layout)
  }

  contentsOf(file: File, generations: readonly Generation[]): Contents {
    const id = file.isArchiveOnly === true ? archivedId(file.generation) : null
    if (id !== null) return contentsOf(generations, this.catalog.generations.get(id), () => true)
    const [first] = generations
    const last = first === undefined ? undefined : this.catalog.current(first.home, first.path)
    return contentsOf(
      generations,
      last,
      one => this.isAsArchived(one) || beginsWith(file, one, this.catalog, this.source),
    )
  }

  /** The file looks as it did when all of it was archived, so that no byte has to be compared. */
  private isAsArchived(generation: Generation): boolean {
    const sight = this.seen?.files.get(seenKey(generation.home, generation.path))
    if (sight?.generation !== generation.id) return false
    const facts = attempt(() => statSync(placeOf(generation)))
    return facts !== undefined && stateText(stateOf(facts)) === sight.state
  }
}
