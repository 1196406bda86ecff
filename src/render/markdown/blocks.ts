// Markdown from the log, written again from its parsed form: what was emphasis, a list or code stays so, while raw HTML and
// images are text. It parses nothing by itself.

import { type MarkdownBlock, parseMarkdown, type Span } from '../../view/markdown.ts'
import { gap, type Line } from '../lines.ts'
import { codeSpan, escapeMarkdown, fenced, guardLine, linkText } from './escape.ts'

/** Headings from the log stand below the export's own: its title and its turns. */
const ownHeadings = 2

/** The lines of a text in Markdown, each block followed by a gap. */
export function markdownLines(text: string): Iterable<Line> {
  return blockLines(parseMarkdown(text))
}

function* blockLines(blocks: readonly MarkdownBlock[]): Generator<Line> {
  for (const block of blocks) {
    yield* oneBlock(block)
    yield gap
  }
}

function* oneBlock(block: MarkdownBlock): Generator<Line> {
  switch (block.type) {
    case 'paragraph':
      yield* paragraph(block.spans)
      break
    case 'heading':
      yield `${'#'.repeat(Math.min(6, block.level + ownHeadings))} ${oneLine(block.spans)}`
      break
    case 'code':
      yield* fenced(block.text.split('\n'), block.language)
      break
    case 'quote':
      yield { first: '> ', rest: '> ', lines: blockLines(block.blocks) }
      break
    case 'list':
      yield* list(block)
      break
    case 'table':
      yield* table(block)
      break
    case 'rule':
      yield '---'
  }
}

function* list(block: Extract<MarkdownBlock, { type: 'list' }>): Generator<Line> {
  let number = block.start ?? 1
  for (const item of block.items) {
    const mark = block.isOrdered ? `${number++}. ` : '- '
    yield { first: mark, rest: ' '.repeat(mark.length), lines: listItem(item.blocks) }
  }
}

/** An item of one paragraph takes no blank line, so that a tight list stays tight. */
function* listItem(blocks: readonly MarkdownBlock[]): Generator<Line> {
  if (blocks.length === 0) yield ''
  const [first, second] = blocks
  const isTight = first?.type === 'paragraph' && (second === undefined || second.type === 'list') && blocks.length <= 2
  if (!isTight || first === undefined) {
    yield* blockLines(blocks)
    return
  }
  const task = taskState(first)
  yield* task === null ? oneBlock(first) : withTask(first, task)
  if (second !== undefined) yield* oneBlock(second)
}

/** `[ ]` or `[x]` at the start of a list item: a task of GitHub's dialect. */
function taskState(block: Extract<MarkdownBlock, { type: 'paragraph' }>): string | null {
  const task = /^\[([ xX])\] /.exec(block.spans[0]?.text ?? '')
  return task === null ? null : `[${task[1]?.toLowerCase() ?? ' '}] `
}

function* withTask(block: Extract<MarkdownBlock, { type: 'paragraph' }>, task: string): Generator<Line> {
  const [first, ...others] = block.spans
  const spans = first === undefined ? others : [{ ...first, text: first.text.slice(4) }, ...others]
  let mark = task
  for (const line of paragraph(spans)) {
    yield mark + line
    mark = ''
  }
}

const alignRules = { left: ':--', right: '--:', center: ':-:', none: '---' } as const

function* table(block: Extract<MarkdownBlock, { type: 'table' }>): Generator<Line> {
  const row = (cells: readonly Span[][]): string => `| ${cells.map(cell => oneLine(cell, true)).join(' | ')} |`
  yield row(block.header)
  yield `| ${block.header.map((_, at) => alignRules[block.align[at] ?? 'none']).join(' | ')} |`
  for (const cells of block.rows) yield row(cells)
}

function* paragraph(spans: readonly Span[]): Generator<string> {
  for (const line of inline(spans, false).split('\n')) {
    const guarded = guardLine(line)
    if (guarded !== '') yield guarded
  }
}

function oneLine(spans: readonly Span[], inTable = false): string {
  return inline(spans, inTable).replace(/\n\s*/g, ' ').trim()
}

type Mark = 'isBold' | 'isItalic' | 'isStruck'
const signs: Readonly<Record<Mark, string>> = { isBold: '**', isItalic: '*', isStruck: '~~' }

function inline(spans: readonly Span[], inTable: boolean): string {
  return marked(spans, ['isBold', 'isItalic', 'isStruck'], inTable)
}

/** Neighbours with the same mark share one pair of signs: `**a****b**` would not be read as bold. */
function marked(spans: readonly Span[], marks: readonly Mark[], inTable: boolean): string {
  const [mark, ...inner] = marks
  if (mark === undefined) return spans.map(span => leaf(span, inTable)).join('')
  let text = ''
  for (let from = 0; from < spans.length; ) {
    const isMarked = spans[from]?.[mark] === true
    let to = from + 1
    while (to < spans.length && (spans[to]?.[mark] === true) === isMarked) to++
    const part = marked(spans.slice(from, to), inner, inTable)
    text += isMarked ? surround(part, signs[mark]) : part
    from = to
  }
  return text
}

/** Signs must touch the words, and emphasis ends with its line. */
function surround(text: string, sign: string): string {
  return text
    .split('\n')
    .map(line => {
      const words = line.trim()
      return words === '' ? line : line.replace(words, () => sign + words + sign)
    })
    .join('\n')
}

function leaf(span: Span, inTable: boolean): string {
  if (span.href !== undefined) return linkText(span.text, span.href, inTable)
  return span.isCode === true ? codeSpan(span.text, inTable) : escapeMarkdown(span.text)
}
