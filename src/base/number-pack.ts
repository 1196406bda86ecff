// Numbers one behind the other in few bytes: a small one takes one byte, a hash eight, and what is no whole number from 0 to
// 2^53 - 1 takes ten (-0 becomes 0). What they mean, and how many belong together, is known to whoever puts and takes them.

/** Bytes that one number takes at most. */
const mostBytes = 10
/** Parts are not moved when more come, which would take twice the room for a while. */
const partBits = 18
const partBytes = 2 ** partBits
const lowBits = 28

export class NumberPack {
  private readonly parts: Uint8Array[] = []
  private part: Uint8Array = new Uint8Array(0)
  private at = 0
  private held = 0

  /** Room that it takes. */
  get bytes(): number {
    return this.held
  }

  /** Behind the last number. */
  get end(): number {
    return (this.parts.length - 1) * partBytes + this.at
  }

  /** Where the next numbers will stand, at most so many: they are taken in one go. The end, where there is room behind it. */
  start(most: number): number {
    // Behind the usual length of a part there are no places.
    if (this.at + most * mostBytes >= Math.min(this.part.length, partBytes)) this.grow(most * mostBytes)
    return this.end
  }

  private grow(needed: number): void {
    const part = new Uint8Array(Math.max(partBytes, needed))
    this.parts.push(part)
    this.held += part.length
    this.part = part
    this.at = 0
  }

  /** The first so many of a list, all of which were asked for by `start`. */
  put(numbers: Float64Array, count: number): void {
    const { part } = this
    let { at } = this
    for (let place = 0; place < count; place++) {
      const number = numbers[place] as number
      let rest = number | 0
      if (rest !== number || rest < 0) {
        if (!Number.isSafeInteger(number) || number < 0) {
          at = this.putOther(number, at)
          continue
        }
        rest = Math.floor(number / 2 ** lowBits)
        const low = number - rest * 2 ** lowBits
        for (let shift = 0; shift < lowBits; shift += 7) part[at++] = (low >>> shift) | 0x80
      }
      for (; rest >= 0x80; rest >>>= 7) part[at++] = rest | 0x80
      part[at++] = rest
    }
    this.at = at
  }

  private putOther(number: number, at: number): number {
    // A zero with something behind it is written for no number.
    this.part[at] = 0x80
    this.part[at + 1] = 0
    new DataView(this.part.buffer).setFloat64(at + 2, number)
    return at + mostBytes
  }

  /** From now on numbers are taken, from such a place on. Nothing may be put any more. */
  seek(start: number): void {
    const part = this.parts[Math.floor(start / partBytes)]
    if (part === undefined) throw new RangeError(`nothing was put at ${start}`)
    this.part = part
    this.at = start % partBytes
  }

  take(): number {
    const { part } = this
    const first = part[this.at++] as number
    if (first < 0x80) return first
    let low = first & 0x7f
    for (let shift = 7; shift < lowBits; shift += 7) {
      const byte = part[this.at++] as number
      if (byte === 0 && shift === 7) return this.takeOther()
      low |= (byte & 0x7f) << shift
      if (byte < 0x80) return low
    }
    let high = 0
    for (let shift = 0; ; shift += 7) {
      const byte = part[this.at++] as number
      high |= (byte & 0x7f) << shift
      if (byte < 0x80) return high * 2 ** lowBits + low
    }
  }

  private takeOther(): number {
    const number = new DataView(this.part.buffer).getFloat64(this.at)
    this.at += mostBytes - 2
    return number
  }
}
