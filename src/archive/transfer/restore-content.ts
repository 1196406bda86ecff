// Compares a file on the disk with what is kept, by the hashes of its frames: no frame is unpacked for it. It follows no
// link, waits for no writer, and writes nothing.

import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import type { Catalog, Generation } from '../format/catalog.ts'

// Absent on Windows, whatever the types say.
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

const chunkBytes = 1024 * 1024

/** Whether the manifest tells all of a generation. */
export function isWhole(generation: Generation, catalog: Catalog): boolean {
  if (catalog.broken.has(generation.id)) return false
  const bytes = generation.frames.reduce((sum, id) => sum + (catalog.frames.get(id)?.bytes ?? Number.NaN), 0)
  return bytes === generation.size
}

/** Whether the file at a place has exactly the bytes of a generation. Throws where the file cannot be read. */
export function hasContent(place: string, generation: Generation, catalog: Catalog): boolean {
  if (!isWhole(generation, catalog)) return false
  const file = openSync(place, flags)
  try {
    const facts = fstatSync(file)
    if (!facts.isFile() || facts.size !== generation.size) return false
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, generation.size + 1))
    let at = 0
    for (const id of generation.frames) {
      const end = at + (catalog.frames.get(id)?.bytes ?? 0)
      const hash = createHash('sha256')
      while (at < end) {
        const length = readSync(file, buffer, 0, Math.min(buffer.length, end - at), at)
        if (length === 0) return false
        hash.update(buffer.subarray(0, length))
        at += length
      }
      if (hash.digest('hex') !== id) return false
    }
    // One that grows is another file.
    return readSync(file, buffer, 0, 1, at) === 0
  } finally {
    closeSync(file)
  }
}
