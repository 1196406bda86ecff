// Where a thread's marks are in pixels: a scale from slots to height, rows for what is too dense to draw one by one, and
// loops side by side. It draws nothing.

import { failed, type Loop, left, prompt, quiet, type RailModel } from './model.ts'

/** Along the height: the rail is as long as its box, or shorter where few slots would lie far apart. */
export interface RailScale {
  top: number
  bottom: number
  /** Pixels for one unit. */
  unit: number
}

/** Across the width. */
export interface RailShape {
  width: number
  /** Where the thread itself runs. */
  middle: number
  /** Where ticks begin and how long they get. */
  tickFrom: number
  tickMost: number
  /** How far loops go out, the first and the outermost. */
  reach: number
  reachMost: number
  /** How far abandoned paths are from the thread. */
  aside: number
  knot: number
  isSlim: boolean
}

const widestUnit = 24

export function scaleOf(model: RailModel, height: number, isLive: boolean): RailScale {
  const top = 14
  const end = height - (isLive ? 44 : 16)
  const units = model.starts[model.size] ?? 0
  const unit = units === 0 ? 0 : Math.min(widestUnit, Math.max(0, end - top) / units)
  return { top, bottom: top + units * unit, unit }
}

export function shapeOf(width: number): RailShape {
  if (width < 48) {
    const middle = Math.round(width * 0.4)
    const most = width - middle - 4
    return {
      width,
      middle,
      tickFrom: 3,
      tickMost: most,
      reach: 5,
      reachMost: most,
      aside: 5,
      knot: 2.6,
      isSlim: true,
    }
  }
  return {
    width,
    middle: 42,
    tickFrom: 4,
    tickMost: 36,
    reach: 16,
    reachMost: 36,
    aside: 22,
    knot: 5,
    isSlim: false,
  }
}

export function yOf(model: RailModel, scale: RailScale, slot: number): number {
  const at = Math.max(0, Math.min(model.size, slot))
  return scale.top + (model.starts[at] ?? 0) * scale.unit
}

/** The slot at a height: the last one that begins at or above it. */
export function slotAt(model: RailModel, scale: RailScale, y: number): number {
  if (scale.unit === 0) return 0
  const units = (y - scale.top) / scale.unit
  let low = 0
  let high = model.size - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((model.starts[middle] ?? 0) <= units) low = middle
    else high = middle - 1
  }
  return low
}

/** The slot that a reader means by pointing at a height: a mark within a few pixels, else the nearest. */
export function pointedSlot(model: RailModel, scale: RailScale, y: number, within = 5): number {
  const first = slotAt(model, scale, y - within)
  const last = slotAt(model, scale, y + within)
  let best = slotAt(model, scale, y)
  let most = -Infinity
  for (let slot = first; slot <= last; slot++) {
    const away = Math.abs(yOf(model, scale, slot) - y)
    const worth = worthOf(model, slot) - away / (within * 2)
    if (worth > most) {
      most = worth
      best = slot
    }
  }
  return best
}

function worthOf(model: RailModel, slot: number): number {
  const flags = model.flags[slot] ?? 0
  if (flags & prompt) return 4
  if (flags & failed) return 3
  if ((model.tones[slot] ?? 0) > 0) return 1 + (model.lengths[slot] ?? 0)
  return flags & quiet ? -1 : 0
}

/** The content of one row of pixels. */
export interface RailRows {
  step: number
  lengths: Float32Array
  tones: Uint8Array
  flags: Uint8Array
}

/** Gathers slots into rows of `step` pixels: the longest call gives a row its tick, one failure marks it. */
export function gatherRows(model: RailModel, scale: RailScale, step = 2): RailRows {
  const count = Math.max(1, Math.ceil((scale.bottom - scale.top) / step) + 1)
  const rows: RailRows = {
    step,
    lengths: new Float32Array(count),
    tones: new Uint8Array(count),
    flags: new Uint8Array(count),
  }
  const perUnit = scale.unit / step
  for (let slot = 0; slot < model.size; slot++) {
    const row = ((model.starts[slot] ?? 0) * perUnit) | 0
    const length = model.lengths[slot] ?? 0
    rows.flags[row] = joinFlags(rows.flags[row] ?? 0, model.flags[slot] ?? 0)
    if (length <= (rows.lengths[row] ?? 0)) continue
    rows.lengths[row] = length
    rows.tones[row] = model.tones[slot] ?? 0
  }
  return rows
}

function joinFlags(row: number, slot: number): number {
  return row | (slot & (failed | prompt | left))
}

/** A loop in pixels: how far it goes out and on which side. */
export interface PlacedLoop {
  loop: Loop
  from: number
  to: number
  /** 1 to the right, -1 to the left. */
  side: number
  /** How far beyond the middle of the thread its furthest point is. */
  reach: number
}

const shortestLoop = 20

/** Loops that overlap alternate right and left; nested ones bulge from the loop that they leave. */
export function placeLoops(loops: readonly Loop[], scale: RailScale, shape: RailShape): PlacedLoop[] {
  const ends: number[] = []
  const placed: PlacedLoop[] = []
  const shortest = shape.isSlim ? 8 : shortestLoop
  for (const loop of loops) {
    const from = scale.top + loop.from * scale.unit
    const to = Math.max(from + shortest, scale.top + loop.to * scale.unit)
    const outer = placed[loop.parent]
    if (outer) {
      const reach = Math.min(shape.reachMost + 8, outer.reach + (shape.isSlim ? 2 : 9))
      placed.push({ loop, ...inside(from, to, outer), side: outer.side, reach })
      continue
    }
    let lane = ends.findIndex(end => end <= from + 1)
    if (lane < 0) lane = ends.length
    ends[lane] = to
    const side = shape.isSlim || lane % 2 === 0 ? 1 : -1
    const level = shape.isSlim ? lane : lane >> 1
    const wide = shape.reach + level * (shape.isSlim ? 2 : 7) + tallness(to - from, shape)
    const reach = Math.min(shape.reachMost, wide, 5 + (to - from) * 0.6 + level * 4)
    placed.push({ loop, from, to, side, reach })
  }
  return placed
}

/** A tall loop goes out further, as thread does. */
function tallness(height: number, shape: RailShape): number {
  return shape.isSlim ? 0 : Math.min(10, height / 14)
}

function inside(from: number, to: number, outer: PlacedLoop): { from: number; to: number } {
  const start = Math.max(outer.from + 2, Math.min(from, outer.to - 6))
  return { from: start, to: Math.min(outer.to - 1, Math.max(start + 5, to)) }
}

/** How far out a loop is at a height; 0 where it is not. */
export function outAt(placed: PlacedLoop, y: number): number {
  const share = (y - placed.from) / (placed.to - placed.from)
  return share <= 0 || share >= 1 ? 0 : 4 * share * (1 - share) * placed.reach
}

/** The loop under a point, the innermost first. */
export function loopAt(loops: readonly PlacedLoop[], shape: RailShape, x: number, y: number): PlacedLoop | undefined {
  return loops.findLast(placed => {
    if (y < placed.from - 1 || y > placed.to + 1) return false
    const out = (x - shape.middle) * placed.side
    return out > 3 && Math.abs(out - outAt(placed, y)) < 4.5
  })
}

/** Keeps marks apart: those that would be closer than `apart` to the one before are left out. */
export function spaced(places: readonly number[], apart: number): number[] {
  const kept: number[] = []
  for (const place of places) {
    const last = kept.at(-1)
    if (last === undefined || place - last >= apart) kept.push(place)
  }
  return kept
}
