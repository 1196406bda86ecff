// Text as the painter handles it: made safe once, measured in columns, wrapped, cut and styled. This is the only door
// from a view's raw text to the terminal: everything after it takes `SafeText`, which nothing else makes.

import type { Brand } from '../../base/brand.ts'
import { escapeForLine, escapeForTerminal } from '../../base/escape.ts'
import { columnsOf, isAscii } from '../../base/width.ts'

/** Text without control characters, tabs or newlines: ours, or a log's after escaping. */
export type SafeText = Brand<string, 'SafeText'>

/** Adds colour; it changes no column. */
export type Style = (text: string) => string

/** A piece of a line in one style. */
export interface Run {
  text: SafeText
  style?: Style
}

/** A line before it is put together: runs side by side. */
export type Line = Run[]

const tabStop = 4

/** A text of the log as one line: newlines and tabs are written out. */
export function safeLine(text: string): SafeText {
  return escapeForLine(text) as SafeText
}

/** A text of the log as lines: tabs become blanks, the carriage return of a line end is part of that end. */
export function safeLines(text: string): SafeText[] {
  return text.split(/\r?\n/).map(line => expandTabs(escapeForTerminal(line)) as SafeText)
}

/** The raw lines of a text, one after the other; the carriage return of a line end is part of that end. */
export function* linesOf(text: string): Generator<string> {
  let at = 0
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', at)) {
    yield text.slice(at, text[end - 1] === '\r' && end > at ? end - 1 : end)
    at = end + 1
  }
  yield text.slice(at)
}

/** A text of our own: words and drawings in the code, numbers, times. Never text of a log. */
export function own(text: string): SafeText {
  return text as SafeText
}

function expandTabs(line: string): string {
  if (!line.includes('\t')) return line
  let out = ''
  let columns = 0
  for (const part of line.split(/(\t)/)) {
    const text = part === '\t' ? ' '.repeat(tabStop - (columns % tabStop)) : part
    columns += columnsOf(text)
    out += text
  }
  return out
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + columnsOf(text), 0)
}

/** The line as it goes to the terminal; no blanks at its end. */
export function render(line: Line): string {
  let last = line.length
  while (last > 0 && line[last - 1]?.text.trimEnd() === '') last--
  let out = ''
  for (let i = 0; i < last; i++) {
    const run = line[i] as Run
    const text = i === last - 1 ? run.text.trimEnd() : run.text
    if (text !== '') out += run.style ? run.style(text) : text
  }
  return out
}

/** At most this many columns; what is left out is marked. */
export function cutLine(line: Line, columns: number, ellipsis: string): Line {
  if (lineWidth(line) <= columns) return line
  const space = columns - columnsOf(ellipsis)
  const out: Line = []
  let used = 0
  for (const run of line) {
    const { head, width, isWhole } = takeColumns(run.text, space - used)
    if (head !== '') out.push({ ...run, text: head })
    used += width
    if (!isWhole) break
  }
  out.push({ text: own(ellipsis) })
  return out
}

/** As much of a text as fits; at least what takes no column. It looks no further: a text may be megabytes long. */
function takeColumns(text: SafeText, columns: number): { head: SafeText; width: number; isWhole: boolean } {
  const head = text.slice(0, Math.max(0, columns)) as SafeText
  if (isAscii(head) && isAscii(text.slice(head.length, head.length + 1)))
    return { head, width: head.length, isWhole: head.length === text.length }
  let width = 0
  let end = 0
  for (const character of text) {
    const step = columnsOf(character)
    if (width + step > columns) return { head: text.slice(0, end) as SafeText, width, isWhole: false }
    width += step
    end += character.length
  }
  return { head: text, width, isWhole: true }
}

