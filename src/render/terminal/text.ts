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

/** As much of a text as fits; at least what takes no column. */
function takeColumns(text: SafeText, columns: number): { head: SafeText; width: number; isWhole: boolean } {
  if (isAscii(text)) {
    const head = text.slice(0, Math.max(0, columns)) as SafeText
    return { head, width: head.length, isWhole: head.length === text.length }
  }
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

/** Breaks a line hard into pieces of at most this many columns: for code that must be shown whole. */
export function breakLine(line: Line, space: number): Line[] {
  // A wide character must fit, or the loop would never end.
  const columns = Math.max(2, space)
  if (lineWidth(line) <= columns) return [line]
  const out: Line[] = []
  let current: Line = []
  let used = 0
  for (const run of line) {
    let rest = run.text
    while (rest !== '') {
      const { head, width, isWhole } = takeColumns(rest, columns - used)
      if (head !== '') current.push({ ...run, text: head })
      used += width
      rest = rest.slice(head.length) as SafeText
      if (isWhole) break
      out.push(current)
      current = []
      used = 0
    }
  }
  if (current.length > 0) out.push(current)
  return out
}

/** The same, with another width for the first piece. */
function breakFrom(line: Line, first: number, columns: number): Line[] {
  if (first < 2) return breakLine(line, columns)
  const [head = [], ...rest] = breakLine(line, first)
  const width = rest.length === 0 ? 0 : columns
  return width === 0 ? [head] : [head, ...breakLine(rest.flat(), columns)]
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
  if (lineWidth(line) <= columns) return [line]
  const out: Line[] = []
  let current: Line = []
  let used = 0
  for (const word of wordsOf(line)) {
    // A word that fits on no line begins on this one where there is some space.
    const isTooLong = word.width > columns && columns - used - word.gap >= leastPiece
    if (used > 0 && used + word.gap + word.width > columns && !isTooLong) {
      out.push(current)
      current = []
      used = 0
    }
    // Blanks at the beginning of the first line are indentation; those at a break go.
    const gap = used > 0 || out.length === 0 ? Math.min(word.gap, Math.max(0, columns - 1)) : 0
    if (gap > 0) current.push({ text: own(' '.repeat(gap)) })
    used += gap
    const pieces = word.width > columns - used ? breakFrom(word.runs, columns - used, columns) : [word.runs]
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) {
        out.push(current)
        current = []
        used = 0
      }
      current.push(...piece)
      used += lineWidth(piece)
    }
  }
  if (current.length > 0) out.push(current)
  return out.length > 0 ? out : [[]]
}

const blanks = /^ +$/

function wordsOf(line: Line): Word[] {
  const words: Word[] = []
  let word: Word = { gap: 0, runs: [], width: 0 }
  const finish = (gap: number) => {
    if (word.runs.length > 0) words.push(word)
    word = { gap: word.runs.length > 0 ? gap : word.gap + gap, runs: [], width: 0 }
  }
  for (const run of line) {
    for (const part of run.text.split(/( +)/)) {
      if (part === '') continue
      if (blanks.test(part)) {
        finish(part.length)
        continue
      }
      for (const piece of piecesOf(part)) {
        const width = columnsOf(piece)
        // Scripts with wide characters have no blanks: they may break anywhere between them.
        if (width === 2 && !isAscii(piece) && word.runs.length > 0) finish(0)
        word.runs.push({ ...run, text: piece as SafeText })
        word.width += width
      }
    }
  }
  finish(0)
  return words
}

/** Stretches of narrow characters, and wide characters one by one with the marks that follow them. */
function piecesOf(text: string): string[] {
  if (isAscii(text)) return [text]
  const pieces: string[] = []
  let narrow = ''
  for (const character of text) {
    const width = columnsOf(character)
    if (width === 2) {
      if (narrow !== '') pieces.push(narrow)
      narrow = ''
      pieces.push(character)
    } else if (width === 0 && narrow === '' && pieces.length > 0) {
      pieces[pieces.length - 1] += character
    } else {
      narrow += character
    }
  }
  if (narrow !== '') pieces.push(narrow)
  return pieces
}
