// What is cut when not everything is asked for, and how that is said.

import { foldText } from '../../view/parts.ts'
import { countOf } from '../../view/words.ts'
import type { Paint } from './paint-style.ts'
import { breakLine, cutLine, type Line, own, type Style, safeLines } from './paint-text.ts'

/** How much of a part is shown. */
export interface Limits {
  /** Lines of output from its beginning and its end. */
  head: number
  tail: number
  /** Lines of Markdown. */
  markdown: number
}

export const noLimit = Number.MAX_SAFE_INTEGER

/** `… 120 more lines; --full`. */
export function cutNote(count: number, word: string, paint: Paint): Line {
  const note = `${paint.glyphs.ellipsis} ${countOf(count, `more ${word}`)}; --full`
  return [{ text: own(note), style: paint.colors.dim }]
}

/** Raw lines of a text, some of them left out. */
export interface Excerpt {
  lines: string[]
  /** Index of the first line after the gap; -1 where nothing is left out. */
  gapAt: number
  hidden: number
}

const colourCodes = /\u001b\[[0-9;:]*m/g

/** The lines to show. Colours that a tool wrote are looks and dropped; with --full they stay visible as text. */
export function excerptOf(text: string, limits: Limits, paint: Paint): Excerpt {
  const whole = text.replace(/(\r?\n)+$/, '')
  if (paint.isFull) return { lines: whole.split('\n'), gapAt: -1, hidden: 0 }
  // Saying that one line is left out takes a line.
  const fold = foldText(whole, { head: limits.head, tail: limits.tail })
  const { lines, hiddenLines } = fold.hiddenLines > 1 ? fold : { lines: whole.split('\n'), hiddenLines: 0 }
  const plain = lines.map(line => (line.includes('\u001b') ? line.replace(colourCodes, '') : line))
  return { lines: plain, gapAt: hiddenLines > 0 ? Math.min(limits.head, lines.length) : -1, hidden: hiddenLines }
}

/** Paints an excerpt line by line, with the note where some are missing. */
export function paintExcerpt(
  excerpt: Excerpt,
  paint: Paint,
  paintLine: (line: string, number: number) => Line[],
): Line[] {
  const { lines, gapAt, hidden } = excerpt
  const out: Line[] = []
  lines.forEach((line, index) => {
    const isAfterGap = gapAt >= 0 && index >= gapAt
    if (index === gapAt) out.push(cutNote(hidden, 'line', paint))
    out.push(...paintLine(line, index + (isAfterGap ? hidden : 0)))
  })
  if (gapAt >= lines.length) out.push(cutNote(hidden, 'line', paint))
  return out
}

/** One raw line as it fits: cut, or with --full broken into several. */
export function fitted(text: string, width: number, style: Style | undefined, paint: Paint): Line[] {
  // A line of megabytes need not be escaped and measured whole to be cut.
  const seen = paint.isFull ? text : text.slice(0, width * 8)
  return safeLines(seen).flatMap(line => {
    const runs: Line = [{ text: line, ...(style && { style }) }]
    return paint.isFull ? breakLine(runs, width) : [cutLine(runs, width, paint.glyphs.ellipsis)]
  })
}
