// Answers byte ranges of generations: of live files from disk, of archived ones from their frames, unpacking only those that
// the range touches. A live file that is gone is answered from what is archived of it.

import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import { errorCode } from '../../base/error-code.ts'
import { diskSource, pathOfGeneration, ReadError } from '../../disk/read/read.ts'
import { canonicalPlace, placeOf } from '../../files/place.ts'
import type { ByteSource, GenerationId, RangeReader } from '../../model/source.ts'
import { readSeen, type Seen, seenKey, stateText } from '../capture/seen.ts'
import { stateOf } from '../capture/survey.ts'
import type { Catalog, FramePlace, Generation } from '../format/catalog.ts'
import { readFrameSync } from '../format/pack.ts'
import type { Archive } from '../store/archive.ts'

const prefix = 'kept:'

export function archivedGeneration(id: string): GenerationId {
  return `${prefix}${id}` as GenerationId
}

/** The archive's id of a generation; null where it is not an archived one. */
export function archivedId(generation: GenerationId): string | null {
  return generation.startsWith(prefix) ? generation.slice(prefix.length) : null
}

/** Frames that were unpacked last: ranges that follow each other mostly are in the same one. */
const framesHeld = 4

/** Bytes of everything that is on disk or archived. */
export function archiveSource(archive: Archive): ByteSource {
  return new ArchiveSource(archive)
}

class ArchiveSource implements ByteSource {
  private readonly archive: Archive
  private readonly disk = diskSource()
  private readonly held = new Map<string, Buffer>()
  private seen: Seen | null | undefined

  constructor(archive: Archive) {
    this.archive = archive
  }

  async *read(generation: GenerationId, from: number, to: number): AsyncGenerator<Uint8Array> {
    const id = archivedId(generation)
    if (id !== null) return yield* this.readEither(this.find(id), from, to)
    try {
      yield* this.disk.read(generation, from, to)
    } catch (error) {
      const fallback = this.fallbackFor(generation, from, error)
      if (fallback === null) throw error
      yield* this.readArchived(fallback, from, to)
    }
  }

  readSync(generation: GenerationId, from: number, to: number): Uint8Array {
    const id = archivedId(generation)
    if (id !== null) return this.readEitherSync(this.find(id), from, to)
    try {
      return this.disk.readSync(generation, from, to)
    } catch (error) {
      const fallback = this.fallbackFor(generation, from, error)
      if (fallback === null) throw error
      return this.readArchivedSync(fallback, from, to)
    }
  }

  /** From the live file while it is what was archived, which is checked again after each read; the rest from frames. */
  private async *readEither(archived: Generation, from: number, to: number): AsyncGenerator<Uint8Array> {
    const end = Math.min(to, archived.size)
    let at = from
    const live = this.liveOf(archived)
    if (live !== null) {
      try {
        for await (const chunk of this.disk.read(live, from, end)) {
          if (this.liveOf(archived) === null) break
          yield chunk
          at += chunk.length
        }
      } catch (error) {
        if (!(error instanceof ReadError)) throw error
      }
    }
    if (at < end) yield* this.readArchived(archived, at, end)
  }

  private readEitherSync(archived: Generation, from: number, to: number): Uint8Array {
    const live = this.liveOf(archived)
    if (live !== null) {
      try {
        const bytes = this.disk.readSync(live, from, Math.min(to, archived.size))
        if (this.liveOf(archived) !== null) return bytes
      } catch (error) {
        if (!(error instanceof ReadError)) throw error
      }
    }
    return this.readArchivedSync(archived, from, to)
  }

  /** A live file is held open; of an archived one, the frames are. */
  openSync(generation: GenerationId): RangeReader {
    try {
      if (archivedId(generation) === null && this.disk.openSync !== undefined) return this.disk.openSync(generation)
    } catch (error) {
      if (this.fallbackFor(generation, 0, error) === null) throw error
    }
    return {
      read: (into, from) => {
        const bytes = this.readSync(generation, from, from + into.length)
        into.set(bytes)
        return bytes.length
      },
      close() {},
    }
  }

  private find(id: string): Generation {
    const found = this.archive.manifest.catalog.generations.get(id)
    if (found === undefined) throw new ReadError(`${prefix}${id}`, 0, 'ENOENT')
    return found
  }

  /** The live file in place of an archived one, while `stat` shows that nothing was done to it since it was archived. */
  private liveOf(archived: Generation): GenerationId | null {
    if (this.seen === undefined) this.seen = readSeen(this.archive.layout)
    const sight = this.seen?.files.get(seenKey(archived.home, archived.path))
    if (sight === undefined || sight.generation !== archived.id) return null
    const place = placeOf(archived)
    try {
      const facts = lstatSync(place)
      if (!facts.isFile() || stateText(stateOf(facts)) !== sight.state) return null
      return `disk:${facts.dev}-${facts.ino}-${Math.trunc(facts.birthtimeMs)}:${place}` as GenerationId
    } catch {
      return null
    }
  }

