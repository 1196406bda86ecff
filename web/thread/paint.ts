// Draws a thread on a canvas: the line, its knots, ticks, loops, forks and cuts. Positions come from
// layout.ts; the part that the reader sees is marked by the page, so that scrolling redraws nothing.

import type { Outline, OutlineCall } from '../../src/view/reading.ts'
import { gatherRows, outAt, type PlacedLoop, type RailScale, type RailShape, spaced, yOf } from './layout.ts'
import { type Fork, failed, gatherMarks, left, lengthOf, type RailModel } from './model.ts'
import { type Palette, toneColour, toneOf } from './palette.ts'

export interface RailDrawing {
  model: RailModel
  outline: Outline
  scale: RailScale
  shape: RailShape
  loops: PlacedLoop[]
  isLive: boolean
}

type Context = CanvasRenderingContext2D

/** From here on single calls are visible. */
const sparseUnit = 4.5
const leftAlpha = 0.34

export function paintRail(context: Context, palette: Palette, drawing: RailDrawing): void {
  context.lineCap = 'round'
  context.lineJoin = 'round'
  paintForks(context, palette, drawing)
  paintLoops(context, palette, drawing)
  if (drawing.scale.unit >= sparseUnit) paintCalls(context, palette, drawing)
  else paintRows(context, palette, drawing)
  paintLine(context, palette, drawing)
  paintCuts(context, palette, drawing)
  paintKnots(context, palette, drawing)
}

/** What was summarised away is paler; a gap at each cut. */
function paintLine(context: Context, palette: Palette, { model, scale, shape, isLive }: RailDrawing): void {
  const gap = shape.isSlim ? 4 : 8
  const cuts = spaced(
    model.cuts.map(slot => yOf(model, scale, slot) + scale.unit * 0.6),
    gap * 2,
  )
  context.strokeStyle = palette.thread
  context.lineWidth = shape.isSlim ? 1.5 : 2
  let from = scale.top - 8
  cuts.forEach(cut => {
    context.globalAlpha = 0.5
    strokeLine(context, shape.middle, from, shape.middle, cut - gap)
    from = cut + gap
  })
  context.globalAlpha = 1
  strokeLine(context, shape.middle, from, shape.middle, scale.bottom)
  if (!isLive) return
  context.setLineDash([0.5, 6])
  strokeLine(context, shape.middle, scale.bottom + 10, shape.middle, scale.bottom + 34)
  context.setLineDash([])
}

function strokeLine(context: Context, x1: number, y1: number, x2: number, y2: number): void {
  context.beginPath()
  context.moveTo(x1, y1)
  context.lineTo(x2, y2)
  context.stroke()
}

/** A seam: two crossed stitches. */
function paintCuts(context: Context, palette: Palette, { model, scale, shape }: RailDrawing): void {
  const half = shape.isSlim ? 5 : 12
  context.strokeStyle = palette.seam
  context.lineWidth = shape.isSlim ? 1.5 : 2
  const places = spaced(
    model.cuts.map(slot => yOf(model, scale, slot) + scale.unit * 0.6),
    half,
  )
  for (const y of places) {
    const rise = half * 0.42
    strokeLine(context, shape.middle - half, y - rise, shape.middle + half, y + rise)
    strokeLine(context, shape.middle - half, y + rise, shape.middle + half, y - rise)
  }
}

function paintKnots(context: Context, palette: Palette, { model, scale, shape }: RailDrawing): void {
  const gap = model.prompts.length > 1 ? (scale.bottom - scale.top) / model.prompts.length : 40
  const radius = Math.max(2, Math.min(shape.knot, gap * 0.42))
  let last = -Infinity
  for (const slot of model.prompts) {
    const y = yOf(model, scale, slot) + Math.min(6, scale.unit * 0.5)
    const isLeft = ((model.flags[slot] ?? 0) & left) !== 0
    if (y - last < radius * 1.5) continue
    last = y
    context.beginPath()
    context.arc(isLeft ? shape.middle - shape.aside : shape.middle, y, isLeft ? radius * 0.8 : radius, 0, 7)
    context.fillStyle = isLeft ? palette.paper : palette.thread
    context.fill()
    if (!isLeft) continue
    context.strokeStyle = palette.thread
    context.globalAlpha = 0.55
    context.lineWidth = 1.2
    context.stroke()
    context.globalAlpha = 1
  }
}

/** One tick for each call; those of one answer beneath each other. */
function paintCalls(context: Context, palette: Palette, drawing: RailDrawing): void {
  const { model, outline, scale, shape } = drawing
  const thick = shape.isSlim ? 2 : Math.min(3, Math.max(1.6, scale.unit * 0.3))
  for (let slot = 0; slot < model.size; slot++) {
    if ((model.tones[slot] ?? 0) === 0) {
      if ((model.flags[slot] ?? 0) & failed) paintFailure(context, palette, drawing, yOf(model, scale, slot))
      continue
    }
    const calls = outline.calls[slot] ?? []
    const top = yOf(model, scale, slot)
    const space = yOf(model, scale, slot + 1) - top
    const step = Math.min(thick + 2.5, space / Math.max(1, calls.length))
    const first = top + Math.max(thick / 2, Math.min(space, scale.unit) * 0.5 - ((calls.length - 1) * step) / 2)
    context.globalAlpha = (model.flags[slot] ?? 0) & left ? leftAlpha : 1
    calls.forEach((call, at) => {
      paintTick(context, palette, shape, call, first + at * step, thick)
    })
    context.globalAlpha = 1
  }
}

