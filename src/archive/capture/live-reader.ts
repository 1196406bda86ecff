// Reads one live file from start to end while Claude Code may be writing to it. It follows no link, waits for no writer, and
// does not interpret the bytes.

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { setImmediate as pause } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { chunkBytes } from '../../disk/read/read.ts'
import { type FileState, stateText } from './seen.ts'
import { stateOf } from './survey.ts'

// Absent on Windows, whatever the types say.
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

export class LiveReader {
  /** The state of the file when it was opened. */
  readonly state: FileState
  readonly mode: number
  private readonly file: number
  private readonly isSummed: boolean
  /** Of the last walk through the chunks: bytes and checksum, and the state of the file after the last byte. */
  private given = 0
  private sum = 0
  private stateAfter: string

  /**
   * Throws what the file system throws; `code` is `not-a-regular-file` where the place has something else. Without sums, every
   * change during the reading counts as one that may have mixed two contents: for a first attempt, since few files change then.
   */
  constructor(place: string, isSummed = true) {
    this.isSummed = isSummed
    this.file = openSync(place, flags)
    const facts = fstatSync(this.file)
    if (!facts.isFile()) {
      closeSync(this.file)
      throw Object.assign(new Error(`${place} is not a regular file`), { code: 'not-a-regular-file' })
    }
    this.state = stateOf(facts)
    this.stateAfter = stateText(this.state)
    this.mode = facts.mode & 0o7777
  }

  /** The bytes up to where the file ended when it was opened, or up to its end if that is nearer now. */
  async *chunks(): AsyncGenerator<Buffer> {
    this.given = 0
    this.sum = 0
    for await (const chunk of this.upTo(this.state.size)) {
      this.given += chunk.length
      if (this.isSummed) this.sum = crc32(chunk, this.sum)
      // What happens to the file from here on does not concern what was read.
      if (this.given === this.state.size) this.stateAfter = stateText(stateOf(fstatSync(this.file)))
      yield chunk
    }
  }

  /** Whether the chunks may be of two contents: the file was changed during the reading, and not only at its end. */
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

  close(): void {
    closeSync(this.file)
  }

  private async *upTo(end: number): AsyncGenerator<Buffer> {
    for (let at = 0; at < end; ) {
      const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, end - at))
      const length = readSync(this.file, buffer, 0, buffer.length, at)
      if (length === 0) return
      at += length
      yield buffer.subarray(0, length)
      // Signals and timers get their turn.
      if (at < end) await pause()
    }
  }
}
