// One part of an item's body → lines. Nested threads are not painted here: paint-items walks them.

import { parseMarkdown } from '../../view/markdown.ts'
import type {
  CheckListPart,
  CodePart,
  FactsPart,
  MarkdownPart,
  MediaPart,
  TextPart,
  ThreadPart,
  ViewPart,
} from '../../view/view.ts'
import { countOf, sizeText } from '../../view/words.ts'
import { paintDiff } from './paint-diff.ts'
import { cutNote, excerptOf, fitted, type Limits, noLimit, paintExcerpt } from './paint-limits.ts'
import { paintMarkdown } from './paint-markdown.ts'
import { type Paint, toneStyle } from './paint-style.ts'
import { cutLine, type Line, own, type Style, safeLine, safeLines, wrapLine } from './paint-text.ts'

export type PlainPart = Exclude<ViewPart, ThreadPart>

/** More Markdown than this in one text is read only with --full: nobody reads it, and parsing it takes seconds. */
const mostMarkdown = 256 * 1024

export function paintPart(part: PlainPart, width: number, limits: Limits, paint: Paint): Line[] {
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
      return part.facts.flatMap(fact => paintFact(fact, width, limits, paint))
    case 'media':
      return [mediaLine(part, paint)]
  }
}

function paintMarkdownPart(part: MarkdownPart, width: number, limits: Limits, paint: Paint): Line[] {
  const { text, hidden } = paint.isFull ? { text: part.text, hidden: 0 } : beginning(part.text, limits.markdown)
  const lines = paintMarkdown(parseMarkdown(text), width, paint)
  if (hidden > 0) lines.push(cutNote(hidden, 'line', paint))
  return lines
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

/** `… 120 lines of stderr; --full shows them`. */
function foldedNote(text: string, what: string, width: number, paint: Paint): Line[] {
  const count = countOf(text.replace(/\n$/, '').split('\n').length, 'line')
  const note = own(`${paint.glyphs.ellipsis} ${count} of ${what}; --full`)
  return [cutLine([{ text: note, style: paint.colors.dim }], width, paint.glyphs.ellipsis)]
}

function paintTextPart(part: TextPart, width: number, limits: Limits, paint: Paint): Line[] {
  const style = toneStyle(part.tone, paint)
  const lines =
    part.isFolded && !paint.isFull
      ? foldedNote(part.text, safeLine(part.label ?? 'text'), width, paint)
      : paintExcerpt(excerptOf(part.text, limits, paint), paint, line => fitted(line, width, style, paint))
  if (part.spillFile === undefined) return lines
  const spill = own(`whole output: ${safeLine(part.spillFile)}`)
  return [...lines, ...wrapLine([{ text: spill, style: paint.colors.dim }], width)]
}

function paintCodePart(part: CodePart, width: number, limits: Limits, paint: Paint): Line[] {
  if (part.isFolded && !paint.isFull) return foldedNote(part.text, safeLine(part.language ?? 'text'), width, paint)
  const excerpt = excerptOf(part.text, limits, paint)
  const first = part.startLine
  if (first === undefined) return paintExcerpt(excerpt, paint, line => fitted(line, width, undefined, paint))
  const gutter = String(first + excerpt.lines.length + excerpt.hidden - 1).length
  return paintExcerpt(excerpt, paint, (line, number) =>
    fitted(line, width - gutter - 1, undefined, paint).map((runs, piece) => {
      const lead = `${(piece === 0 ? String(first + number) : '').padStart(gutter)} `
      return [{ text: own(lead), style: paint.colors.dim }, ...runs]
    }),
  )
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

/** A name with its value; a long value is wrapped under it. */
function paintFact(fact: FactsPart['facts'][number], width: number, limits: Limits, paint: Paint): Line[] {
  const excerpt = excerptOf(fact.value, limits, paint)
  const most = paint.isFull ? noLimit : Math.max(2, limits.head)
  return paintExcerpt(excerpt, paint, (line, number) => {
    const name: Line = number === 0 ? [{ text: own(`${safeLine(fact.name)}: `), style: paint.colors.dim }] : []
    const lines = wrapLine([...name, { text: own(safeLines(line).join(' ')) }], width)
    if (lines.length <= most) return lines
    return [...lines.slice(0, most - 1), cutNote(lines.length - most + 1, 'line', paint)]
  })
}

function mediaLine(part: MediaPart, { colors }: Paint): Line {
  return [{ text: own(`[${part.media}: ${safeLine(part.mediaType)}, ${sizeText(part.bytes)}]`), style: colors.magenta }]
}
