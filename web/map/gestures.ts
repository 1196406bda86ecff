// Pointer, wheel and touch on the map, and what is under a point: a call, an event, a fold, the context, a turn.

import { type RefObject, useEffect, useRef, useState } from 'react'
import type { OutlineCall } from '../../src/view/reading.ts'
import { turnStarts } from '../thread/model.ts'
import { type Fold, foldAt } from './fold.ts'
import { barAt, type ContextPoint, type MapLane, type MapScene, type Turn } from './model.ts'
import { pointAt } from './scene.ts'
import {
  atX,
  type LaneBox,
  laneAtY,
  type MapShape,
  panView,
  scaleOf,
  type View,
  type ViewControl,
  viewOf,
  zoomView,
} from './view.ts'

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
    const pointers = new Pointers(element, () => latest.current, setChosen)
    const listen = new AbortController()
    const { signal } = listen
    element.addEventListener('pointerdown', event => pointers.down(event), { signal })
    element.addEventListener('pointermove', event => pointers.move(event), { signal })
    element.addEventListener('pointerup', event => pointers.up(event, true), { signal })
    element.addEventListener('pointercancel', event => pointers.up(event, false), { signal })
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
class Pointers {
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

  /** A finger cannot point: its first tap shows what is there, a second one acts. */
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
      // The finger that stays continues with the view as it is now.
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

export type Hit =
  | { type: 'call'; lane: number; row: number; slot: number; call: OutlineCall; from: number; to: number }
  | { type: 'slot'; lane: number; slot: number; at: number }
  | { type: 'lane'; lane: number; at: number }
  | { type: 'fold'; fold: Fold; at: number }
  | { type: 'context'; point: ContextPoint; at: number }
  | { type: 'turn'; turn: Turn; at: number }

/** How far from a narrow bar one may point. */
const slackPixels = 4

export function hitAt(
  scene: MapScene,
  shape: MapShape,
  view: View,
  x: number,
  y: number,
  scroll: number,
): Hit | undefined {
  if (x < shape.gutter) {
    const lane = laneAtY(shape, y, scroll)
    const found = lane === undefined ? undefined : scene.lanes[lane]
    return lane === undefined || !found ? undefined : { type: 'lane', lane, at: found.from }
  }
  const at = atX(shape, view, x)
  const slack = slackPixels / scaleOf(shape, view)
  const lane = laneAtY(shape, y, scroll)
  const box = lane === undefined ? undefined : shape.lanes[lane]
  const found = lane === undefined ? undefined : scene.lanes[lane]
  if (lane !== undefined && box && found) {
    const inLane = y - shape.lanesTop + scroll - box.top
    const hit = hitInLane(found, lane, box, at, slack, inLane)
    if (hit) return hit
  }
  const fold = foldAt(scene.time, at)
  if (fold) return { type: 'fold', fold, at }
  if (y >= shape.contextTop && y < shape.contextTop + shape.contextHeight) {
    const point = pointAt(scene.context, at)
    if (point) return { type: 'context', point, at }
  }
  const turn = turnAt(scene.turns, at)
  return turn && { type: 'turn', turn, at }
}

function hitInLane(found: MapLane, lane: number, box: LaneBox, at: number, slack: number, y: number): Hit | undefined {
  const row = Math.floor((y - box.rowTop) / box.rowStep)
  const bars = found.rows[row]
  const place = bars && barAt(bars, at, slack)
  if (bars && place !== undefined) {
    const slot = bars.slots[place] ?? 0
    const call = found.outline?.calls[slot]?.[bars.places[place] ?? 0]
    if (call) return { type: 'call', lane, row, slot, call, from: bars.from[place] ?? at, to: bars.to[place] ?? at }
  }
  if (Math.abs(y - box.line) <= 8) {
    const slot = slotNear(found, at, slack * 1.5)
    if (slot !== undefined) return { type: 'slot', lane, slot, at: found.at[slot] ?? at }
  }
  const isInside = at >= found.from - slack && at <= found.to + slack
  return !found.isMain && isInside ? { type: 'lane', lane, at } : undefined
}

/** The slot nearest to a time; a prompt before others. */
export function slotNear(lane: MapLane, at: number, slack: number): number | undefined {
  const { order, outline } = lane
  let best: number | undefined
  let nearest = Number.POSITIVE_INFINITY
  for (let place = firstInOrder(lane, at - slack); place < order.length; place++) {
    const slot = order[place] ?? 0
    const time = lane.at[slot] ?? 0
    if (time > at + slack) break
    const away = Math.abs(time - at) - (outline && turnStarts(outline).has(slot) ? slack * 2 : 0)
    if (away >= nearest) continue
    nearest = away
    best = slot
  }
  return best
}

function firstInOrder({ order, at }: MapLane, least: number): number {
  let low = 0
  let high = order.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((at[order[middle] ?? 0] ?? 0) < least) low = middle + 1
    else high = middle
  }
  return low
}

export function turnAt(turns: readonly Turn[], at: number): Turn | undefined {
  let low = -1
  let high = turns.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((turns[middle]?.from ?? 0) <= at) low = middle
    else high = middle - 1
  }
  return turns[low]
}

/** The event that opening a hit leads to. */
export function eventOf(scene: MapScene, hit: Hit): string | undefined {
  const idOf = (lane: MapLane | undefined, slot: number) => lane?.outline?.ids[slot]
  if (hit.type === 'call' || hit.type === 'slot') return idOf(scene.lanes[hit.lane], hit.slot)
  if (hit.type === 'context') return idOf(scene.lanes[0], hit.point.slot)
  if (hit.type === 'turn') return hit.turn.event
  if (hit.type === 'lane') return idOf(scene.lanes[hit.lane], 0) ?? scene.lanes[hit.lane]?.thread.startEvent
  const after = scene.lanes[0] && slotNear(scene.lanes[0], hit.fold.at + hit.fold.size, hit.fold.size * 0.1 + 1)
  return after === undefined ? undefined : idOf(scene.lanes[0], after)
}
