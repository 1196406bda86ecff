// Positions of lanes, axis and context, in pixels of the plot. Lanes scroll below what is fixed at the top. It draws nothing.

import type { Palette } from '../thread/palette.ts'
import type { MapScene } from './model.ts'
import type { View } from './view.ts'

export interface LaneBox {
  /** From the top of all lanes. */
  top: number
  height: number
  /** Where its thread runs. */
  line: number
  rowTop: number
  rowStep: number
  /** The height of a bar. */
  bar: number
}

export interface MapShape {
  width: number
  height: number
  /** Space for the names of lanes; 0 on narrow screens, where they are in the lanes. */
  gutter: number
  axis: number
  contextTop: number
  contextHeight: number
  /** Where lanes begin. */
  lanesTop: number
  lanes: LaneBox[]
  /** The height of all lanes. */
  lanesHeight: number
}

const axis = 34
const manyLanes = 40

export function shapeMap(scene: MapScene, width: number, height: number): MapShape {
  const isNarrow = width < 720
  const plain = arrange(scene, height, isNarrow, 0)
  // What a small session leaves free makes its bars and its area taller.
  const free = height - plain.lanesTop - plain.lanesHeight
  const { lanesTop, ...rest } = free > 40 ? arrange(scene, height, isNarrow, free) : plain
  return {
    width,
    height,
    gutter: isNarrow ? 0 : Math.round(Math.min(240, Math.max(150, width * 0.16))),
    axis,
    contextTop: axis + 6,
    lanesTop,
    ...rest,
  }
}

type Arranged = Pick<MapShape, 'contextHeight' | 'lanesTop' | 'lanes' | 'lanesHeight'>

function arrange(scene: MapScene, height: number, isNarrow: boolean, free: number): Arranged {
  const hasContext = scene.context.length > 1
  const usual = height < 520 ? 56 : Math.round(Math.min(150, height * 0.17))
  const contextHeight = hasContext ? Math.round(usual + Math.min(120, free * 0.3)) : 0
  const rows = scene.lanes.reduce((sum, lane) => sum + Math.max(1, lane.rows.length), 0)
  const stretch = Math.min(13, (free * 0.5) / Math.max(1, rows))
  const isCompact = scene.lanes.length > manyLanes
  let top = 0
  const lanes = scene.lanes.map((lane): LaneBox => {
    const count = Math.max(1, lane.rows.length)
    const box = lane.isMain
      ? mainBox(top, count, (height > 700 ? 15 : 13) + stretch)
      : agentBox(top, count, (isCompact ? 5 : 9) + stretch * 0.6, isNarrow, isCompact)
    top += box.height
    return box
  })
  const lanesTop = axis + 6 + contextHeight + (hasContext ? 12 : 0)
  return { contextHeight, lanesTop, lanes, lanesHeight: top + 16 }
}

function mainBox(top: number, rows: number, rowStep: number): LaneBox {
  const rowTop = 47
  return { top, line: 36, rowTop, rowStep, bar: rowStep - 3, height: rowTop + rows * rowStep + 16 }
}

function agentBox(top: number, rows: number, rowStep: number, isNarrow: boolean, isCompact: boolean): LaneBox {
  const line = isNarrow ? 24 : isCompact ? 7 : 13
  const rowTop = line + (isCompact ? 3 : 6)
  const shown = isCompact ? Math.min(2, rows) : rows
  const height = rowTop + shown * rowStep + (isCompact ? 4 : 10)
  return { top, line, rowTop, rowStep, bar: rowStep - 2, height }
}

/** Pixels for a folded millisecond. */
export function scaleOf(shape: MapShape, view: View): number {
  return (shape.width - shape.gutter) / Math.max(1e-6, view.to - view.from)
}

export function xOf(shape: MapShape, view: View, at: number): number {
  return shape.gutter + (at - view.from) * scaleOf(shape, view)
}

export function atX(shape: MapShape, view: View, x: number): number {
  return view.from + (x - shape.gutter) / scaleOf(shape, view)
}

/** The lane at a height of the plot, with lanes scrolled by `scroll`. */
export function laneAtY(shape: MapShape, y: number, scroll: number): number | undefined {
  if (y < shape.lanesTop) return
  const inside = y - shape.lanesTop + scroll
  const found = shape.lanes.findIndex(({ top, height }) => inside >= top && inside < top + height)
  return found < 0 ? undefined : found
}

export interface MapFrame {
  context: CanvasRenderingContext2D
  palette: Palette
  scene: MapScene
  shape: MapShape
  view: View
  /** How far lanes are scrolled. */
  scroll: number
}
