// Finds the lines of a text that an expression matches, with their neighbours, each cut to what can be shown. It knows
// nothing of events.

import { type Expression, isLocal } from './grep-expression.ts'

/** A matching line, cut around its first match. */
export interface FoundLine {
  snippet: string
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
  /** Tells of a whole text that no line can match. */
  private readonly any: RegExp | undefined
  private readonly context: ContextLines

  constructor({ source, flags }: Expression, context: ContextLines) {
    this.each = new RegExp(source, `${flags}g`)
    if (isLocal(source)) this.any = new RegExp(source, `${flags}m`)
    this.context = context
  }

  has(text: string): boolean {
    if (this.any !== undefined && !this.any.test(text)) return false
    return linesOf(text).some(line => this.matches(line))
  }

  find(text: string): FoundLine[] {
    if (this.any !== undefined && !this.any.test(text)) return []
    const lines = linesOf(text)
    const found: FoundLine[] = []
    lines.forEach((line, at) => {
      if (this.matches(line)) found.push(this.foundAt(lines, line, at))
    })
    return found
  }

  private matches(line: string): boolean {
    this.each.lastIndex = 0
    return this.each.test(line)
  }

  private foundAt(lines: readonly string[], line: string, at: number): FoundLine {
    const { before, after } = this.context
    return {
      ...this.excerpt(line),
      before: lines.slice(Math.max(0, at - before), at).map(head),
      after: lines.slice(at + 1, at + 1 + after).map(head),
    }
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

/** Without the line ends of either kind; what stands after a last one is no line. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.length > 1 && lines.at(-1) === '') lines.pop()
  return lines
}

function head(line: string): string {
  return line.length <= longestSnippet ? line : `${line.slice(0, longestSnippet)}…`
}
