// The Map screen: the session laid out in time, one lane per agent, and the same as a table. Positions are in the files next
// to it.

import { memo, type RefObject, useMemo, useRef, useState } from 'react'
import { countText, durationText } from '../../src/base/format.ts'
import { visibleLine } from '../../src/render/safe-text.ts'
import type { SessionHead } from '../../src/view/reading.ts'
import { useKeys } from '../keys.ts'
import { useHead, useReader, useStore } from '../reader.ts'
import { Link, navigate } from '../route.ts'
import { outlineNow } from '../session/state.ts'
import { longWhen, tokensText } from '../shell/format.ts'
import { ScreenWait } from '../shell/states.tsx'
import { callsText, instantOf, slotWords } from '../thread/words.ts'
import { eventOf, type Hit } from './gestures.ts'
import type { MapScene } from './model.ts'
import { Overview } from './overview.tsx'
import { Plot } from './plot.tsx'
import { buildScene, type Outlines, useOutlines } from './scene.ts'
import { Legend } from './ticks.tsx'
import { fitView, isFit, panView, reveal, useView, type ViewControl, viewOf, zoomView } from './view.ts'
import { nextStop, sceneText } from './words.ts'
import './map.css'
import './table.css'

export default function MapScreen() {
  const store = useStore()
  const head = useHead()
  const outlines = useOutlines(head.value)
  const error = head.error ?? outlines.error
  const isThere = head.value !== undefined && outlines.known.size > 0
  if (error && !isThere) {
    return (
      <div className="map-none" role="alert">
        <h2>The map cannot be drawn.</h2>
        <p>{error.message}</p>
        <button type="button" className="button" onClick={() => store.retry()}>
          Try again
        </button>
      </div>
    )
  }
  if (!head.value || !isThere) return <ScreenWait />
  return <MapOf head={head.value} outlines={outlines} />
}

function MapOf({ head, outlines }: { head: SessionHead; outlines: Outlines }) {
  const scene = useMemo(() => {
    const now = [...outlines.known].map(([thread, outline]) => [thread, outlineNow(outline, head.isLive)] as const)
    return buildScene(head, new Map(now))
  }, [head, outlines])
  if ((scene.lanes[0]?.at.length ?? 0) === 0) {
    return (
      <div className="map-none">
        <h2>Nothing to show yet.</h2>
        <p>{head.isLive ? 'The map grows as soon as the first prompt is written.' : 'This session has no events.'}</p>
      </div>
    )
  }
  return <MapView head={head} scene={scene} isComplete={outlines.isComplete} />
}

function MapView({ head, scene, isComplete }: { head: SessionHead; scene: MapScene; isComplete: boolean }) {
  const { id } = useReader()
  const control = useView(scene.time)
  const [cursor, setCursor] = useState<number>()
  const [isTable, setTable] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const summary = sceneText(head, scene)
  const openEvent = (event: string | undefined) => {
    if (event !== undefined) navigate({ screen: 'transcript', session: id, query: { event } })
  }
  const onOpen = (hit: Hit) => {
    const lane = hit.type === 'lane' ? scene.lanes[hit.lane] : undefined
    if (hit.type === 'turn') control.glide(viewOf(hit.turn.from, hit.turn.to, scene.time))
    else if (lane) control.glide(lane.isMain ? fitView(scene.time) : viewOf(lane.from, lane.to, scene.time, 0.15))
    else openEvent(eventOf(scene, hit))
  }
  useMapKeys({ box, scene, control, cursor, setCursor, openEvent })
  const outline = scene.lanes[0]?.outline
  const words = cursor === undefined || !outline ? undefined : slotWords(head, outline, cursor)
  return (
    <div className="map">
      <h1 className="unseen">Map of {visibleLine(head.title)}</h1>
      <Toolbar scene={scene} control={control} isTable={isTable} onTable={() => setTable(!isTable)} />
      <Overview scene={scene} control={control} />
      <Plot box={box} head={head} scene={scene} control={control} cursor={cursor} summary={summary} onOpen={onOpen} />
      <p className="map-status" aria-live="polite">
        {words ? (
          <>
            <b className={words.isBad ? 'bad' : ''}>{words.what}</b> {words.more.join(' · ')} <kbd>Enter</kbd> opens it
          </>
        ) : (
          <>
            {summary}
            {!isComplete && ' · subagents are still being read'}
          </>
        )}
      </p>
      <TurnTable scene={scene} isShown={isTable} />
    </div>
  )
}

interface MapKeys {
  box: RefObject<HTMLDivElement | null>
  scene: MapScene
  control: ViewControl
  cursor: number | undefined
  setCursor(slot: number | undefined): void
  openEvent(event: string | undefined): void
}

