// The SHA-256 of a whole file, read in pieces. It knows nothing of what the file is.

import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { setImmediate as pause } from 'node:timers/promises'

const chunkBytes = 1024 * 1024

/** Hash and size; `progress` is told how many bytes more were read. Throws what the file system throws. */
export async function hashFile(
  path: string,
  progress: (bytes: number) => void = () => {},
): Promise<{ sha256: string; size: number }> {
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(chunkBytes)
  const file = openSync(path, 'r')
  try {
    let size = 0
    for (;;) {
      const length = readSync(file, buffer, 0, chunkBytes, size)
      if (length === 0) return { sha256: hash.digest('hex'), size }
      hash.update(buffer.subarray(0, length))
      size += length
      progress(length)
      // Signals and timers get their turn.
      if (length === chunkBytes) await pause()
    }
  } finally {
    closeSync(file)
  }
}
