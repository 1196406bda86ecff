// Prints what `clew grep` finds, while it is found: as text under headings, or as one JSON object. It searches nothing.

import pc from 'picocolors'
import type { GrepHit } from '../../grep/events.ts'
import { type ListRow, whenOf } from '../list/list-row.ts'
import { isOutputClosed, printJson, printLine } from '../terminal/output.ts'
import type { Asked } from './asked.ts'
import { type GrepPaint, headingLine, hitLines, sessionLine } from './paint.ts'

export interface Printer {
  /** Called once a session, before its first match. */
  session(row: ListRow): Promise<void>
  hits(row: ListRow, hits: readonly GrepHit[]): Promise<void>
  /** Where numbers are asked for. */
  total(row: ListRow, count: number): Promise<void>
  end(): Promise<void>
}

export class TextPrinter implements Printer {
  private readonly asked: Asked
  private readonly paint: GrepPaint
  private isFirst = true

  constructor(asked: Asked, paint: GrepPaint) {
    this.asked = asked
    this.paint = paint
  }

  async session(row: ListRow): Promise<void> {
    if (this.asked.mode !== 'lines') return
    if (!this.isFirst) await printLine('')
    this.isFirst = false
    await printLine(headingLine(row, this.paint))
  }

  async hits(row: ListRow, hits: readonly GrepHit[]): Promise<void> {
    const { before, after } = this.asked.options.context
    for (const hit of hits) {
      for (const line of hitLines(hit, row, this.paint)) await printLine(line)
      if (before + after > 0) await printLine(pc.dim('--'))
      if (isOutputClosed()) return
    }
  }

  async total(row: ListRow, count: number): Promise<void> {
    await printLine(sessionLine(row, whenOf(row), this.asked.mode === 'counts' ? count : undefined, this.paint))
  }

  async end(): Promise<void> {}
}

/** One object, written while it grows: there may be more matches than fit into memory. */
export class JsonPrinter implements Printer {
  private readonly asked: Asked
  private readonly started: number
  private count = 0
  private readonly sessions: { session: string; title: string; matches: number }[] = []

  constructor(asked: Asked, started: number) {
    this.asked = asked
    this.started = started
  }

  async session(): Promise<void> {}

  async hits(row: ListRow, hits: readonly GrepHit[]): Promise<void> {
    for (const { thread, event, kind, at, snippet, generation } of hits) {
      await printLine(this.count === 0 ? this.opening() : ',')
      await printJson({ session: row.session.id, thread, event, kind, at, snippet, ...(generation && { generation }) })
      this.count++
    }
  }

  async total(row: ListRow, count: number): Promise<void> {
    this.sessions.push({ session: row.session.id, title: row.title, matches: count })
    this.count += count
  }

  async end(): Promise<void> {
    const { query, mode } = this.asked
    const facts = { total: this.count, tookMs: Math.round(performance.now() - this.started) }
    if (mode !== 'lines') return printJson({ query, ...facts, hits: [], sessions: this.sessions })
    if (this.count === 0) return printJson({ query, ...facts, hits: [] })
    await printLine(`],${JSON.stringify(facts).slice(1)}`)
  }

  private opening(): string {
    return `${JSON.stringify({ query: this.asked.query }).slice(0, -1)},"hits":[`
  }
}