/** Breaks a line hard into pieces of at most this many columns, the first of `first`: for code that must be shown whole. */
export function* breakLine(line: Line, space: number, first = space): Generator<Line> {
  // A wide character must fit, or the loop would never end.
  const columns = Math.max(2, space)
  let free = first < 2 ? columns : first
  let current: Line = []
  let isFirst = true
  for (const run of line) {
    let rest = run.text
    while (rest !== '') {
      const { head, width, isWhole } = takeColumns(rest, free)
      if (head !== '') current.push({ ...run, text: head })
      free -= width
      if (isWhole) break
      rest = rest.slice(head.length) as SafeText
      yield current
      current = []
      free = columns
      isFirst = false
    }
  }
  if (current.length > 0 || isFirst) yield current
}

/** A word with the blanks before it; its runs belong together. */
interface Word {
  gap: number
  runs: Line
  width: number
}

/** Fewer columns than this are not filled with the beginning of a long word. */
const leastPiece = 12

/** Wraps at blanks and between wide characters; a word longer than the line is broken. */
export function wrapLine(line: Line, columns: number): Line[] {
  return [...wrappedLines(line, columns)]
}

/** The same, one line after the other, for texts that may be megabytes long. */
export function* wrappedLines(line: Line, columns: number): Generator<Line> {
  if (lineWidth(line) <= columns) return yield line
  let current: Line = []
  let used = 0
  let isFirst = true
  for (const word of wordsOf(line)) {
    // A word that fits on no line begins on this one where there is some space.
    const isTooLong = word.width > columns && columns - used - word.gap >= leastPiece
    if (used > 0 && used + word.gap + word.width > columns && !isTooLong) {
      yield current
      current = []
      used = 0
      isFirst = false
    }
    // Blanks at the beginning of the first line are indentation; those at a break go.
    const gap = used > 0 || isFirst ? Math.min(word.gap, Math.max(0, columns - 1)) : 0
    if (gap > 0) current.push({ text: own(' '.repeat(gap)) })
    used += gap
    const pieces = word.width > columns - used ? breakLine(word.runs, columns, columns - used) : [word.runs]
    let isNext = false
    for (const piece of pieces) {
      if (isNext) {
        yield current
        current = []
        used = 0
        isFirst = false
      }
      isNext = true
      current.push(...piece)
      used += lineWidth(piece)
    }
  }
  if (current.length > 0 || isFirst) yield current
}

/** One word after the other: those of a text of megabytes are never there at once. */
function* wordsOf(line: Line): Generator<Word> {
  let word: Word = { gap: 0, runs: [], width: 0 }
  for (const run of line) {
    for (const part of stretchesOf(run.text)) {
      if (part.startsWith(' ')) {
        if (word.runs.length > 0) yield word
        word = { gap: word.runs.length > 0 ? part.length : word.gap + part.length, runs: [], width: 0 }
        continue
      }
      for (const piece of piecesOf(part)) {
        const width = columnsOf(piece)
        // Scripts with wide characters have no blanks: they may break anywhere between them.
        if (width === 2 && !isAscii(piece) && word.runs.length > 0) {
          yield word
          word = { gap: 0, runs: [], width: 0 }
        }
        word.runs.push({ ...run, text: piece as SafeText })
        word.width += width
      }
    }
  }
  if (word.runs.length > 0) yield word
}

/** Blanks, and what is between them. */
function* stretchesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    let end = at
    const isBlank = text[at] === ' '
    if (isBlank) while (text[end] === ' ') end++
    else end = text.indexOf(' ', at)
    if (end < 0) end = text.length
    yield text.slice(at, end)
    at = end
  }
}

/** Stretches of narrow characters, and wide characters one by one with the marks that follow them. */
function* piecesOf(text: string): Generator<string> {
  if (isAscii(text)) return yield text
  let start = 0
  let at = 0
  let isWide = false
  for (const character of text) {
    const width = columnsOf(character)
    if (at > start && (width === 2 || (width === 1 && isWide))) {
      yield text.slice(start, at)
      start = at
      isWide = false
    }
    if (width === 2) isWide = true
    at += character.length
  }
  if (at > start) yield text.slice(start, at)
}
