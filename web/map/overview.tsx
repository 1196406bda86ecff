// The whole session in a strip above the plot, with the part that the plot shows: drag it to move, its edges to widen it,
// the strip to choose another.

import { type PointerEvent, useEffect, useRef } from 'react'
import { gatherMarks } from '../thread/model.ts'
import { clearedContext, type Palette, usePalette, useSize } from '../thread/palette.ts'
import type { MapScene } from './model.ts'
import { contextColumns, contextTop } from './scene.ts'
import { clampView, fitView, isFit, type View, type ViewControl } from './view.ts'

export interface OverviewProps {
  scene: MapScene
  control: ViewControl
}

interface Drag {
  part: 'whole' | 'from' | 'to'
  at: number
  view: View
}

export function Overview({ scene, control }: OverviewProps) {
  const box = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const palette = usePalette()
  const size = useSize(box)
  useEffect(() => {
    const context = clearedContext(canvas.current, size)
    if (context) paintOverview(context, palette, scene, size.width, size.height)
  }, [palette, scene, size])
  const fit = fitView(scene.time)
  const whole = fit.to - fit.from
  const drag = useRef<Drag>(undefined)
  const timeAt = (event: PointerEvent) => {
    const rect = event.currentTarget.getBoundingClientRect()
    return fit.from + ((event.clientX - rect.left) / Math.max(1, rect.width)) * whole
  }
  const { view } = control
  const left = ((view.from - fit.from) / whole) * size.width
  const width = ((view.to - view.from) / whole) * size.width
  return (
    <div
      ref={box}
      className="map-overview"
      aria-hidden="true"
      onPointerDown={event => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        const at = timeAt(event)
        const slack = (7 / Math.max(1, size.width)) * whole
        const isAll = isFit(view, scene.time)
        if (!isAll && Math.abs(at - view.from) < slack) drag.current = { part: 'from', at, view }
        else if (!isAll && Math.abs(at - view.to) < slack) drag.current = { part: 'to', at, view }
        else if (!isAll && at > view.from && at < view.to) drag.current = { part: 'whole', at, view }
        else drag.current = { part: 'to', at, view: { from: at, to: at } }
      }}
      onPointerMove={event => {
        if (drag.current) control.move(draggedView(drag.current, timeAt(event), scene))
      }}
      onPointerUp={() => {
        drag.current = undefined
      }}
    >
      <canvas ref={canvas} className="map-canvas" />
      {!isFit(view, scene.time) && (
        <>
          <span className="map-veil" style={{ left: 0, width: Math.max(0, left) }} />
          <span className="map-veil" style={{ left: left + width, right: 0 }} />
          <span className="map-brush" style={{ transform: `translateX(${left}px)`, width: Math.max(3, width) }} />
        </>
      )}
    </div>
  )
}

function draggedView({ part, at, view }: Drag, now: number, scene: MapScene): View {
  const by = now - at
  if (part === 'whole') return clampView({ from: view.from + by, to: view.to + by }, scene.time)
  const [from, to] = part === 'from' ? [view.from + by, view.to] : [view.from, view.to + by]
  return clampView({ from: Math.min(from, to), to: Math.max(from, to) }, scene.time)
}

function paintOverview(c: CanvasRenderingContext2D, palette: Palette, scene: MapScene, width: number, height: number) {
  const fit = fitView(scene.time)
  const scale = width / (fit.to - fit.from)
  const x = (at: number) => (at - fit.from) * scale
  const base = height - 1
  const top = contextTop(scene.contextMost, scene.window)
  c.fillStyle = palette.prompt
  c.globalAlpha = palette.isDark ? 0.22 : 0.13
  const columns = contextColumns(scene.context, fit.from, fit.to, scale)
  columns.forEach((column, at) => {
    const next = columns[at + 1]?.x ?? x(scene.lanes[0]?.to ?? 0)
    const tall = (column.last / top) * (height - 4)
    c.fillRect(column.x, base - tall, Math.max(0, next - column.x), tall)
  })
  c.globalAlpha = 1
  const line = Math.round(height * 0.36)
  const step = Math.max(1.5, Math.min(5, (height - line - 8) / Math.max(1, scene.lanes.length - 1)))
  scene.lanes.slice(1).forEach((lane, at) => {
    const y = line + 8 + at * step
    if (y > height - 2) return
    c.fillStyle = palette.agents[lane.hue] ?? palette.agent
    c.fillRect(x(lane.from), y, Math.max(2, x(lane.to) - x(lane.from)), Math.min(2, step - 0.5))
  })
  c.fillStyle = palette.thread
  c.fillRect(x(scene.lanes[0]?.from ?? 0), line - 0.75, x(scene.lanes[0]?.to ?? 0) - x(scene.lanes[0]?.from ?? 0), 1.5)
  c.fillStyle = palette.bad
  for (const mark of gatherMarks(scene.lanes[0]?.failures ?? new Float64Array(), fit.from, fit.to, scale, 4)) {
    c.fillRect(mark.x - 1, line + 2, 2, 1 + 4 * mark.share)
  }
  paintOverviewMarks(c, palette, scene, x, line, height)
}

function paintOverviewMarks(
  c: CanvasRenderingContext2D,
  palette: Palette,
  scene: MapScene,
  x: (at: number) => number,
  line: number,
  height: number,
): void {
  for (const fold of scene.time.folds) {
    const width = Math.max(1.5, x(fold.at + fold.size) - x(fold.at))
    c.fillStyle = palette.paper
    c.fillRect(x(fold.at), 0, width, height)
    c.fillStyle = palette['hair-2']
    c.fillRect(x(fold.at) + width / 2, 3, 1, height - 6)
  }
  c.fillStyle = palette.thread
  let last = -Infinity
  for (const turn of scene.turns) {
    if (x(turn.from) - last < 3) continue
    last = x(turn.from)
    c.beginPath()
    c.arc(last, line, 2.2, 0, 7)
    c.fill()
  }
  c.fillStyle = palette.seam
  for (const cut of scene.cuts) c.fillRect(x(cut.at) - 1, 3, 2, height - 6)
}
