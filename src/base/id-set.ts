// Remembers which ids were seen in a stream, in eight bytes each: a session file may hold millions of them.
// It keeps two 32-bit hashes instead of the text, so two ids out of four billion million may be taken for one.

export class IdSet {
  private slots = new Uint32Array(2 * 1024)
  private used = 0

  get size(): number {
    return this.used
  }

  has(id: string): boolean {
    const [low, high] = hashes(id)
    return this.slots[this.find(low, high)] !== 0
  }

  /** Adds the id; false when it was there already. */
  add(id: string): boolean {
    const [low, high] = hashes(id)
    const at = this.find(low, high)
    if (this.slots[at] !== 0) return false
    this.slots[at] = low
    this.slots[at + 1] = high
    this.used++
    if (this.used * 4 > this.slots.length) this.grow()
    return true
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

/** Two independent 32-bit FNV-style hashes; the first is never 0, which marks an empty slot. */
function hashes(id: string): [low: number, high: number] {
  let low = 0x811c9dc5
  let high = 0x2f0b4c47
  for (let i = 0; i < id.length; i++) {
    const unit = id.charCodeAt(i)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul(high ^ unit, 0x85ebca6b) ^ (high >>> 13)
  }
  high = Math.imul(high ^ (high >>> 16), 0xc2b2ae35)
  return [low >>> 0 || 1, (high ^ (high >>> 15)) >>> 0]
}
