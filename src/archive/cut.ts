// Decides where frames end. Borders follow from the content alone, not from how it was written or read, so that forks,
// copies and rewritten files share the frames they have in common. Nothing is stored here.

import { crc32 } from 'node:zlib'
import { largestFrame } from './layout.ts'

/** No border before this much: shorter frames compress worse. */
const shortestFrame = 128 * 1024

// One line in so many ends a frame.
const linesPerBorder = 64

const newline = 0x0a

/** Cuts the bytes of one file, from its start or from a border on. Frames it gives are the caller's to keep. */
export class FrameCutter {
  private readonly held = Buffer.allocUnsafe(largestFrame)
  private filled = 0
  /** Where the line that is not yet ended begins. */
  private lineStart = 0

  /** Bytes that wait for a border. */
  get waiting(): number {
    return this.filled
  }

  /** The frames that these bytes complete. */
  push(bytes: Uint8Array): Buffer[] {
    const frames: Buffer[] = []
    for (let at = 0; at < bytes.length; ) {
      const room = Math.min(bytes.length - at, largestFrame - this.filled)
      const seenTo = this.filled
      this.held.set(bytes.subarray(at, at + room), this.filled)
      this.filled += room
      at += room
      this.takeFrames(seenTo, frames)
    }
    return frames
  }

  /** What is left: it ends where the file does, not at a border. Empty where a border was the end. */
  end(): Buffer {
    return this.take(this.filled)
  }

  private takeFrames(seenTo: number, frames: Buffer[]): void {
    let from = seenTo
    for (;;) {
      const end = this.held.subarray(0, this.filled).indexOf(newline, from) + 1
      if (end === 0) break
      const isBorder = end >= shortestFrame && crc32(this.held.subarray(this.lineStart, end)) % linesPerBorder === 0
      if (isBorder) {
        frames.push(this.take(end))
        from = 0
      } else {
        this.lineStart = end
        from = end
      }
    }
    if (this.filled === largestFrame) frames.push(this.take(largestFrame))
  }

  private take(length: number): Buffer {
    const frame = Buffer.from(this.held.subarray(0, length))
    this.held.copyWithin(0, length, this.filled)
    this.filled -= length
    this.lineStart = 0
    return frame
  }
}
