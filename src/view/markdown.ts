// Markdown as plain data that every painter can draw. The parser is markdown-it with HTML switched off: tags in the text are
// text. It keeps no addresses from loading; painters decide what a link or image does.

import MarkdownIt, { type MarkdownIt as Parser, type Token } from 'markdown-it'

/** A run of text with one style. */
export interface Span {
  text: string
  isBold?: true
  isItalic?: true
  isStruck?: true
  isCode?: true
  /** The address as written, unchecked. */
  href?: string
}

export type Align = 'left' | 'right' | 'center' | null

export type MarkdownBlock =
  | { type: 'paragraph'; spans: Span[] }
  | { type: 'heading'; level: number; spans: Span[] }
  | { type: 'code'; language?: string; text: string }
  | { type: 'list'; isOrdered: boolean; start?: number; items: { blocks: MarkdownBlock[] }[] }
  | { type: 'quote'; blocks: MarkdownBlock[] }
  | { type: 'table'; header: Span[][]; rows: Span[][][]; align: Align[] }
  | { type: 'rule' }

let parser: Parser | undefined

/** Longer texts are taken as they are, in paragraphs: they were not written as Markdown, and parsing them costs too much. */
const longestText = 2_000_000

export function parseMarkdown(text: string): MarkdownBlock[] {
  return [...markdownBlocks(text)]
}

/** The same, block after block: those of a text of megabytes need not be there at once. */
export function markdownBlocks(text: string): Iterable<MarkdownBlock> {
  if (text.length > longestText || isHostile(text)) return plainParagraphs(text)
  parser ??= new MarkdownIt({ html: false, linkify: false, breaks: false })
  return new BlockBuilder().build(parser.parse(text, {}))
}

/** Tries of matching one mark with another that a text may cost: some tenths of a second. */
const mostTries = 800_000_000

/** Thousands of marks in one paragraph make every Markdown parser slow, by their square, and mean nothing. */
function isHostile(text: string): boolean {
  let marks = 0
  let tries = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (isNestingMark(unit)) {
      marks++
      tries += marks
      if (tries > mostTries) return true
    } else if (unit === 0x0a && text.charCodeAt(at + 1) === 0x0a) {
      marks = 0
    }
  }
  return false
}

/** `! * < > [ ] ( ) _ ~` and the backtick. */
function isNestingMark(unit: number): boolean {
  return nestingMarks.has(unit)
}
const nestingMarks: ReadonlySet<number> = new Set([...'!*<>[]()_~`'].map(mark => mark.charCodeAt(0)))

function* plainParagraphs(text: string): Generator<MarkdownBlock> {
  const ends = /\n{2,}/g
  for (let at = 0; at < text.length; at = ends.lastIndex) {
    ends.lastIndex = at
    const end = ends.exec(text)?.index ?? text.length
    const paragraph = text.slice(at, end)
    if (paragraph.trim() !== '') yield { type: 'paragraph', spans: [{ text: paragraph }] }
    if (end === text.length) return
  }
}

type List = Extract<MarkdownBlock, { type: 'list' }>
type Table = Extract<MarkdownBlock, { type: 'table' }>

/** Tokens come as a flat list of openings and closings; the builder keeps what is open on a stack. */
class BlockBuilder {
  private readonly root: MarkdownBlock[] = []
  /** Where blocks go: the innermost open container's list. */
  private readonly open: MarkdownBlock[][] = [this.root]
  private readonly lists: List[] = []
  private table: Table | undefined
  private isHeader = false

  build(tokens: readonly Token[]): MarkdownBlock[] {
    tokens.forEach((token, at) => {
      if (token.type === 'inline') this.inline(token, tokens[at - 1])
      else this.block(token)
    })
    return this.root
  }

  private block(token: Token): void {
    switch (token.type) {
      case 'bullet_list_open':
      case 'ordered_list_open':
        this.openList(token)
        return
      case 'bullet_list_close':
      case 'ordered_list_close':
        this.lists.pop()
        return
      case 'list_item_open':
        this.openItem()
        return
      case 'blockquote_open':
        this.openQuote()
        return
      case 'list_item_close':
      case 'blockquote_close':
        if (this.open.length > 1) this.open.pop()
        return
      case 'fence':
      case 'code_block':
        this.add(codeBlock(token))
        return
      case 'hr':
        this.add({ type: 'rule' })
        return
      default:
        this.tableToken(token)
    }
  }

