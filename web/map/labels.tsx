// The words on the map: names of lanes, headlines of turns, the scale of the context. Real text over the canvas, links
// where they lead somewhere.

import type { CSSProperties } from 'react'
import { useReader } from '../reader.ts'
import { Link } from '../route.ts'
import { agentName, agentText, tokensText } from '../thread/words.ts'
import { type MapShape, xOf } from './geometry.ts'
import type { MapLane, MapScene, Turn } from './model.ts'
import type { View } from './view.ts'

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
