// Decides where frames end. Borders follow from the content alone, not from how it was written or read, so that forks,
// copies and rewritten files share the frames they have in common. Nothing is stored here.

import { crc32 } from 'node:zlib'
import { largestFrame } from './layout.ts'

/** No border before this much: shorter frames compress worse. */
const shortestFrame = 128 * 1024

// One line in this many ends a frame.
const linesPerBorder = 64

const newline = 0x0a

/**
 * Cuts the bytes of one file, from its start or from a border on. A frame within one pushed chunk is a view of it: chunks
 * must not change while frames are in use.
 */
export class FrameCutter {
  /** Pushed bytes that belong to no frame yet. */
  private held: Uint8Array[] = []
  private length = 0
  /** Checksum of the line that is not yet ended, as far as it is held. */
  private lineSum = 0

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

  /** Whether a frame ends with the line that ends here; this many bytes of it are not in memory. */
  private isBorder(bytes: Buffer, lineStart: number, lineEnd: number, fresh: number): boolean {
    if (this.length + fresh < shortestFrame) return false
    return crc32(bytes.subarray(lineStart, lineEnd), this.lineSum) % linesPerBorder === 0
  }

  private hold(bytes: Buffer, line: Buffer): void {
    this.held.push(bytes)
    this.length += bytes.length
    this.lineSum = crc32(line, this.lineSum)
  }

  private take(rest: Buffer): Buffer {
    const frame = this.length === 0 ? rest : Buffer.concat([...this.held, rest])
    this.held = []
    this.length = 0
    this.lineSum = 0
    return frame
  }
}
