// The thread next to the transcript: the whole session at a glance, the scroll bar's richer sibling. It shows where things
// are and asks to go there; it scrolls nothing itself.

import { type CSSProperties, useEffect, useMemo, useRef, useState } from 'react'
import type { Outline, SessionHead } from '../../src/view/reading.ts'
import { loopAt, placeLoops, pointedSlot, type RailScale, scaleOf, shapeOf, slotAt, yOf } from './layout.ts'
import { buildRail, type RailModel } from './model.ts'
import { paintRail } from './paint.ts'
import { clearedContext, usePalette, useSize } from './palette.ts'
import { agentWords, type PlaceWords, slotWords } from './words.ts'
import './rail.css'

export interface ThreadRailProps {
  head: SessionHead
  outline: Outline
  /** Slots on screen, the second one not any more. */
  visible: [from: number, to: number]
  onJump(slot: number): void
}

interface Pointed {
  y: number
  slot: number
  words: PlaceWords
}

export default function ThreadRail({ head, outline, visible, onJump }: ThreadRailProps) {
  const box = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const palette = usePalette()
  const size = useSize(box)
  const isLive = head.isLive && outline.thread === head.threads.find(({ kind }) => kind === 'main')?.id
  const model = useMemo(() => buildRail(head, outline), [head, outline])
  const drawing = useMemo(() => {
    const scale = scaleOf(model, size.height, isLive)
    const shape = shapeOf(size.width)
    return { model, outline, scale, shape, loops: placeLoops(model.loops, scale, shape), isLive }
  }, [model, outline, size, isLive])
  useEffect(() => {
    const context = clearedContext(canvas.current, size)
    if (context) paintRail(context, palette, drawing)
  }, [drawing, palette, size])

  const [pointer, setPointer] = useState<{ x: number; y: number }>()
  const { scale, shape } = drawing
  const placeAt = ({ x, y }: { x: number; y: number }): Pointed => {
    const loop = loopAt(drawing.loops, shape, x, y)?.loop
    const thread = loop && head.threads.find(({ id }) => id === loop.thread)
    if (loop && thread) return { y, slot: loop.slot, words: agentWords(thread) }
    const slot = pointedSlot(model, scale, y)
    return { y, slot, words: slotWords(head, outline, slot) }
  }
  const turns = useTurns(model, visible[0])
  const drag = useRef<{ y: number; isMoving: boolean }>(null)
  const onPointerMove = (event: React.PointerEvent) => {
    if (model.size === 0) return
    const point = pointOf(event)
    setPointer(point)
    if (!drag.current) return
    if (Math.abs(point.y - drag.current.y) > 3) drag.current.isMoving = true
    if (drag.current.isMoving) onJump(slotAt(model, scale, point.y))
  }
  return (
    <div
      ref={box}
      className="thread-rail"
      role="slider"
      tabIndex={0}
      aria-label="Thread of the session"
      aria-orientation="vertical"
      aria-valuemin={1}
      aria-valuemax={Math.max(1, turns.stops.length)}
      aria-valuenow={turns.now + 1}
      aria-valuetext={turnWords(outline, turns)}
      onKeyDown={event => {
        const slot = stopFor(event.key, turns)
        if (slot === undefined) return
        event.preventDefault()
        onJump(slot)
      }}
      onPointerMove={onPointerMove}
      onPointerLeave={() => setPointer(undefined)}
      onPointerDown={event => {
        if (event.button !== 0 || model.size === 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        drag.current = { y: pointOf(event).y, isMoving: false }
      }}
      onPointerUp={event => {
        if (drag.current && !drag.current.isMoving && model.size > 0) onJump(placeAt(pointOf(event)).slot)
        drag.current = null
      }}
      onPointerCancel={() => {
        drag.current = null
      }}
    >
      <div className="rail-window" style={windowStyle(model, scale, visible)} />
      <canvas ref={canvas} className="rail-canvas" />
      {isLive && <span className="rail-end" style={{ transform: `translate(${shape.middle}px, ${scale.bottom}px)` }} />}
      {pointer && model.size > 0 && <RailTip pointed={placeAt(pointer)} height={size.height} />}
    </div>
  )
}

function pointOf(event: React.PointerEvent): { x: number; y: number } {
  const rect = event.currentTarget.getBoundingClientRect()
  return { x: event.clientX - rect.left, y: event.clientY - rect.top }
}

function windowStyle(model: RailModel, scale: RailScale, [from, to]: [number, number]): CSSProperties {
  const top = from <= 0 ? 2 : yOf(model, scale, from)
  const bottom = to >= model.size ? scale.bottom + 8 : yOf(model, scale, to)
  const height = Math.max(14, bottom - top)
  return { height, transform: `translateY(${Math.max(2, Math.min(top, scale.bottom + 8 - height))}px)` }
}

function RailTip({ pointed, height }: { pointed: Pointed; height: number }) {
  const { y, words } = pointed
  const isLow = y > height / 2
  return (
    <>
      <span className="rail-line" style={{ transform: `translateY(${y}px)` }} />
      <div
        className="rail-tip"
        data-low={isLow}
        data-bad={words.isBad}
        style={isLow ? { bottom: height - y } : { top: y }}
      >
        <b>{words.what}</b>
        {words.more.map(line => (
          <span key={line}>{line}</span>
        ))}
      </div>
    </>
  )
}

interface Turns {
  /** Slots that the keyboard goes to: prompts; even parts where there are none. */
  stops: number[]
  /** The stop that the reader is at. */
  now: number
  first: number
}

function useTurns(model: RailModel, first: number): Turns {
  const stops = useMemo(() => {
    if (model.prompts.length > 0) return model.prompts
    const step = Math.max(1, Math.ceil(model.size / 20))
    return Array.from({ length: Math.ceil(model.size / step) }, (_, at) => at * step)
  }, [model])
  const after = stops.findIndex(slot => slot > first)
  const now = Math.max(0, (after < 0 ? stops.length : after) - 1)
  return { stops, now, first }
}

function stopFor(key: string, { stops, now, first }: Turns): number | undefined {
  const here = stops[now] ?? 0
  if (key === 'ArrowDown' || key === 'ArrowRight')
    return stops[first < here ? now : Math.min(now + 1, stops.length - 1)]
  if (key === 'ArrowUp' || key === 'ArrowLeft') return stops[first > here + 1 ? now : Math.max(0, now - 1)]
  if (key === 'PageDown') return stops[Math.min(now + 10, stops.length - 1)]
  if (key === 'PageUp') return stops[Math.max(0, now - 10)]
  if (key === 'Home') return stops[0]
  if (key === 'End') return stops.at(-1)
  return
}

function turnWords(outline: Outline, { stops, now }: Turns): string {
  const slot = stops[now]
  if (slot === undefined) return 'no events'
  const prompt = outline.prompts[slot]
  const what = outline.ids.length > 0 && prompt === undefined ? 'part' : 'turn'
  return `${what} ${now + 1} of ${stops.length}${prompt === undefined || prompt === '' ? '' : `: ${prompt}`}`
}
