// Remembers which ids were seen in a stream, in eight bytes each: a session file may have millions of them.
// It keeps two 32-bit hashes instead of the text, so two ids out of four billion million may be taken for one.

import { spread } from './text-hash.ts'

export class IdSet {
  private slots = new Uint32Array(2 * 1024)
  private used = 0
  private low = 0
  private high = 0

  get size(): number {
    return this.used
  }

  has(id: string): boolean {
    this.hash(id)
    return this.slots[this.find(this.low, this.high)] !== 0
  }

  /** Adds the id; false when it was there already. */
  add(id: string): boolean {
    this.hash(id)
    return this.addHashes(this.low, this.high)
  }

  private addHashes(low: number, high: number): boolean {
    const at = this.find(low, high)
    if (this.slots[at] !== 0) return false
    this.slots[at] = low
    this.slots[at + 1] = high
    this.used++
    if (this.used * 4 > this.slots.length) this.grow()
    return true
  }

  /** What was added, as numbers that `addPairs` takes; the order means nothing. */
  toPairs(): Uint32Array {
    const pairs = new Uint32Array(this.used * 2)
    let to = 0
    for (let at = 0; at < this.slots.length; at += 2) {
      if (this.slots[at] === 0) continue
      pairs[to++] = this.slots[at] as number
      pairs[to++] = this.slots[at + 1] as number
    }
    return pairs
  }

  /** Adds all of another set, as `toPairs` gives it. */
  addPairs(pairs: Uint32Array): void {
    for (let at = 0; at + 1 < pairs.length; at += 2) this.addHashes(pairs[at] as number, pairs[at + 1] as number)
  }

  static fromPairs(pairs: Uint32Array): IdSet {
    const set = new IdSet()
    set.addPairs(pairs)
    return set
  }

  /** Two independent 32-bit hashes of the id, two characters at a step; the first is never 0, which marks an empty slot. */
  private hash(id: string): void {
    let low = 0x811c9dc5 ^ id.length
    let high = 0x2f0b4c47
    for (let i = 0; i < id.length; i += 2) {
      const pair = id.charCodeAt(i) | (id.charCodeAt(i + 1) << 16)
      low = Math.imul(((low << 13) | (low >>> 19)) ^ pair, 0x9e3779b1)
      high = Math.imul(((high << 17) | (high >>> 15)) + pair, 0x85ebca6b)
    }
    this.low = spread(low) || 1
    this.high = spread(high)
  }

  private find(low: number, high: number): number {
    const mask = this.slots.length - 2
    let at = (high << 1) & mask
    while (this.slots[at] !== 0 && (this.slots[at] !== low || this.slots[at + 1] !== high)) at = (at + 2) & mask
    return at
  }

  private grow(): void {
    const old = this.slots
    this.slots = new Uint32Array(old.length * 2)
    for (let i = 0; i < old.length; i += 2) {
      const low = old[i] as number
      if (low === 0) continue
      const at = this.find(low, old[i + 1] as number)
      this.slots[at] = low
      this.slots[at + 1] = old[i + 1] as number
    }
  }
}
