import { describe, expect, it } from 'vitest'
import { anchorName } from '../../src/render/html/escape.ts'
import { codeSpan, escapeMarkdown, fenced, guardLine } from '../../src/render/markdown/escape.ts'
import { gap, joinLines, joinPieces, type Line, type Piece } from '../../src/render/pieces.ts'
import { pictureAddress, visibleLine, visibleText } from '../../src/render/safe-text.ts'
import { clockFor, hueOf, periodText, sectionsOf, splitHeadline } from '../../src/render/words.ts'
import { item } from './items.ts'

describe('joined lines', () => {
  const joined = (lines: Line[]): string => [...joinLines(lines)].join('')
  const quote = (...lines: Line[]): Line => ({ first: '> ', rest: '> ', lines })

  it('put a blank line between blocks, never two, none at the ends', () => {
    expect(joined([gap, 'a', gap, gap, 'b', gap])).toBe('a\n\nb\n')
  })

  it('keep two quotes apart', () => {
    expect(joined([quote('a', gap), gap, quote('b', gap, 'c')])).toBe('> a\n\n> b\n>\n> c\n')
  })

  it('write the mark of a list item once', () => {
    const list: Line = { first: '- ', rest: '  ', lines: ['a', gap, 'b'] }
    expect(joined([quote(list, 'c')])).toBe('> - a\n>\n>   b\n> c\n')
  })

  it('keep blanks at the end of code', () => {
    expect(joined(['```', 'a  ', '', '```'])).toBe('```\na  \n\n```\n')
  })

  it('come in chunks', () => {
    const many = Array.from({ length: 100 }, (_, at) => `line ${at}`)
    const chunks = [...joinLines(many, 64)]
    expect(chunks.length).toBeGreaterThan(5)
    expect(chunks.join('')).toBe(`${many.join('\n')}\n`)
  })
})

describe('joined pieces', () => {
  it('do not overflow, however deep', () => {
    let piece: Piece = 'deep'
    for (let at = 0; at < 100_000; at++) piece = [piece]
    expect([...joinPieces([piece, ' end'])].join('')).toBe('deep end')
  })
})

describe('text', () => {
  it('keeps joiners, line ends and tabs, and shows what is hidden', () => {
    expect(visibleText('👩‍👧\r\n\tx\r\u200b\u202e')).toBe('👩‍👧\n\tx\\r\\u{200b}\\u{202e}')
    expect(visibleLine('a\r\n   b\tc')).toBe('a b c')
  })

  it('is escaped for Markdown as little as needed', () => {
    expect(escapeMarkdown('snake_case & a < b, _x_ *y* [z](u) AT&T &amp; \\')).toBe(
      'snake_case & a &lt; b, \\_x\\_ \\*y\\* \\[z\\](u) AT&amp;T &amp;amp; \\\\',
    )
    expect(['- a', '12. b', '# c', '  = d', '2026 e'].map(guardLine)).toEqual([
      '\\- a',
      '12\\. b',
      '\\# c',
      '\\= d',
      '2026 e',
    ])
  })

  it('gets a longer fence than any in it', () => {
    expect(codeSpan('a `b` ``c``')).toBe('``` a `b` ``c`` ```')
    expect(fenced(['```'], 'ts {x} `')).toEqual(['````tsx', '```', '````'])
  })

  it('stays fast with long runs of blanks and signs', { tags: 'deep' }, () => {
    const started = performance.now()
    for (const sign of [' ', '\t', '`', '_', '*', '\n', '\\', '[', '&']) {
      visibleLine(sign.repeat(200_000))
      escapeMarkdown(sign.repeat(200_000))
      codeSpan(`a${sign.repeat(200_000)}b`)
    }
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})

describe('words', () => {
  it('split a headline at its two blanks', () => {
    expect(splitHeadline(item('call', 'Bash  npm test  x'))).toEqual({ name: 'Bash', what: 'npm test  x' })
    expect(splitHeadline(item('notice', 'Turn took 2 s'))).toEqual({ name: 'Turn took 2 s', what: '' })
    expect(splitHeadline(item('hook', ''))).toEqual({ name: 'Hook', what: '' })
  })

  it('know the family of a call', () => {
    const names = [
      'Bash  x',
      'Edit  x',
      'WebFetch  x',
      'Task  x',
      'TodoWrite',
      'linear › issues  x',
      'TaskCreate  x',
      'New',
    ]
    expect(names.map(name => hueOf(item('call', name)))).toEqual([
      'shell',
      'file',
      'web',
      'agent',
      'plan',
      'web',
      'plan',
      'system',
    ])
  })

  it('say when, as far as it is known', () => {
    const clock = clockFor('UTC')
    expect(periodText('2026-02-17T14:31:00.000Z', '2026-02-18T01:00:00.000Z', clock)).toBe(
      '2026-02-17 14:31 – 2026-02-18 01:00 (10 h 29 min, UTC)',
    )
    expect(periodText(null, '2026-02-18T01:00:00.000Z', clock)).toBe('2026-02-18 01:00 (UTC)')
    expect(periodText(null, null, clock)).toBe('')
  })

  it('make anchors that differ when ids do', () => {
    expect(new Set(['a.b', 'a b', 'a_b', 'a_20_b', 'ä', '"'].map(anchorName)).size).toBe(6)
    expect(pictureAddress('image/png', 'iVBORw0KGgo\nAAAA=')).toBe('data:image/png;base64,iVBORw0KGgoAAAA=')
  })
})

describe('sections', () => {
  it('begin with what was asked, and quiet things before it end the section before', () => {
    const sections = sectionsOf([
      item('hook', 'Hook'),
      item('notice', 'Checkpoint', [], { turn: 0 }),
      item('prompt', 'Prompt', [], { turn: 0 }),
      item('answer', 'Answer', [], { turn: 0 }),
      item('notice', 'Checkpoint', [], { turn: 1 }),
      item('prompt', 'Prompt', [], { turn: 1 }),
      item('prompt', 'Prompt', [], { turn: 0 }),
    ])
    expect(sections.map(section => [section.number, section.turn, section.items.length])).toEqual([
      [1, undefined, 2],
      [2, 1, 3],
      [3, 2, 1],
      [4, 1, 1],
    ])
  })
})
