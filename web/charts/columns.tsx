// Amounts over time as columns, each in parts of several colours. The words of the column that is pointed at stand above
// the chart, in a place that is always there; the table below a chart is its text form and belongs to its screen.

import { type ReactNode, useState } from 'react'
import { columnAt, labelPlaces, ticksTo } from './scale.ts'
import { Scrubber } from './scrubber.tsx'

export interface Column {
  key: string
  /** Below the chart, where there is room. */
  label: string
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
  const room = height - top - bottom
  const step = (width - left) / columns.length
  const bar = Math.max(1, Math.min(40, step - Math.min(3, step * 0.25)))
  const yOf = (value: number) => top + room * (1 - value / most)
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
      <rect className="chart-marked" x={left + marked * step} y={top} width={step} height={room} />
      {columns.map((column, at) => (
        <Bars key={column.key} column={column} x={left + at * step + (step - bar) / 2} width={bar} yOf={yOf} />
      ))}
      {labelPlaces(columns.length, width - left, 64).map(at => (
        <text
          key={columns[at]?.key}
          className="chart-text"
          x={Math.min(width - 2, left + (at + 0.5) * step)}
          y={height - 5}
          textAnchor={left + (at + 0.5) * step > width - 24 ? 'end' : 'middle'}
        >
          {columns[at]?.label}
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
    return (
      <rect
        key={name}
        className={`tone-fill-${tone}`}
        x={x}
        y={yOf(below)}
        width={width}
        height={Math.max(0.6, height)}
      />
    )
  })
}
