// Frames of a kept generation from the live file, where they mostly still are: that costs less than to unpack them. Bytes are
// known by their hash, or by a file that shows no change since before it was kept.

import { closeSync, fstatSync, readSync } from 'node:fs'
import { openLive } from '../capture/live-reader.ts'
import { stateText } from '../capture/seen.ts'
import { stateOf } from '../capture/survey.ts'
import { largestFrame } from '../format/layout.ts'
import { hashOf } from '../format/lines.ts'

export class LiveFrames {
  private file: number | null
  private readonly state: string | undefined
  private room: Buffer = Buffer.alloc(0)

  /** A file that is not there any more has no frames. `state`: how it looked, where any later change would show. */
  constructor(place: string, state?: string) {
    this.file = openLive(place)
    this.state = state
  }

  /**
   * The bytes from a place on, if they are those of a frame; else null, for this and all later frames. They are good until the
   * next ones are asked for.
   */
  frame(id: string, at: number, length: number): Buffer | null {
    if (this.file === null || length > largestFrame) return null
    if (this.room.length < length) this.room = Buffer.allocUnsafeSlow(length)
    const bytes = this.room.subarray(0, length)
    if (this.fill(bytes, at) && (this.isStill() || hashOf(bytes) === id)) return bytes
    this.close()
    return null
  }

  /** Asked after reading: what was read before is of the same content. */
  private isStill(): boolean {
    return this.state !== undefined && stateText(stateOf(fstatSync(this.file ?? -1))) === this.state
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
