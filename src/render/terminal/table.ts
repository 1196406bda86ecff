// A table that fits the terminal: narrow columns give way first, then whole columns by their priority. It escapes every
// cell; colours are added afterwards.

import { escapeForLine } from '../../base/escape.ts'
import { columnsOf, cutToColumns } from '../../base/width.ts'

export interface Column<Row> {
  name: string
  cell(row: Row): string
  align?: 'right'
  /** Columns of the terminal below which it makes no sense; absent: it is never cut. */
  least?: number
  /** It is cut to this before any other is cut further; absent: as `least`. */
  good?: number
  /** No wider than this, however long its cells are. */
  most?: number
  /** Cut without an ellipsis: what is left is whole in itself, such as a date without its time. */
  cutsClean?: boolean
  /** The lowest goes first when there is no space for all; absent: it stays. */
  keep?: number
  paint?: (text: string, row: Row) => string
}

const gap = 2

/** Header and rows, at most `width` columns each where that is possible. Returns the names of columns that were left out. */
export function* tableLines<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
  paintHeader: (text: string) => string,
): Generator<string, string[]> {
  const cells = columns.map(column => rows.map(row => safeCell(column.cell(row), column.most)))
  const natural = columns.map((column, at) => widest(column, cells[at] ?? []))
  const shown = choose(columns, natural, width)
  const widths = shrink(columns, natural, shown, width)
  const sized = (text: string, at: number) => fitCell(text, columns[at] as Column<Row>, widths[at] ?? 0)
  yield paintHeader(
    shown
      .map(at => sized(columns[at]?.name ?? '', at))
      .join(' '.repeat(gap))
      .trimEnd(),
  )
  for (const [index, row] of rows.entries()) {
    const parts = shown.map((at, place) => {
      const column = columns[at] as Column<Row>
      const fitted = sized(cells[at]?.[index] ?? '', at)
      // Nothing follows the last column: blanks there would only wrap.
      const text = place === shown.length - 1 && column.align === undefined ? fitted.trimEnd() : fitted
      return column.paint ? column.paint(text, row) : text
    })
    yield parts.join(' '.repeat(gap))
  }
  const hasText = (at: number) => cells[at]?.some(cell => cell.trim() !== '') === true
  return columns.flatMap(({ name }, at) => (shown.includes(at) || !hasText(at) ? [] : [name]))
}

/** A table whole, with a sentence about the columns that were left out, where any were. */
export function fittedTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
  paintHeader: (text: string) => string,
): { lines: string[]; leftOut?: string } {
  const lines: string[] = []
  const table = tableLines(rows, columns, width, paintHeader)
  for (let next = table.next(); ; next = table.next()) {
    if (!next.done) lines.push(next.value)
    else if (next.value.length === 0) return { lines }
    else return { lines, leftOut: `Not shown in ${width} columns: ${next.value.join(', ')}` }
  }
}

function widest<Row>(column: Column<Row>, cells: readonly string[]): number {
  const limit = column.most ?? Number.POSITIVE_INFINITY
  let most = column.name.length
  for (const cell of cells) {
    if (most >= limit) return limit
    most = Math.max(most, columnsOf(cell))
  }
  return Math.min(most, limit)
}

function leastOf<Row>(column: Column<Row>, natural: number): number {
  return Math.min(natural, column.least ?? natural)
}

/** Places of the columns for which there is space at their least width. */
function choose<Row>(columns: readonly Column<Row>[], natural: readonly number[], width: number): number[] {
  let shown = columns.map((_, at) => at)
  for (;;) {
    const needed = shown.reduce((sum, at) => sum + leastOf(columns[at] as Column<Row>, natural[at] ?? 0) + gap, -gap)
    const droppable = shown.filter(at => columns[at]?.keep !== undefined)
    if (needed <= width || droppable.length === 0) return shown
    const first = droppable.reduce((one, other) =>
      (columns[other]?.keep ?? 0) < (columns[one]?.keep ?? 0) ? other : one,
    )
    shown = shown.filter(at => at !== first)
  }
}

/** Takes what is too much from the columns that can be cut, those of low priority first; first to a good width, then on. */
function shrink<Row>(
  columns: readonly Column<Row>[],
  natural: readonly number[],
  shown: readonly number[],
  width: number,
): number[] {
  const widths = [...natural]
  let excess = shown.reduce((sum, at) => sum + (natural[at] ?? 0) + gap, -gap) - width
  const rank = (at: number) => columns[at]?.keep ?? Number.POSITIVE_INFINITY
  const inOrder = [...shown].sort((one, other) => (rank(one) < rank(other) ? -1 : 1))
  for (const isGood of [true, false]) {
    for (const at of inOrder) {
      if (excess <= 0) break
      const column = columns[at] as Column<Row>
      const least = leastOf(column, widths[at] ?? 0)
      const spare = Math.max(0, (widths[at] ?? 0) - (isGood ? (column.good ?? least) : least))
      // Half a time would be no time at all: such a column goes to its next width at once.
      const taken = column.cutsClean ? spare : Math.min(excess, spare)
      widths[at] = (widths[at] ?? 0) - taken
      excess -= taken
    }
  }
  return widened(columns, widths, natural, inOrder, -excess)
}

/** Gives space that is left to columns that were cut, those of high priority first. */
function widened<Row>(
  columns: readonly Column<Row>[],
  widths: readonly number[],
  natural: readonly number[],
  inOrder: readonly number[],
  space: number,
): number[] {
  const wider = [...widths]
  let left = space
  for (const at of inOrder.toReversed()) {
    if (left <= 0) break
    if (columns[at]?.cutsClean) continue
    const given = Math.min(left, (natural[at] ?? 0) - (wider[at] ?? 0))
    wider[at] = (wider[at] ?? 0) + given
    left -= given
  }
  return wider
}

function fitCell<Row>(text: string, column: Column<Row>, width: number): string {
  const cut = column.cutsClean ? text.slice(0, width) : cutToColumns(text, width)
  const blanks = ' '.repeat(Math.max(0, width - columnsOf(cut)))
  return column.align === 'right' ? blanks + cut : cut + blanks
}

/** Far more characters than there are columns are not looked at. */
function safeCell(text: string, most: number | undefined): string {
  return escapeForLine(most === undefined ? text : text.slice(0, 4 * most))
}
