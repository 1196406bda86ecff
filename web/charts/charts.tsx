// Charts: amounts over time as columns of several parts, a slider along them, and one bar in parts. The numbers are also in
// tables or words next to them.

import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { toneStyle } from '../parts/tool-kind.ts'

export interface Column {
  key: string
  /** Below the chart, where there is space. */
  label: string
  /** Where the label does not say it. */
  year?: string
  total: number
  /** From the bottom up. */
  parts: readonly { name: string; value: number; tone: number }[]
}

export interface ColumnsProps {
  label: string
  columns: readonly Column[]
  /** A value on the axis, in few signs. */
  format(value: number): string
  /** A column in words. */
  says(column: Column): ReactNode
  saysPlain(column: Column): string
  open?(column: Column): void
}

const height = 196
const top = 10
const bottom = 22
const left = 46

export function Columns(props: ColumnsProps) {
  const { label, columns, says, saysPlain, open } = props
  const [chosen, setChosen] = useState<string>()
  const [pointed, setPointed] = useState<number>()
  const known = columns.findIndex(({ key }) => key === chosen)
  const at = known < 0 ? columns.length - 1 : known
  const shown = columns[pointed ?? at]
  const current = columns[at]
  if (!shown || !current) return null
  return (
    <figure className="columns">
      <figcaption className="readout">{says(shown)}</figcaption>
      <Scrubber
        label={label}
        count={columns.length}
        at={at}
        says={saysPlain(current)}
        height={height}
        placeAt={(x, width) => columnAt(x - left, width - left, columns.length)}
        choose={to => setChosen(columns[to]?.key)}
        hover={setPointed}
        {...(open && {
          open: (to: number) => {
            const column = columns[to]
            if (column) open(column)
          },
        })}
        draw={width => <ColumnsPicture {...props} width={width} marked={pointed ?? at} />}
      />
    </figure>
  )
}

function ColumnsPicture({ columns, format, width, marked }: ColumnsProps & { width: number; marked: number }) {
  const ticks = ticksTo(Math.max(0, ...columns.map(({ total }) => total)))
  const most = ticks.at(-1) || 1
  const space = height - top - bottom
  const step = (width - left) / columns.length
  const places = labelPlaces(columns.length, width - left, 64)
  const labels = axisLabels(places.flatMap(at => columns[at] ?? []))
  const bar = Math.max(1, Math.min(40, step - Math.min(3, step * 0.25)))
  const yOf = (value: number) => top + space * (1 - value / most)
  return (
    <>
      {ticks.map(tick => (
        <g key={tick}>
          <line className="chart-line" x1={left} x2={width} y1={yOf(tick)} y2={yOf(tick)} />
          <text className="chart-text" x={left - 8} y={yOf(tick) + 4} textAnchor="end">
            {format(tick)}
          </text>
        </g>
      ))}
      <rect className="chart-marked" x={left + marked * step} y={top} width={step} height={space} />
      {columns.map((column, at) => (
        <Bars key={column.key} column={column} x={left + at * step + (step - bar) / 2} width={bar} yOf={yOf} />
      ))}
      {places.map((at, place) => (
        <text
          key={columns[at]?.key}
          className="chart-text"
          x={Math.min(width - 2, left + (at + 0.5) * step)}
          y={height - 5}
          textAnchor={left + (at + 0.5) * step > width - 24 ? 'end' : 'middle'}
        >
          {labels[place]}
        </text>
      ))}
    </>
  )
}

interface BarsProps {
  column: Column
  x: number
  width: number
  yOf(value: number): number
}

function Bars({ column, x, width, yOf }: BarsProps) {
  let below = 0
  return column.parts.map(({ name, value, tone }) => {
    const from = yOf(below)
    below += value
    const height = from - yOf(below)
    if (height <= 0) return null
    return <rect key={name} style={toneStyle(tone)} x={x} y={yOf(below)} width={width} height={Math.max(0.6, height)} />
  })
}

