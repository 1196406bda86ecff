// Reads bytes of live files in chunks. It knows nothing of lines, and does not check that the file is still the same one.

import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { ByteSource, GenerationId } from '../model/source.ts'
import { pathOfGeneration } from './generation.ts'

/** Size of a chunk; the last one of a range is smaller. */
export const chunkBytes = 1024 * 1024

// How much is asked for where the file should have ended, to see whether it grew.
const probeBytes = 64 * 1024

/**
 * Thrown out of the iteration when a file cannot be opened or a read fails on the way: chunks that came before are
 * good. Callers turn it into a finding.
 */
export class ReadError extends Error {
  override readonly name = 'ReadError'
  /** The system's code (`EACCES`, `EIO`, …), or `not-a-regular-file`. */
  readonly code: string
  readonly path: string
  /** First byte that could not be read. */
  readonly offset: number

  constructor(path: string, offset: number, code: string, cause?: unknown) {
    super(`cannot read ${path} at byte ${offset} (${code})`, { cause })
    this.code = code
    this.path = path
    this.offset = offset
  }
}

/** The system's code of an error, or `unknown`. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : 'unknown'
}

/**
 * For opening a file without ever waiting for a writer: a FIFO that took the file's place would block the process.
 * Windows has no such flag and no such file.
 */
export const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

export function openToRead(path: string): Promise<FileHandle> {
  return open(path, readFlags)
}

/**
 * A source of what lies on disk now. A range ends at `to` or where the file ends when the reading gets there, whichever
 * is first; `Infinity` means to the end, with what was appended meanwhile. Every chunk is a buffer of its own, so it may
 * be kept. The file is closed when the iteration ends, fails or is left.
 */
export function diskSource(): ByteSource {
  return { read: readGeneration }
}

async function* readGeneration(generation: GenerationId, from: number, to: number): AsyncGenerator<Uint8Array> {
  const path = pathOfGeneration(generation)
  if (path === null) throw new ReadError(generation, from, 'ENOENT')
  let handle: FileHandle
  try {
    handle = await openToRead(path)
  } catch (error) {
    throw new ReadError(path, from, errorCode(error), error)
  }
  let position = from
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) throw new ReadError(path, from, 'not-a-regular-file')
    const readAt = (at: number) => readChunk(handle, at, to, stat.size)
    // The next chunk is on its way while the consumer works on this one.
    let next = readAt(position)
    for (;;) {
      const ahead = await next
      // What was read ahead may have met the end before the file grew.
      const chunk = ahead.length > 0 ? ahead : await readAt(position)
      if (chunk.length === 0) return
      const after = position + chunk.length
      next = readAt(after)
      next.catch(ignore)
      yield chunk
      position = after
    }
  } catch (error) {
    throw error instanceof ReadError ? error : new ReadError(path, position, errorCode(error), error)
  } finally {
    await handle.close()
  }
}

/** A failed read-ahead is reported when it is its turn, if the consumer gets that far. */
function ignore(): void {}

/** The next chunk, empty at the end of the range or of the file. `expectedEnd`: where the file ended when it was opened. */
async function readChunk(handle: FileHandle, at: number, to: number, expectedEnd: number): Promise<Uint8Array> {
  if (at >= to) return new Uint8Array(0)
  const expected = expectedEnd - at
  const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, to - at, expected > 0 ? expected : probeBytes))
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, at)
  return bytesRead === buffer.length ? buffer : buffer.subarray(0, bytesRead)
}
