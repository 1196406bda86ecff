// Cuts a stream of byte chunks into lines with their offsets. It does not look into a line, and it holds at most one.

import { concatBytes, newline } from '../base/bytes.ts'

/** A longer line is reported by its length only. */
export const largestLine = 64 * 1024 * 1024

export interface Line {
  /** The bytes without the newline; absent for a line over `largestLine`. */
  bytes?: Uint8Array
  /** First byte, from the start of the file. */
  offset: number
  /** Length with the newline. */
  length: number
  /** 1-based. */
  number: number
  /** False on a last line that may still grow. */
  isEnded: boolean
}

/** Where a reader is that goes on later: before the first byte of a line. */
export interface LinePlace {
  offset: number
  number: number
}

export class LineSplitter {
  private offset: number
  private number: number
  private held: Uint8Array[] = []
  private heldLength = 0
  private isTooLong = false

  constructor(place: LinePlace = { offset: 0, number: 1 }) {
    this.offset = place.offset
    this.number = place.number
  }

  /** Where the line begins that has not ended yet. */
  get place(): LinePlace {
    return { offset: this.offset, number: this.number }
  }

  private hold(part: Uint8Array): void {
    if (part.length === 0) return
    this.heldLength += part.length
    if (this.heldLength > largestLine) {
      this.isTooLong = true
      this.held = []
    }
    if (!this.isTooLong) this.held.push(part)
  }

  /** The lines that end in this chunk. The chunk must not be changed afterwards: lines are views of it. */
  *push(chunk: Uint8Array): Generator<Line> {
    let from = 0
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      this.hold(chunk.subarray(from, at))
      yield this.take(true)
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
    const line: Line = { offset: this.offset, length, number: this.number, isEnded }
    if (!this.isTooLong) line.bytes = this.held.length === 0 ? empty : concatBytes(this.held)
    this.offset += length
    this.number++
    this.held = []
    this.heldLength = 0
    this.isTooLong = false
    return line
  }
}

const empty = new Uint8Array(0)
