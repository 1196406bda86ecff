// A table of runs in a given width: side by side where it fits, with narrower columns where that is enough, else each row
// as a small stack of `name: value` lines.

import type { Paint } from './paint-style.ts'
import { type Line, lineWidth, own, wrapLine } from './paint-text.ts'

type Align = 'left' | 'right' | 'center' | null

/** Columns are not made narrower than this to fit. */
const leastColumn = 8
const gap = 2

export function paintTable(
  header: readonly Line[],
  rows: readonly (readonly Line[])[],
  align: readonly Align[],
  width: number,
  paint: Paint,
): Line[] {
  const count = Math.max(header.length, ...rows.map(row => row.length))
  if (count === 0) return []
  const widths = fittingWidths(header, rows, count, width)
  return widths === null ? stackedRows(header, rows, width, paint) : gridRows(header, rows, widths, align, paint)
}

/** How wide each column becomes; null where they do not fit side by side. */
function fittingWidths(
  header: readonly Line[],
  rows: readonly (readonly Line[])[],
  count: number,
  width: number,
): number[] | null {
  const widths = Array.from({ length: count }, (_, column) =>
    [header, ...rows].reduce((most, row) => Math.min(width, Math.max(most, lineWidth(row[column] ?? []))), 1),
  )
  const room = width - gap * (count - 1)
  let excess = widths.reduce((sum, column) => sum + column, 0) - room
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths))
    const now = widths[widest] ?? 0
    if (now <= leastColumn) return null
    const next = Math.max(leastColumn, now - excess, secondWidest(widths, widest))
    widths[widest] = next < now ? next : now - 1
    excess -= now - (widths[widest] ?? 0)
  }
  return widths
}

function secondWidest(widths: readonly number[], widest: number): number {
  return widths.reduce((most, column, index) => (index === widest ? most : Math.max(most, column)), 0)
}

function gridRows(
  header: readonly Line[],
  rows: readonly (readonly Line[])[],
  widths: readonly number[],
  align: readonly Align[],
  paint: Paint,
): Line[] {
  const bold = header.map(cell => cell.map(run => ({ ...run, style: paint.colors.bold })))
  const rule = widths.map(column => paint.glyphs.line.repeat(column)).join(' '.repeat(gap))
  const out = gridRow(bold, widths, align)
  out.push([{ text: own(rule), style: paint.colors.dim }])
  for (const row of rows) for (const line of gridRow(row, widths, align)) out.push(line)
  return out
}

function gridRow(cells: readonly Line[], widths: readonly number[], align: readonly Align[]): Line[] {
  const columns = widths.map((width, index) => wrapLine(cells[index] ?? [], width))
  const height = Math.max(...columns.map(lines => lines.length))
  return Array.from({ length: height }, (_, row) => {
    const line: Line = []
    columns.forEach((lines, index) => {
      const cell = lines[row] ?? []
      const free = Math.max(0, (widths[index] ?? 0) - lineWidth(cell))
      const before = align[index] === 'right' ? free : align[index] === 'center' ? Math.floor(free / 2) : 0
      if (index > 0) line.push({ text: own(' '.repeat(gap)) })
      line.push({ text: own(' '.repeat(before)) }, ...cell, { text: own(' '.repeat(free - before)) })
    })
    return line
  })
}

function stackedRows(header: readonly Line[], rows: readonly (readonly Line[])[], width: number, paint: Paint): Line[] {
  const out: Line[] = []
  const bullet = `${paint.glyphs.bullet} `
  for (const row of rows) {
    row.forEach((cell, index) => {
      const name = (header[index] ?? []).map(run => ({ ...run, style: paint.colors.bold }))
      const colon = name.length > 0 ? [{ text: own(': ') }] : []
      wrapLine([...name, ...colon, ...cell], width - 2).forEach((line, at) => {
        const lead = index === 0 && at === 0 ? bullet : '  '
        out.push([{ text: own(lead), style: paint.colors.dim }, ...line])
      })
    })
  }
  return out
}
