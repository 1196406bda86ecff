// Items as HTML: prompts and answers as prose, everything else as a row that opens, a subagent's thread as a loop next to
// the row that started it. Which parts an item has was decided by the view.

import type { ThreadId } from '../../model/ids.ts'
import { changesIn, type Piece as LinePiece } from '../../view/intraline.ts'
import { type MarkdownBlock, parseMarkdown, type Span } from '../../view/markdown.ts'
import type {
  CheckListPart,
  CodePart,
  DiffHunk,
  DiffPart,
  FactsPart,
  MediaPart,
  PlainPart,
  TextPart,
  ThreadPart,
  ViewItem,
  ViewKind,
} from '../../view/view.ts'
import { countOf, sizeText } from '../../view/words.ts'
import type { Piece } from '../pieces.ts'
import { isSafeAddress, pictureAddress } from '../safe-text.ts'
import {
  badgesOf,
  type Clock,
  cutText,
  type ExportOptions,
  hiddenText,
  hueOf,
  isFailure,
  kindCount,
  missingThinking,
  numberedLines,
  splitHeadline,
  taskOf,
} from '../words.ts'
import { type Anchors, escapeHtml, escapeHtmlLine, linkHtml } from './escape.ts'
import { colouredHtml } from './style.ts'

/** What all writers of one page share. */
export interface Page {
  options: HtmlOptions
  clock: Clock
  anchors: Anchors
  /** Each subagent keeps one of the style sheet's hues. */
  hues: Map<ThreadId, number>
}

const hueCount = 8
/** Deeper threads follow their row without a loop of their own: browsers flatten pages that nest by the hundred. */
const deepestLoop = 16
/** A longer diff or thread is closed until asked for. */
const openDiffLines = 60
const openThreadItems = 40
const shortPrompt = 240
const longDelegation = 1600

export function* itemsPieces(items: readonly ViewItem[], page: Page, depth: number): Generator<Piece> {
  for (const group of quietRuns(items)) {
    if (group.length > 2) yield runPieces(group, page, depth)
    else for (const item of group) yield itemPieces(item, page, depth)
  }
}

/** Quiet items that follow one another are a group; any other item is one by itself. */
function* quietRuns(items: readonly ViewItem[]): Generator<ViewItem[]> {
  let run: ViewItem[] = []
  for (const item of items) {
    const isQuiet = item.isQuiet && item.kind !== 'thinking' && !item.body.some(part => part.type === 'thread')
    if (isQuiet) {
      run.push(item)
      continue
    }
    if (run.length > 0) yield run
    run = []
    yield [item]
  }
  if (run.length > 0) yield run
}

function* runPieces(items: readonly ViewItem[], page: Page, depth: number): Generator<Piece> {
  const counts = new Map<ViewKind, number>()
  for (const { kind } of items) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const words = [...counts].map(([kind, count]) => kindCount(kind, count))
  yield `<details class="run"><summary>${escapeHtmlLine(words.join(', '))}</summary>\n`
  for (const item of items) yield itemPieces(item, page, depth)
  yield '</details>\n'
}

function itemPieces(item: ViewItem, page: Page, depth: number): Iterable<Piece> {
  if (item.isRemoved !== true) {
    const isSaid = item.kind === 'prompt' || (item.kind === 'delegation' && isShortDelegation(item))
    if (isSaid) return promptPieces(item, page, depth)
    if (item.kind === 'answer') return answerPieces(item, page, depth)
    if (item.kind === 'compaction') return seamPieces(item, page, depth)
    if (item.kind === 'branch') return branchPieces(item, page, depth)
  }
  return rowPieces(item, page, depth)
}

function* promptPieces(item: ViewItem, page: Page, depth: number): Generator<Piece> {
  const isShort = depth === 0 && bodyLength(item) <= shortPrompt
  const name = item.kind === 'delegation' || depth > 0 ? 'p given' : isShort ? 'p short' : 'p'
  yield `<div class="${name}" id="${page.anchors.next(item.id)}"><div class="aside">${badgesHtml(item)}${timeHtml(item, page, true)}</div>`
  yield partsPieces(item, page)
  yield '</div>\n'
  yield threadsPieces(item, page, depth)
}

/** A long one is a row that opens: the thread's work matters more to a reader than its instruction. */
function isShortDelegation(item: ViewItem): boolean {
  return ownParts(item).length > 0 && bodyLength(item) <= longDelegation
}

