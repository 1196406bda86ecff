// Cuts a stream of byte chunks into lines with their offsets. It does not look into a line, and it has at most one.

import { concatBytes, newline } from '../base/bytes.ts'

/** A longer line is reported by its length only. */
export const largestLine = 64 * 1024 * 1024

export class Line {
  /** First byte, from the start of the file. */
  readonly offset: number
  /** Length with the newline. */
  readonly length: number
  /** 1-based. */
  readonly number: number
  /** False on a last line that may still grow. */
  readonly isEnded: boolean
  /** What has its bytes, from `from` on; absent for a line over `largestLine`. */
  readonly chunk?: Uint8Array
  readonly from?: number

  constructor({ offset, number }: LinePlace, length: number, isEnded: boolean, chunk?: Uint8Array, from = 0) {
    this.offset = offset
    this.length = length
    this.number = number
    this.isEnded = isEnded
    if (chunk === undefined) return
    this.chunk = chunk
    this.from = from
  }

  /** Behind its last byte in `chunk`, without the newline. */
  get to(): number {
    return (this.from ?? 0) + this.length - (this.isEnded ? 1 : 0)
  }

  /** The bytes without the newline; absent for a line over `largestLine`. */
  get bytes(): Uint8Array | undefined {
    const { chunk } = this
    return this.from === 0 && this.to === chunk?.length ? chunk : chunk?.subarray(this.from, this.to)
  }
}

/** Where a reader is that continues later: before the first byte of a line. */
export interface LinePlace {
  offset: number
  number: number
}

export class LineSplitter {
  /** Where the line begins that has not ended yet. */
  private readonly next: LinePlace
  private held: Uint8Array[] = []
  private heldLength = 0
  private isTooLong = false

  constructor({ offset, number }: LinePlace = { offset: 0, number: 1 }) {
    this.next = { offset, number }
  }

  get place(): LinePlace {
    return { ...this.next }
  }

  private hold(part: Uint8Array): void {
    if (part.length === 0) return
    this.heldLength += part.length
    if (this.heldLength > largestLine) {
      this.isTooLong = true
      this.held = []
    }
    // A copy: the caller may reuse the chunk.
    if (!this.isTooLong) this.held.push(new Uint8Array(part))
  }

  /** The lines that end in this chunk. They are views of it: it must not change while they are in use. */
  *push(chunk: Uint8Array): Generator<Line> {
    let from = 0
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      if (this.heldLength > 0 || at - from > largestLine) {
        this.hold(chunk.subarray(from, at))
        yield this.take(true)
      } else yield this.step(new Line(this.next, at - from + 1, true, chunk, from))
      from = at + 1
    }
    if (from < chunk.length) this.hold(chunk.subarray(from))
  }

  /** The last line, when the file does not end with a newline. */
  *end(): Generator<Line> {
    if (this.heldLength > 0) yield this.take(false)
  }

  private take(isEnded: boolean): Line {
    const length = this.heldLength + (isEnded ? 1 : 0)
    const line = new Line(this.next, length, isEnded, this.isTooLong ? undefined : concatBytes(this.held))
    this.held = []
    this.heldLength = 0
    this.isTooLong = false
    return this.step(line)
  }

  private step(line: Line): Line {
    this.next.offset += line.length
    this.next.number++
    return line
  }
}
