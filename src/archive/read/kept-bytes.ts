// The bytes of one kept generation, frame by frame, each proved by its hash. Unlike `source` it never takes them from the
// live file: for whatever must be sure of what the archive itself holds.

import { errorCode, ReadError } from '../../disk/read/read.ts'
import type { Catalog, FramePlace, Generation } from '../format/catalog.ts'
import { readFrame } from '../format/pack.ts'
import type { Archive } from '../store/archive.ts'
import { placeOf } from '../store/place.ts'

/** All bytes up to the size that the generation has here, though it may grow or be packed anew meanwhile. */
export async function* keptBytes(archive: Archive, generation: Generation): AsyncGenerator<Buffer> {
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
      // Another process wrote: the manifest tells where the bytes are now.
      archive.reload()
      current = archive.manifest.catalog.generations.get(generation.id) ?? current
    }
  }
}

interface FramePiece {
  id: string
  place: FramePlace
  /** Bytes of the frame that lie before the byte that is asked for. */
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