function bodyLength(item: ViewItem): number {
  let length = 0
  for (const part of item.body) {
    if (part.type === 'facts' && part.isFolded) continue
    if (part.type !== 'markdown' && part.type !== 'text') return Number.POSITIVE_INFINITY
    length += part.text.length + 60 * part.text.split('\n').length - 60
  }
  return length
}

function* answerPieces(item: ViewItem, page: Page, depth: number): Generator<Piece> {
  const badges = badgesHtml(item) + timeHtml(item, page, false)
  yield `<div class="a" id="${page.anchors.next(item.id)}">`
  if (badges !== '') yield `<div class="aside">${badges}</div>`
  yield partsPieces(item, page)
  yield '</div>\n'
  yield threadsPieces(item, page, depth)
}

function* seamPieces(item: ViewItem, page: Page, depth: number): Generator<Piece> {
  const words = escapeHtmlLine(item.headline.replaceAll('  ', ' · ')) || 'Compaction'
  yield `<div class="seam" id="${page.anchors.next(item.id)}"><div class="cutline"><span>${words} ${badgesHtml(item)}${timeHtml(item, page, false)}</span></div>`
  if (ownParts(item).length > 0) {
    yield '<div class="inside">'
    yield partsPieces(item, page)
    yield '</div>'
  }
  yield '</div>\n'
  yield threadsPieces(item, page, depth)
}

/** Closed: the conversation went back behind it. */
function* branchPieces(item: ViewItem, page: Page, depth: number): Generator<Piece> {
  const head = `${headlineHtml(item)} <span class="note">${badgesHtml(item)}</span>`
  yield `<details class="branch" id="${page.anchors.next(item.id)}"><summary>${head}</summary>\n`
  for (const part of item.body) if (part.type === 'branch') yield itemsPieces(part.items, page, depth)
  yield '</details>\n'
}

function* rowPieces(item: ViewItem, page: Page, depth: number): Generator<Piece> {
  const end = badgesHtml(item) + timeHtml(item, page, false)
  const row = `<span class="g"></span>${headlineHtml(item)}<span class="end">${end}</span>`
  const anchor = page.anchors.next(item.id)
  if (ownParts(item).length === 0 || missingThinking(item) !== undefined) {
    yield `<div class="${rowClass(item)}" id="${anchor}"><div class="row">${row}</div></div>\n`
  } else {
    const open = isOpen(item, page) ? ' open' : ''
    yield `<details class="${rowClass(item)}" id="${anchor}"${open}><summary class="row">${row}</summary><div class="inside">`
    yield partsPieces(item, page)
    yield '</div></details>\n'
  }
  yield threadsPieces(item, page, depth)
}

function headlineHtml(item: ViewItem): string {
  const missing = missingThinking(item)
  if (missing !== undefined) return `<span class="what">${escapeHtmlLine(missing)}</span>`
  const { name, what } = splitHeadline(item)
  if (what === '') return `<b class="what">${escapeHtmlLine(name)}</b>`
  const isMachine = item.kind === 'call' && hueOf(item) !== 'agent' && hueOf(item) !== 'plan'
  return `<b>${escapeHtmlLine(name)}</b><span class="what${isMachine ? ' mono' : ''}">${escapeHtmlLine(what)}</span>`
}

function rowClass(item: ViewItem): string {
  const names = ['c', `k-${hueOf(item)}`, `i-${item.kind}`]
  if (item.isQuiet) names.push('quiet')
  if (isFailure(item)) names.push('failed')
  else if (item.status !== undefined && item.status !== 'done') names.push(`s-${item.status}`)
  if (item.isRemoved === true) names.push('removed')
  if (item.isAborted === true) names.push('aborted')
  return names.join(' ')
}

/** Open from the start: what failed, what was changed or planned, and what fits on a few lines anyway. */
function isOpen(item: ViewItem, page: Page): boolean {
  if (item.kind === 'thinking') return page.options.thinking === true
  if (item.isRemoved === true || item.isQuiet) return false
  if (isFailure(item) || item.kind === 'interruption') return true
  return item.body.some(part => {
    if (part.type === 'checklist' || part.type === 'media') return true
    if (part.type !== 'diff') return false
    return part.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0) <= openDiffLines
  })
}

