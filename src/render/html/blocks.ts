// Markdown from the log as HTML, written from its parsed form with tags of ours alone. Images are words, raw HTML is text.

import { type MarkdownBlock, parseMarkdown, type Span } from '../../view/markdown.ts'
import type { Piece } from '../pieces.ts'
import { escapeHtml, escapeHtmlLine, linkHtml } from './escape.ts'

/** The page's own headings are h1 and h2. */
const ownHeadings = 2

export function markdownPieces(text: string): Iterable<Piece> {
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
      return codeHtml(block.text, block.language)
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

export function* wrapped(open: string, inner: Iterable<Piece>, close: string): Generator<Piece> {
  yield open
  yield inner
  yield close
}

function codeHtml(text: string, language: string | undefined): string {
  const label = language === undefined ? '' : ` data-language="${escapeHtmlLine(language)}"`
  return `<pre class="code"${label} tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`
}

function* listPieces(block: Extract<MarkdownBlock, { type: 'list' }>): Generator<Piece> {
  const start = block.start === undefined || block.start === 1 ? '' : ` start="${Math.floor(block.start) || 0}"`
  yield block.isOrdered ? `<ol${start}>` : '<ul>'
  for (const item of block.items) yield itemPieces(item.blocks)
  yield block.isOrdered ? '</ol>\n' : '</ul>\n'
}

/** A lone paragraph stands without its own tag; `[ ]` and `[x]` before it make a task. */
function* itemPieces(blocks: readonly MarkdownBlock[]): Generator<Piece> {
  const [first, ...others] = blocks
  if (first?.type !== 'paragraph') {
    yield wrapped('<li>', blockPieces(blocks), '</li>')
    return
  }
  const task = /^\[([ xX])\] /.exec(first.spans[0]?.text ?? '')
  const text = spansHtml(task === null ? first.spans : withoutTask(first.spans))
  const state = task?.[1] === ' ' ? 'open' : 'done'
  yield task === null ? `<li dir="auto">${text}` : `<li class="task ${state}" dir="auto">${text}`
  yield blockPieces(others)
  yield '</li>'
}

function withoutTask(spans: readonly Span[]): Span[] {
  return spans.map((span, at) => (at === 0 ? { ...span, text: span.text.slice(4) } : span))
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
