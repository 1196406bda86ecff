// Bytes on demand out of chunks of any size, with a count of how far the reading is. It holds one chunk at a time and
// knows nothing of what the bytes mean.

import { concatBytes } from '../../base/bytes.ts'

const nothing = new Uint8Array(0)

export class ByteFeed {
  /** How many bytes were taken so far. */
  offset = 0
  private readonly chunks: AsyncIterator<Uint8Array>
  private pending: Uint8Array = nothing
  private hasEnded = false

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.chunks = chunks[Symbol.asyncIterator]()
  }

  /** The next bytes, at least one and at most `limit`, as a view on the chunk they came in; null at the end. */
  async some(limit: number): Promise<Uint8Array | null> {
    while (this.pending.length === 0) if (!(await this.fetch())) return null
    const part = this.pending.length <= limit ? this.pending : this.pending.subarray(0, limit)
    this.pending = this.pending.subarray(part.length)
    this.offset += part.length
    return part
  }

  /** Exactly `count` bytes, fewer only where the input ends. */
  async take(count: number): Promise<Uint8Array> {
    const first = await this.some(count)
    if (first === null) return nothing
    if (first.length === count) return first
    const whole = new Uint8Array(count)
    whole.set(first)
    let filled = first.length
    while (filled < count) {
      const part = await this.some(count - filled)
      if (part === null) return whole.subarray(0, filled)
      whole.set(part, filled)
      filled += part.length
    }
    return whole
  }

  /** Passes over `count` bytes; the number of those that were there. */
  async skip(count: number): Promise<number> {
    let left = count
    while (left > 0) {
      const part = await this.some(left)
      if (part === null) break
      left -= part.length
    }
    return count - left
  }

  /** The next `count` bytes without taking them, fewer where the input ends. */
  async peek(count: number): Promise<Uint8Array> {
    while (this.pending.length < count) {
      const before = this.pending
      if (!(await this.fetch())) break
      if (before.length > 0) this.pending = concatBytes([before, this.pending])
    }
    return this.pending.subarray(0, count)
  }

  /** All that was not taken yet. */
  async *rest(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const part = await this.some(Number.POSITIVE_INFINITY)
      if (part === null) return
      yield part
    }
  }

  /** Lets go of the source, wherever the reading is. */
  async close(): Promise<void> {
    if (this.hasEnded) return
    this.hasEnded = true
    this.pending = nothing
    await this.chunks.return?.()
  }

  /** Replaces the pending bytes by the next chunk; false, and nothing changed, at the end. */
  private async fetch(): Promise<boolean> {
    if (this.hasEnded) return false
    try {
      const next = await this.chunks.next()
      if (next.done !== true) {
        this.pending = next.value
        return true
      }
    } catch (error) {
      this.hasEnded = true
      throw error
    }
    this.hasEnded = true
    return false
  }
}
