// Columns and turns of outlines as small numeric arrays, for the thread and the map.

import { eventKinds } from '../../src/model/event.ts'
import type { Outline } from '../../src/view/reading.ts'

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

const command = eventKinds.indexOf('command')
const known = new WeakMap<Outline, Set<number>>()

/** The slots that begin a turn, in order. */
export function turnStarts(outline: Outline): ReadonlySet<number> {
  let starts = known.get(outline)
  if (!starts) {
    starts = findStarts(outline)
    known.set(outline, starts)
  }
  return starts
}

function findStarts({ ids, turns, prompts, kinds }: Outline): Set<number> {
  const starts = new Set<number>()
  const begun = new Set<number>()
  for (let slot = 0; slot < ids.length; slot++) if (prompts[slot] !== undefined) begun.add(turns[slot] ?? -1)
  for (let slot = 0; slot < ids.length; slot++) {
    const turn = turns[slot] ?? -1
    const isFirstCommand = kinds[slot] === command && turn >= 0 && !begun.has(turn)
    if (isFirstCommand) begun.add(turn)
    if (isFirstCommand || prompts[slot] !== undefined) starts.add(slot)
  }
  return starts
}
