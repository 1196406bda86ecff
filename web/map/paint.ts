// Draws the map on its canvas: turns as bands, folds, the time axis, the context's area, and then the lanes. Where things
// stand is decided elsewhere; names of lanes and prompts are text of the page.

import { contextColumns, contextTop } from './context-points.ts'
import type { MapFrame } from './frame.ts'
import { scaleOf, xOf } from './geometry.ts'
import { paintLanes } from './paint-lanes.ts'
import { ticksOf } from './ticks.ts'
import { shortSpan } from './words.ts'

const font = '11px system-ui, sans-serif'

export function paintMap(frame: MapFrame): void {
  const { context: c, shape } = frame
  c.save()
  c.beginPath()
  c.rect(shape.gutter, 0, shape.width - shape.gutter, shape.height)
  c.clip()
  c.lineCap = 'round'
  c.lineJoin = 'round'
  paintBands(frame)
  paintFolds(frame)
  paintContext(frame)
  paintSeams(frame)
  c.restore()
  c.save()
  c.beginPath()
  c.rect(shape.gutter, shape.lanesTop, shape.width - shape.gutter, shape.height - shape.lanesTop)
  c.clip()
  c.lineCap = 'round'
  c.lineJoin = 'round'
  paintLanes(frame)
  c.restore()
  paintAxis(frame)
}

/** Every other turn on a slightly darker ground. */
function paintBands({ context: c, palette, scene, shape, view }: MapFrame): void {
  c.fillStyle = palette.wash
  const top = shape.axis
  for (const [place, turn] of scene.turns.entries()) {
    if (turn.to < view.from) continue
    if (turn.from > view.to) break
    const x = xOf(shape, view, turn.from)
    const width = xOf(shape, view, turn.to) - x
    if (place % 2 === 1 && width >= 12) c.fillRect(x, top, width, shape.height - top)
  }
}

/** A strip that says: here hours were folded. */
function paintFolds({ context: c, palette, scene, shape, view }: MapFrame): void {
  const scale = scaleOf(shape, view)
  for (const fold of scene.time.folds) {
    if (fold.at + fold.size < view.from) continue
    if (fold.at > view.to) break
    const x = xOf(shape, view, fold.at)
    const width = Math.max(2, fold.size * scale)
    c.fillStyle = palette.paper
    c.fillRect(x, shape.axis, width, shape.height)
    c.save()
    c.beginPath()
    c.rect(x, shape.axis, width, shape.height)
    c.clip()
    c.strokeStyle = palette.hair
    c.lineWidth = 1
    c.beginPath()
    for (let y = shape.axis - width; y < shape.height + width; y += 7) {
      c.moveTo(x, y + width * 0.7)
      c.lineTo(x + width, y)
    }
    c.stroke()
    c.restore()
  }
}

function paintFoldTexts({ context: c, palette, scene, shape, view }: MapFrame): void {
  const scale = scaleOf(shape, view)
  c.font = '10.5px system-ui, sans-serif'
  c.textAlign = 'center'
  c.textBaseline = 'middle'
  for (const fold of scene.time.folds) {
    if (fold.at + fold.size < view.from) continue
    if (fold.at > view.to) break
    const width = fold.size * scale
    const x = xOf(shape, view, fold.at) + width / 2
    if (x < shape.gutter + 6 || width < 10) continue
    const text = shortSpan(fold.to - fold.from)
    const long = c.measureText(text).width + 10
    const isFlat = width > long
    if (isFlat && x - long / 2 < shape.gutter) continue
    const y = shape.contextHeight > 0 ? shape.contextTop + shape.contextHeight / 2 : shape.height - 34
    c.save()
    c.translate(x, y)
    if (!isFlat) c.rotate(-Math.PI / 2)
    c.fillStyle = palette.paper
    c.fillRect(-long / 2, -7, long, 14)
    c.fillStyle = palette.faint
    c.fillText(text, 0, 0.5)
    c.restore()
  }
}

