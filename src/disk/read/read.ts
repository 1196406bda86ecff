// Reads bytes of live files and of standard input, in chunks or ranges, and names one generation of a file by what `stat`
// says. It knows nothing of lines.

import { closeSync, constants, fstatSync, openSync, read, readSync } from 'node:fs'
import { isAbsolute, resolve, sep } from 'node:path'
import { errorCode } from '../../base/error-code.ts'
import type { Finding } from '../../model/finding.ts'
import type { ByteSource, GenerationId, LogFile, RangeReader } from '../../model/source.ts'

/** The part of a big-integer `Stats` that distinguishes one file from another. */
export interface FileStat {
  dev: bigint
  ino: bigint
  birthtimeMs: bigint
}

/**
 * The generation that is at a path now: device, inode, birth, path. A replaced file gets another one; a file that was
 * shortened or rewritten in place keeps its own, so the archive has to compare content.
 * Where the file system knows no birth, the platform gives 0 or the last change, and the name is only good for one run.
 */
export function generationOf(path: string, stat: FileStat): GenerationId {
  const file = [stat.dev, stat.ino, stat.birthtimeMs].join('-')
  // Joined: a template leaves its parts in memory, and every file that is found has one of these.
  return ['disk', file, wholePath(path)].join(':') as GenerationId
}

/** The folder that was asked for last, and what `resolve` made of it: files come by folder, and are many. */
let folder = ''
let place = ''

/** What `resolve` gives. */
function wholePath(path: string): string {
  const end = path.lastIndexOf(sep) + 1
  const name = path.slice(end)
  if (name === '' || name === '.' || name === '..' || name.includes('/')) return resolve(path)
  const own = path.slice(0, end)
  if (own !== folder) {
    // Another working folder would make another path of one that is not whole.
    if (!isAbsolute(own)) return resolve(path)
    folder = own
    place = resolve(own, 'x').slice(0, -1)
  }
  return place + name
}

/** Where to read the generation; null where it does not come from disk. */
export function pathOfGeneration(generation: GenerationId): string | null {
  return /^disk:[^:]*:(.*)$/s.exec(generation)?.[1] ?? null
}

/** Equal for two names of one file (links); null where the file system gives no usable inode. */
export function sameFileKey(generation: GenerationId): string | null {
  const key = /^disk:(\d+-(\d+))-/.exec(generation)
  return key === null || key[2] === '0' ? null : (key[1] ?? null)
}

/** Size of a chunk; the last one of a range is smaller. */
export const chunkBytes = 1024 * 1024

// How much is asked for where the file should have ended, to see whether it grew.
const probeBytes = 16 * 1024

/** So much comes from the system's cache faster than from another thread. */
const shortBytes = 256 * 1024

/**
 * Thrown when a file cannot be opened or a read fails, out of the iteration where there is one: chunks that came before are
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

/** A read that failed, as a finding. */
export function readFinding({ path, offset, message }: ReadError): Finding {
  return { code: 'unreadable-file', severity: 'error', file: path, offset, message }
}

/**
 * For opening a file without ever waiting for a writer: a FIFO that took the file's place would block the process.
 * Windows has no such flag and no such file.
 */
const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * A source of what is on disk now. A range ends at `to` or where the file ends when the reading gets there, whichever
 * is first; `Infinity` means to the end, with what was appended meanwhile. Every chunk is a buffer of its own, so it may
 * be stored. The file is closed when the iteration ends, fails or is left, a reader of ranges on `close`.
 */
export function diskSource(): ByteSource {
  return { read: readGeneration, readSync: readRange, openSync: openRanges }
}

/** A reader of short ranges, whether or not the source has one of its own. */
export function rangeReader(source: ByteSource, generation: GenerationId): RangeReader {
  if (source.openSync !== undefined) return source.openSync(generation)
  return {
    read(into, from) {
      const bytes = source.readSync(generation, from, from + into.length)
      into.set(bytes)
      return bytes.length
    },
    close() {},
  }
}

function readRange(generation: GenerationId, from: number, to: number): Uint8Array {
  const path = livePath(generation, from)
  const file = openRegular(path, from)
  try {
    const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(to, file.size) - from))
    return buffer.subarray(0, fill(file.descriptor, path, buffer, from))
  } finally {
    closeSync(file.descriptor)
  }
}

function openRanges(generation: GenerationId): RangeReader {
  return openLive(livePath(generation, 0))
}

/** All of a regular file of ours. Anything else in its place is an error: reading a FIFO would wait for a writer. */
export function readText(path: string): string {
  const { descriptor, size } = openRegular(path, 0)
  try {
    const buffer = Buffer.allocUnsafe(size)
    return buffer.toString('utf8', 0, fill(descriptor, path, buffer, 0))
  } finally {
    closeSync(descriptor)
  }
}

/** A reader of what is at a path now. */
export function openLive(path: string): RangeReader {
  const { descriptor } = openRegular(path, 0)
  return {
    read: (into, from) => fill(descriptor, path, into, from),
    close: () => closeSync(descriptor),
  }
}

