// Finds the lines of a text that an expression matches, with their context lines, each cut to what can be shown. It knows
// nothing of events.

import { type Expression, isLocal } from './expression.ts'

/** A matching line, cut around its first match. */
export interface FoundLine {
  snippet: string
  /** Of the whole line, in UTF-16 units. */
  length: number
  /** Matches in the snippet: from, to. */
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
/** Text before the first match where a line is cut. */
const lead = 120
const mostSpans = 50

export class LineMatcher {
  private readonly each: RegExp
  /** Finds the next line that may match in a whole text; absent where lines have to be tried one by one. */
  private readonly any: RegExp | undefined
  /** A match within one line is a match of the line by itself: the expression has no assertion. */
  private readonly isLoose: boolean
  private readonly context: ContextLines

  constructor({ source, flags }: Expression, context: ContextLines) {
    this.isLoose = !/[$^]|\\b/i.test(source)
    this.each = new RegExp(source, `${flags}g`)
    if (isLocal(source)) this.any = new RegExp(source, `${flags}gm`)
    this.context = context
  }

  find(text: string): FoundLine[] {
    const found: FoundLine[] = []
    for (let line = this.next(text, 0); line !== null; line = this.after(text, line))
      found.push(this.foundAt(text, line))
    return found
  }

  count(text: string): number {
    let count = 0
    for (let line = this.next(text, 0); line !== null; line = this.after(text, line)) count++
    return count
  }

  /** After the last line end there is no line. */
  private after(text: string, { next }: LineSpan): LineSpan | null {
    return next < text.length ? this.next(text, next) : null
  }

  /** The next line that matches, from the start of one on. */
  private next(text: string, start: number): LineSpan | null {
    const { any } = this
    for (let from = start; from < text.length || from === 0; ) {
      let end = Number.POSITIVE_INFINITY
      if (any !== undefined) {
        any.lastIndex = from
        const found = any.exec(text)
        if (found === null) return null
        end = any.lastIndex
        from = lineStart(text, found.index)
        if (from > 0 && from === text.length) return null
      }
      const line = lineAt(text, from)
      // A match that begins in one line may end in another: the line is tried by itself.
      if ((this.isLoose && end <= line.to) || this.matches(text.slice(line.from, line.to))) return line
      if (line.next === 0) return null
      from = line.next
    }
    return null
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
    const { snippet, shift, part } = this.excerpt(line)
    const spans = this.spansIn(line, part).map(([start, end]): [number, number] => [start + shift, end + shift])
    return { snippet, spans, length: line.length, before, after }
  }

  /** The part of a line that is shown, and how far positions in it move. */
  private excerpt(line: string): { snippet: string; shift: number; part: [from: number, to: number] } {
    if (line.length <= longestSnippet) return { snippet: line, shift: 0, part: [0, line.length] }
    this.each.lastIndex = 0
    const first = this.each.exec(line)?.index ?? 0
    const from = Math.max(0, Math.min(first - lead, line.length - longestSnippet))
    const to = Math.min(line.length, from + longestSnippet)
    const opening = from > 0 ? '…' : ''
    const snippet = `${opening}${line.slice(from, to)}${to < line.length ? '…' : ''}`
    return { snippet, shift: opening.length - from, part: [from, to] }
  }

  private spansIn(line: string, [from, to]: [from: number, to: number]): [number, number][] {
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

/** A line of a text without its line end, and the start of the next one. */
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

function head(line: string): string {
  return line.length <= longestSnippet ? line : `${line.slice(0, longestSnippet)}…`
}