function useMapKeys({ box, scene, control, cursor, setCursor, openEvent }: MapKeys): void {
  const { view, glide } = control
  const span = view.to - view.from
  const lane = scene.lanes[0]
  const around = cursor === undefined ? (view.from + view.to) / 2 : (lane?.at[cursor] ?? 0)
  const zoom = (factor: number) => glide(zoomView(view, factor, around, scene.time))
  const pan = (share: number) => glide(panView(view, span * share, scene.time))
  const go = (what: 'prompt' | 'error' | 'any', step: 1 | -1) => {
    const slot = lane && nextStop(lane, view, cursor, what, step)
    if (slot === undefined || !lane) return
    setCursor(slot)
    glide(reveal(view, lane.at[slot] ?? 0, scene.time))
  }
  useKeys(
    {
      '+': ['zoom in', () => zoom(0.6)],
      '=': ['zoom in', () => zoom(0.6)],
      '-': ['zoom out', () => zoom(1 / 0.6)],
      '0': ['the whole session', () => glide(fitView(scene.time))],
      Left: ['earlier', () => pan(-0.2)],
      Right: ['later', () => pan(0.2)],
      Up: ['lanes above', () => box.current?.scrollBy(0, -80)],
      Down: ['lanes below', () => box.current?.scrollBy(0, 80)],
      j: ['next event', () => go('any', 1)],
      k: ['previous event', () => go('any', -1)],
      n: ['next prompt', () => go('prompt', 1)],
      p: ['previous prompt', () => go('prompt', -1)],
      e: ['next failure', () => go('error', 1)],
      Enter: ['open in the transcript', () => (cursor === undefined ? false : openEvent(lane?.outline?.ids[cursor]))],
      Esc: ['hide the cursor', () => (cursor === undefined ? false : setCursor(undefined))],
    },
    'Map',
  )
}

interface ToolbarProps {
  scene: MapScene
  control: ViewControl
  isTable: boolean
  onTable(): void
}

function Toolbar({ scene, control, isTable, onTable }: ToolbarProps) {
  const { view, glide } = control
  const zoom = (factor: number) => glide(zoomView(view, factor, (view.from + view.to) / 2, scene.time))
  return (
    <div className="map-bar">
      <Legend />
      <div className="map-buttons">
        <button type="button" className="map-button" aria-label="Zoom out" onClick={() => zoom(1 / 0.5)}>
          −
        </button>
        <button type="button" className="map-button" aria-label="Zoom in" onClick={() => zoom(0.5)}>
          +
        </button>
        <button
          type="button"
          className="map-button"
          disabled={isFit(view, scene.time)}
          onClick={() => glide(fitView(scene.time))}
        >
          Fit
        </button>
        <button type="button" className="map-button" aria-pressed={isTable} onClick={onTable}>
          Table
        </button>
      </div>
    </div>
  )
}

const mostRows = 500

/** Rendered only when the scene changes: moving the view changes nothing in it. */
export const TurnTable = memo(function TurnTable({ scene, isShown }: { scene: MapScene; isShown: boolean }) {
  const { id } = useReader()
  const turns = scene.turns.slice(0, mostRows)
  return (
    <div className={isShown ? 'map-table' : 'unseen'}>
      <table>
        <caption>
          Turns of the session
          {scene.turns.length > mostRows && `: the first ${mostRows} of ${countText(scene.turns.length)}`}
        </caption>
        <thead>
          <tr>
            <th scope="col">Turn</th>
            <th scope="col">Prompt</th>
            <th scope="col">Started</th>
            <th scope="col">Took</th>
            <th scope="col">Calls</th>
            <th scope="col">Failed</th>
            <th scope="col">Subagents</th>
            <th scope="col">Context</th>
          </tr>
        </thead>
        <tbody>
          {turns.map(turn => (
            <tr key={turn.event}>
              <td>{turn.index + 1}</td>
              <th scope="row">
                {isShown ? (
                  <Link route={{ screen: 'transcript', session: id, query: { event: turn.event } }}>
                    {turn.headline || `turn ${turn.index + 1}`}
                  </Link>
                ) : (
                  turn.headline || `turn ${turn.index + 1}`
                )}
                {turn.isLeft && <span className="faint"> (abandoned branch)</span>}
                {turn.isInherited && <span className="faint"> (inherited)</span>}
              </th>
              <td>{scene.isOrdered ? '' : longWhen(instantOf(turn.startedAt))}</td>
              <td>{turn.durationMs === undefined ? '' : durationText(turn.durationMs)}</td>
              <td>{countText(turn.calls)}</td>
              <td>{turn.failed === 0 ? '' : countText(turn.failed)}</td>
              <td>{turn.subagents === 0 ? '' : countText(turn.subagents)}</td>
              <td>{turn.tokens === undefined ? '' : tokensText(turn.tokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {scene.lanes.length > 1 && <LaneTable scene={scene} />}
    </div>
  )
})

function LaneTable({ scene }: { scene: MapScene }) {
  return (
    <table>
      <caption>Subagents</caption>
      <thead>
        <tr>
          <th scope="col">Subagent</th>
          <th scope="col">Task</th>
          <th scope="col">Started</th>
          <th scope="col">Work</th>
        </tr>
      </thead>
      <tbody>
        {scene.lanes.slice(1).map(({ thread }) => (
          <tr key={thread.id}>
            <th scope="row">{thread.agentType ?? 'subagent'}</th>
            <td>{thread.description ?? ''}</td>
            <td>{longWhen(thread.startedAt)}</td>
            <td>{callsText(thread)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