function ownParts(item: ViewItem): PlainPart[] {
  return item.body.filter(part => part.type !== 'thread' && part.type !== 'branch')
}

function* partsPieces(item: ViewItem, page: Page): Generator<Piece> {
  const parts = ownParts(item)
  // The only part of a row that opens needs no second fold.
  const isLone = parts.length === 1 && item.kind !== 'prompt'
  for (const part of parts) {
    const isFoldable = part.type === 'text' || part.type === 'code'
    yield partPieces(isLone && isFoldable ? { ...part, isFolded: false } : part, page.options)
  }
}

function* threadsPieces(item: ViewItem, page: Page, depth: number): Generator<Piece> {
  for (const part of item.body) if (part.type === 'thread') yield threadPieces(part, page, depth)
}

function* threadPieces(part: ThreadPart, page: Page, depth: number): Generator<Piece> {
  const agent = part.agentType === undefined ? 'Subagent' : escapeHtmlLine(part.agentType)
  const calls = part.items.filter(item => item.kind === 'call').length
  const words = [countOf(part.items.length, 'event'), calls > 0 ? countOf(calls, 'call') : '']
  if (part.linkedBy === undefined) words.push('not linked to a call')
  const head = `<b>${agent}</b> <span class="note">${words.filter(word => word !== '').join(' · ')}</span>`
  if (depth >= deepestLoop) {
    yield `<p class="deeper">${head}</p>\n`
    yield itemsPieces(part.items, page, depth)
    return
  }
  const hue = page.hues.get(part.thread) ?? page.hues.size % hueCount
  page.hues.set(part.thread, hue)
  const isSure = part.linkedBy !== undefined && part.linkedBy !== 'prompt' && part.linkedBy !== 'parent'
  const open = part.items.length <= openThreadItems ? ' open' : ''
  yield `<details class="sub h${hue}${isSure ? '' : ' unsure'}"${open}><summary>${head}</summary>\n`
  yield itemsPieces(part.items, page, depth + 1)
  yield '</details>\n'
}

function badgesHtml(item: ViewItem): string {
  return badgesOf(item)
    .map(badge => `<span class="b tone-${badge.tone}">${escapeHtmlLine(badge.text)}</span> `)
    .join('')
}

function timeHtml(item: ViewItem, page: Page, isAlways: boolean): string {
  const at = isAlways || page.options.timestamps === true ? page.clock.read(item.at) : null
  if (at === null) return ''
  const shown = page.options.timestamps === true ? at.seconds : at.time
  return `<time datetime="${at.iso}" title="${escapeHtml(`${at.date} ${at.seconds} ${page.clock.zone}`)}">${shown}</time>`
}

export interface HtmlOptions extends ExportOptions {
  /** Pictures from the log inside the page, where their data was kept. */
  data?: boolean
}

const limits = { head: 300, tail: 60 }

function partPieces(part: PlainPart, options: HtmlOptions): Iterable<Piece> {
  switch (part.type) {
    case 'markdown':
      return wrapped('<div class="md">', markdownPieces(part.text), '</div>\n')
    case 'text':
      return textPieces(part, options)
    case 'code':
      return codePieces(part, options)
    case 'diff':
      return diffPieces(part, options)
    case 'checklist':
      return [checkHtml(part)]
    case 'facts':
      return part.isFolded
        ? wrapped('<details class="fold"><summary>more</summary>', [factsHtml(part)], '</details>\n')
        : [factsHtml(part)]
    case 'media':
      return [mediaHtml(part, options)]
  }
}

function* textPieces(part: TextPart, options: HtmlOptions): Generator<Piece> {
  const { first, hidden, last, lineCount } = cutText(part.text, options, limits)
  const label = part.label === undefined ? '' : `<span class="label">${escapeHtmlLine(part.label)}</span>`
  const pre = (lines: readonly string[]): string =>
    `<pre class="out tone-${part.tone}" dir="auto">${breakKept(colouredHtml(lines.join('\n')))}</pre>`
  const inner = hidden === '' ? pre(first) : `${pre(first)}<p class="cut">${hidden}</p>${pre(last)}`
  if (part.isFolded === true) {
    const words = label === '' ? countOf(lineCount, 'line') : `${label} ${countOf(lineCount, 'line')}`
    yield `<details class="fold"><summary>${words}</summary>${inner}</details>\n`
  } else {
    yield `<div class="text">${label}${inner}</div>\n`
  }
  if (part.spillFile !== undefined) {
    yield `<p class="cut">The whole text lies in <code>${escapeHtmlLine(part.spillFile)}</code></p>\n`
  }
}

