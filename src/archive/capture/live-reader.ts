// Reads one live file from start to end while the client may be writing to it. It follows no link, waits for no writer, and
// does not judge what it gives.

import { closeSync, constants, fstatSync, openSync, read, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { type LogEnds, windowBytes } from '../../disk/read/peek.ts'
import { type FileState, stateText } from './seen.ts'
import { stateOf } from './survey.ts'

// Absent on Windows, whatever the types say.
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

const chunkBytes = 1024 * 1024

/** So much comes from the system's cache faster than another thread can be asked for it. */
const shortBytes = 256 * 1024

/** Null where no regular file lies there, or none that may be read. */
export function openLive(place: string): number | null {
  let file: number
  try {
    file = openSync(place, flags)
  } catch {
    return null
  }
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  return null
}

export class LiveReader {
  /** How the file looked when it was opened. */
  readonly state: FileState
  readonly mode: number
  private readonly file: number
  private readonly isSummed: boolean
  /** Of the last walk through the chunks: how far it came, the checksum of what it gave, and how the file looked then. */
  private given = 0
  private sum = 0
  private stateAfter = ''
  private readonly ends: PassingEnds

  /**
   * Throws what the file system throws; `code` is `not-a-regular-file` where something else lies there. Without sums, every
   * change meanwhile counts as one that may have mixed two contents: for a first attempt, since few files change just then.
   */
  constructor(place: string, isSummed = true) {
    this.isSummed = isSummed
    this.file = openSync(place, flags)
    const facts = fstatSync(this.file)
    if (!facts.isFile()) {
      closeSync(this.file)
      throw Object.assign(new Error(`${place} is no regular file`), { code: 'not-a-regular-file' })
    }
    this.state = stateOf(facts)
    this.mode = facts.mode & 0o7777
    this.ends = new PassingEnds(this.state.size)
  }

  /** The bytes up to where the file ended when it was opened, or up to its end if that came nearer. */
  async *chunks(): AsyncGenerator<Buffer> {
    this.given = 0
    this.sum = 0
    for await (const chunk of this.upTo(this.state.size)) {
      this.ends.see(chunk, this.given)
      this.given += chunk.length
      if (this.isSummed) this.sum = crc32(chunk, this.sum)
      // What happens to the file from here on does not concern what was read.
      if (this.given === this.state.size) this.stateAfter = this.stateNow()
      yield chunk
    }
  }

  /** Whether what the chunks gave may be of two contents: the file was changed meanwhile, and not only at its end. */
  async isMixed(): Promise<boolean> {
    if (this.given === this.state.size && this.stateAfter === stateText(this.state)) return false
    if (!this.isSummed) return true
    let sum = 0
    let length = 0
    for await (const chunk of this.upTo(this.given)) {
      sum = crc32(chunk, sum)
      length += chunk.length
    }
    return length !== this.given || sum !== this.sum
  }

  /** The ends of what the chunks gave, good until the next file is read; null where they gave nothing, or not all. */
  givenEnds(): LogEnds | null {
    return this.given === this.state.size && this.given > 0 ? this.ends : null
  }

  close(): void {
    closeSync(this.file)
  }

  private stateNow(): string {
    return stateText(stateOf(fstatSync(this.file)))
  }

  /** The next piece is read while somebody works on the one before. */
  private async *upTo(end: number): AsyncGenerator<Buffer> {
    let next = this.pieceAt(0, end)
    try {
      for (let at = 0; at < end; ) {
        const piece = await next
        if (piece.length === 0) return
        at += piece.length
        next = this.pieceAt(at, end)
        yield piece
      }
    } finally {
      // Whoever stops early closes the file.
      await Promise.allSettled([next])
    }
  }

  /** Empty at the end. */
  private pieceAt(at: number, end: number): Buffer | Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(chunkBytes, end - at)))
    if (buffer.length > shortBytes) return this.readAt(buffer, at)
    return buffer.subarray(0, readSync(this.file, buffer, 0, buffer.length, at))
  }

  private readAt(buffer: Buffer, at: number): Promise<Buffer> {
    const reading = new Promise<Buffer>((done, fail) => {
      read(this.file, buffer, 0, buffer.length, at, (error, length) =>
        error ? fail(error) : done(buffer.subarray(0, length)),
      )
    })
    // It may fail before anybody waits for it; whoever does then is told.
    reading.catch(() => {})
    return reading
  }
}

const headRoom = Buffer.allocUnsafeSlow(windowBytes)
const tailRoom = Buffer.allocUnsafeSlow(windowBytes)

/** The ends of a file while its bytes pass by. Files are read one at a time: they have the room in common. */
class PassingEnds implements LogEnds {
  private readonly size: number
  /** The file, where it came in one piece. */
  private whole: Buffer | undefined

  constructor(size: number) {
    this.size = size
  }

  see(chunk: Buffer, at: number): void {
    this.whole = chunk.length === this.size ? chunk : undefined
    if (this.whole !== undefined) return
    if (at < windowBytes) chunk.copy(headRoom, at)
    const tailStart = this.size - windowBytes
    if (at + chunk.length > tailStart) chunk.copy(tailRoom, Math.max(0, at - tailStart), Math.max(0, tailStart - at))
  }

  head(length: number): Buffer {
    return (this.whole ?? headRoom).subarray(0, Math.min(length, windowBytes, this.size))
  }

  tail(): Buffer | null {
    if (this.size <= windowBytes) return null
    return this.whole?.subarray(this.size - windowBytes) ?? tailRoom
  }
}
