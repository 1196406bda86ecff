// Decides where frames end. Borders follow from the content alone, not from how it was written or read, so that forks,
// copies and rewritten files share the frames they have in common. Nothing is stored here.

import { crc32 } from 'node:zlib'
import { largestFrame } from './layout.ts'

/** No border before this much: shorter frames compress worse. */
const shortestFrame = 128 * 1024

// One line in so many ends a frame.
const linesPerBorder = 64

const newline = 0x0a

/**
 * Cuts the bytes of one file, from its start or from a border on. Frames are views of what is pushed where they lie in one
 * piece of it: what is pushed must stay as it is as long as somebody has them. With rooms, frames that come in several pieces
 * are good until bytes are pushed again.
 */
export class FrameCutter {
  /** What was pushed and belongs to no frame yet. */
  private held: Uint8Array[] = []
  /** The room that it lies in, and the other one: a frame may be in that. */
  private rooms: readonly [Buffer, Buffer] | undefined
  private length = 0
  /** Checksum of the line that is not yet ended, as far as it is held. */
  private lineSum = 0

  /** `rooms`: each for the largest frame. */
  constructor(rooms?: readonly [Buffer, Buffer]) {
    this.rooms = rooms
  }

  /** Bytes that wait for a border. */
  get waiting(): number {
    return this.length
  }

  /** The frames that these bytes complete. */
  push(bytes: Buffer): Buffer[] {
    const frames: Buffer[] = []
    let start = 0
    let lineStart = 0
    for (;;) {
      const limit = start + largestFrame - this.length
      const lineEnd = bytes.indexOf(newline, lineStart) + 1
      const isLine = lineEnd > 0 && lineEnd <= limit
      if (!isLine && bytes.length < limit) break
      const end = isLine ? lineEnd : limit
      if (!isLine || this.isBorder(bytes, lineStart, end, end - start)) {
        frames.push(this.take(bytes.subarray(start, end)))
        start = end
      }
      lineStart = end
      this.lineSum = 0
    }
    if (start < bytes.length) this.hold(bytes.subarray(start), bytes.subarray(lineStart))
    return frames
  }

  /** What is left: it ends where the file does, not at a border. Empty where a border was the end. */
  end(): Buffer {
    return this.take(Buffer.alloc(0))
  }

  /** Whether a frame ends with the line that ends here; so many bytes of it are not held. */
  private isBorder(bytes: Buffer, lineStart: number, lineEnd: number, fresh: number): boolean {
    if (this.length + fresh < shortestFrame) return false
    return crc32(bytes.subarray(lineStart, lineEnd), this.lineSum) % linesPerBorder === 0
  }

  /** A copy: whoever gave it may use it again. */
  private hold(bytes: Buffer, line: Buffer): void {
    if (this.rooms === undefined) this.held.push(Buffer.from(bytes))
    else bytes.copy(this.rooms[0], this.length)
    this.length += bytes.length
    this.lineSum = crc32(line, this.lineSum)
  }

  private take(rest: Buffer): Buffer {
    const frame = this.length === 0 ? rest : this.joined(rest)
    this.length = 0
    this.lineSum = 0
    return frame
  }

  private joined(rest: Buffer): Buffer {
    const length = this.length + rest.length
    if (this.rooms === undefined) {
      const parts = [...this.held, rest]
      this.held = []
      return Buffer.concat(parts, length)
    }
    const [room, other] = this.rooms
    this.rooms = [other, room]
    rest.copy(room, this.length)
    return room.subarray(0, length)
  }
}
