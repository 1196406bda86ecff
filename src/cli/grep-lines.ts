// Finds the lines of a text that an expression matches, with their neighbours, each cut to what can be shown. It knows
// nothing of events.

import { type Expression, isLocal } from './grep-expression.ts'

/** A matching line, cut around its first match. */
export interface FoundLine {
  snippet: string
  /** Of the whole line, in UTF-16 units. */
  length: number
  /** Where matches stand in the snippet: from, to. */
  spans: [from: number, to: number][]
  before: string[]
  after: string[]
}

export interface ContextLines {
  before: number
  after: number
}

/** Longest snippet, in UTF-16 units. */
export const longestSnippet = 400
/** So much may stand before the first match where a line is cut. */
const lead = 120
const mostSpans = 50

export class LineMatcher {
  private readonly each: RegExp
  /** Tells where in a whole text the next line may match; missing where only the line by itself tells. */
  private readonly any: RegExp | undefined
  private readonly context: ContextLines

  constructor({ source, flags }: Expression, context: ContextLines) {
    this.each = new RegExp(source, `${flags}g`)
    if (isLocal(source)) this.any = new RegExp(source, `${flags}gm`)
    this.context = context
  }

  /** Whether a line may match; `find` tells whether one does. */
  mayMatch(text: string): boolean {
    if (this.any === undefined) return linesOf(text).some(line => this.matches(line))
    this.any.lastIndex = 0
    return this.any.test(text)
  }

  find(text: string): FoundLine[] {
    const found: FoundLine[] = []
    for (const line of this.matching(text)) found.push(this.foundAt(text, line))
    return found
  }

  count(text: string): number {
    let count = 0
    for (const _ of this.matching(text)) count++
    return count
  }

  private *matching(text: string): Generator<LineSpan> {
    const { any } = this
    for (let from = 0; from < text.length || from === 0; ) {
      if (any !== undefined) {
        any.lastIndex = from
        const next = any.exec(text)
        // What begins in one line may end in another: only the line by itself tells.
        if (next === null) return
        from = lineStart(text, next.index)
      }
      const line = lineAt(text, from)
      // What stands after a last line end is no line.
      if (from > 0 && from === text.length) return
      if (this.matches(text.slice(line.from, line.to))) yield line
      from = line.next
    }
  }

  private matches(line: string): boolean {
    this.each.lastIndex = 0
    return this.each.test(line)
  }

  private foundAt(text: string, { from, to, next }: LineSpan): FoundLine {
    const before: string[] = []
    for (let at = from; at > 0 && before.length < this.context.before; ) {
      const above = lineAt(text, lineStart(text, at - 1))
      before.unshift(head(text.slice(above.from, above.to)))
      at = above.from
    }
    const after: string[] = []
    for (let at = next; at < text.length && after.length < this.context.after; ) {
      const below = lineAt(text, at)
      after.push(head(text.slice(below.from, below.to)))
      at = below.next
    }
    const line = text.slice(from, to)
    return { ...this.excerpt(line), length: line.length, before, after }
  }

  private excerpt(line: string): { snippet: string; spans: [number, number][] } {
    this.each.lastIndex = 0
    const first = this.each.exec(line)?.index ?? 0
    const from = line.length <= longestSnippet ? 0 : Math.max(0, Math.min(first - lead, line.length - longestSnippet))
    const to = Math.min(line.length, from + longestSnippet)
    const opening = from > 0 ? '…' : ''
    const snippet = `${opening}${line.slice(from, to)}${to < line.length ? '…' : ''}`
    const shift = opening.length - from
    const spans = this.spansIn(line, from, to).map(([start, end]): [number, number] => [start + shift, end + shift])
    return { snippet, spans }
  }

  private spansIn(line: string, from: number, to: number): [number, number][] {
    const spans: [number, number][] = []
    this.each.lastIndex = 0
    for (let found = this.each.exec(line); found !== null && found.index < to; found = this.each.exec(line)) {
      const end = Math.min(to, found.index + found[0].length)
      if (found.index >= from && end > found.index) spans.push([found.index, end])
      if (found[0] === '') this.each.lastIndex++
      if (spans.length >= mostSpans || this.each.lastIndex > line.length) break
    }
    return spans
  }
}

/** A line of a text, without its end; and where the next one begins. */
interface LineSpan {
  from: number
  to: number
  next: number
}

function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
}

function lineAt(text: string, from: number): LineSpan {
  const end = text.indexOf('\n', from)
  if (end === -1) return { from, to: text.length, next: text.length }
  return { from, to: end > from && text[end - 1] === '\r' ? end - 1 : end, next: end + 1 }
}

/** Without the line ends of either kind; what stands after a last one is no line. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.length > 1 && lines.at(-1) === '') lines.pop()
  return lines
}

function head(line: string): string {
  return line.length <= longestSnippet ? line : `${line.slice(0, longestSnippet)}…`
}
