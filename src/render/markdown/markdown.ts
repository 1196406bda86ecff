// A session as GitHub-flavoured Markdown: a heading per turn, prompts as quotes, calls as a bold line with what they did,
// subagents and abandoned branches as quotes inside. Nothing from the log can end a fence, open a tag or load a picture.

import { textToBytes } from '../../base/bytes.ts'
import { cutToColumns } from '../../base/width.ts'
import { type MarkdownBlock, parseMarkdown, type Span } from '../../view/markdown.ts'
import type {
  Badge,
  BranchPart,
  CheckListPart,
  CodePart,
  DiffPart,
  FactsPart,
  MediaPart,
  PlainPart,
  TextPart,
  ThreadPart,
  ViewItem,
} from '../../view/view.ts'
import { countOf, sizeText } from '../../view/words.ts'
import { gap, joinLines, type Line } from '../pieces.ts'
import { visibleLine, withoutColours } from '../safe-text.ts'
import {
  badgesOf,
  type Clock,
  clockFor,
  countItems,
  cutText,
  type ExportOptions,
  gistOf,
  hiddenText,
  hueOf,
  missingThinking,
  periodText,
  type Section,
  type SessionHead,
  sectionsOf,
  spentText,
  splitHeadline,
  taskOf,
  withInheritedText,
} from '../words.ts'
import { codeSpan, emphasized, escapeMarkdown, escapeMarkdownLine, fenced, guardLine, linkText } from './escape.ts'

const headingColumns = 76
const filesShown = 3
/** Quotes inside quotes: deeper threads continue at this depth, since no reader can follow more marks. */
const deepestQuote = 8

interface Writing {
  options: ExportOptions
  clock: Clock
}

/** The chunks of a Markdown document. */
export function sessionToMarkdown(
  items: readonly ViewItem[],
  head: SessionHead,
  options: ExportOptions = {},
): Iterable<string> {
  return joinLines(documentLines(items, head, { options, clock: clockFor(options.timezone) }))
}

function* documentLines(items: readonly ViewItem[], head: SessionHead, writing: Writing): Generator<Line> {
  const sections = sectionsOf(items)
  yield* spaced(`# ${escapeMarkdownLine(head.title) || 'Session'}`)
  yield* tableLines(headRows(items, head, sections, writing.clock))
  yield gap
  for (const note of head.notes ?? []) {
    yield { first: '> ', rest: '> ', lines: [guardLine(escapeMarkdownLine(note))] }
    yield gap
  }
  for (const section of sections) {
    yield* sectionHeading(section, writing)
    for (const item of section.items) yield* itemLines(item, writing, 0, section)
  }
}

function headRows(
  items: readonly ViewItem[],
  head: SessionHead,
  sections: readonly Section[],
  clock: Clock,
): [string, string][] {
  const counts = countItems(items, sections)
  const holds = [countOf(counts.turns, 'turn'), countOf(counts.calls, 'call')]
  if (counts.failed > 0) holds.push(`${counts.failed} failed`)
  if (counts.subagents > 0) holds.push(countOf(counts.subagents, 'subagent'))
  if (counts.compactions > 0) holds.push(countOf(counts.compactions, 'compaction'))
  const codes = (texts: readonly string[]): string => texts.map(text => codeSpan(text, true)).join(', ')
  const more = head.files.length - filesShown
  const rows: [string, string][] = [
    ['Session', codeSpan(head.id, true)],
    ['Project', head.project === null ? '' : codeSpan(head.project, true)],
    ['Time', escapeMarkdownLine(periodText(head.startedAt, head.endedAt, clock))],
    ['Models', codes(head.models)],
    ['Claude Code', codes(head.versions)],
    ['Contains', holds.join(', ')],
    ['Tokens', head.tokens === undefined ? '' : spentText(head.tokens)],
    ['Tokens', head.withInherited === undefined ? '' : withInheritedText(head.withInherited)],
    ['Files', codes(head.files.slice(0, filesShown)) + (more > 0 ? ` and ${more} more` : '')],
  ]
  return rows.filter(([, value]) => value !== '')
}

function* sectionHeading(section: Section, writing: Writing): Generator<Line> {
  if (section.turn === undefined) return
  const gist = section.prompt === undefined ? '' : visibleLine(gistOf(section.prompt))
  const words = escapeMarkdownLine(cutToColumns(gist, headingColumns))
  yield* spaced(`## ${section.turn}. ${words || 'Turn'}`)
  const at = writing.clock.read(section.prompt?.at ?? null)
  if (at !== null && writing.options.timestamps !== true) {
    yield* spaced(`*${at.date} ${at.time}*`)
  }
}

