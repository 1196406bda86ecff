// Where lanes, axis and context stand, in pixels of the plot. Lanes scroll below what is fixed at the top. It draws nothing.

import type { MapScene } from './scene.ts'
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
  /** Room for the names of lanes; 0 on narrow screens, where they stand in the lanes. */
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
  const hasContext = scene.context.length > 1
  const contextHeight = hasContext ? (height < 520 ? 56 : Math.round(Math.min(150, height * 0.17))) : 0
  const contextTop = axis + 6
  const isCompact = scene.lanes.length > manyLanes
  let top = 0
  const lanes = scene.lanes.map((lane): LaneBox => {
    const box = lane.isMain
      ? mainBox(top, lane.rows.length, height)
      : agentBox(top, lane.rows.length, isNarrow, isCompact)
    top += box.height
    return box
  })
  return {
    width,
    height,
    gutter: isNarrow ? 0 : Math.round(Math.min(220, Math.max(150, width * 0.15))),
    axis,
    contextTop,
    contextHeight,
    lanesTop: contextTop + contextHeight + (hasContext ? 12 : 0),
    lanes,
    lanesHeight: top + 16,
  }
}

function mainBox(top: number, rows: number, height: number): LaneBox {
  const isTall = height > 700
  const rowStep = isTall ? 13 : 10
  const rowTop = 46
  return { top, line: 36, rowTop, rowStep, bar: rowStep - 3, height: rowTop + Math.max(1, rows) * rowStep + 16 }
}

function agentBox(top: number, rows: number, isNarrow: boolean, isCompact: boolean): LaneBox {
  const line = isNarrow ? 24 : isCompact ? 7 : 13
  const rowStep = isCompact ? 5 : 8
  const rowTop = line + (isCompact ? 3 : 6)
  const shown = isCompact ? Math.min(2, rows) : rows
  return {
    top,
    line,
    rowTop,
    rowStep,
    bar: rowStep - 2,
    height: rowTop + Math.max(1, shown) * rowStep + (isCompact ? 4 : 8),
  }
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
