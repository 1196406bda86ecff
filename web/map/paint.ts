// Draws the map on a canvas: axis, context, lanes with bars, ticks and links. Positions come from geometry.ts and scene.ts;
// names of lanes and prompts are text of the page.

import type { OutlineCall } from '../../src/view/reading.ts'
import { gatherMarks, isGuessed } from '../thread/model.ts'
import { toneColour } from '../thread/palette.ts'
import { agentText, callText } from '../thread/words.ts'
import { callAgent, callLeft, callOpen, type MapLane, piecesOf } from './model.ts'
import { contextColumns, contextTop } from './scene.ts'
import { ticksOf } from './ticks.tsx'
import { type LaneBox, type MapFrame, scaleOf, xOf } from './view.ts'
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

const leftAlpha = 0.32

export function paintLanes(frame: MapFrame): void {
  const { scene, shape, scroll } = frame
  const shown = scene.lanes.flatMap((lane, at) => {
    const box = shape.lanes[at]
    return box ? [{ lane, box, top: shape.lanesTop + box.top - scroll }] : []
  })
  const isOn = ({ box, top }: { box: LaneBox; top: number }) => top + box.height > shape.lanesTop && top < shape.height
  for (const one of shown) paintWays(frame, one.lane, one.box, one.top)
  for (const one of shown.filter(isOn)) {
    paintBars(frame, one.lane, one.box, one.top)
    paintThread(frame, one.lane, one.top + one.box.line)
    if (one.lane.isMain) paintMain(frame, one.lane, one.top + one.box.line)
    paintFailures(frame, one.lane, one.top + one.box.rowTop - 2)
  }
}

function colourOf({ palette }: MapFrame, lane: MapLane): string {
  return lane.isMain ? palette.thread : (palette.agents[lane.hue] ?? palette.agent)
}

/** From the thread of the one who started it down into the lane, and back up at its end: a loop, laid out in time. */
function paintWays(frame: MapFrame, lane: MapLane, box: LaneBox, top: number): void {
  const { context: c, shape, view, scroll } = frame
  const from = shape.lanes[lane.parent]
  if (!from || lane.to < view.from || lane.from > view.to) return
  const parentY = shape.lanesTop + from.top - scroll + from.line
  const y = top + box.line
  const bend = 10
  c.strokeStyle = colourOf(frame, lane)
  const isCrowd = frame.scene.lanes.length > 12
  c.lineWidth = isCrowd ? 1.2 : 1.5
  c.globalAlpha = isCrowd ? 0.34 : 0.5
  if (isGuessed(lane.thread)) c.setLineDash([1.5, 4])
  const starts = xOf(shape, view, lane.from)
  const ends = Math.max(starts + 6, xOf(shape, view, lane.to))
  c.beginPath()
  c.moveTo(starts - bend, parentY)
  c.quadraticCurveTo(starts - 2, parentY, starts - 2, parentY + bend)
  c.lineTo(starts - 2, y - 4)
  c.quadraticCurveTo(starts - 2, y, starts + 3, y)
  c.stroke()
  if (!(frame.scene.isLive && lane.to >= frame.scene.time.length - 1)) {
    c.beginPath()
    c.moveTo(ends - 3, y)
    c.quadraticCurveTo(ends + 2, y, ends + 2, y - 4)
    c.lineTo(ends + 2, parentY + bend)
    c.quadraticCurveTo(ends + 2, parentY, ends + bend, parentY)
    c.globalAlpha = isCrowd ? 0.14 : 0.26
    c.stroke()
  }
  c.setLineDash([])
  c.globalAlpha = 1
}

