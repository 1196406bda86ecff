// The map itself: a canvas with a layer of text, the pointer's line and card, and the cursor of the keyboard.

import { type RefObject, useEffect, useRef, useState } from 'react'
import type { SessionHead } from '../../src/view/reading.ts'
import { clearedContext, usePalette, useSize } from '../thread/palette.ts'
import type { PlaceWords } from '../thread/words.ts'
import { toReal } from './fold.ts'
import { atX, type MapShape, shapeMap, xOf } from './geometry.ts'
import { type Hit, hitAt, useGestures } from './gestures.ts'
import { ContextScale, LaneNames, TurnHeadlines } from './labels.tsx'
import type { MapScene } from './model.ts'
import { paintMap } from './paint.ts'
import { clockOf } from './ticks.tsx'
import type { ViewControl } from './view.ts'
import { hitWords } from './words.ts'

export interface PlotProps {
  /** What scrolls when there are more lanes than fit. */
  box: RefObject<HTMLDivElement | null>
  head: SessionHead
  scene: MapScene
  control: ViewControl
  /** The slot of the main thread that the keyboard is at. */
  cursor: number | undefined
  summary: string
  onOpen(hit: Hit): void
}

interface Hover {
  x: number
  y: number
}

export function Plot({ box, head, scene, control, cursor, summary, onOpen }: PlotProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const palette = usePalette()
  const size = useSize(box)
  const [scroll, setScroll] = useState(0)
  const [hover, setHover] = useState<Hover>()
  const shape = shapeMap(scene, size.width, size.height)
  const { view } = control
  useEffect(() => {
    const context = clearedContext(canvas.current, size)
    if (context) paintMap({ context, palette, scene, shape: shapeMap(scene, size.width, size.height), view, scroll })
  }, [palette, scene, size, view, scroll])
  const find = (x: number, y: number) => hitAt(scene, shape, view, x, y, scroll)
  const chosen = useGestures(box, {
    scene,
    shape,
    control,
    onHover: (x, y) => setHover({ x, y }),
    onLeave: () => setHover(undefined),
    onClick: (x, y) => {
      const hit = find(x, y)
      if (hit) onOpen(hit)
    },
  })
  const hit = hover && find(hover.x, hover.y)
  const lanesTall = shape.lanesTop + shape.lanesHeight
  return (
    <div
      ref={box}
      className="map-plot"
      data-hit={hit?.type}
      onScroll={event => setScroll(event.currentTarget.scrollTop)}
      onPointerLeave={event => {
        if (event.pointerType !== 'touch') setHover(undefined)
      }}
    >
      <div className="map-stick" style={{ height: size.height }}>
        <canvas ref={canvas} className="map-canvas" role="img" aria-label={summary} />
        <ContextScale scene={scene} shape={shape} />
        <TurnHeadlines scene={scene} shape={shape} view={view} scroll={scroll} />
        <LaneNames scene={scene} shape={shape} view={view} scroll={scroll} />
        {scene.isLive && <LiveEnd scene={scene} shape={shape} view={view} scroll={scroll} />}
        {cursor !== undefined && <Cursor scene={scene} shape={shape} view={view} scroll={scroll} slot={cursor} />}
        {hit?.type === 'call' && <Ring hit={hit} shape={shape} view={view} scroll={scroll} />}
        {chosen && (
          <div
            className="map-chosen"
            style={{ transform: `translateX(${chosen.from}px)`, width: chosen.to - chosen.from }}
          />
        )}
        {hover && hover.x > shape.gutter && !scene.isOrdered && (
          <span className="map-line" style={{ transform: `translateX(${hover.x}px)`, top: shape.axis - 18 }}>
            <time>{clockOf(toReal(scene.time, atX(shape, view, hover.x)))}</time>
          </span>
        )}
        {hover && hit && !chosen && <Tip hover={hover} shape={shape} words={hitWords(head, scene, hit)} hit={hit} />}
      </div>
      <div style={{ height: Math.max(0, lanesTall - size.height) }} />
    </div>
  )
}

function Tip({ hover, shape, words, hit }: { hover: Hover; shape: MapShape; words: PlaceWords; hit: Hit }) {
  const isRight = hover.x > shape.width * 0.6
  const isLow = hover.y > shape.height * 0.6
  const next = hit.type === 'turn' || hit.type === 'lane' ? 'click to zoom in' : ''
  return (
    <div
      className="map-tip"
      data-bad={words.isBad}
      style={{
        ...(isRight ? { right: shape.width - hover.x + 14 } : { left: hover.x + 14 }),
        ...(isLow ? { bottom: shape.height - hover.y + 12 } : { top: hover.y + 14 }),
      }}
    >
      <b>{words.what}</b>
      {words.more.map(line => (
        <span key={line}>{line}</span>
      ))}
      {next !== '' && <span className="faint">{next}</span>}
    </div>
  )
}

/** Around the bar that is pointed at. */
function Ring({ hit, shape, view, scroll }: Omit<MarkProps, 'scene'> & { hit: Extract<Hit, { type: 'call' }> }) {
  const box = shape.lanes[hit.lane]
  if (!box) return null
  const from = Math.max(shape.gutter, xOf(shape, view, hit.from))
  const to = Math.min(shape.width, xOf(shape, view, hit.to))
  const y = shape.lanesTop - scroll + box.top + box.rowTop + hit.row * box.rowStep
  const style = {
    transform: `translate(${from - 2}px, ${y - 2}px)`,
    width: Math.max(2, to - from) + 4,
    height: box.bar + 4,
  }
  return <span className="map-ring" style={style} />
}

interface MarkProps {
  scene: MapScene
  shape: MapShape
  view: ViewControl['view']
  scroll: number
}

function mainLine({ shape, scroll }: MarkProps): number {
  return shape.lanesTop - scroll + (shape.lanes[0]?.line ?? 0)
}

function LiveEnd(props: MarkProps) {
  const { scene, shape, view } = props
  const x = xOf(shape, view, scene.lanes[0]?.to ?? 0)
  const y = mainLine(props)
  if (x < shape.gutter || x > shape.width || y < shape.lanesTop) return null
  return <span className="rail-end" style={{ transform: `translate(${x}px, ${y}px)` }} />
}

function Cursor(props: MarkProps & { slot: number }) {
  const { scene, shape, view, slot } = props
  const at = scene.lanes[0]?.at[slot]
  const y = mainLine(props)
  if (at === undefined || y < shape.lanesTop) return null
  const x = xOf(shape, view, at)
  return x < shape.gutter ? null : <span className="map-cursor" style={{ transform: `translate(${x}px, ${y}px)` }} />
}