function paintContext(frame: MapFrame): void {
  const { context: c, palette, scene, shape, view } = frame
  if (shape.contextHeight === 0) return
  const scale = scaleOf(shape, view)
  const top = contextTop(scene.contextMost, scene.window)
  const base = shape.contextTop + shape.contextHeight
  const yOf = (tokens: number) => base - (shape.contextHeight * tokens) / top
  const columns = contextColumns(scene.context, view.from, view.to, scale)
  const end = Math.min(shape.width, xOf(shape, view, scene.lanes[0]?.to ?? 0))
  const line = new Path2D()
  columns.forEach((column, at) => {
    const x = shape.gutter + column.x
    if (at === 0) line.moveTo(x, yOf(column.last))
    else {
      line.lineTo(x, yOf(columns[at - 1]?.last ?? 0))
      if (column.most !== column.least) {
        line.lineTo(x, yOf(column.most))
        line.lineTo(x, yOf(column.least))
      }
      line.lineTo(x, yOf(column.last))
    }
  })
  const first = columns[0]
  const last = columns.at(-1)
  if (first && last) {
    line.lineTo(Math.max(end, shape.gutter + last.x), yOf(last.last))
    const area = new Path2D(line)
    area.lineTo(Math.max(end, shape.gutter + last.x), base)
    area.lineTo(shape.gutter + first.x, base)
    area.closePath()
    const shade = c.createLinearGradient(0, shape.contextTop, 0, base)
    shade.addColorStop(0, palette.prompt)
    shade.addColorStop(1, palette.paper)
    c.globalAlpha = palette.isDark ? 0.3 : 0.2
    c.fillStyle = shade
    c.fill(area)
    c.globalAlpha = 1
    c.strokeStyle = palette.prompt
    c.lineWidth = 1.4
    c.stroke(line)
  }
  c.fillStyle = palette.hair
  c.fillRect(shape.gutter, base, shape.width, 1)
  paintLimit(frame, top, yOf)
}

function paintLimit(
  { context: c, palette, scene, shape }: MapFrame,
  top: number,
  yOf: (tokens: number) => number,
): void {
  const window = scene.window
  if (window === undefined || window > top) return
  const y = Math.round(yOf(window)) + 0.5
  c.strokeStyle = palette.bad
  c.globalAlpha = 0.6
  c.lineWidth = 1
  c.setLineDash([2, 4])
  c.beginPath()
  c.moveTo(shape.gutter, y)
  c.lineTo(shape.width, y)
  c.stroke()
  c.setLineDash([])
  c.globalAlpha = 1
}

/** Compactions reach from the context's drop to the cut in the thread. */
function paintSeams({ context: c, palette, scene, shape, view, scroll }: MapFrame): void {
  c.strokeStyle = palette.seam
  c.lineWidth = 1.5
  c.setLineDash([4, 4])
  const bottom = shape.lanesTop - scroll + (shape.lanes[0]?.line ?? 0) - 8
  let last = -Infinity
  for (const cut of scene.cuts) {
    const x = Math.round(xOf(shape, view, cut.at))
    if (x - last < 3) continue
    last = x
    c.beginPath()
    c.moveTo(x, shape.contextTop)
    c.lineTo(x, Math.max(shape.contextTop + shape.contextHeight, bottom))
    c.stroke()
  }
  c.setLineDash([])
}

function paintAxis(frame: MapFrame): void {
  const { context: c, palette, scene, shape, view } = frame
  c.save()
  c.beginPath()
  c.rect(shape.gutter, 0, shape.width - shape.gutter, shape.height)
  c.clip()
  c.fillStyle = palette.hair
  c.fillRect(shape.gutter, shape.axis, shape.width, 1)
  c.textAlign = 'left'
  c.textBaseline = 'alphabetic'
  const ticks = scene.isOrdered ? [] : ticksOf(scene.time, view, scaleOf(shape, view), shape.width < 500 ? 92 : 104)
  for (const tick of ticks) {
    const x = Math.round(xOf(shape, view, tick.at))
    if (x > shape.width - 40) continue
    c.fillStyle = palette['hair-2']
    c.fillRect(x, shape.axis - 7, 1, 7)
    c.fillStyle = palette.faint
    c.font = font
    c.fillText(tick.text, x + 4, shape.axis - 5)
    if (tick.day === undefined) continue
    c.fillStyle = palette.soft
    c.font = `600 ${font}`
    c.fillText(tick.day, x + 4, shape.axis - 19)
  }
  paintFoldTexts(frame)
  c.restore()
}