function paintThread(frame: MapFrame, lane: MapLane, y: number): void {
  const { context: c, scene, shape, view } = frame
  const from = Math.max(shape.gutter - 4, xOf(shape, view, lane.from))
  const to = Math.min(shape.width + 4, Math.max(xOf(shape, view, lane.from) + 4, xOf(shape, view, lane.to)))
  if (to < shape.gutter || from > shape.width) return
  c.strokeStyle = colourOf(frame, lane)
  c.lineWidth = lane.isMain ? 2.4 : 2
  const cuts = lane.isMain ? scene.cuts.map(cut => xOf(shape, view, cut.at)) : []
  let start = from
  for (const cut of cuts) {
    if (cut < from || cut > to) continue
    c.globalAlpha = 0.55
    strokeLine(c, start, y, Math.max(start, cut - 7), y)
    start = cut + 7
  }
  const isOld = lane.isMain && (scene.cuts.at(-1)?.at ?? -Infinity) > view.to
  c.globalAlpha = isOld ? 0.55 : 1
  if (start < to) strokeLine(c, start, y, to, y)
  c.globalAlpha = 1
  if (lane.isMain && scene.isLive) {
    c.setLineDash([0.5, 6])
    strokeLine(c, to + 10, y, to + 40, y)
    c.setLineDash([])
  }
}

function strokeLine(c: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  c.beginPath()
  c.moveTo(x1, y1)
  c.lineTo(x2, y2)
  c.stroke()
}

/** Knots, cuts and paths that were left: only the main thread has them. */
function paintMain(frame: MapFrame, lane: MapLane, y: number): void {
  const { context: c, palette, scene, shape, view } = frame
  c.strokeStyle = palette.seam
  c.lineWidth = 2
  for (const cut of scene.cuts) {
    const x = xOf(shape, view, cut.at)
    strokeLine(c, x - 4, y - 8, x + 4, y + 8)
    strokeLine(c, x + 4, y - 8, x - 4, y + 8)
  }
  paintLeft(frame, y)
  let last = -Infinity
  const radius = Math.max(2.4, Math.min(5, (shape.width - shape.gutter) / Math.max(1, scene.turns.length) / 2.4))
  for (const turn of scene.turns) {
    if (turn.from > view.to) break
    const x = xOf(shape, view, turn.from)
    if (turn.from < view.from - 1 || x - last < radius * 1.3) continue
    last = x
    c.beginPath()
    c.arc(x, turn.isLeft ? y - 9 : y, turn.isLeft ? radius * 0.75 : radius, 0, 7)
    c.fillStyle = turn.isLeft ? palette.paper : palette.thread
    c.fill()
    if (!turn.isLeft) continue
    c.globalAlpha = 0.55
    c.strokeStyle = palette.thread
    c.lineWidth = 1.2
    c.stroke()
    c.globalAlpha = 1
  }
  if (lane.outline && scene.turns.length === 0 && lane.at.length > 0) {
    c.beginPath()
    c.arc(xOf(shape, view, lane.from), y, 3, 0, 7)
    c.fillStyle = palette.thread
    c.fill()
  }
}

function paintLeft({ context: c, palette, scene, shape, view }: MapFrame, y: number): void {
  c.strokeStyle = palette.thread
  c.lineWidth = 1.6
  c.globalAlpha = 0.42
  for (const path of scene.left) {
    const from = xOf(shape, view, path.from)
    const to = Math.max(from + 12, xOf(shape, view, path.to))
    if (to < shape.gutter || from > shape.width) continue
    c.beginPath()
    c.moveTo(from - 14, y)
    c.bezierCurveTo(from - 6, y, from - 8, y - 9, from, y - 9)
    c.lineTo(to, y - 9)
    c.stroke()
    strokeLine(c, to, y - 12, to, y - 6)
  }
  c.globalAlpha = 1
}

