// Reads what was appended to one file since the last time, and notices when what was read before is no longer there. It
// knows nothing of lines, and holds no file open between two reads.

import { resolve } from 'node:path'
import type { GenerationId } from '../../model/source.ts'
import { chunkBytes, diskSource } from '../read/read.ts'

/** What a read found: bytes (none at the end), or that the bytes before are others now. */
export type TailRead = { bytes: Uint8Array; isLast: boolean } | 'rewritten'

// So many of the last bytes are compared: a rewritten log has other ids and times long before they are over.
const guardBytes = 256
// Files grow while they are read.
const spareBytes = 4 * 1024

const source = diskSource()

export class FileTail {
  path: string
  /** First byte that was not read yet. */
  offset: number
  /** The bytes right before it, as they were. */
  private guard: Uint8Array

  /** `before`: what stands right before the offset, as far as it is known. */
  constructor(path: string, offset = 0, before: Uint8Array = new Uint8Array(0)) {
    this.path = path
    this.offset = offset
    this.guard = before.slice(-guardBytes)
  }

  /** At most a megabyte. `size`: how long the file is likely to be. Throws a ReadError where it cannot be read. */
  read(size: number): TailRead {
    const known = this.guard.length
    const wanted = Math.min(chunkBytes, Math.max(0, size - this.offset) + spareBytes)
    const buffer = Buffer.allocUnsafe(known + wanted)
    const reader = source.openSync?.(liveGeneration(this.path))
    let filled: number
    try {
      filled = reader?.read(buffer, this.offset - known) ?? 0
    } finally {
      reader?.close()
    }
    if (filled < known || buffer.compare(this.guard, 0, known, 0, known) !== 0) return 'rewritten'
    const bytes = buffer.subarray(known, filled)
    this.offset += bytes.length
    if (bytes.length > 0) this.guard = Uint8Array.from(buffer.subarray(Math.max(0, filled - guardBytes), filled))
    return { bytes, isLast: filled < buffer.length }
  }
}

/** A short range of what lies at a path now. Throws a ReadError where it cannot be read. */
export function readLive(path: string, from: number, to: number): Uint8Array {
  return source.readSync(liveGeneration(path), from, to)
}

/** Which life of the file it is does not matter here: whoever reads on compares the bytes. */
function liveGeneration(path: string): GenerationId {
  return `disk:live:${resolve(path)}` as GenerationId
}
