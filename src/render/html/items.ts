// Items as HTML: prompts and answers as prose, everything else as a row that opens, a subagent's thread as a loop beside
// the row that started it. Which parts an item has was decided by the view.

import type { ThreadId } from '../../model/ids.ts'
import type { Badge, ThreadPart, ViewItem, ViewKind, ViewPart } from '../../view/view.ts'
import { countOf } from '../../view/words.ts'
import type { Piece } from '../pieces.ts'
import { type Clock, hueOf, isFailure, kindCount, missingThinking, splitHeadline } from '../words.ts'
import { type Anchors, escapeHtml, escapeHtmlLine } from './escape.ts'
import { type HtmlOptions, partPieces } from './parts.ts'

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

type OwnPart = Exclude<ViewPart, ThreadPart>

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

/** A long one is a row that opens: the thread's work matters more to a reader than what it was told. */
function isShortDelegation(item: ViewItem): boolean {
  return ownParts(item).length > 0 && bodyLength(item) <= longDelegation
}

function bodyLength(item: ViewItem): number {
  let length = 0
  for (const part of item.body) {
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

function ownParts(item: ViewItem): OwnPart[] {
  return item.body.filter(part => part.type !== 'thread')
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
  const badges: Badge[] = [...item.badges]
  const says = (word: string): boolean => badges.some(badge => badge.text.includes(word))
  if (item.isRemoved === true && !says('removed')) badges.push({ text: 'removed', tone: 'warn' })
  if (item.isAborted === true && !says('aborted')) badges.push({ text: 'aborted', tone: 'warn' })
  return badges.map(badge => `<span class="b tone-${badge.tone}">${escapeHtmlLine(badge.text)}</span> `).join('')
}

function timeHtml(item: ViewItem, page: Page, isAlways: boolean): string {
  const at = isAlways || page.options.timestamps === true ? page.clock.read(item.at) : null
  if (at === null) return ''
  const shown = page.options.timestamps === true ? at.seconds : at.time
  return `<time datetime="${at.iso}" title="${escapeHtml(`${at.date} ${at.seconds} ${page.clock.zone}`)}">${shown}</time>`
}
