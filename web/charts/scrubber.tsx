// A chart that one moves along: a slider for keys and screen readers, the picture for everyone else. What is drawn in it is
// handed in.

import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from 'react'
import { keyStep } from './scale.ts'
import { useWidth } from './use-width.ts'

export interface ScrubberProps {
  /** What one moves along: `Days`. */
  label: string
  count: number
  /** The place that is chosen. */
  at: number
  /** The chosen place in words. */
  says: string
  height: number
  /** Which place `x` of `width` means. */
  placeAt(x: number, width: number): number
  choose(at: number): void
  /** The pointer only points; absent: only a press or a drag chooses. */
  hover?(at: number | undefined): void
  /** Enter, or a second press. */
  open?(at: number): void
  draw(width: number): ReactNode
}

export function Scrubber(props: ScrubberProps) {
  const { label, count, at, says, height, placeAt, choose, hover, open, draw } = props
  const place = useRef<HTMLDivElement>(null)
  const width = useWidth(place)
  const meant = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect()
    return placeAt(event.clientX - box.left, box.width)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return
    if (event.key === 'Enter' && open) open(at)
    else {
      const to = keyStep(event.key, at, count)
      if (to === undefined) return
      choose(to)
    }
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div
      ref={place}
      className="scrubber"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={1}
      aria-valuemax={Math.max(1, count)}
      aria-valuenow={at + 1}
      aria-valuetext={says}
      style={{ height }}
      onKeyDown={onKeyDown}
      onPointerDown={event => {
        if (event.button !== 0) return
        if (event.pointerType !== 'touch') event.currentTarget.setPointerCapture(event.pointerId)
        choose(meant(event))
      }}
      onPointerMove={event => {
        if (event.buttons === 1) choose(meant(event))
        else hover?.(meant(event))
      }}
      onPointerLeave={() => hover?.(undefined)}
      onDoubleClick={() => open?.(at)}
    >
      <svg className="chart" width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        {draw(width)}
      </svg>
    </div>
  )
}