  private tableToken(token: Token): void {
    if (token.type === 'table_open') {
      this.table = { type: 'table', header: [], rows: [], align: [] }
      this.add(this.table)
    } else if (token.type === 'thead_open' || token.type === 'thead_close') {
      this.isHeader = token.type === 'thead_open'
    } else if (token.type === 'tr_open' && !this.isHeader) {
      this.table?.rows.push([])
    } else if (token.type === 'th_open' && this.isHeader) {
      this.table?.align.push(alignOf(token))
    } else if (token.type === 'table_close') {
      this.table = undefined
    }
  }

  private inline(token: Token, before: Token | undefined): void {
    const spans = spansOf(token.children ?? [])
    if (this.table && (before?.type === 'th_open' || before?.type === 'td_open')) {
      if (this.isHeader) this.table.header.push(spans)
      else this.table.rows.at(-1)?.push(spans)
    } else if (before?.type === 'heading_open') {
      this.add({ type: 'heading', level: Number(before.tag.slice(1)) || 1, spans })
    } else {
      this.add({ type: 'paragraph', spans })
    }
  }

  private add(block: MarkdownBlock): void {
    this.open.at(-1)?.push(block)
  }

  private openList(token: Token): void {
    const list: List = { type: 'list', isOrdered: token.type === 'ordered_list_open', items: [] }
    const start = token.attrGet('start')
    if (list.isOrdered) list.start = start === null ? 1 : Number(start)
    this.add(list)
    this.lists.push(list)
  }

  private openItem(): void {
    const blocks: MarkdownBlock[] = []
    this.lists.at(-1)?.items.push({ blocks })
    this.open.push(blocks)
  }

  private openQuote(): void {
    const blocks: MarkdownBlock[] = []
    this.add({ type: 'quote', blocks })
    this.open.push(blocks)
  }
}

function codeBlock(token: Token): MarkdownBlock {
  const language = /^\S+/.exec(token.info.trim())?.[0]
  const text = token.content.endsWith('\n') ? token.content.slice(0, -1) : token.content
  return language === undefined ? { type: 'code', text } : { type: 'code', language, text }
}

function alignOf(token: Token): Align {
  const found = /text-align:(left|right|center)/.exec(String(token.attrGet('style') ?? ''))?.[1]
  return found === 'left' || found === 'right' || found === 'center' ? found : null
}

/** Styles that are open at a place; marks may nest, so they are counted. */
interface Style {
  bold: number
  italic: number
  struck: number
  hrefs: string[]
}

function spansOf(tokens: readonly Token[]): Span[] {
  const spans: Span[] = []
  const style: Style = { bold: 0, italic: 0, struck: 0, hrefs: [] }
  for (const token of tokens) {
    if (changeStyle(style, token)) continue
    const text = inlineText(token)
    if (text === '') continue
    const span = styled(text, style)
    if (token.type === 'code_inline') span.isCode = true
    if (token.type === 'image') {
      const source = token.attrGet('src')
      if (source !== null) span.href = String(source)
    }
    addSpan(spans, span)
  }
  return spans
}

function changeStyle(style: Style, token: Token): boolean {
  switch (token.type) {
    case 'strong_open':
    case 'strong_close':
      style.bold += token.nesting
      return true
    case 'em_open':
    case 'em_close':
      style.italic += token.nesting
      return true
    case 's_open':
    case 's_close':
      style.struck += token.nesting
      return true
    case 'link_open':
      style.hrefs.push(String(token.attrGet('href') ?? ''))
      return true
    case 'link_close':
      style.hrefs.pop()
      return true
    default:
      return false
  }
}

function inlineText(token: Token): string {
  if (token.type === 'softbreak' || token.type === 'hardbreak') return '\n'
  if (token.type === 'image') return `[image: ${token.content}]`
  return token.content
}

function styled(text: string, style: Style): Span {
  const span: Span = { text }
  if (style.bold > 0) span.isBold = true
  if (style.italic > 0) span.isItalic = true
  if (style.struck > 0) span.isStruck = true
  const href = style.hrefs.at(-1)
  if (href !== undefined && href !== '') span.href = href
  return span
}

/** Neighbours of one style are one span. */
function addSpan(spans: Span[], span: Span): void {
  const last = spans.at(-1)
  const isSame =
    last !== undefined &&
    last.isBold === span.isBold &&
    last.isItalic === span.isItalic &&
    last.isStruck === span.isStruck &&
    last.isCode === span.isCode &&
    last.href === span.href
  if (isSame) last.text += span.text
  else spans.push(span)
}
