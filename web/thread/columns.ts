// Finding and gathering in long sorted columns, for what is drawn by the pixel.

/** The slots that a sparse column knows, in order. Looking at each is quicker than listing keys as text. */
export function slotsIn(column: { [slot: number]: unknown }, size: number): number[] {
  const slots: number[] = []
  for (let slot = 0; slot < size; slot++) if (column[slot] !== undefined) slots.push(slot)
  return slots
}

/** The first place in sorted numbers whose number is at least `least`. */
export function firstFrom(sorted: { [at: number]: number; length: number }, least: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < least) low = middle + 1
    else high = middle
  }
  return low
}

/** Marks that would cover each other, gathered: where, and how many there are compared to the fullest place. */
export interface Gathered {
  x: number
  /** 0 to 1. */
  share: number
  count: number
}

/** Sorted times between two others, by strips of `apart` pixels. */
export function gatherMarks(times: Float64Array, from: number, to: number, scale: number, apart: number): Gathered[] {
  const strips: (Gathered & { strip: number })[] = []
  let most = 1
  for (let at = firstFrom(times, from); at < times.length; at++) {
    const time = times[at] ?? 0
    if (time > to) break
    const x = (time - from) * scale
    const strip = Math.floor(x / apart)
    const last = strips.at(-1)
    if (last && (last.strip === strip || x - last.x < apart * 0.7)) {
      last.count++
      most = Math.max(most, last.count)
    } else strips.push({ x, strip, share: 1, count: 1 })
  }
  return strips.map(({ x, count }) => ({ x, count, share: Math.sqrt(count / most) }))
}
