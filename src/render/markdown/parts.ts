// One part of an item (text, code, diff, check list, facts, media) as Markdown. Subagents' threads are not written here.

import { textToBytes } from '../../base/bytes.ts'
import { foldText } from '../../view/fold.ts'
import type {
  CheckListPart,
  CodePart,
  DiffPart,
  FactsPart,
  MediaPart,
  TextPart,
  ThreadPart,
  ViewPart,
} from '../../view/view.ts'
import { sizeText } from '../../view/words.ts'
import type { ExportOptions } from '../head.ts'
import { gap, type Line } from '../lines.ts'
import { visibleLine, withoutColours } from '../visible.ts'
import { hiddenText, limitsOf } from '../words.ts'
import { markdownLines } from './blocks.ts'
import { codeSpan, emphasized, escapeMarkdownLine, fenced, guardLine } from './escape.ts'

const limits = { head: 60, tail: 20 }
const shortFold = 8
/** A longer value does not fit a table. */
const cellLength = 160

export function partLines(part: Exclude<ViewPart, ThreadPart>, options: ExportOptions): Iterable<Line> {
  switch (part.type) {
    case 'markdown':
      return markdownLines(part.text)
    case 'text':
      return textLines(part, options)
    case 'code':
      return codeLines(part, options)
    case 'diff':
      return diffLines(part, options)
    case 'checklist':
      return checkLines(part)
    case 'facts':
      return factLines(part, options)
    case 'media':
      return [mediaText(part), gap]
  }
}

function* textLines(part: TextPart, options: ExportOptions): Generator<Line> {
  if (isLeftFolded(part, options)) {
    yield* foldedNote(part.text, part.label ?? '')
    return
  }
  if (part.label !== undefined && part.label.trim() !== '') {
    yield emphasized(part.label, '*')
    yield gap
  }
  yield* foldedFence(withoutColours(part.text), '', options)
  if (part.spillFile !== undefined) {
    yield `The whole text lies in ${codeSpan(part.spillFile)}.`
    yield gap
  }
}

function* codeLines(part: CodePart, options: ExportOptions): Generator<Line> {
  if (isLeftFolded(part, options)) {
    yield* foldedNote(part.text, part.language ?? '')
    return
  }
  if (part.startLine !== undefined && part.startLine > 1) {
    yield `From line ${part.startLine}:`
    yield gap
  }
  yield* foldedFence(part.text, part.language ?? '', options)
}

/** What is hidden until asked for, unless showing it takes hardly more room than saying so. */
function isLeftFolded(part: TextPart | CodePart, options: ExportOptions): boolean {
  return part.isFolded === true && options.isFull !== true && lineCount(part.text) > shortFold
}

function* foldedNote(text: string, label: string): Generator<Line> {
  const words = label === '' ? '' : `${escapeMarkdownLine(label)}: `
  yield `*${words}${hiddenText(lineCount(text), textToBytes(text).length)}*`
  yield gap
}

function lineCount(text: string): number {
  return text.replace(/\n$/, '').split('\n').length
}

/** A fenced block, cut in the middle where it is too long; the note about it stands outside the code. */
function* foldedFence(text: string, language: string, options: ExportOptions): Generator<Line> {
  if (text.trim() === '') return
  const cut = limitsOf(options, limits)
  const whole = text.replace(/\n$/, '')
  const folded = cut === null ? null : foldText(whole, cut)
  if (folded === null || folded.hiddenLines === 0) {
    yield* fenced(whole.split('\n'), language)
    yield gap
    return
  }
  yield* fenced(folded.lines.slice(0, limits.head), language)
  yield gap
  yield `*… ${hiddenText(folded.hiddenLines, folded.hiddenBytes)} …*`
  yield gap
  yield* fenced(folded.lines.slice(limits.head), language)
  yield gap
}

function* diffLines(part: DiffPart, options: ExportOptions): Generator<Line> {
  const lines = [`--- ${visibleLine(part.path)}`, `+++ ${visibleLine(part.path)}`]
  for (const hunk of part.hunks) {
    const removed = hunk.lines.filter(line => line.sign !== '+').length
    const added = hunk.lines.filter(line => line.sign !== '-').length
    lines.push(`@@ -${hunk.oldStart},${removed} +${hunk.newStart},${added} @@`)
    for (const line of hunk.lines) lines.push(line.sign + line.text.replace(/\r?\n/g, ' '))
  }
  yield* foldedFence(lines.join('\n'), 'diff', options)
  if (part.isComputed === true) {
    yield '*Worked out from the old and the new text.*'
    yield gap
  }
}

function* checkLines(part: CheckListPart): Generator<Line> {
  for (const item of part.items) {
    const text = guardLine(escapeMarkdownLine(item.text))
    if (item.state === 'active') yield `- [ ] **${text}** (in progress)`
    else if (item.state === 'dropped') yield `- [ ] ~~${text}~~`
    else yield `- [${item.state === 'done' ? 'x' : ' '}] ${text}`
  }
  yield gap
}

function* factLines(part: FactsPart, options: ExportOptions): Generator<Line> {
  const isShort = (value: string): boolean => value.length <= cellLength && !value.includes('\n')
  const short = part.facts.filter(fact => isShort(fact.value))
  if (short.length > 0) {
    yield* tableLines(short.map(fact => [escapeMarkdownLine(fact.name), escapeMarkdownLine(fact.value)]))
    yield gap
  }
  for (const fact of part.facts) {
    if (isShort(fact.value)) continue
    yield emphasized(fact.name, '*')
    yield gap
    yield* foldedFence(fact.value, '', options)
  }
}

/** A table of two columns without a heading; its cells are Markdown already. */
export function* tableLines(rows: readonly (readonly [string, string] | readonly string[])[]): Generator<Line> {
  yield '| | |'
  yield '| --- | --- |'
  for (const [name = '', value = ''] of rows) yield `| ${name} | ${value} |`
}

function mediaText(part: MediaPart): string {
  return `[${part.media}: ${escapeMarkdownLine(part.mediaType)}, ${sizeText(part.bytes)}]`
}
