// Markdown as elements, from the plain data of the one parser. Text is only ever a text node; links show where they lead;
// pictures are words, since nothing is fetched.

import { type ReactNode, useContext, useMemo, useState } from 'react'
import { sizeText } from '../../src/base/format.ts'
import { isSafeAddress, visibleText } from '../../src/render/safe-text.ts'
import { type MarkdownBlock, parseMarkdown, type Span } from '../../src/view/markdown.ts'
import { Code, scrollable } from './code.tsx'
import { keyed } from './facts.tsx'
import { foundIn, WordsContext } from './text.tsx'

/** Longer texts are painted up to here until the rest is requested: a task of the browser stays short. */
const firstLength = 24_000

export function Markdown({ text }: { text: string }) {
  const [isAsked, setWhole] = useState(false)
  const words = useContext(WordsContext)
  const short = cutAt(text)
  const cut = isAsked || (short < text.length && foundIn(text, words) >= short) ? text.length : short
  const blocks = useMemo(() => parseMarkdown(text.slice(0, cut)), [text, cut])
  return (
    <div className="markdown">
      <Blocks blocks={blocks} />
      {cut < text.length ? (
        <button type="button" className="more" onClick={() => setWhole(true)}>
          Show the rest, {sizeText(text.length - cut)}
        </button>
      ) : null}
    </div>
  )
}

function cutAt(text: string): number {
  if (text.length <= firstLength * 1.2) return text.length
  const end = text.lastIndexOf('\n\n', firstLength)
  return end > firstLength / 2 ? end : firstLength
}

/** Lists and quotes nest as deep as the text does; deeper ones than people write are shown flat. */
const deepest = 24

function Blocks({ blocks, depth = 0 }: { blocks: readonly MarkdownBlock[]; depth?: number }) {
  if (depth > deepest) return <p>{flatText(blocks)}</p>
  return keyed(blocks).map(({ key, value }) => <Block key={key} block={value} depth={depth} />)
}

function Block({ block, depth }: { block: MarkdownBlock; depth: number }): ReactNode {
  switch (block.type) {
    case 'paragraph':
      return (
        <p>
          <Spans spans={block.spans} />
        </p>
      )
    case 'heading':
      return (
        <Heading level={block.level}>
          <Spans spans={block.spans} />
        </Heading>
      )
    case 'code':
      return <Code text={block.text} {...(block.language === undefined ? {} : { language: block.language })} />
    case 'quote':
      return (
        <blockquote>
          <Blocks blocks={block.blocks} depth={depth + 1} />
        </blockquote>
      )
    case 'list':
      return <List list={block} depth={depth} />
    case 'table':
      return <Table table={block} />
    case 'rule':
      return <hr />
  }
}

const headings = ['h3', 'h4', 'h5', 'h6'] as const

/** The page has its own first headings. */
function Heading({ level, children }: { level: number; children: ReactNode }) {
  const Tag = headings[Math.min(level, headings.length) - 1] ?? 'h6'
  return <Tag className={`md-heading md-h${level}`}>{children}</Tag>
}

function List({ list, depth }: { list: Extract<MarkdownBlock, { type: 'list' }>; depth: number }) {
  const items = keyed(list.items).map(({ key, value }) => (
    <li key={key}>
      <Blocks blocks={value.blocks} depth={depth + 1} />
    </li>
  ))
  return list.isOrdered ? <ol start={list.start ?? 1}>{items}</ol> : <ul>{items}</ul>
}

function Table({ table }: { table: Extract<MarkdownBlock, { type: 'table' }> }) {
  const align = (at: number) => {
    const side = table.align[at]
    return side ? { className: `to-${side}` } : {}
  }
  return (
    <div className="md-table" {...scrollable('Table')}>
      <table>
        <thead>
          <tr>
            {keyed(table.header).map(({ key, value }, at) => (
              <th key={key} scope="col" {...align(at)}>
                <Spans spans={value} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {keyed(table.rows).map(({ key, value }) => (
            <tr key={key}>
              {keyed(value).map((cell, at) => (
                <td key={cell.key} {...align(at)}>
                  <Spans spans={cell.value} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Spans({ spans }: { spans: readonly Span[] }) {
  return keyed(spans).map(({ key, value }) => <SpanText key={key} span={value} />)
}

function SpanText({ span }: { span: Span }): ReactNode {
  let content: ReactNode = visibleText(span.text)
  if (span.isCode) content = <code>{content}</code>
  if (span.isBold) content = <strong>{content}</strong>
  if (span.isItalic) content = <em>{content}</em>
  if (span.isStruck) content = <s>{content}</s>
  if (span.href === undefined) return content
  const isSame = span.text === span.href
  if (!isSafeAddress(span.href)) {
    return isSame ? (
      content
    ) : (
      <>
        {content} <span className="md-target">({visibleText(span.href.slice(0, 300))})</span>
      </>
    )
  }
  return (
    <a href={span.href} target="_blank" rel="noreferrer noopener" title={span.href}>
      {content}
      {isSame || isNamed(span) ? null : <span className="md-target"> {hostOf(span.href)}</span>}
    </a>
  )
}

/** Whether the words of a link already say where it leads. */
function isNamed(span: Span): boolean {
  const host = hostOf(span.href ?? '')
  return host !== '' && span.text.includes(host)
}

function hostOf(href: string): string {
  try {
    const url = new URL(href)
    return url.protocol === 'mailto:' ? url.pathname : url.host
  } catch {
    return href
  }
}

/** All text in blocks, without a stack that grows with them. */
function flatText(blocks: readonly MarkdownBlock[]): string {
  const texts: string[] = []
  const left: MarkdownBlock[] = [...blocks].reverse()
  for (let block = left.pop(); block !== undefined; block = left.pop()) {
    if (block.type === 'paragraph' || block.type === 'heading') texts.push(block.spans.map(span => span.text).join(''))
    else if (block.type === 'code') texts.push(block.text)
    else if (block.type === 'quote') left.push(...block.blocks.toReversed())
    else if (block.type === 'list') left.push(...block.items.flatMap(item => item.blocks).toReversed())
  }
  return visibleText(texts.join('\n'))
}
