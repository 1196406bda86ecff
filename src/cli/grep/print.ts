// Prints what `clew grep` finds, while it is found: as text under headings with matches in colour, or as one JSON object.
// Nothing from a log reaches the terminal raw, and no line is wider than the terminal.

import pc from 'picocolors'
import { type ListRow, placeOf, whenOf } from '../../answers/sessions/rows.ts'
import { printedHit } from '../../answers/texts/grep.ts'
import type { GrepQuery } from '../../answers/texts/grep-query.ts'
import type { Clock } from '../../answers/times.ts'
import { escapeForLine } from '../../base/escape.ts'
import { columnsOf, cutToColumns } from '../../base/width.ts'
import type { GrepHit } from '../../grep/hits.ts'
import { matchedLine } from '../../render/terminal/style.ts'
import { cutLine, type Line, lineWidth, own, render } from '../../render/terminal/text.ts'
import type { Projects } from '../../session/projects.ts'
import { anchorOf, labelWidth } from '../session/search-paint.ts'
import { isOutputClosed, printJson, printLine } from '../terminal/output.ts'

export interface Printer {
  /** Once for each session, before its first hit. */
  session(row: ListRow): Promise<void>
  hits(row: ListRow, hits: readonly GrepHit[]): Promise<void>
  /** Instead of hits, where only sessions or numbers are printed. */
  total(row: ListRow, count: number): Promise<void>
  end(): Promise<void>
}

export class TextPrinter implements Printer {
  private readonly query: GrepQuery
  private readonly layout: Layout
  private isFirst = true
  private isFirstHit = true

  constructor(query: GrepQuery, layout: Layout) {
    this.query = query
    this.layout = layout
  }

  async session(row: ListRow): Promise<void> {
    if (this.query.mode !== 'lines') return
    if (!this.isFirst) await printLine('')
    this.isFirst = false
    this.isFirstHit = true
    await printLine(titleOf(row, this.layout.width, this.layout.projects))
  }

  async hits(row: ListRow, hits: readonly GrepHit[]): Promise<void> {
    const { before, after } = this.query.options.context
    for (const hit of hits) {
      if (before + after > 0 && !this.isFirstHit) await printLine(pc.dim('--'))
      this.isFirstHit = false
      for (const line of hitLines(hit, row, this.layout, this.query)) await printLine(line)
      if (isOutputClosed()) return
    }
  }

  async total(row: ListRow, count: number): Promise<void> {
    await printLine(sessionLine(row, whenOf(row), this.query.mode === 'counts' ? count : undefined, this.layout))
  }

  async end(): Promise<void> {}
}

/** One object, written piece by piece: there may be more hits than fit into memory. */
export class JsonPrinter implements Printer {
  private readonly query: GrepQuery
  private readonly started: number
  private count = 0
  private readonly sessions: { session: string; title: string; matches: number }[] = []

  constructor(query: GrepQuery, started: number) {
    this.query = query
    this.started = started
  }

  async session(): Promise<void> {}

  async hits(row: ListRow, hits: readonly GrepHit[]): Promise<void> {
    for (const hit of hits) {
      await printLine(this.count === 0 ? this.opening() : ',')
      await printJson(printedHit(row, hit))
      this.count++
    }
  }

  async total(row: ListRow, count: number): Promise<void> {
    this.sessions.push({ session: row.session.id, title: row.title, matches: count })
    this.count += count
  }

  async end(): Promise<void> {
    const { query, mode } = this.query
    const facts = { total: this.count, tookMs: Math.round(performance.now() - this.started) }
    if (mode !== 'lines') return printJson({ query, ...facts, hits: [], sessions: this.sessions })
    if (this.count === 0) return printJson({ query, ...facts, hits: [] })
    await printLine(`],${JSON.stringify(facts).slice(1)}`)
  }

  private opening(): string {
    return `${JSON.stringify({ query: this.query.query }).slice(0, -1)},"hits":[`
  }
}

interface Layout {
  width: number
  clock: Clock
  shortId: (id: string) => string
  projects: Projects
  /** Numbers of lines are printed. */
  showsLines: boolean
}

/** In a narrower terminal the text gets a line of its own. */
const wideEnough = 86
const timeWidth = 16
const anchorWidth = 8

