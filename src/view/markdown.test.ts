import { expect, test } from 'vitest'
import fc from '../../test/property.ts'
import { type MarkdownBlock, parseMarkdown, type Span } from './markdown.ts'

const paragraph = (...spans: Span[]): MarkdownBlock => ({ type: 'paragraph', spans })

test('headings, paragraphs and rules', () => {
  expect(parseMarkdown('## Title\n\nOne\nTwo\n\n---')).toEqual([
    { type: 'heading', level: 2, spans: [{ text: 'Title' }] },
    paragraph({ text: 'One\nTwo' }),
    { type: 'rule' },
  ])
})

test('styles nest and end where they end', () => {
  expect(parseMarkdown('a **b *c*** ~~d~~ `e*` [f **g**](https://h)')).toEqual([
    paragraph(
      { text: 'a ' },
      { text: 'b ', isBold: true },
      { text: 'c', isBold: true, isItalic: true },
      { text: ' ' },
      { text: 'd', isStruck: true },
      { text: ' ' },
      { text: 'e*', isCode: true },
      { text: ' ' },
      { text: 'f ', href: 'https://h' },
      { text: 'g', isBold: true, href: 'https://h' },
    ),
  ])
})

test('images become a text with their address', () => {
  expect(parseMarkdown('![a mug](http://x/y.png)')).toEqual([
    paragraph({ text: '[image: a mug]', href: 'http://x/y.png' }),
  ])
})

test('lists nest, with their numbers', () => {
  expect(parseMarkdown('3. one\n   - a\n   - b\n4. two')).toEqual([
    {
      type: 'list',
      isOrdered: true,
      start: 3,
      items: [
        {
          blocks: [
            paragraph({ text: 'one' }),
            {
              type: 'list',
              isOrdered: false,
              items: [{ blocks: [paragraph({ text: 'a' })] }, { blocks: [paragraph({ text: 'b' })] }],
            },
          ],
        },
        { blocks: [paragraph({ text: 'two' })] },
      ],
    },
  ])
})

test('tables keep alignment and cells', () => {
  expect(parseMarkdown('| a | b | c |\n|:--|--:|---|\n| 1 | **2** |  |')).toEqual([
    {
      type: 'table',
      header: [[{ text: 'a' }], [{ text: 'b' }], [{ text: 'c' }]],
      rows: [[[{ text: '1' }], [{ text: '2', isBold: true }], []]],
      align: ['left', 'right', null],
    },
  ])
})

test('code keeps every character; fences name their language', () => {
  expect(parseMarkdown('```ts title=x\nconst a = "<b>"\n\n```\n\n    indented')).toEqual([
    { type: 'code', language: 'ts', text: 'const a = "<b>"\n' },
    { type: 'code', text: 'indented' },
  ])
  expect(parseMarkdown('````\n```\nopen')).toEqual([{ type: 'code', text: '```\nopen' }])
})

test('quotes hold blocks', () => {
  expect(parseMarkdown('> a\n>\n> - b')).toEqual([
    {
      type: 'quote',
      blocks: [
        paragraph({ text: 'a' }),
        { type: 'list', isOrdered: false, items: [{ blocks: [paragraph({ text: 'b' })] }] },
      ],
    },
  ])
})

test('HTML is text, and no script address becomes a link', () => {
  expect(parseMarkdown('<script>alert(1)</script>')).toEqual([paragraph({ text: '<script>alert(1)</script>' })])
  expect(JSON.stringify(parseMarkdown('[x](javascript:alert(1)) <img src=x onerror=y>'))).not.toContain('href')
})

const marks = [
  '*',
  '[',
  '>',
  '![',
  '**a ',
  '- ',
  '`',
  '> > - ',
  '[a](',
  '|',
  '_a_',
  '~~',
  '[\n',
  '\n- ',
  '<a>',
  '*_',
  '](',
  '\n>',
]

test.each(marks)('100 kB of %j stay fast', { tags: 'deep' }, mark => {
  const text = mark.repeat(Math.ceil(100_000 / mark.length))
  const started = performance.now()
  const blocks = parseMarkdown(text)
  expect(performance.now() - started).toBeLessThan(3_000)
  expect(Array.isArray(blocks)).toBe(true)
})

test('text too hostile to parse is shown as it is', () => {
  const text = '['.repeat(100_000)
  expect(parseMarkdown(`${text}\n\nend`)).toEqual([paragraph({ text }), paragraph({ text: 'end' })])
})

test('any text is parsed', () => {
  const piece = fc.constantFrom(
    '*',
    '_',
    '[',
    ']',
    '(',
    ')',
    '>',
    '-',
    '|',
    '\n',
    '\n\n',
    '`',
    '```',
    '#',
    ' ',
    'a',
    '1.',
    '&amp;',
    '\\',
    '\t',
  )
  fc.assert(
    fc.property(
      fc.array(piece).map(pieces => pieces.join('')),
      text => void expect(parseMarkdown(text)).toBeInstanceOf(Array),
    ),
  )
})
