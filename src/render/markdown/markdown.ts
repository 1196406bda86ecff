// A session as GitHub-flavoured Markdown: a heading per turn, prompts as quotes, calls as a bold line with what they did,
// subagents as quotes inside. Nothing from the log can end a fence, open a tag or load a picture.

import { cutToColumns } from '../../base/width.ts'
import type { Badge, ThreadPart, ViewItem } from '../../view/view.ts'
import { countOf } from '../../view/words.ts'
import type { ExportOptions, SessionHead } from '../head.ts'
import { gap, joinLines, type Line } from '../lines.ts'
import { countItems, gistOf, type Section, sectionsOf } from '../sections.ts'
import { visibleLine } from '../visible.ts'
import { type Clock, clockFor, hueOf, missingThinking, periodText, splitHeadline, tokensText } from '../words.ts'
import { codeSpan, escapeMarkdownLine, guardLine } from './escape.ts'
import { partLines, tableLines } from './parts.ts'

const headingColumns = 76
const filesShown = 3
/** Quotes inside quotes: deeper threads go on at this depth, since no reader can follow more marks. */
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
  yield `# ${escapeMarkdownLine(head.title) || 'Session'}`
  yield gap
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
    ['Client', codes(head.versions)],
    ['Holds', holds.join(', ')],
    ['Tokens', head.tokens === undefined ? '' : tokensText(head.tokens)],
    ['Files', codes(head.files.slice(0, filesShown)) + (more > 0 ? ` and ${more} more` : '')],
  ]
  return rows.filter(([, value]) => value !== '')
}

function* sectionHeading(section: Section, writing: Writing): Generator<Line> {
  if (section.turn === undefined) return
  const gist = section.prompt === undefined ? '' : visibleLine(gistOf(section.prompt))
  const words = escapeMarkdownLine(cutToColumns(gist, headingColumns))
  yield `## ${section.turn}. ${words || 'Turn'}`
  yield gap
  const at = writing.clock.read(section.prompt?.at ?? null)
  if (at !== null && writing.options.timestamps !== true) {
    yield `*${at.date} ${at.time}*`
    yield gap
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
    yield guardLine(line)
    yield gap
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
    yield guardLine(line)
    yield gap
  }
  yield* bodyLines(item, writing, depth)
}

function* thinkingLines(item: ViewItem, writing: Writing, depth: number): Generator<Line> {
  const missing = missingThinking(item)
  const isShown = writing.options.thinking === true && item.body.length > 0 && missing === undefined
  const words = escapeMarkdownLine(missing ?? item.headline) || 'thinking'
  yield join([`*${words}*`, signs(item, writing)])
  yield gap
  if (!isShown) return
  yield { first: '> ', rest: '> ', lines: bodyLines(item, writing, depth) }
  yield gap
}

function* compactionLines(item: ViewItem, writing: Writing, depth: number): Generator<Line> {
  yield '---'
  yield gap
  yield join([`**${escapeMarkdownLine(item.headline.replaceAll('  ', ' · ')) || 'Compaction'}**`, signs(item, writing)])
  yield gap
  yield* bodyLines(item, writing, depth)
  yield '---'
  yield gap
}

function* rowLines(item: ViewItem, writing: Writing, depth: number): Generator<Line> {
  const { name, what } = splitHeadline(item)
  const isMachine = hueOf(item) === 'shell' || hueOf(item) === 'file'
  const words = isMachine ? codeSpan(what) : escapeMarkdownLine(what)
  const title = item.isQuiet ? `*${escapeMarkdownLine(name)}*` : `**${escapeMarkdownLine(name)}**`
  yield join([words === '' ? title : `${title} ${words}`, signs(item, writing)])
  yield gap
  yield* bodyLines(item, writing, depth, true)
}

/** `isQuoted`: prose is set off from what the model itself says to the reader. */
function* bodyLines(item: ViewItem, writing: Writing, depth: number, isQuoted = false): Generator<Line> {
  for (const part of item.body) {
    const isProse = isQuoted && part.type === 'markdown'
    if (isProse) yield { first: '> ', rest: '> ', lines: partLines(part, writing.options) }
    else if (part.type !== 'thread') yield* partLines(part, writing.options)
    else if (depth >= deepestQuote) yield { first: '', rest: '', lines: threadLines(part, writing, depth) }
    else yield { first: '> ', rest: '> ', lines: threadLines(part, writing, depth + 1) }
    yield gap
  }
}

function* threadLines(part: ThreadPart, writing: Writing, depth: number): Generator<Line> {
  const agent = part.agentType === undefined ? 'Subagent' : `Subagent ${escapeMarkdownLine(part.agentType)}`
  const link = part.linkedBy === undefined ? 'not linked to a call' : ''
  yield join([`**${agent}**`, codeSpan(part.thread), link])
  yield gap
  for (const item of part.items) yield { first: '', rest: '', lines: itemLines(item, writing, depth) }
}

/** Badges, marks and the time: what stands behind a headline. */
function signs(item: ViewItem, writing: Writing): string {
  const words = item.badges.map(badgeText)
  if (item.isRemoved === true) words.push('removed')
  if (item.isAborted === true) words.push('aborted')
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
