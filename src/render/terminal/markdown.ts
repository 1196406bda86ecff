// Markdown blocks → lines of a given width. It gets parsed blocks, whose texts are still raw, and makes them safe run by
// run: what Markdown's own entities decode to is escaped too.

import { columnsOf } from '../../base/width.ts'
import type { MarkdownBlock, Span } from '../../view/markdown.ts'
import type { Paint } from './style.ts'
import {
  breakLine,
  cutLine,
  type Line,
  linesOf,
  lineWidth,
  own,
  type Style,
  safeLine,
  safeLines,
  wrapLine,
  wrappedLines,
} from './text.ts'

/** Lists within lists within quotes: from here on they are no longer indented, so that something is left to read in. */
const leastColumns = 16

/** Longer lines of prose are hard to read, however wide the terminal; code and tables take what there is. */
const proseColumns = 110

/** Line after line: a long text is never there as lines at once. Depth is bounded: the parser stops at a hundred levels. */
export function* paintMarkdown(blocks: Iterable<MarkdownBlock>, width: number, paint: Paint): Generator<Line> {
  let isFirst = true
  for (const block of blocks) {
    if (!isFirst) yield []
    isFirst = false
    yield* paintBlock(block, width, paint)
  }
}

function paintBlock(block: MarkdownBlock, width: number, paint: Paint): Iterable<Line> {
  const { glyphs, colors } = paint
  switch (block.type) {
    case 'paragraph':
      return wrapSpans(block.spans, Math.min(width, proseColumns), paint)
    case 'heading':
      return paintHeading(block.level ?? 1, block.spans, Math.min(width, proseColumns), paint)
    case 'code':
      return paintCode(block.text, width, paint)
    case 'list':
      return paintList(block, width, paint)
    case 'quote': {
      const mark = { text: own(`${glyphs.quote} `), style: colors.dim }
      const space = Math.max(leastColumns, width - 2)
      return Array.from(paintMarkdown(block.blocks, space, paint), line => indented(line, [mark], space, width))
    }
    case 'table':
      return paintTable(
        block.header.map(cell => spanRuns(cell, paint)),
        block.rows.map(row => row.map(cell => spanRuns(cell, paint))),
        block.align,
        width,
        paint,
      )
    case 'rule':
      return [[{ text: own(glyphs.line.repeat(Math.min(width, 24))), style: colors.dim }]]
  }
}

/** Puts a mark before a line, where the width leaves space for both. */
function indented(line: Line, mark: Line, space: number, width: number): Line {
  return space < width ? [...mark, ...line] : line
}

function paintHeading(level: number, spans: readonly Span[], width: number, paint: Paint): Line[] {
  const { colors } = paint
  const mark = `${'#'.repeat(Math.max(1, Math.min(6, level)))} `
  const style: Style = level <= 2 ? text => colors.bold(colors.underline(text)) : colors.bold
  const runs = spanRuns(spans, paint).map(run => ({ ...run, style: both(style, run.style) }))
  const lines = wrapLine(runs, width - mark.length)
  return lines.map((line, index) => [
    { text: own(index === 0 ? mark : ' '.repeat(mark.length)), style: colors.dim },
    ...line,
  ])
}

/** Code keeps its lines: cut at the right, except with --full. */
function* paintCode(text: string, width: number, paint: Paint): Generator<Line> {
  const rule = { text: own(`${paint.glyphs.rule} `), style: paint.colors.dim }
  for (const line of safeLines(text.replace(/\n$/, ''))) {
    const runs: Line = [{ text: line }]
    const pieces = paint.isFull ? breakLine(runs, width - 2) : [cutLine(runs, width - 2, paint.glyphs.ellipsis)]
    for (const piece of pieces) yield [rule, ...piece]
  }
}

function paintList(list: Extract<MarkdownBlock, { type: 'list' }>, width: number, paint: Paint): Line[] {
  const out: Line[] = []
  const start = list.start ?? 1
  const lastMark = `${start + list.items.length - 1}. `
  list.items.forEach((item, index) => {
    const mark = list.isOrdered ? `${start + index}. `.padStart(lastMark.length) : `${paint.glyphs.bullet} `
    const space = Math.max(leastColumns, width - columnsOf(mark))
    const isLoose = item.blocks.some(block => block.type === 'code' || block.type === 'table')
    const lines = isLoose ? [...paintMarkdown(item.blocks, space, paint)] : tightLines(item.blocks, space, paint)
    for (const [at, line] of (lines.length > 0 ? lines : [[]]).entries()) {
      const lead = at === 0 ? own(mark) : own(' '.repeat(columnsOf(mark)))
      out.push(indented(line, [{ text: lead, ...(at === 0 && { style: paint.colors.dim }) }], space, width))
    }
  })
  return out
}

/** Paragraphs and lists inside an item, without blank lines between them. */
function tightLines(blocks: readonly MarkdownBlock[], width: number, paint: Paint): Line[] {
  return blocks.flatMap(block => [...paintBlock(block, width, paint)])
}

function* wrapSpans(spans: readonly Span[], width: number, paint: Paint): Generator<Line> {
  for (const line of spanLines(spans, paint)) yield* wrappedLines(line, width)
}

/** Spans as one line: a line break inside is a blank. */
function spanRuns(spans: readonly Span[], paint: Paint): Line {
  const [first = [], ...others] = spanLines(spans, paint)
  return [...first, ...others.flatMap(line => [{ text: own(' ') }, ...line])]
}

/** Spans as lines of runs: styled, safe, links followed by where they lead. */
function* spanLines(spans: readonly Span[], paint: Paint): Generator<Line> {
  const { colors } = paint
  let runs: Line = []
  for (const span of spans) {
    const style = spanStyle(span, paint)
    // Without colours, code would look like the words around it.
    const mark = span.isCode && !colors.isColorSupported ? '`' : ''
    let isFirst = true
    for (const line of linesOf(span.text)) {
      if (!isFirst) {
        yield runs
        runs = []
      }
      isFirst = false
      const text = own(`${mark}${safeLines(line).join(' ')}${mark}`)
      if (text !== '') runs.push({ text, ...(style && { style }) })
    }
    if (span.href !== undefined && span.href !== '' && span.href !== span.text && span.href !== `mailto:${span.text}`)
      runs.push({ text: own(` (${safeLine(span.href)})`), style: colors.dim })
  }
  yield runs
}

function spanStyle(span: Span, { colors }: Paint): Style | undefined {
  let style: Style | undefined
  if (span.isCode) style = colors.cyan
  if (span.href !== undefined) style = both(colors.underline, style)
  if (span.isBold) style = both(colors.bold, style)
  if (span.isItalic) style = both(colors.italic, style)
  if (span.isStruck) style = both(colors.strikethrough, style)
  return style
}

function both(outer: Style, inner: Style | undefined): Style {
  return inner ? text => outer(inner(text)) : outer
}

type Align = 'left' | 'right' | 'center' | null

/** Columns are not made narrower than this to fit. */
const leastColumn = 8
const gap = 2

function paintTable(
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
  const space = width - gap * (count - 1)
  let excess = widths.reduce((sum, column) => sum + column, 0) - space
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
