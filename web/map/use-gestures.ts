// Wheel, drag and pinch on the plot, turned into views: dragging pans, dragging along the axis chooses a stretch, wheel and
// two fingers zoom around where they are. A press that did not move is a click. What a click does is not decided here.

import { type RefObject, useEffect, useRef, useState } from 'react'
import { atX, type MapShape, scaleOf } from './geometry.ts'
import type { MapScene } from './scene.ts'
import type { ViewControl } from './use-view.ts'
import { panView, viewOf, zoomView } from './view.ts'

export interface GestureTarget {
  scene: MapScene
  shape: MapShape
  control: ViewControl
  onClick(x: number, y: number): void
  onHover(x: number, y: number): void
}

interface Press {
  x: number
  y: number
  at: number
  scroll: number
  isMoved: boolean
  isChoosing: boolean
}

/** A stretch that is being chosen, in pixels. */
export type Chosen = { from: number; to: number } | undefined

const clickSlack = 4
const wheelRate = 0.0016

export function useGestures(box: RefObject<HTMLDivElement | null>, target: GestureTarget): Chosen {
  const latest = useRef(target)
  latest.current = target
  const [chosen, setChosen] = useState<Chosen>()
  useEffect(() => {
    const element = box.current
    if (!element) return
    const held = new Map<number, { x: number; y: number }>()
    let press: Press | undefined
    const place = (event: { clientX: number; clientY: number }) => {
      const rect = element.getBoundingClientRect()
      return { x: event.clientX - rect.left, y: event.clientY - rect.top }
    }
    const onDown = (event: PointerEvent) => {
      if (event.button !== 0 || (event.target instanceof Element && event.target.closest('a, button'))) return
      element.setPointerCapture(event.pointerId)
      const { x, y } = place(event)
      held.set(event.pointerId, { x, y })
      const { shape, control } = latest.current
      const isChoosing = event.shiftKey || (y < shape.axis && x > shape.gutter)
      press = { x, y, at: atX(shape, control.view, x), scroll: element.scrollTop, isMoved: false, isChoosing }
    }
    const onMove = (event: PointerEvent) => {
      const { x, y } = place(event)
      const before = held.get(event.pointerId)
      if (!before || !press) return latest.current.onHover(x, y)
      if (held.size === 2) pinch(latest.current, held, event.pointerId, { x, y })
      held.set(event.pointerId, { x, y })
      if (held.size > 1) {
        press.isMoved = true
        return
      }
      if (Math.hypot(x - press.x, y - press.y) > clickSlack) press.isMoved = true
      if (!press.isMoved) return
      if (press.isChoosing) return setChosen({ from: Math.min(press.x, x), to: Math.max(press.x, x) })
      const { shape, scene, control } = latest.current
      control.move(panView(control.view, press.at - atX(shape, control.view, x), scene.time))
      element.scrollTop = press.scroll - (y - press.y)
    }
    const onUp = (event: PointerEvent) => {
      const { x, y } = place(event)
      held.delete(event.pointerId)
      if (!press || held.size > 0) return
      const { shape, scene, control, onClick } = latest.current
      if (!press.isMoved && event.type === 'pointerup') onClick(x, y)
      if (press.isMoved && press.isChoosing && Math.abs(x - press.x) > 8) {
        const ends = [atX(shape, control.view, press.x), atX(shape, control.view, x)].sort((a, b) => a - b)
        control.glide(viewOf(ends[0] ?? 0, ends[1] ?? 0, scene.time, 0))
      }
      press = undefined
      setChosen(undefined)
    }
    const onWheel = (event: WheelEvent) => wheel(event, element, latest.current, place(event))
    element.addEventListener('pointerdown', onDown)
    element.addEventListener('pointermove', onMove)
    element.addEventListener('pointerup', onUp)
    element.addEventListener('pointercancel', onUp)
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => {
      element.removeEventListener('pointerdown', onDown)
      element.removeEventListener('pointermove', onMove)
      element.removeEventListener('pointerup', onUp)
      element.removeEventListener('pointercancel', onUp)
      element.removeEventListener('wheel', onWheel)
    }
  }, [box])
  return chosen
}

/** Over lanes that do not fit the wheel scrolls them; with Ctrl, and everywhere else, it zooms. */
function wheel(
  event: WheelEvent,
  element: HTMLElement,
  target: GestureTarget,
  { x, y }: { x: number; y: number },
): void {
  const { scene, shape, control } = target
  const isZoom = event.ctrlKey || event.metaKey
  const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)
  const hasMore = element.scrollHeight > element.clientHeight + 2
  if (!isZoom && !isSideways && hasMore && y > shape.lanesTop) return
  event.preventDefault()
  const unit = event.deltaMode === 1 ? 16 : 1
  if (isSideways && !isZoom) {
    const by = (event.deltaX || event.deltaY) * unit
    control.move(panView(control.view, by / scaleOf(shape, control.view), scene.time))
    return
  }
  const factor = Math.exp(event.deltaY * unit * wheelRate * (event.ctrlKey && Math.abs(event.deltaY) < 40 ? 5 : 1))
  control.move(zoomView(control.view, factor, atX(shape, control.view, Math.max(shape.gutter, x)), scene.time))
}

/** Two fingers keep what is below them. */
function pinch(
  { shape, scene, control }: GestureTarget,
  held: ReadonlyMap<number, { x: number; y: number }>,
  moved: number,
  now: { x: number; y: number },
): void {
  const still = [...held].find(([id]) => id !== moved)?.[1]
  const before = held.get(moved)
  if (!still || !before) return
  const old = Math.max(12, Math.abs(before.x - still.x))
  const wide = Math.max(12, Math.abs(now.x - still.x))
  const around = atX(shape, control.view, (before.x + still.x) / 2)
  const zoomed = zoomView(control.view, old / wide, around, scene.time)
  const slid = (now.x - before.x) / 2 / scaleOf(shape, zoomed)
  control.move(panView(zoomed, -slid, scene.time))
}