  /** A live file that was deleted after it was found, where it was archived. */
  private fallbackFor(generation: GenerationId, from: number, error: unknown): Generation | null {
    const path = pathOfGeneration(generation)
    if (path === null || !(error instanceof ReadError) || error.code !== 'ENOENT' || error.offset !== from) return null
    if (!this.archive.exists) return null
    const place = canonicalPlace(path)
    for (const home of this.archive.manifest.catalog.homes()) {
      const rest = place.startsWith(join(home, '/')) ? place.slice(join(home, '/').length) : null
      const found =
        rest === null ? undefined : this.archive.manifest.catalog.current(home, rest.split(/[\\/]/).join('/'))
      if (found !== undefined) return found
    }
    return null
  }

  /** The offset of an error is that of the first byte that could not be read. */
  private *readArchived(archived: Generation, from: number, to: number): Generator<Buffer> {
    let at = from
    try {
      for (const part of archivedParts(this.archive, archived, from, to, this.frame)) {
        at += part.length
        yield part
      }
    } catch (error) {
      throw error instanceof ReadError ? error : new ReadError(placeOf(archived), at, errorCode(error), error)
    }
  }

  private readArchivedSync(archived: Generation, from: number, to: number): Uint8Array {
    const parts = [...this.readArchived(archived, from, to)]
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
  }

  private readonly frame: FrameReader = (id, place) => {
    const frame = this.held.get(id) ?? readFrameSync(this.archive.layout, id, place)
    this.held.delete(id)
    this.held.set(id, frame)
    if (this.held.size > framesHeld) this.held.delete(this.held.keys().next().value ?? '')
    return frame
  }
}

type FrameReader = (id: string, place: FramePlace) => Buffer

/** Bytes up to the size that the generation has here, though it may grow or be packed again meanwhile. */
function* archivedParts(
  archive: Archive,
  generation: Generation,
  from: number,
  to: number,
  frame: FrameReader,
): Generator<Buffer> {
  const end = Math.min(to, generation.size)
  let current = generation
  let at = from
  for (let tries = 3; at < end; ) {
    try {
      for (const { id, place, skip } of piecesFrom(archive.manifest.catalog, current, at)) {
        const part = frame(id, place).subarray(skip, skip + end - at)
        at += part.length
        yield part
        if (at === end) return
      }
      throw new ReadError(placeOf(generation), at, 'lost-frame')
    } catch (error) {
      tries--
      const code = errorCode(error)
      if (tries === 0 || (code !== 'missing-pack' && code !== 'lost-frame')) throw error
      // Another process wrote: the manifest says where the bytes are now.
      archive.reload()
      current = archive.manifest.catalog.generations.get(generation.id) ?? current
    }
  }
}

/** All bytes from frames alone, with a pause after each so that signals and timers get their turn. @internal */
export async function* archivedBytes(archive: Archive, generation: Generation): AsyncGenerator<Buffer> {
  const frame: FrameReader = (id, place) => readFrameSync(archive.layout, id, place)
  for (const part of archivedParts(archive, generation, 0, generation.size, frame)) {
    yield part
    await pause()
  }
}

/** Bytes of archived generations from frames alone, whatever is on disk. */
export function framesSource(archive: Archive): ByteSource {
  const frame: FrameReader = (id, place) => readFrameSync(archive.layout, id, place)
  const parts = (generation: GenerationId, from: number, to: number) => {
    const found = archive.manifest.catalog.generations.get(archivedId(generation) ?? '')
    if (found === undefined) throw new ReadError(generation, from, 'ENOENT')
    return archivedParts(archive, found, from, to, frame)
  }
  return {
    async *read(generation, from, to) {
      yield* parts(generation, from, to)
    },
    readSync: (generation, from, to) => Buffer.concat([...parts(generation, from, to)]),
  }
}

interface FramePiece {
  id: string
  place: FramePlace
  /** Bytes of the frame that are before the byte that is requested. */
  skip: number
}

function* piecesFrom(catalog: Catalog, generation: Generation, from: number): Generator<FramePiece> {
  let at = 0
  for (const id of generation.frames) {
    const place = catalog.frames.get(id)
    if (place === undefined) throw new ReadError(placeOf(generation), Math.max(at, from), 'lost-frame')
    if (at + place.bytes > from) yield { id, place, skip: Math.max(0, from - at) }
    at += place.bytes
  }
}
