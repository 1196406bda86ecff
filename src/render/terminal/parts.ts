// One part of an item's body → lines, and how much of it is shown. Nested threads are painted by items.ts.

import { markdownBlocks } from '../../view/markdown.ts'
import { foldText } from '../../view/parts.ts'
import type {
  CheckListPart,
  CodePart,
  DiffHunk,
  DiffPart,
  FactsPart,
  MarkdownPart,
  MediaPart,
  PlainPart,
  TextPart,
} from '../../view/view.ts'
import { countOf, sizeText } from '../../view/words.ts'
import { withoutColours } from '../safe-text.ts'
import { numberedLines } from '../words.ts'
import { paintMarkdown } from './markdown.ts'
import { type Paint, toneStyle } from './style.ts'
import { breakLine, cutLine, type Line, own, type Style, safeLine, safeLines, wrapLine, wrappedLines } from './text.ts'

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
interface Excerpt {
  lines: string[]
  /** Index of the first line after the gap; -1 where nothing is left out. */
  gapAt: number
  hidden: number
}

/** The lines to show. Colours that a tool wrote are looks and dropped; with --full they stay visible as text. */
function excerptOf(text: string, limits: Limits, paint: Paint): Excerpt {
  const whole = text.replace(/(\r?\n)+$/, '')
  if (paint.isFull) return { lines: whole.split('\n'), gapAt: -1, hidden: 0 }
  // Saying that one line is left out takes a line.
  const fold = foldText(whole, { head: limits.head, tail: limits.tail })
  const { lines, hiddenLines } = fold.hiddenLines > 1 ? fold : { lines: whole.split('\n'), hiddenLines: 0 }
  const plain = lines.map(withoutColours)
  return { lines: plain, gapAt: hiddenLines > 0 ? Math.min(limits.head, lines.length) : -1, hidden: hiddenLines }
}

/** Paints an excerpt line by line, with the note where some are missing. */
function* paintExcerpt(
  excerpt: Excerpt,
  paint: Paint,
  paintLine: (line: string, number: number) => Iterable<Line>,
): Generator<Line> {
  const { lines, gapAt, hidden } = excerpt
  for (const [index, line] of lines.entries()) {
    const isAfterGap = gapAt >= 0 && index >= gapAt
    if (index === gapAt) yield cutNote(hidden, 'line', paint)
    yield* paintLine(line, index + (isAfterGap ? hidden : 0))
  }
  if (gapAt >= lines.length) yield cutNote(hidden, 'line', paint)
}

/** One raw line as it fits: cut, or with --full broken into several. */
function* fitted(text: string, width: number, style: Style | undefined, paint: Paint): Generator<Line> {
  // A line of megabytes need not be escaped and measured whole to be cut.
  const seen = paint.isFull ? text : text.slice(0, width * 8)
  for (const line of safeLines(seen)) {
    const runs: Line = [{ text: line, ...(style && { style }) }]
    if (paint.isFull) yield* breakLine(runs, width)
    else yield cutLine(runs, width, paint.glyphs.ellipsis)
  }
}

/** More Markdown than this in one text is parsed only with --full: that takes seconds. */
const mostMarkdown = 256 * 1024

/** Its lines, one after the other: only those that are asked for are painted. */
export function paintPart(part: PlainPart, width: number, limits: Limits, paint: Paint): Iterable<Line> {
  switch (part.type) {
    case 'markdown':
      return paintMarkdownPart(part, width, limits, paint)
    case 'text':
      return paintTextPart(part, width, limits, paint)
    case 'code':
      return paintCodePart(part, width, limits, paint)
    case 'diff':
      return paintDiff(part, width, limits, paint)
    case 'checklist':
      return paintCheckList(part, width, paint)
    case 'facts':
      if (part.isFolded && !paint.isFull) return []
      return paintFacts(part, width, limits, paint)
    case 'media':
      return [mediaLine(part, paint)]
  }
}

function* paintMarkdownPart(part: MarkdownPart, width: number, limits: Limits, paint: Paint): Generator<Line> {
  const { text, hidden } = paint.isFull ? { text: part.text, hidden: 0 } : beginning(part.text, limits.markdown)
  yield* paintMarkdown(markdownBlocks(text), width, paint)
  if (hidden > 0) yield cutNote(hidden, 'line', paint)
}

/** The first lines of a text, and how many there are after them. */
function beginning(text: string, lines: number): { text: string; hidden: number } {
  let end = 0
  for (let line = 0; line < lines && end < text.length; line++) {
    const next = text.indexOf('\n', end)
    end = next < 0 ? text.length : next + 1
  }
  end = Math.min(end, mostMarkdown)
  const rest = text.slice(end).trimEnd()
  if (rest === '' || (end < mostMarkdown && !rest.includes('\n'))) return { text, hidden: 0 }
  return { text: text.slice(0, end), hidden: rest.split('\n').length }
}

/** `… 120 lines of stderr; --full`. */
function foldedNote(text: string, what: string, width: number, paint: Paint, whole = '--full'): Line[] {
  const count = countOf(text.replace(/\n$/, '').split('\n').length, 'line')
  const note = own(`${paint.glyphs.ellipsis} ${count} of ${what}; ${whole}`)
  return [cutLine([{ text: note, style: paint.colors.dim }], width, paint.glyphs.ellipsis)]
}

