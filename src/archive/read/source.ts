// Answers byte ranges of generations: of live files from disk, of archived ones from their frames, unpacking only those that
// the range touches. A live file that is gone is answered from what is archived of it.

import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { diskSource, errorCode, pathOfGeneration, ReadError } from '../../disk/read/read.ts'
import type { ByteSource, GenerationId, RangeReader } from '../../model/source.ts'
import { readSeen, type Seen, seenKey, stateText } from '../capture/seen.ts'
import { stateOf } from '../capture/survey.ts'
import type { Catalog, FramePlace, Generation } from '../format/catalog.ts'
import { readFrame, readFrameSync } from '../format/pack.ts'
import type { Archive } from '../store/archive.ts'
import { canonicalPlace, placeOf } from '../store/place.ts'

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

  private async *readArchived(archived: Generation, from: number, to: number): AsyncGenerator<Uint8Array> {
    for (const piece of this.pieces(archived, from, to)) {
      const frame = await this.frame(archived, piece, id =>
        readFrame(this.archive.layout, id, this.placeOfFrame(archived, id)),
      )
      yield frame.subarray(piece.from, piece.to)
    }
  }

  private readArchivedSync(archived: Generation, from: number, to: number): Uint8Array {
    const parts: Buffer[] = []
    for (const piece of this.pieces(archived, from, to)) {
      const held = this.held.get(piece.id)
      const frame =
        held ??
        this.tryFrame(archived, piece, id => readFrameSync(this.archive.layout, id, this.placeOfFrame(archived, id)))
      this.hold(piece.id, frame)
      parts.push(frame.subarray(piece.from, piece.to))
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
  }

  /** The frames that a range touches, and which part of each. */
  private *pieces(archived: Generation, from: number, to: number): Generator<Piece> {
    const { frames } = this.archive.manifest.catalog
    let at = 0
    for (const id of archived.frames) {
      if (at >= to) return
      const length = frames.get(id)?.bytes
      if (length === undefined) throw lost(archived, Math.max(from, at))
      if (at + length > from) yield { id, at, from: Math.max(0, from - at), to: Math.min(length, to - at) }
      at += length
    }
  }

  private placeOfFrame(archived: Generation, id: string) {
    const place = this.archive.manifest.catalog.frames.get(id)
    if (place === undefined) throw lost(archived, 0)
    return place
  }

  private async frame(archived: Generation, piece: Piece, load: (id: string) => Promise<Buffer>): Promise<Buffer> {
    const held = this.held.get(piece.id)
    if (held !== undefined) return held
    for (let tries = 2; ; tries--) {
      try {
        const frame = await load(piece.id)
        this.hold(piece.id, frame)
        return frame
      } catch (error) {
        if (tries === 1 || errorCode(error) !== 'missing-pack') throw unreadable(archived, piece, error)
        // Packs were joined meanwhile: the manifest says where the frame is now.
        this.archive.reload()
      }
    }
  }

  private tryFrame(archived: Generation, piece: Piece, load: (id: string) => Buffer): Buffer {
    for (let tries = 2; ; tries--) {
      try {
        return load(piece.id)
      } catch (error) {
        if (tries === 1 || errorCode(error) !== 'missing-pack') throw unreadable(archived, piece, error)
        this.archive.reload()
      }
    }
  }

  private hold(id: string, frame: Buffer): void {
    this.held.delete(id)
    this.held.set(id, frame)
    if (this.held.size > framesHeld) this.held.delete(this.held.keys().next().value ?? '')
  }
}

interface Piece {
  id: string
  /** Where the frame begins in the file. */
  at: number
  /** The part of the frame. */
  from: number
  to: number
}

function lost(archived: Generation, offset: number): ReadError {
  return new ReadError(placeOf(archived), offset, 'lost-frame')
}

function unreadable(archived: Generation, piece: Piece, error: unknown): ReadError {
  if (error instanceof ReadError) return error
  return new ReadError(placeOf(archived), piece.at + piece.from, errorCode(error), error)
}

/** All bytes up to the size that the generation has here, though it may grow or be packed again meanwhile. */
export async function* archivedBytes(archive: Archive, generation: Generation): AsyncGenerator<Buffer> {
  const { size } = generation
  let current = generation
  let at = 0
  for (let tries = 3; at < size; ) {
    try {
      for (const { id, place, skip } of piecesFrom(archive.manifest.catalog, current, at)) {
        const frame = await readFrame(archive.layout, id, place)
        const part = frame.subarray(skip, skip + size - at)
        at += part.length
        yield part
        if (at === size) return
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
