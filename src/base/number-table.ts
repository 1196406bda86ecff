// Numbers by hash, in two flat arrays: a tenth of the room and time that a Map needs for numbers beyond 31 bits, which it
// keeps as objects. Nothing is ever taken out of it alone.

/** Hashes are whole numbers from 0 to 2^53 - 2, well spread in their lower 32 bits. */
export class NumberTable {
  /** One more than the hash; 0 where nothing is. */
  private keys = new Float64Array(1024)
  private values = new Float64Array(1024)
  private used = 0

  get size(): number {
    return this.used
  }

  get(hash: number): number | undefined {
    const at = this.find(hash)
    return this.keys[at] === 0 ? undefined : this.values[at]
  }

  /** False where the hash had a value already, which is kept. */
  add(hash: number, value: number): boolean {
    const at = this.find(hash)
    if (this.keys[at] !== 0) return false
    this.keys[at] = hash + 1
    this.values[at] = value
    this.used++
    if (this.used * 2 > this.keys.length) this.grow()
    return true
  }

  private find(hash: number): number {
    const { keys } = this
    const mask = keys.length - 1
    const key = hash + 1
    let at = hash & mask
    for (let held = keys[at]; held !== 0 && held !== key; held = keys[at]) at = (at + 1) & mask
    return at
  }

  private grow(): void {
    const { keys, values } = this
    this.keys = new Float64Array(2 * keys.length)
    this.values = new Float64Array(2 * keys.length)
    for (let old = 0; old < keys.length; old++) {
      const key = keys[old] as number
      if (key === 0) continue
      const at = this.find(key - 1)
      this.keys[at] = key
      this.values[at] = values[old] as number
    }
  }
}
