// Wheel, drag and pinch on the plot, turned into views: dragging pans, dragging along the axis chooses a stretch, wheel and
// two fingers zoom around where they are. A press that did not move is a click. What a click does is not decided here.

import { type RefObject, useEffect, useRef, useState } from 'react'
import { atX, type MapShape, scaleOf } from './geometry.ts'
import type { MapScene } from './model.ts'
import type { ViewControl } from './use-view.ts'
import { panView, viewOf, zoomView } from './view.ts'

export interface GestureTarget {
  scene: MapScene
  shape: MapShape
  control: ViewControl
  onClick(x: number, y: number): void
  onHover(x: number, y: number): void
  /** Nothing is pointed at any more. */
  onLeave(): void
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
    const hand = new Hand(element, () => latest.current, setChosen)
    const listen = new AbortController()
    const { signal } = listen
    element.addEventListener('pointerdown', event => hand.down(event), { signal })
    element.addEventListener('pointermove', event => hand.move(event), { signal })
    element.addEventListener('pointerup', event => hand.up(event, true), { signal })
    element.addEventListener('pointercancel', event => hand.up(event, false), { signal })
    element.addEventListener('wheel', event => wheel(event, element, latest.current, placeIn(element, event)), {
      passive: false,
      signal,
    })
    return () => listen.abort()
  }, [box])
  return chosen
}

function placeIn(element: HTMLElement, event: { clientX: number; clientY: number }): { x: number; y: number } {
  const rect = element.getBoundingClientRect()
  return { x: event.clientX - rect.left, y: event.clientY - rect.top }
}

/** The fingers or the mouse that are down, from the first to the last. */
class Hand {
  #held = new Map<number, { x: number; y: number }>()
  #press: Press | undefined
  #tapped: { x: number; y: number } | undefined
  #element: HTMLElement
  #target: () => GestureTarget
  #choose: (chosen: Chosen) => void

  constructor(element: HTMLElement, target: () => GestureTarget, choose: (chosen: Chosen) => void) {
    this.#element = element
    this.#target = target
    this.#choose = choose
  }

  down(event: PointerEvent): void {
    if (event.button !== 0 || (event.target instanceof Element && event.target.closest('a, button'))) return
    const element = this.#element
    element.setPointerCapture(event.pointerId)
    const { x, y } = placeIn(element, event)
    this.#held.set(event.pointerId, { x, y })
    const { shape, control } = this.#target()
    const isChoosing = event.shiftKey || (y < shape.axis && x > shape.gutter)
    const at = atX(shape, control.view, x)
    this.#press = { x, y, at, scroll: element.scrollTop, isMoved: false, isChoosing }
  }

  move(event: PointerEvent): void {
    const place = placeIn(this.#element, event)
    const press = this.#press
    if (!press || !this.#held.has(event.pointerId)) {
      this.#target().onHover(place.x, place.y)
      return
    }
    if (this.#held.size === 2) pinch(this.#target(), this.#held, event.pointerId, place)
    this.#held.set(event.pointerId, place)
    if (this.#held.size > 1 || Math.hypot(place.x - press.x, place.y - press.y) > clickSlack) press.isMoved = true
    if (press.isMoved && this.#held.size === 1) this.#drag(press, place)
  }

  /** A finger cannot point: its first tap tells what is there, a second one acts. */
  #isSecondTap(x: number, y: number): boolean {
    const before = this.#tapped
    const isSame = before !== undefined && Math.hypot(x - before.x, y - before.y) < 24
    this.#tapped = isSame ? undefined : { x, y }
    return isSame
  }

  #drag(press: Press, { x, y }: { x: number; y: number }): void {
    if (press.isChoosing) {
      this.#choose({ from: Math.min(press.x, x), to: Math.max(press.x, x) })
      return
    }
    const { shape, scene, control, onLeave } = this.#target()
    this.#tapped = undefined
    onLeave()
    control.move(panView(control.view, press.at - atX(shape, control.view, x), scene.time))
    this.#element.scrollTop = press.scroll - (y - press.y)
  }

  up(event: PointerEvent, isDone: boolean): void {
    const { x, y } = placeIn(this.#element, event)
    const press = this.#press
    this.#held.delete(event.pointerId)
    const [rest] = this.#held.values()
    if (!press) return
    const { shape, scene, control, onClick } = this.#target()
    if (rest) {
      // The finger that stays goes on with the view as it is now.
      this.#press = { ...press, ...rest, at: atX(shape, control.view, rest.x), scroll: this.#element.scrollTop }
      return
    }
    this.#press = undefined
    this.#choose(undefined)
    if (isDone && !press.isMoved) {
      if (event.pointerType !== 'touch' || this.#isSecondTap(x, y)) onClick(x, y)
      else this.#target().onHover(x, y)
    }
    if (!isDone || !press.isMoved || !press.isChoosing || Math.abs(x - press.x) <= 8) return
    const [from, to] = [atX(shape, control.view, Math.min(press.x, x)), atX(shape, control.view, Math.max(press.x, x))]
    control.glide(viewOf(from, to, scene.time, 0))
  }
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