/** Round values from 0 to at least `most`, about three steps. */
export function ticksTo(most: number): number[] {
  if (!(most > 0) || !Number.isFinite(most)) return [0]
  const rough = most / 3
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 2.5, 5, 10].find(one => one * power >= rough * 0.999) ?? 10) * power
  const steps = Math.ceil(most / step - 1e-9)
  return Array.from({ length: steps + 1 }, (_, at) => at * step)
}

/** The column at `x` of `count` equal ones; the nearest one where it is outside. */
export function columnAt(x: number, width: number, count: number): number {
  if (count === 0 || width <= 0) return 0
  return Math.min(count - 1, Math.max(0, Math.floor((x / width) * count)))
}

/** Places of labels: every nth column, so that each has `space`, the last one always, and none close to it. */
export function labelPlaces(count: number, width: number, space: number): number[] {
  if (count === 0) return []
  const every = Math.max(1, Math.ceil((count * space) / Math.max(1, width)))
  const places: number[] = []
  for (let at = count - 1; at >= 0; at -= every) places.unshift(at)
  return places
}

/** With the year, `3 Jan ’26`, where another one begins; one year alone goes without saying. */
export function axisLabels(columns: readonly Pick<Column, 'label' | 'year'>[]): string[] {
  const isOneYear = new Set(columns.map(({ year }) => year)).size < 2
  return columns.map(({ label, year = '' }, at) => {
    const isSaid = isOneYear || year === '' || columns[at - 1]?.year === year
    return isSaid ? label : `${label} ’${year.slice(2)}`
  })
}

/** Where a key leads from `at`; undefined where it leads nowhere. Pages are tenths. */
export function keyStep(key: string, at: number, count: number): number | undefined {
  const far = Math.max(1, Math.round(count / 10))
  const steps: { [key: string]: number } = {
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    PageDown: at - far,
    PageUp: at + far,
    Home: 0,
    End: count - 1,
  }
  const to = Object.hasOwn(steps, key) ? steps[key] : undefined
  return to === undefined ? undefined : Math.min(count - 1, Math.max(0, to))
}

/**
 * Of very many values those that a picture of `width` points can show: in each stretch the lowest and the highest, so that
 * no drop and no peak is lost. Gives places.
 */
export function thinned(values: readonly number[], width: number): number[] {
  const most = Math.max(4, Math.floor(width))
  if (values.length <= most) return values.map((_, at) => at)
  const stretches = Math.floor(most / 2)
  const places = new Set<number>([0, values.length - 1])
  for (let one = 0; one < stretches; one++) {
    const from = Math.floor((one * values.length) / stretches)
    const to = Math.floor(((one + 1) * values.length) / stretches)
    let low = from
    let high = from
    for (let at = from; at < to; at++) {
      if ((values[at] as number) < (values[low] as number)) low = at
      if ((values[at] as number) > (values[high] as number)) high = at
    }
    places.add(low).add(high)
  }
  return [...places].sort((left, right) => left - right)
}

export function useWidth(place: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(600)
  useLayoutEffect(() => {
    const element = place.current
    if (!element) return
    setWidth(Math.max(120, Math.round(element.clientWidth)))
    const observer = new ResizeObserver(entries => {
      const entry = entries.at(-1)
      if (entry) setWidth(Math.max(120, Math.round(entry.contentRect.width)))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [place])
  return width
}

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

export interface StackPart {
  key: string
  name: string
  value: number
  colour: string
}

/** `whole`: the value of the bar's length; the rest of it stays empty. */
export function Stack({ parts, whole, label }: { parts: readonly StackPart[]; whole: number; label: string }) {
  const all = Math.max(
    whole,
    parts.reduce((sum, { value }) => sum + value, 0),
    1,
  )
  return (
    <div className="stack" role="img" aria-label={label}>
      {parts.map(({ key, name, value, colour }) => (
        <span key={key} style={{ background: colour, width: `${(value / all) * 100}%` }} title={name} />
      ))}
    </div>
  )
}
