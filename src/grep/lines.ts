// Finds the lines of a text that an expression matches, with their neighbours, each cut to what can be shown. It knows
// nothing of events.

import { type Expression, isLocal } from './expression.ts'

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
  /** A match within one line is one of the line by itself: nothing in the expression asks what stands beside it. */
  private readonly isLoose: boolean
  private readonly context: ContextLines

  constructor({ source, flags }: Expression, context: ContextLines) {
    this.isLoose = !/[$^]|\\b/i.test(source)
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
    for (let line = this.next(text, 0); line !== null; line = this.after(text, line))
      found.push(this.foundAt(text, line))
    return found
  }

  /** The snippets of matching lines alone, each with the length of its line. */
  eachSnippet(text: string, take: (snippet: string, length: number) => void): number {
    let count = 0
    for (let line = this.next(text, 0); line !== null; line = this.after(text, line)) {
      take(this.excerpt(text.slice(line.from, line.to)).snippet, line.to - line.from)
      count++
    }
    return count
  }

  count(text: string): number {
    let count = 0
    for (let line = this.next(text, 0); line !== null; line = this.after(text, line)) count++
    return count
  }

  /** What stands after a last line end is no line. */
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
      // What begins in one line may end in another: only the line by itself tells.
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
    const { snippet, shift, reach } = this.excerpt(line)
    const spans = this.spansIn(line, reach).map(([start, end]): [number, number] => [start + shift, end + shift])
    return { snippet, spans, length: line.length, before, after }
  }

  /** What of a line is shown, how far its places move, and which part of the line it is. */
  private excerpt(line: string): { snippet: string; shift: number; reach: [from: number, to: number] } {
    if (line.length <= longestSnippet) return { snippet: line, shift: 0, reach: [0, line.length] }
    this.each.lastIndex = 0
    const first = this.each.exec(line)?.index ?? 0
    const from = Math.max(0, Math.min(first - lead, line.length - longestSnippet))
    const to = Math.min(line.length, from + longestSnippet)
    const opening = from > 0 ? '…' : ''
    const snippet = `${opening}${line.slice(from, to)}${to < line.length ? '…' : ''}`
    return { snippet, shift: opening.length - from, reach: [from, to] }
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