/** HTML drops a line end right after `<pre>`; one more keeps the first. */
function breakKept(html: string): string {
  return html.startsWith('\n') ? `\n${html}` : html
}

function* codePieces(part: CodePart, options: HtmlOptions): Generator<Piece> {
  const { first, hidden, last, lineCount } = cutText(part.text, options, limits)
  const start = part.startLine === undefined ? undefined : Math.max(0, Math.floor(part.startLine) || 0)
  let html = codeBlock(first, part.language, start)
  if (hidden !== '') {
    const at = start === undefined ? undefined : start + lineCount - last.length
    html += `<p class="cut">${hidden}</p>${codeBlock(last, part.language, at)}`
  }
  const words = [countOf(lineCount, 'line'), escapeHtmlLine(part.language ?? '')]
    .filter(word => word !== '')
    .join(' · ')
  yield part.isFolded === true ? `<details class="fold"><summary>${words}</summary>${html}</details>\n` : html
}

/** Line numbers stand in a column of their own, which is not copied. */
function codeBlock(lines: readonly string[], language: string | undefined, start?: number): string {
  const label = language === undefined ? '' : ` data-language="${escapeHtmlLine(language)}"`
  const code = `<pre class="code"${label} tabindex="0"><code>${escapeHtml(lines.join('\n'))}</code></pre>`
  if (start === undefined) return `${code}\n`
  const numbers = lines.map((_, at) => start + at).join('\n')
  return `<div class="numbered"><pre class="numbers" aria-hidden="true">${numbers}</pre>${code}</div>\n`
}

const stateWords = { open: 'open', active: 'in progress', done: 'done', dropped: 'dropped' } as const

function checkHtml(part: CheckListPart): string {
  const items = part.items.map(
    item =>
      `<li class="${item.state}" dir="auto"><span class="sr">${stateWords[item.state]}: </span>${escapeHtml(item.text)}</li>`,
  )
  return `<ul class="check">${items.join('')}</ul>\n`
}

function factsHtml(part: FactsPart): string {
  const rows = part.facts.map(fact => {
    const value = escapeHtml(fact.value)
    const shown = isSafeAddress(fact.value) ? linkHtml(value, fact.value) : value
    return `<div><dt>${escapeHtmlLine(fact.name)}</dt><dd dir="auto">${shown}</dd></div>`
  })
  return `<dl class="facts">${rows.join('')}</dl>\n`
}

function mediaHtml(part: MediaPart, options: HtmlOptions): string {
  const words = escapeHtmlLine(`${part.media}: ${part.mediaType}, ${sizeText(part.bytes)}`)
  const isWanted = options.data === true && part.media === 'image' && part.data !== undefined
  const address = isWanted ? pictureAddress(part.mediaType, part.data ?? '') : null
  if (address === null) return `<p class="media">[${words}]</p>\n`
  return `<figure><img src="${address}" alt="${words}" loading="lazy"><figcaption>${words}</figcaption></figure>\n`
}

/** The page's own headings are h1 and h2. */
const ownHeadings = 2

function markdownPieces(text: string): Iterable<Piece> {
  return blockPieces(parseMarkdown(text))
}

function* blockPieces(blocks: readonly MarkdownBlock[]): Generator<Piece> {
  for (const block of blocks) yield onePiece(block)
}

function onePiece(block: MarkdownBlock): Piece {
  switch (block.type) {
    case 'paragraph':
      return `<p dir="auto">${spansHtml(block.spans)}</p>\n`
    case 'heading': {
      const level = Math.min(6, Math.max(1, Math.floor(block.level)) + ownHeadings)
      return `<h${level} dir="auto">${spansHtml(block.spans)}</h${level}>\n`
    }
    case 'code':
      return codeBlock([block.text], block.language)
    case 'quote':
      return wrapped('<blockquote>', blockPieces(block.blocks), '</blockquote>\n')
    case 'list':
      return listPieces(block)
    case 'table':
      return tableHtml(block)
    case 'rule':
      return '<hr>\n'
  }
}

function* wrapped(open: string, inner: Iterable<Piece>, close: string): Generator<Piece> {
  yield open
  yield inner
  yield close
}

