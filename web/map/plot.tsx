// The map itself: a canvas with a layer of text over it, the pointer's line and card, and the cursor of the keyboard.

import { type CSSProperties, type RefObject, useEffect, useRef, useState } from 'react'
import type { SessionHead } from '../../src/view/reading.ts'
import { useReader } from '../reader.ts'
import { Link } from '../route.ts'
import { tokensText } from '../shell/format.ts'
import { clearedContext, usePalette, useSize } from '../thread/palette.ts'
import { agentName, agentText, type PlaceWords } from '../thread/words.ts'
import { toReal } from './fold.ts'
import { type Hit, hitAt, useGestures } from './gestures.ts'
import type { MapLane, MapScene, Turn } from './model.ts'
import { paintMap } from './paint.ts'
import { clockOf } from './ticks.tsx'
import { atX, type MapShape, shapeMap, type View, type ViewControl, xOf } from './view.ts'
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

export interface LabelsProps {
  scene: MapScene
  shape: MapShape
  view: View
  scroll: number
}

export function LaneNames({ scene, shape, view, scroll }: LabelsProps) {
  const { id } = useReader()
  const names = scene.lanes.flatMap((lane, at) => {
    const box = shape.lanes[at]
    const y = box ? shape.lanesTop + box.top - scroll : -1
    if (!box || y + box.height < shape.lanesTop || y > shape.height) return []
    const top = shape.gutter > 0 ? y + box.line - 9 : y + box.line - (lane.isMain ? 0 : 22)
    const isTall = shape.gutter > 0 && box.height - box.line >= 24
    return [{ lane, top, isTall, x: shape.gutter > 0 ? 0 : narrowX(lane, shape, view) }]
  })
  if (shape.gutter === 0) names.splice(0, names[0]?.lane.isMain ? 1 : 0)
  return (
    <div className="map-names" style={{ top: shape.lanesTop }} data-narrow={shape.gutter === 0}>
      {names.map(({ lane, top, x, isTall }) => (
        <Link
          key={lane.thread.id}
          className={lane.isMain ? 'map-name main' : 'map-name'}
          route={{ screen: 'transcript', session: id, query: lane.isMain ? {} : { thread: lane.thread.id } }}
          data-tall={isTall}
          title={lane.isMain ? 'The main thread' : agentText(lane.thread)}
          style={
            {
              ...(lane.isMain ? {} : { '--lane': `var(--agent-${lane.hue})` }),
              transform: `translate(${x}px, ${top - shape.lanesTop}px)`,
              ...(shape.gutter > 0
                ? { width: shape.gutter - 10, paddingLeft: 14 + Math.min(4, lane.depth) * 10 }
                : { maxWidth: shape.width - x - 8 }),
            } as CSSProperties
          }
        >
          {lane.isMain ? 'main' : <LaneName lane={lane} />}
        </Link>
      ))}
    </div>
  )
}

function LaneName({ lane }: { lane: MapLane }) {
  const { agentType, description } = lane.thread
  return (
    <>
      <b>{agentName(lane.thread)}</b>
      {agentType !== undefined && description !== undefined && <span> {agentType}</span>}
    </>
  )
}

/** Where its lane begins, or at the edge when that is not on screen. */
function narrowX(lane: MapLane, shape: MapShape, view: View): number {
  return Math.max(6, Math.min(shape.width - 120, xOf(shape, view, lane.from) + 4))
}

interface Placed {
  turn: Turn
  x: number
  width: number
  /** Ends at the right edge. */
  isEnd: boolean
}

/** Headlines that fit: each may extend to the next one that is shown. */
export function placeHeadlines(turns: readonly Turn[], shape: MapShape, view: View): Placed[] {
  const placed: Placed[] = []
  const least = shape.width < 720 ? 56 : 84
  const starts = turns.filter(turn => turn.to >= view.from && turn.from <= view.to)
  let end = -Infinity
  starts.forEach((turn, at) => {
    const x = Math.max(shape.gutter + 2, xOf(shape, view, turn.from))
    const space = shape.width - 6 - Math.max(end, shape.gutter)
    // At the right edge a headline is before its knot, if that place is free.
    if (x > shape.width - least && at === starts.length - 1 && space > least * 1.5) {
      const width = Math.min(space, 220)
      placed.push({ turn, x: shape.width - 6 - width, width, isEnd: true })
      return
    }
    const next = starts[at + 1]
    const own = (next ? xOf(shape, view, next.from) : shape.width) - x
    if (x < end || x > shape.width - 24) return
    const width = Math.min(Math.max(own, least), shape.width - x) - 6
    if (width < 24) return
    placed.push({ turn, x, width, isEnd: false })
    end = x + width + 4
  })
  return placed
}

export function TurnHeadlines({ scene, shape, view, scroll }: LabelsProps) {
  const { id } = useReader()
  const box = shape.lanes[0]
  const y = shape.lanesTop - scroll + 4
  if (!box || y < shape.lanesTop - 20) return null
  return (
    <div className="map-headlines" style={{ top: y }}>
      {placeHeadlines(scene.turns, shape, view).map(({ turn, x, width, isEnd }) => (
        <Link
          key={turn.event}
          className={`map-headline${turn.isLeft ? ' left' : ''}${isEnd ? ' end' : ''}`}
          style={{ transform: `translateX(${x}px)`, width }}
          route={{ screen: 'transcript', session: id, query: { event: turn.event } }}
          tabIndex={-1}
        >
          {turn.headline === '' ? `turn ${turn.index + 1}` : turn.headline}
        </Link>
      ))}
    </div>
  )
}

/** What the area is, and where the window ends. */
export function ContextScale({ scene, shape }: Pick<LabelsProps, 'scene' | 'shape'>) {
  if (shape.contextHeight === 0) return null
  return (
    <div
      className="map-scale"
      data-narrow={shape.gutter === 0}
      style={{
        top: shape.contextTop,
        ...(shape.gutter > 0 && { width: shape.gutter - 12, height: shape.contextHeight }),
      }}
    >
      <b>Context</b>
      <span>at most {tokensText(scene.contextMost)}</span>
      {scene.window !== undefined && <span>window {tokensText(scene.window)}</span>}
    </div>
  )
}