function itemLines(item: ViewItem, writing: Writing, depth: number, section?: Section): Iterable<Line> {
  switch (item.kind) {
    case 'prompt':
      return promptLines(item, writing, section)
    case 'answer':
      return answerLines(item, writing, depth)
    case 'thinking':
      return thinkingLines(item, writing, depth)
    case 'compaction':
      return compactionLines(item, writing, depth)
    default:
      return rowLines(item, writing, depth)
  }
}

function* promptLines(item: ViewItem, writing: Writing, section: Section | undefined): Generator<Line> {
  const line = signs(item, writing)
  if (line !== '') {
    yield* spaced(guardLine(line))
  }
  if (section?.prompt === item && section.turn !== undefined && isInHeading(item)) return
  yield { first: '> ', rest: '> ', lines: bodyLines(item, writing, 0) }
  yield gap
}

/** Whether the turn's heading says all of it. */
function isInHeading(item: ViewItem): boolean {
  const [part] = item.body
  if (item.body.length !== 1 || part?.type !== 'markdown') return false
  const text = part.text.trim()
  return !text.includes('\n') && text.length <= headingColumns / 2 && !/[`*[\]<>|_~]/.test(text)
}

function* answerLines(item: ViewItem, writing: Writing, depth: number): Generator<Line> {
  const line = signs(item, writing)
  if (line !== '') {
    yield* spaced(guardLine(line))
  }
  yield* bodyLines(item, writing, depth)
}

function* thinkingLines(item: ViewItem, writing: Writing, depth: number): Generator<Line> {
  const missing = missingThinking(item)
  const isShown = writing.options.thinking === true && item.body.length > 0 && missing === undefined
  const words = escapeMarkdownLine(missing ?? item.headline) || 'thinking'
  yield* spaced(join([`*${words}*`, signs(item, writing)]))
  if (!isShown) return
  yield { first: '> ', rest: '> ', lines: bodyLines(item, writing, depth) }
  yield gap
}

function* compactionLines(item: ViewItem, writing: Writing, depth: number): Generator<Line> {
  yield* spaced('---')
  yield* spaced(
    join([`**${escapeMarkdownLine(item.headline.replaceAll('  ', ' · ')) || 'Compaction'}**`, signs(item, writing)]),
  )
  yield* bodyLines(item, writing, depth)
  yield* spaced('---')
}

function* rowLines(item: ViewItem, writing: Writing, depth: number): Generator<Line> {
  const { name, what } = splitHeadline(item)
  const isMachine = hueOf(item) === 'shell' || hueOf(item) === 'file'
  const words = isMachine ? codeSpan(what) : escapeMarkdownLine(what)
  const title = item.isQuiet ? `*${escapeMarkdownLine(name)}*` : `**${escapeMarkdownLine(name)}**`
  yield* spaced(join([words === '' ? title : `${title} ${words}`, signs(item, writing)]))
  yield* bodyLines(item, writing, depth, true)
}

/** `isQuoted`: prose is set off from what the model itself says to the reader. */
function* bodyLines(item: ViewItem, writing: Writing, depth: number, isQuoted = false): Generator<Line> {
  for (const part of item.body) {
    const isProse = isQuoted && part.type === 'markdown'
    if (isProse) yield { first: '> ', rest: '> ', lines: partLines(part, writing.options) }
    else if (part.type === 'thread') yield quoted(threadLines(part, writing, depth + 1), depth)
    else if (part.type === 'branch') yield quoted(branchLines(part, writing, depth + 1), depth)
    else yield* partLines(part, writing.options)
    yield gap
  }
}

function quoted(lines: Iterable<Line>, depth: number): Line {
  const mark = depth >= deepestQuote ? '' : '> '
  return { first: mark, rest: mark, lines }
}

/** Each turn of it has a heading of its own. */
function* branchLines(part: BranchPart, writing: Writing, depth: number): Generator<Line> {
  for (const item of part.items) {
    if (item.kind === 'prompt' && item.turn !== undefined) yield* spaced(`**Turn ${item.turn + 1}**`)
    yield { first: '', rest: '', lines: itemLines(item, writing, depth) }
  }
}

function* threadLines(part: ThreadPart, writing: Writing, depth: number): Generator<Line> {
  const agent = part.agentType === undefined ? 'Subagent' : `Subagent ${escapeMarkdownLine(part.agentType)}`
  const link = part.linkedBy === undefined ? 'not linked to a call' : ''
  yield* spaced(join([`**${agent}**`, codeSpan(part.thread), link]))
  for (const item of part.items) yield { first: '', rest: '', lines: itemLines(item, writing, depth) }
}

/** A line with a blank one after it. */
function spaced(line: string): Line[] {
  return [line, gap]
}

/** Badges, marks and the time: what is behind a headline. */
function signs(item: ViewItem, writing: Writing): string {
  const words = badgesOf(item).map(badgeText)
  const at = writing.options.timestamps === true ? writing.clock.read(item.at) : null
  if (at !== null) words.push(`*${at.date} ${at.seconds}*`)
  return join(words)
}

function badgeText(badge: Badge): string {
  const text = escapeMarkdownLine(badge.text)
  return badge.tone === 'bad' && /[a-z]/i.test(text) ? `**${text}**` : text
}

function join(words: readonly string[]): string {
  return words.filter(word => word !== '').join(' · ')
}

const limits = { head: 60, tail: 20 }
const shortFold = 8
/** A longer value does not fit a table. */
const cellLength = 160

function partLines(part: PlainPart, options: ExportOptions): Iterable<Line> {
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
      return part.isFolded && options.isFull !== true ? [] : factLines(part, options)
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
    yield* spaced(emphasized(part.label))
  }
  yield* foldedFence(withoutColours(part.text), '', options)
  if (part.spillFile !== undefined) {
    yield* spaced(`The whole text lies in ${codeSpan(part.spillFile)}.`)
  }
}

function* codeLines(part: CodePart, options: ExportOptions): Generator<Line> {
  if (isLeftFolded(part, options)) {
    yield* foldedNote(part.text, part.language ?? '')
    return
  }
  if (part.startLine !== undefined && part.startLine > 1) {
    yield* spaced(`From line ${part.startLine}:`)
  }
  yield* foldedFence(part.text, part.language ?? '', options)
}

/** Hidden until opened, unless showing it takes hardly more space than saying so. */
function isLeftFolded(part: TextPart | CodePart, options: ExportOptions): boolean {
  return part.isFolded === true && options.isFull !== true && lineCount(part.text) > shortFold
}

function* foldedNote(text: string, label: string): Generator<Line> {
  const words = label === '' ? '' : `${escapeMarkdownLine(label)}: `
  yield* spaced(`*${words}${hiddenText(lineCount(text), textToBytes(text).length)}*`)
}

function lineCount(text: string): number {
  return text.replace(/\n$/, '').split('\n').length
}

/** A fenced block, cut in the middle where it is too long; the note about it stands outside the code. */
function* foldedFence(text: string, language: string, options: ExportOptions): Generator<Line> {
  if (text.trim() === '') return
  const { first, hidden, last } = cutText(text, options, limits)
  yield* fenced(first, language)
  yield gap
  if (hidden === '') return
  yield* spaced(`*… ${hidden} …*`)
  yield* fenced(last, language)
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
    yield* spaced('*Worked out from the old and the new text.*')
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
    yield* spaced(emphasized(fact.name))
    yield* foldedFence(fact.value, '', options)
  }
}

/** A table of two columns without a heading; its cells are Markdown already. */
function* tableLines(rows: readonly (readonly [string, string] | readonly string[])[]): Generator<Line> {
  yield '| | |'
  yield '| --- | --- |'
  for (const [name = '', value = ''] of rows) yield `| ${name} | ${value} |`
}

function mediaText(part: MediaPart): string {
  return `[${part.media}: ${escapeMarkdownLine(part.mediaType)}, ${sizeText(part.bytes)}]`
}

/** Headings from the log are below the export's own: its title and its turns. */
const ownHeadings = 2

/** The lines of a text in Markdown, each block followed by a gap. */
function markdownLines(text: string): Iterable<Line> {
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
  const task = taskOf(first.spans)
  if (task === null) yield* oneBlock(first)
  else yield* taskLines(task.spans, task.isDone ? '[x] ' : '[ ] ')
  if (second !== undefined) yield* oneBlock(second)
}

function* taskLines(spans: readonly Span[], task: string): Generator<Line> {
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
const emphasis: Readonly<Record<Mark, string>> = { isBold: '**', isItalic: '*', isStruck: '~~' }

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
    text += isMarked ? surround(part, emphasis[mark]) : part
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
