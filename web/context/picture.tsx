// The size of the context over the session's answers, as an area: it grows, and drops where history was compacted. One
// moves along it.

import { useMemo } from 'react'
import { countText } from '../../src/base/format.ts'
import { Scrubber, thinned, ticksTo } from '../charts/charts.tsx'
import { tokensText } from '../shell/format.ts'
import type { Step } from './steps.ts'

const height = 220
const top = 16
const bottom = 22
const left = 46
const right = 6

export interface ContextPictureProps {
  steps: readonly Step[]
  at: number
  window: number | undefined
  says: string
  choose(at: number): void
  open(at: number): void
}

export function ContextPicture({ steps, at, window, says, choose, open }: ContextPictureProps) {
  const placeAt = (x: number, width: number) => {
    const share = (x - left) / Math.max(1, width - left - right)
    return Math.min(steps.length - 1, Math.max(0, Math.round(share * (steps.length - 1))))
  }
  return (
    <Scrubber
      label="Answer"
      count={steps.length}
      at={at}
      says={says}
      height={height}
      placeAt={placeAt}
      choose={choose}
      open={open}
      draw={width => <Picture steps={steps} at={at} window={window} width={width} />}
    />
  )
}

interface PictureProps {
  steps: readonly Step[]
  at: number
  window: number | undefined
  width: number
}

function Picture({ steps, at, window, width }: PictureProps) {
  const highest = useMemo(() => steps.reduce((most, { tokens }) => Math.max(most, tokens), 0), [steps])
  // A window that is mostly empty would make a flat line of what is to be seen.
  const isWindowNear = window !== undefined && window <= highest * 4
  const ticks = ticksTo(Math.max(highest, isWindowNear ? window : 0))
  const most = ticks.at(-1) || 1
  const yOf = (tokens: number) => top + (height - top - bottom) * (1 - tokens / most)
  const xOf = (place: number) => left + ((width - left - right) * place) / Math.max(1, steps.length - 1)
  const current = steps[at]
  return (
    <>
      {ticks.map(tick => (
        <g key={tick}>
          <line className="chart-line" x1={left} x2={width - right} y1={yOf(tick)} y2={yOf(tick)} />
          <text className="chart-text" x={left - 8} y={yOf(tick) + 4} textAnchor="end">
            {tokensText(tick)}
          </text>
        </g>
      ))}
      <Area steps={steps} width={width} xOf={xOf} yOf={yOf} />
      {window !== undefined && isWindowNear ? (
        <g>
          <line className="context-window" x1={left} x2={width - right} y1={yOf(window)} y2={yOf(window)} />
          <text className="chart-text" x={width - right} y={yOf(window) - 5} textAnchor="end">
            window {tokensText(window)}
          </text>
        </g>
      ) : null}
      <Borders steps={steps} xOf={xOf} />
      {current ? (
        <g>
          <line className="context-now" x1={xOf(at)} x2={xOf(at)} y1={top} y2={height - bottom} />
          <circle className="context-knot" cx={xOf(at)} cy={yOf(current.tokens)} r={5} />
        </g>
      ) : null}
      <text className="chart-text" x={left} y={height - 5}>
        first answer
      </text>
      <text className="chart-text" x={width - right} y={height - 5} textAnchor="end">
        {steps.length === 1 ? '' : `answer ${countText(steps.length)}`}
      </text>
    </>
  )
}

interface AreaProps {
  steps: readonly Step[]
  width: number
  xOf(place: number): number
  yOf(tokens: number): number
}

function Area({ steps, width, xOf, yOf }: AreaProps) {
  const places = useMemo(
    () =>
      thinned(
        steps.map(({ tokens }) => tokens),
        width,
      ),
    [steps, width],
  )
  const line = places.flatMap(place => pointsOf(steps, place, xOf, yOf)).join('L')
  const ground = yOf(0)
  return (
    <>
      <path
        className="context-area"
        d={`M${xOf(places[0] ?? 0)} ${ground}L${line}L${xOf(places.at(-1) ?? 0)} ${ground}Z`}
      />
      <path className="context-line" d={`M${line}`} />
    </>
  )
}

/** A point of the line; where history was compacted before it, the line drops at once. */
function pointsOf(steps: readonly Step[], place: number, xOf: AreaProps['xOf'], yOf: AreaProps['yOf']): string[] {
  const step = steps[place]
  if (!step) return []
  const point = (x: number, tokens: number) => `${x.toFixed(1)} ${yOf(tokens).toFixed(1)}`
  const own = point(xOf(place), step.tokens)
  const before = steps[place - 1]
  if (!step.isAfterCompaction || !before) return [own]
  const x = (xOf(place - 1) + xOf(place)) / 2
  return [point(x, before.tokens), point(x, step.tokens), own]
}

/** Where history was compacted: a cut, as on the thread. */
function Borders({ steps, xOf }: { steps: readonly Step[]; xOf(place: number): number }) {
  return steps.map((step, place) => {
    if (!step.isAfterCompaction || place === 0) return null
    const x = (xOf(place - 1) + xOf(place)) / 2
    return (
      <g key={step.event}>
        <line className="context-border" x1={x} x2={x} y1={top} y2={height - bottom} />
        <path className="context-cut" d={`M${x - 5} ${top - 8}l10 6m-10 0l10-6`} />
      </g>
    )
  })
}