function paintBars(frame: MapFrame, lane: MapLane, box: LaneBox, top: number): void {
  const { context: c, palette, shape, view, scene } = frame
  const scale = scaleOf(shape, view)
  const rows = Math.max(1, Math.floor((box.height - box.rowTop) / box.rowStep))
  lane.rows.slice(0, rows).forEach((row, at) => {
    const y = top + box.rowTop + at * box.rowStep
    for (const piece of piecesOf(row, view.from, view.to, scale, 1.6)) {
      const isBad = piece.failed * 2 >= piece.count
      const agent =
        piece.flags & callAgent ? agentOf(frame, lane, row.slots[piece.at], row.places[piece.at]) : undefined
      c.fillStyle = isBad ? palette.bad : (agent ?? toneColour(palette, piece.tone))
      c.globalAlpha = piece.flags & callLeft ? leftAlpha : agent && !isBad ? 0.3 : 0.88
      const x = shape.gutter + piece.x
      if (piece.flags & callOpen && scene.isLive) c.globalAlpha *= 0.6
      if (piece.width > 4) {
        c.beginPath()
        c.roundRect(x, y, Math.min(piece.width, shape.width * 2), box.bar, Math.min(2, box.bar / 2))
        c.fill()
      } else c.fillRect(x, y, piece.width, box.bar)
      if (piece.count > 1 || piece.width < 44 || box.bar < 10) continue
      const call = lane.outline?.calls[row.slots[piece.at] ?? -1]?.[row.places[piece.at] ?? 0]
      c.globalAlpha = piece.flags & callLeft ? 0.6 : 1
      if (call) paintBarText(frame, barText(frame, call), x, y, piece.width, box.bar, agent !== undefined && !isBad)
    }
  })
  c.globalAlpha = 1
}

/** What a call was, where it fits into its bar; starts on screen where the bar does not. */
function paintBarText(
  f: MapFrame,
  text: string,
  x: number,
  y: number,
  width: number,
  tall: number,
  isPale: boolean,
): void {
  const { context: c, palette, shape } = f
  const from = Math.max(x, shape.gutter) + 5
  const space = Math.min(x + width, shape.width) - from - 4
  if (space < 34) return
  c.save()
  c.beginPath()
  c.rect(from, y, space, tall)
  c.clip()
  c.font = `${tall >= 13 ? 11 : 10}px system-ui, sans-serif`
  c.textAlign = 'left'
  c.textBaseline = 'middle'
  c.fillStyle = isPale ? palette.ink : palette.paper
  c.fillText(cutTo(c, text.slice(0, 200), space), from, y + tall / 2 + 0.5)
  c.restore()
}

/** As much of a text as there is space for. */
function cutTo(c: CanvasRenderingContext2D, text: string, space: number): string {
  let cut = text
  for (let long = c.measureText(cut).width; long > space && cut.length > 2; long = c.measureText(cut).width) {
    const most = Math.min(cut.length - 2, Math.floor((cut.length * space) / long) - 1)
    cut = `${text.slice(0, Math.max(1, most)).trimEnd()}…`
  }
  return cut
}

function barText({ scene }: MapFrame, call: OutlineCall): string {
  const started = call.thread === undefined ? undefined : scene.lanes.find(({ thread }) => thread.id === call.thread)
  return started ? agentText(started.thread) : callText(call)
}

/** A call that started a subagent has that subagent's colour. */
function agentOf({ scene, palette }: MapFrame, lane: MapLane, slot = -1, place = -1): string | undefined {
  const thread = lane.outline?.calls[slot]?.[place]?.thread
  const started = thread === undefined ? undefined : scene.lanes.find(one => one.thread.id === thread)
  return started && (palette.agents[started.hue] ?? palette.agent)
}

/** A red wedge between thread and bars: to be found by its shape, too. `y`: where it points to. */
function paintFailures({ context: c, palette, shape, view }: MapFrame, lane: MapLane, y: number): void {
  const marks = gatherMarks(lane.failures, view.from, view.to, scaleOf(shape, view), 9)
  c.fillStyle = palette.bad
  c.strokeStyle = palette.paper
  c.lineWidth = 1.5
  for (const mark of marks) {
    const x = shape.gutter + mark.x
    const size = 1.6 + 2.4 * mark.share
    c.beginPath()
    c.moveTo(x - size, y - size * 1.7)
    c.lineTo(x + size, y - size * 1.7)
    c.lineTo(x, y)
    c.closePath()
    c.stroke()
    c.fill()
  }
}
