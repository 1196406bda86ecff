// Frames of a kept generation from the live file, where they mostly still are: to prove bytes by their hash costs less than to
// unpack them. What the file has become otherwise is not looked into.

import { closeSync, readSync } from 'node:fs'
import { largestFrame } from './layout.ts'
import { hashOf } from './lines.ts'
import { openLive } from './live-reader.ts'

export class LiveFrames {
  private file: number | null

  /** A file that is not there any more has no frames. */
  constructor(place: string) {
    this.file = openLive(place)
  }

  /** The bytes from a place on, if they are those of a frame; else null, for this and all later frames. */
  frame(id: string, at: number, length: number): Buffer | null {
    if (this.file === null || length > largestFrame) return null
    const bytes = Buffer.allocUnsafe(length)
    if (this.fill(bytes, at) && hashOf(bytes) === id) return bytes
    this.close()
    return null
  }

  private fill(bytes: Buffer, at: number): boolean {
    try {
      for (let filled = 0; filled < bytes.length; ) {
        const length = readSync(this.file ?? -1, bytes, filled, bytes.length - filled, at + filled)
        if (length === 0) return false
        filled += length
      }
      return true
    } catch {
      return false
    }
  }

  close(): void {
    if (this.file !== null) closeSync(this.file)
    this.file = null
  }
}