function* listPieces(block: Extract<MarkdownBlock, { type: 'list' }>): Generator<Piece> {
  const start = block.start === undefined || block.start === 1 ? '' : ` start="${Math.floor(block.start) || 0}"`
  yield block.isOrdered ? `<ol${start}>` : '<ul>'
  for (const item of block.items) yield listItemPieces(item.blocks)
  yield block.isOrdered ? '</ol>\n' : '</ul>\n'
}

/** A lone paragraph is without its own tag; `[ ]` and `[x]` before it make a task. */
function* listItemPieces(blocks: readonly MarkdownBlock[]): Generator<Piece> {
  const [first, ...others] = blocks
  if (first?.type !== 'paragraph') {
    yield wrapped('<li>', blockPieces(blocks), '</li>')
    return
  }
  const task = taskOf(first.spans)
  const name = task === null ? '' : ` class="task ${task.isDone ? 'done' : 'open'}"`
  yield `<li${name} dir="auto">${spansHtml(task?.spans ?? first.spans)}`
  yield blockPieces(others)
  yield '</li>'
}

function tableHtml(block: Extract<MarkdownBlock, { type: 'table' }>): string {
  const cell = (tag: 'th' | 'td', spans: readonly Span[], at: number): string => {
    const align = block.align[at] ?? null
    return `<${tag}${align === null ? '' : ` class="${align}"`} dir="auto">${spansHtml(spans)}</${tag}>`
  }
  const row = (tag: 'th' | 'td', cells: readonly (readonly Span[])[]): string =>
    `<tr>${cells.map((spans, at) => cell(tag, spans, at)).join('')}</tr>`
  const rows = block.rows.map(cells => row('td', cells)).join('\n')
  return `<div class="wide" tabindex="0"><table><thead>${row('th', block.header)}</thead><tbody>${rows}</tbody></table></div>\n`
}

function spansHtml(spans: readonly Span[]): string {
  return spans.map(spanHtml).join('')
}

function spanHtml(span: Span): string {
  let html = escapeHtml(span.text)
  if (span.isCode === true) html = `<code>${html}</code>`
  if (span.href !== undefined) html = linkHtml(html, span.href)
  if (span.isStruck === true) html = `<s>${html}</s>`
  if (span.isItalic === true) html = `<em>${html}</em>`
  if (span.isBold === true) html = `<strong>${html}</strong>`
  return html
}

function* diffPieces(part: DiffPart, options: HtmlOptions): Generator<Piece> {
  const most = options.isFull === true ? Number.POSITIVE_INFINITY : limits.head + limits.tail
  let left = most
  yield `<div class="diff" role="group" aria-label="Changes in ${escapeHtmlLine(part.path)}" tabindex="0"><div class="lines">`
  for (const hunk of part.hunks) {
    if (left <= 0) break
    yield hunkHtml(hunk, left)
    left -= hunk.lines.length
  }
  yield '</div></div>\n'
  if (left < 0) yield `<p class="cut">${hiddenText(-left, hiddenBytes(part.hunks, most))}</p>\n`
  if (part.isComputed === true) yield '<p class="cut">Worked out from the old and the new text.</p>\n'
}

function hiddenBytes(hunks: readonly DiffHunk[], shown: number): number {
  let seen = 0
  let bytes = 0
  for (const hunk of hunks) {
    for (const line of hunk.lines) if (++seen > shown) bytes += line.text.length + 1
  }
  return bytes
}

function hunkHtml(hunk: DiffHunk, most: number): string {
  const shown = numberedLines(hunk, most)
  const changes = changesIn(shown)
  const lines = shown.map(({ sign, text, number }, at) => {
    const name = sign === '+' ? 'l add' : sign === '-' ? 'l del' : 'l'
    return `<div class="${name}" data-n="${Math.floor(number) || 0}">${sign}${textHtml(text, changes.get(at))}</div>`
  })
  return `<div class="hunk">${lines.join('\n')}</div>`
}

function textHtml(text: string, pieces: readonly LinePiece[] | undefined): string {
  const parts = pieces ?? [{ text, isChanged: false }]
  return parts
    .map(part => {
      const html = escapeHtml(part.text.replace(/\r?\n/g, ' '))
      return part.isChanged ? `<mark>${html}</mark>` : html
    })
    .join('')
}