function* paintTextPart(part: TextPart, width: number, limits: Limits, paint: Paint): Generator<Line> {
  const style = toneStyle(part.tone, paint)
  if (part.isFolded && !paint.isFull) yield* foldedNote(part.text, safeLine(part.label ?? 'text'), width, paint)
  else yield* paintExcerpt(excerptOf(part.text, limits, paint), paint, line => fitted(line, width, style, paint))
  if (part.spillFile === undefined) return
  const spill = own(`full output: ${safeLine(part.spillFile)}`)
  yield* wrapLine([{ text: spill, style: paint.colors.dim }], width)
}

function paintCodePart(part: CodePart, width: number, limits: Limits, paint: Paint): Iterable<Line> {
  const language = safeLine(part.language ?? 'text')
  if (part.isRepeated) return foldedNote(part.text, language, width, paint, 'clew records')
  if (part.isFolded && !paint.isFull) return foldedNote(part.text, language, width, paint)
  const excerpt = excerptOf(part.text, limits, paint)
  const first = part.startLine
  if (first === undefined) return paintExcerpt(excerpt, paint, line => fitted(line, width, undefined, paint))
  const gutter = String(first + excerpt.lines.length + excerpt.hidden - 1).length
  return paintExcerpt(excerpt, paint, function* (line, number) {
    let lead = `${String(first + number).padStart(gutter)} `
    for (const runs of fitted(line, width - gutter - 1, undefined, paint)) {
      yield [{ text: own(lead), style: paint.colors.dim }, ...runs]
      lead = ' '.repeat(gutter + 1)
    }
  })
}

function paintCheckList(part: CheckListPart, width: number, { glyphs, colors }: Paint): Line[] {
  const marks = { open: glyphs.open, active: glyphs.active, done: glyphs.checked, dropped: glyphs.dropped }
  const styles: Record<string, Style | undefined> = { active: colors.bold, done: colors.dim, dropped: colors.dim }
  return part.items.flatMap(({ text, state }) => {
    const mark = `${marks[state]} `
    const style = styles[state]
    return wrapLine([{ text: safeLine(text), ...(style && { style }) }], width - mark.length).map((line, index) => [
      { text: own(index === 0 ? mark : ' '.repeat(mark.length)), ...(state === 'done' && { style: colors.green }) },
      ...line,
    ])
  })
}

function* paintFacts(part: FactsPart, width: number, limits: Limits, paint: Paint): Generator<Line> {
  for (const fact of part.facts) yield* paintFact(fact, width, limits, paint)
}

/** A name with its value; a long value is wrapped under it. */
function paintFact(fact: FactsPart['facts'][number], width: number, limits: Limits, paint: Paint): Iterable<Line> {
  const excerpt = excerptOf(fact.value, limits, paint)
  const most = Math.max(2, limits.head)
  return paintExcerpt(excerpt, paint, (line, number) => {
    const name: Line = number === 0 ? [{ text: own(`${safeLine(fact.name)}: `), style: paint.colors.dim }] : []
    const lines = wrappedLines([...name, { text: own(safeLines(line).join(' ')) }], width)
    if (paint.isFull) return lines
    const all = [...lines]
    if (all.length <= most) return all
    return [...all.slice(0, most - 1), cutNote(all.length - most + 1, 'line', paint)]
  })
}

function mediaLine(part: MediaPart, { colors }: Paint): Line {
  return [{ text: own(`[${part.media}: ${safeLine(part.mediaType)}, ${sizeText(part.bytes)}]`), style: colors.magenta }]
}

/** Diffs say more per line than output: they get more lines. */
const linesPerLimit = 3

function paintDiff(part: DiffPart, width: number, limits: Limits, paint: Paint): Line[] {
  const most = paint.isFull ? noLimit : linesPerLimit * limits.head
  const total = part.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)
  const gutter = String(part.hunks.reduce((last, hunk) => Math.max(last, lastNumber(hunk)), 1)).length
  const out: Line[] = []
  let shown = 0
  for (const [index, hunk] of part.hunks.entries()) {
    if (shown >= most) break
    if (index > 0) out.push([{ text: own(`${' '.repeat(gutter)} ${paint.glyphs.ellipsis}`), style: paint.colors.dim }])
    for (const line of hunkLines(hunk, most - shown, gutter, width, paint)) out.push(line)
    shown += Math.min(hunk.lines.length, most - shown)
  }
  if (total > shown) out.push(cutNote(total - shown, 'line', paint))
  if (part.isComputed && total > 0)
    out.push([{ text: own('(computed from old and new text)'), style: paint.colors.dim }])
  return out
}

function lastNumber(hunk: DiffHunk): number {
  return Math.max(hunk.oldStart, hunk.newStart) + hunk.lines.length
}

function hunkLines(hunk: DiffHunk, most: number, gutter: number, width: number, paint: Paint): Line[] {
  const { colors } = paint
  const out: Line[] = []
  for (const { sign, text, number } of numberedLines(hunk, most)) {
    const style = sign === '+' ? colors.green : sign === '-' ? colors.red : undefined
    Array.from(fitted(text, width - gutter - 3, style, paint)).forEach((runs, piece) => {
      const lead = (piece === 0 ? String(number) : '').padStart(gutter)
      out.push([
        { text: own(`${lead} `), style: colors.dim },
        { text: own(`${piece === 0 ? sign : ' '} `), ...(style && { style }) },
        ...runs,
      ])
    })
  }
  return out
}
