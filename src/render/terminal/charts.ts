// Small charts and tables for a terminal: bars, aligned columns, numbers that people can read. It takes text that is escaped
// already and knows nothing of sessions.

import pc from 'picocolors'
import { countText } from '../../base/format.ts'
import { columnsOf, fitColumns } from '../../base/width.ts'
import { glyphsFor } from './style.ts'

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** A terminal that may not know box drawing. */
export function isPlainTerminal(): boolean {
  return glyphsFor(process.env).ellipsis !== '…'
}

/** A bar as long as the value's share of the largest; a value above zero is never invisible. */
export function bar(value: number, largest: number, columns: number, isPlain = isPlainTerminal()): string {
  const share = largest > 0 && value > 0 ? Math.min(1, value / largest) : 0
  if (share === 0 || columns <= 0) return ''
  if (isPlain) return '#'.repeat(Math.max(1, Math.round(share * columns)))
  const parts = Math.max(1, Math.round(share * columns * 8))
  return '█'.repeat(Math.floor(parts / 8)) + (eighths[parts % 8] ?? '')
}

export interface ChartRow {
  label: string
  value: number
  /** Behind the bar, one per column of the chart's head. */
  cells: string[]
}

export interface Chart {
  title: string
  /** Heads of the cells; the last ones are left out where the terminal is too narrow. */
  heads: string[]
  rows: readonly ChartRow[]
  /** At most this many rows; a line says how many more there are. */
  most?: number
  /** That line, where it says more than the number. */
  rest?: (rows: readonly ChartRow[]) => string
}

const widestBar = 24
const narrowestBar = 5
const gap = 2

/** A title line with heads, then label, bar and cells of each row. No line is wider than `columns`. */
export function* chartLines(chart: Chart, columns: number): Generator<string> {
  const shown = chart.rows.slice(0, chart.most ?? chart.rows.length)
  const widest = Math.max(columnsOf(chart.title), ...shown.map(row => columnsOf(row.label)))
  const labelWidth = Math.min(widest, Math.max(10, Math.floor(columns * 0.4)))
  const widths = cellWidths(chart, shown, columns - labelWidth)
  const cellsWidth = widths.reduce((sum, width) => sum + width + gap, 0)
  const space = columns - labelWidth - cellsWidth - gap
  const barWidth = space < narrowestBar ? 0 : Math.min(widestBar, space)
  const largest = Math.max(0, ...shown.map(row => row.value))
  const line = (label: string, drawn: string, cells: string[]) =>
    [label, ...(barWidth > 0 ? [drawn] : []), ...cells].join(' '.repeat(gap)).trimEnd()
  const heads = widths.map((width, i) => pc.dim((chart.heads[i] ?? '').padStart(width)))
  yield line(pc.bold(fitColumns(chart.title, labelWidth)), ' '.repeat(barWidth), heads)
  for (const row of shown) {
    const drawn = pc.cyan(fitColumns(bar(row.value, largest, barWidth), barWidth))
    const cells = widths.map((width, i) => alignRight(row.cells[i] ?? '', width))
    yield line(fitColumns(row.label, labelWidth), drawn, cells)
  }
  const others = chart.rows.slice(shown.length)
  const rest = chart.rest ?? (() => `… ${countText(others.length)} more; all with --json`)
  if (others.length > 0) yield pc.dim(fitColumns(rest(others), columns).trimEnd())
  const hidden = chart.heads.slice(widths.length)
  if (hidden.length > 0)
    yield pc.dim(fitColumns(`Not shown in ${columns} columns: ${hidden.join(', ')}`, columns).trimEnd())
}

/** Widths of the cells that fit next to label and the narrowest bar; the first always. */
function cellWidths(chart: Chart, rows: readonly ChartRow[], space: number): number[] {
  const widths: number[] = []
  let used = 0
  for (const [i, head] of chart.heads.entries()) {
    const width = Math.max(columnsOf(head), ...rows.map(row => columnsOf(row.cells[i] ?? '')))
    if (i > 0 && used + width + gap > space - narrowestBar - gap) break
    used += width + gap
    widths.push(width)
  }
  return widths
}

function alignRight(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - columnsOf(text))) + text
}

/** Lines of whole words, at most this wide; a word that is too long gets its own line. */
export function wrapWords(text: string, columns: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && columnsOf(line) + 1 + columnsOf(word) > columns) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  lines.push(line)
  return lines
}

/** `name      text`: the text wraps next to its name. It must be escaped where it comes from outside. */
export function wrappedFact(name: string, text: string, width: number, nameColumns = 12): string[] {
  return wrapWords(text, Math.max(20, width - nameColumns)).map(
    (line, index) => (index === 0 ? name : '').padEnd(nameColumns) + line,
  )
}