/** Reads until the buffer is full or the file ends; returns how much there was. */
function fill(descriptor: number, path: string, into: Uint8Array, from: number): number {
  let filled = 0
  try {
    while (filled < into.length) {
      const bytesRead = readSync(descriptor, into, filled, into.length - filled, from + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return filled
  } catch (error) {
    throw new ReadError(path, from + filled, errorCode(error), error)
  }
}

function livePath(generation: GenerationId, from: number): string {
  const path = pathOfGeneration(generation)
  if (path === null) throw new ReadError(generation, from, 'ENOENT')
  return path
}

async function* readGeneration(generation: GenerationId, from: number, to: number): AsyncGenerator<Uint8Array> {
  const path = livePath(generation, from)
  const file = openRegular(path, from)
  const readAt = (at: number) => readChunk(file, at, to)
  let position = from
  let next: Uint8Array | Promise<Uint8Array> | undefined
  try {
    // The next chunk is on its way while the consumer works on this one.
    next = readAt(position)
    for (;;) {
      const ahead = await next
      // What was read ahead may have met the end before the file grew.
      const chunk = ahead.length > 0 ? ahead : await readAt(position)
      if (chunk.length === 0) return
      const after = position + chunk.length
      next = readAt(after)
      if (next instanceof Promise) next.catch(ignore)
      yield chunk
      position = after
    }
  } catch (error) {
    throw error instanceof ReadError ? error : new ReadError(path, position, errorCode(error), error)
  } finally {
    // The descriptor may be given to another file as soon as it is closed: no read may be under way then.
    if (next instanceof Promise) await next.catch(ignore)
    closeSync(file.descriptor)
  }
}

/** A failed read-ahead is reported when it is its turn, if the consumer gets that far. */
function ignore(): void {}

interface OpenFile {
  descriptor: number
  /** Where it ended when it was opened. */
  size: number
}

/** Opening, asking and closing take microseconds; handing them to another thread takes ten times as long. */
function openRegular(path: string, from: number): OpenFile {
  let descriptor: number
  try {
    descriptor = openSync(path, readFlags)
  } catch (error) {
    throw new ReadError(path, from, errorCode(error), error)
  }
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile()) throw new ReadError(path, from, 'not-a-regular-file')
    return { descriptor, size: stat.size }
  } catch (error) {
    closeSync(descriptor)
    throw error instanceof ReadError ? error : new ReadError(path, from, errorCode(error), error)
  }
}

/** The next chunk, empty at the end of the range or of the file. What is short is read at once. */
function readChunk(file: OpenFile, at: number, to: number): Uint8Array | Promise<Uint8Array> {
  if (at >= to) return new Uint8Array(0)
  const expected = file.size - at
  const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, to - at, expected > 0 ? expected : probeBytes))
  if (buffer.length > shortBytes) return readAsync(file.descriptor, buffer, at)
  return buffer.subarray(0, readSync(file.descriptor, buffer, 0, buffer.length, at))
}

function readAsync(descriptor: number, buffer: Buffer, at: number): Promise<Uint8Array> {
  return new Promise((done, fail) => {
    read(descriptor, buffer, 0, buffer.length, at, (error, bytesRead) => {
      if (error) fail(error)
      else done(bytesRead === buffer.length ? buffer : buffer.subarray(0, bytesRead))
    })
  })
}

/** The generation of what comes from the stream. */
export const streamGeneration = 'stream:-' as GenerationId

/** What represents the stream where a file is asked for. Its size is not known before its end. */
export function streamFile(): LogFile {
  return { path: '-', role: 'session', generation: streamGeneration, size: 0, modifiedMs: 0 }
}

/**
 * A source with one generation. A second pass, one that does not begin at byte 0, or one that cannot wait, fails with a
 * `ReadError`.
 */
export function streamSource(stream: AsyncIterable<Uint8Array | string>): ByteSource {
  let isUsed = false
  return {
    async *read(_generation, from, to) {
      if (isUsed || from !== 0) throw new ReadError('-', from, 'ESPIPE')
      isUsed = true
      yield* firstBytes(stream, to)
    },
    readSync(_generation, from) {
      throw new ReadError('-', from, 'ESPIPE')
    },
  }
}

async function* firstBytes(stream: AsyncIterable<Uint8Array | string>, to: number): AsyncGenerator<Uint8Array> {
  let position = 0
  const chunks = stream[Symbol.asyncIterator]()
  try {
    while (position < to) {
      const next = await chunks.next().catch(error => {
        throw new ReadError('-', position, errorCode(error), error)
      })
      if (next.done === true) return
      const chunk = typeof next.value === 'string' ? Buffer.from(next.value) : next.value
      const part = chunk.length > to - position ? chunk.subarray(0, to - position) : chunk
      position += part.length
      if (part.length > 0) yield part
    }
  } finally {
    await chunks.return?.()
  }
}