/** `Croissants for the fair  bakery`. */
function titleOf(row: ListRow, columns: number, projects: Projects): string {
  const project = escapeForLine(projects.of(placeOf(row)).name)
  const cutProject = cutToColumns(project, Math.max(8, Math.floor(columns / 4)))
  const left = columns - columnsOf(cutProject) - 2
  return `${pc.bold(cutToColumns(escapeForLine(row.title), left))}  ${pc.dim(cutProject)}`
}

/** `57ba0d1e  2026-05-12 18:40  Croissants for the fair  bakery`, with a number before it where there is one. */
function sessionLine(row: ListRow, at: number, count: number | undefined, layout: Layout): string {
  const id = layout.shortId(row.session.id)
  const number = count === undefined ? '' : `${String(count).padStart(6)}  `
  const head = `${number}${escapeForLine(id)}  ${layout.clock(at)}`
  const columns = Math.max(20, layout.width - columnsOf(head) - 2)
  return `${number}${pc.cyan(escapeForLine(id))}  ${pc.dim(layout.clock(at))}  ${titleOf(row, columns, layout.projects)}`
}

/** `57ba0d1e  6e2a9c41  2026-05-12 18:40  answer  …the line…` with its neighbours above and below. */
function hitLines(hit: GrepHit, row: ListRow, layout: Layout, { options }: GrepQuery): string[] {
  // `clew show` takes it in this form.
  const generation = hit.generation === undefined ? '' : `@${hit.generation}`
  const id = `${escapeForLine(layout.shortId(row.session.id))}${generation}`
  const time = layout.clock(hit.at).padEnd(timeWidth)
  const kind = hit.label.padEnd(labelWidth)
  const event = (escapeForLine(anchorOf(hit)) || '-').padEnd(anchorWidth)
  const number = layout.showsLines ? `${hit.line}:` : ''
  const isWide = options.isWhole === true || layout.width >= wideEnough
  const indent = isWide ? columnsOf(id) + event.length + timeWidth + kind.length + 8 : 2
  const columns =
    options.isWhole === true ? Number.POSITIVE_INFINITY : Math.max(16, layout.width - indent - number.length)
  const head = `${pc.cyan(id)}  ${pc.dim(event)}  ${pc.dim(time)}  ${kind}`
  // Indentation means something only next to other lines.
  const isAlone = hit.before.length + hit.after.length === 0
  const line = matchedLine(hit.snippet, hit.spans)
  const text = `${pc.dim(number)}${render(aroundMatch(isAlone ? withoutIndent(line) : line, columns))}`
  const context = (lines: readonly string[]) =>
    lines.map(line => `${' '.repeat(indent)}${pc.dim(cutToColumns(escapeForLine(line), columns))}`)
  const narrow = cutToColumns(`${id}  ${hit.label}  ${event.trimEnd()}`, layout.width)
  const shown = isWide ? [`${head}  ${text}`] : [narrow, `  ${text}`]
  if (!isWide) return [shown[0] as string, ...context(hit.before), shown[1] as string, ...context(hit.after)]
  return [...context(hit.before), ...shown, ...context(hit.after)]
}

function withoutIndent([first, ...rest]: Line): Line {
  if (first === undefined || first.style !== undefined) return first === undefined ? [] : [first, ...rest]
  return [{ text: own(first.text.trimStart()) }, ...rest]
}

/** Cuts a line to a width so that its first match stays visible. */
function aroundMatch(line: Line, columns: number): Line {
  const first = line[0]
  const match = line.find(run => run.style !== undefined)
  if (first === undefined || match === undefined || first === match) return cutLine(line, columns, '…')
  if (lineWidth(line) <= columns) return line
  const least = Math.min(lineWidth([match]), columns - 4)
  const allowed = Math.max(2, Math.min(lineWidth([first]), Math.max(Math.floor(columns / 3), columns - least - 20)))
  if (lineWidth([first]) <= allowed) return cutLine(line, columns, '…')
  return cutLine([{ text: own(`…${lastColumns(first.text, allowed - 1)}`) }, ...line.slice(1)], columns, '…')
}

/** The end of a text that is escaped already. */
function lastColumns(text: string, columns: number): string {
  let used = 0
  let end = ''
  for (const character of [...text].reverse()) {
    used += columnsOf(character)
    if (used > columns) break
    end = character + end
  }
  return end
}
