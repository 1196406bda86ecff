// One part of an item (text, code, diff, check list, facts, media) as HTML. Subagents' threads are not written here.

import { foldText } from '../../view/fold.ts'
import type { CheckListPart, CodePart, FactsPart, MediaPart, TextPart, ThreadPart, ViewPart } from '../../view/view.ts'
import { countOf, sizeText } from '../../view/words.ts'
import { isSafeAddress, pictureAddress } from '../address.ts'
import type { ExportOptions } from '../head.ts'
import type { Piece } from '../pieces.ts'
import { hiddenText, limitsOf } from '../words.ts'
import { markdownPieces, wrapped } from './blocks.ts'
import { colouredHtml } from './colours.ts'
import { diffPieces } from './diff.ts'
import { escapeHtml, escapeHtmlLine, linkHtml } from './escape.ts'

export interface HtmlOptions extends ExportOptions {
  /** Pictures from the log inside the page, where their data was kept. */
  data?: boolean
}

const limits = { head: 300, tail: 60 }

export function partPieces(part: Exclude<ViewPart, ThreadPart>, options: HtmlOptions): Iterable<Piece> {
  switch (part.type) {
    case 'markdown':
      return wrapped('<div class="md">', markdownPieces(part.text), '</div>\n')
    case 'text':
      return textPieces(part, options)
    case 'code':
      return codePieces(part, options)
    case 'diff':
      return diffPieces(part, limitsOf(options, limits))
    case 'checklist':
      return [checkHtml(part)]
    case 'facts':
      return [factsHtml(part)]
    case 'media':
      return [mediaHtml(part, options)]
  }
}

/** Text cut in the middle where it is too long, in pieces that are shown one under another. */
interface Shown {
  first: string
  hidden: string
  last: string
  firstCount: number
  lineCount: number
}

function shownText(text: string, options: HtmlOptions): Shown {
  const whole = text.replace(/\n$/, '')
  const cut = limitsOf(options, limits)
  const folded = cut === null ? null : foldText(whole, cut)
  if (folded === null || folded.hiddenLines === 0) {
    const lineCount = folded?.lines.length ?? whole.split('\n').length
    return { first: whole, hidden: '', last: '', firstCount: lineCount, lineCount }
  }
  return {
    first: folded.lines.slice(0, limits.head).join('\n'),
    hidden: hiddenText(folded.hiddenLines, folded.hiddenBytes),
    last: folded.lines.slice(limits.head).join('\n'),
    firstCount: limits.head,
    lineCount: folded.lines.length + folded.hiddenLines,
  }
}

function* textPieces(part: TextPart, options: HtmlOptions): Generator<Piece> {
  const { first, hidden, last, lineCount } = shownText(part.text, options)
  const label = part.label === undefined ? '' : `<span class="label">${escapeHtmlLine(part.label)}</span>`
  const pre = (text: string): string =>
    `<pre class="out tone-${part.tone}" dir="auto">${breakKept(colouredHtml(text))}</pre>`
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
  const { first, hidden, last, firstCount, lineCount } = shownText(part.text, options)
  const start = part.startLine === undefined ? undefined : Math.max(0, Math.floor(part.startLine) || 0)
  const lastCount = last === '' ? 0 : last.split('\n').length
  let html = codeBlock(first, part.language, start, firstCount)
  if (hidden !== '') {
    const at = start === undefined ? undefined : start + lineCount - lastCount
    html += `<p class="cut">${hidden}</p>${codeBlock(last, part.language, at, lastCount)}`
  }
  const words = [countOf(lineCount, 'line'), escapeHtmlLine(part.language ?? '')]
    .filter(word => word !== '')
    .join(' · ')
  yield part.isFolded === true ? `<details class="fold"><summary>${words}</summary>${html}</details>\n` : html
}

/** Line numbers stand in a column of their own, which is not copied. */
function codeBlock(text: string, language: string | undefined, start: number | undefined, count: number): string {
  const label = language === undefined ? '' : ` data-language="${escapeHtmlLine(language)}"`
  const code = `<pre class="code"${label} tabindex="0"><code>${escapeHtml(text)}</code></pre>`
  if (start === undefined) return `${code}\n`
  const numbers = Array.from({ length: count }, (_, at) => start + at).join('\n')
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