/** A subagent's call is its loop; it has no tick besides, unless it failed. */
function paintTick(c: Context, palette: Palette, shape: RailShape, call: OutlineCall, y: number, thick: number): void {
  const isBad = call.status === 'failed'
  if (call.thread !== undefined && !isBad) return
  const from = shape.middle + shape.tickFrom
  const to = from + Math.max(3, lengthOf(call.durationMs) * shape.tickMost)
  c.strokeStyle = isBad ? palette.bad : toneColour(palette, toneOf(call.name))
  c.lineWidth = thick
  if (call.status === 'running' || call.status === 'missing') c.setLineDash([1, thick + 1.5])
  strokeLine(c, from, y, to, y)
  c.setLineDash([])
  if (isBad) paintCross(c, palette, Math.min(to + 6, shape.width - 4), y, shape.isSlim ? 1.6 : 2.6)
}

function paintFailure(context: Context, palette: Palette, { shape, scale }: RailDrawing, top: number): void {
  const y = top + Math.min(scale.unit * 0.5, 8)
  context.strokeStyle = palette.bad
  context.lineWidth = 2
  strokeLine(context, shape.middle + shape.tickFrom, y, shape.middle + shape.tickFrom + 6, y)
  paintCross(
    context,
    palette,
    Math.min(shape.middle + shape.tickFrom + 12, shape.width - 4),
    y,
    shape.isSlim ? 1.6 : 2.6,
  )
}

function paintCross(context: Context, palette: Palette, x: number, y: number, half: number): void {
  context.strokeStyle = palette.bad
  context.lineWidth = 1.5
  strokeLine(context, x - half, y - half, x + half, y + half)
  strokeLine(context, x - half, y + half, x + half, y - half)
}

/** Too many to draw one by one: each row shows its longest call. Failures are at the edge, where they are visible. */
function paintRows(context: Context, palette: Palette, { model, scale, shape }: RailDrawing): void {
  const rows = gatherRows(model, scale, scale.unit >= 1 ? 3 : 2)
  const from = shape.middle + shape.tickFrom
  const most = shape.tickMost - (shape.isSlim ? 2 : 4)
  for (let row = 0; row < rows.lengths.length; row++) {
    const y = scale.top + row * rows.step
    const flags = rows.flags[row] ?? 0
    const length = rows.lengths[row] ?? 0
    if (length === 0) continue
    const isBad = (flags & failed) !== 0 && scale.unit >= 1
    context.fillStyle = isBad ? palette.bad : toneColour(palette, rows.tones[row] ?? 0)
    context.globalAlpha = flags & left ? leftAlpha : 0.86
    context.fillRect(from, y, Math.max(2.5, length * most), rows.step === 2 ? 1.4 : 2)
  }
  context.globalAlpha = 1
  const widest = shape.isSlim ? 1.5 : 2.6
  const marks = gatherMarks(
    Float64Array.from(model.failures, slot => yOf(model, scale, slot)),
    0,
    Infinity,
    1,
    widest * 2 + 3,
  )
  for (const { x: y, share } of marks)
    paintCross(context, palette, shape.width - widest - 2, y + 1, 1 + (widest - 1) * share)
}

/** Out, along and not back: the person returned to where it began and went another way. */
function paintForks(context: Context, palette: Palette, { model, scale, shape }: RailDrawing): void {
  context.strokeStyle = palette.thread
  context.lineWidth = shape.isSlim ? 1.2 : 1.8
  model.forks.slice(0, 200).forEach((fork: Fork, at) => {
    const x = shape.middle - shape.aside - (at % 2) * (shape.isSlim ? 2 : 7)
    const from = yOf(model, scale, fork.from) - 2
    const to = Math.max(from + 14, yOf(model, scale, fork.to + 1) - 2)
    const bend = Math.min(18, (to - from) * 0.7)
    context.globalAlpha = 0.42
    context.beginPath()
    context.moveTo(shape.middle, from - 6)
    context.bezierCurveTo(shape.middle, from + bend * 0.5, x, from, x, from + bend)
    context.lineTo(x, to)
    context.stroke()
    strokeLine(context, x - 3, to, x + 3, to)
  })
  context.globalAlpha = 1
}

function paintLoops(context: Context, palette: Palette, { loops, shape }: RailDrawing): void {
  for (const placed of loops) {
    const { loop, from, to, side } = placed
    const outer = loops[loop.parent]
    const start = outer ? outAt(outer, from) : 0
    const end = outer ? outAt(outer, to) : 0
    const bulge = placed.reach * (4 / 3) - (start + end) / 6
    const x = (out: number) => shape.middle + side * out
    const rise = (to - from) * 0.1
    context.strokeStyle = palette.agents[loop.hue] ?? palette.agent
    context.lineWidth = loop.depth === 0 && !shape.isSlim ? 1.8 : 1.4
    if (loop.isInferred) context.setLineDash([1.5, 3.5])
    context.beginPath()
    context.moveTo(x(start), from)
    context.bezierCurveTo(x(bulge), from + rise, x(bulge), to - rise, x(end), to)
    context.stroke()
    context.setLineDash([])
  }
}
