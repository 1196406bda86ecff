// Finds the lines of a text that an expression matches, or does not match, with their context lines. It knows nothing of
// events.

import { type Expression, isLocal, wholeSource } from './expression.ts'
import { lineLimitMs, mostSlowLines, TooSlow, withinOwnTime } from './time-limit.ts'

/** A line that was found, or one match of it. */
export interface FoundLine {
  /** Cut around the first match, unless whole lines are asked for. */
  snippet: string
  /** Of the whole line, in UTF-16 units. */
  length: number
  /** Matches in the snippet: from, to. */
  spans: [from: number, to: number][]
  /** Its number in the text, from 1 on. */
  line: number
  before: string[]
  after: string[]
}

export interface ContextLines {
  before: number
  after: number
}

/** Longest snippet, in UTF-16 units. */
const longestSnippet = 400
/** Text before the first match where a line is cut. */
const lead = 120
const mostSpans = 50

/** How lines are found and what is given of them. */
export interface LineOptions {
  context: ContextLines
  /** Lines that do not match. */
  isInverted?: boolean
  /** Each match by itself instead of its line. */
  onlyMatching?: boolean
  /** Lines are not cut. */
  isWhole?: boolean
}

/** Lines of one text that are found, and numbers of those that took too long. */
export interface FoundLines {
  found: FoundLine[]
  skipped: number[]
}

export class LineMatcher {
  private readonly each: RegExp
  /** Finds the next line that may match in a whole text; absent where lines have to be tried one by one. */
  private readonly any: RegExp | undefined
  /** A match within one line is a match of the line by itself: the expression has no assertion. */
  private readonly isLoose: boolean
  private readonly options: LineOptions

  constructor(expression: Expression, options: LineOptions) {
    const { source, flags, isWord = false } = expression
    const whole = wholeSource(expression)
    this.isLoose = !isWord && !/[$^]|\\b/i.test(source)
    this.each = new RegExp(whole, `${flags}g`)
    if (isLocal(source)) this.any = new RegExp(whole, `${flags}gm`)
    this.options = options
  }

  find(text: string): FoundLine[] {
    const found: FoundLine[] = []
    const lines = new LineNumbers(text)
    for (let line = this.next(text, 0); line !== null; line = this.after(text, line)) {
      for (const one of this.foundAt(text, line)) found.push({ ...one, line: lines.numberAt(line.from) })
    }
    return found
  }

  count(text: string): number {
    let count = 0
    for (let line = this.next(text, 0); line !== null; line = this.after(text, line)) count++
    return count
  }

  /** The same line by line, each with a time limit, for expressions that are slow. It ends after so many slow lines. */
  findSlowly(text: string, limitMs = lineLimitMs): FoundLines {
    const result: FoundLines = { found: [], skipped: [] }
    let line: LineSpan | null = lineAt(text, 0)
    let number = 1
    let first = number
    const step = () => {
      first = number
      for (; line !== null; number++) {
        const isMeant = this.matches(text.slice(line.from, line.to)) !== (this.options.isInverted === true)
        if (isMeant) for (const one of this.foundAt(text, line)) result.found.push({ ...one, line: number })
        line = line.next < text.length ? lineAt(text, line.next) : null
      }
    }
    while (line !== null && result.skipped.length < mostSlowLines) {
      try {
        withinOwnTime(step, limitMs)
      } catch (error) {
        if (!(error instanceof TooSlow)) throw error
        // Many lines may have taken the time together: then this one is tried again.
        if (number > first) continue
        result.skipped.push(number++)
        line = line.next < text.length ? lineAt(text, line.next) : null
      }
    }
    return result
  }

  /** After the last line end there is no line. */
  private after(text: string, { next }: LineSpan): LineSpan | null {
    return next < text.length ? this.next(text, next) : null
  }

  /** The next line that is meant, from the start of one on. */
  private next(text: string, start: number): LineSpan | null {
    if (this.options.isInverted !== true) return this.nextMatch(text, start)
    for (let from = start; from < text.length || from === 0; ) {
      const line = lineAt(text, from)
      if (!this.matches(text.slice(line.from, line.to))) return line
      if (line.next === 0) return null
      from = line.next
    }
    return null
  }

  private nextMatch(text: string, start: number): LineSpan | null {
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

  private foundAt(text: string, { from, to, next }: LineSpan): Omit<FoundLine, 'line'>[] {
    const { context, onlyMatching, isInverted } = this.options
    const line = text.slice(from, to)
    if (onlyMatching === true) {
      const spans = isInverted === true ? [] : this.spansIn(line, [0, line.length], Number.POSITIVE_INFINITY)
      return spans.map(([start, end]) => {
        const snippet = line.slice(start, end)
        return { snippet, length: snippet.length, spans: [[0, snippet.length]], before: [], after: [] }
      })
    }
    const before: string[] = []
    for (let at = from; at > 0 && before.length < context.before; ) {
      const above = lineAt(text, lineStart(text, at - 1))
      before.unshift(this.head(text.slice(above.from, above.to)))
      at = above.from
    }
    const after: string[] = []
    for (let at = next; at < text.length && after.length < context.after; ) {
      const below = lineAt(text, at)
      after.push(this.head(text.slice(below.from, below.to)))
      at = below.next
    }
    const { snippet, shift, part } = this.excerpt(line)
    const spans = this.spansIn(line, part, mostSpans).map(([start, end]): [number, number] => [
      start + shift,
      end + shift,
    ])
    return [{ snippet, length: line.length, spans, before, after }]
  }

  /** The part of a line that is shown, and how far positions in it move. */
  private excerpt(line: string): { snippet: string; shift: number; part: [from: number, to: number] } {
    if (this.options.isWhole === true || line.length <= longestSnippet)
      return { snippet: line, shift: 0, part: [0, line.length] }
    this.each.lastIndex = 0
    const first = this.each.exec(line)?.index ?? 0
    const from = Math.max(0, Math.min(first - lead, line.length - longestSnippet))
    const to = Math.min(line.length, from + longestSnippet)
    const opening = from > 0 ? '…' : ''
    const snippet = `${opening}${line.slice(from, to)}${to < line.length ? '…' : ''}`
    return { snippet, shift: opening.length - from, part: [from, to] }
  }

  private head(line: string): string {
    const isShort = this.options.isWhole === true || line.length <= longestSnippet
    return isShort ? line : `${line.slice(0, longestSnippet)}…`
  }

  private spansIn(line: string, [from, to]: [from: number, to: number], most: number): [number, number][] {
    const spans: [number, number][] = []
    this.each.lastIndex = 0
    for (let found = this.each.exec(line); found !== null && found.index < to; found = this.each.exec(line)) {
      const end = Math.min(to, found.index + found[0].length)
      if (found.index >= from && end > found.index) spans.push([found.index, end])
      if (found[0] === '') this.each.lastIndex++
      if (spans.length >= most || this.each.lastIndex > line.length) break
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

/** Counts lines on the way through a text. */
class LineNumbers {
  private readonly text: string
  private at = 0
  private line = 1

  constructor(text: string) {
    this.text = text
  }

  /** Of a line that begins here; each call has a later one. */
  numberAt(from: number): number {
    for (let end = this.text.indexOf('\n', this.at); end !== -1 && end < from; end = this.text.indexOf('\n', end + 1)) {
      this.line++
      this.at = end + 1
    }
    return this.line
  }
}
