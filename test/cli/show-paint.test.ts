// The painter by itself, on items made by hand: nothing of a log drives the terminal, every line fits, and what people
// rely on is there.

import pc from 'picocolors'
import { describe, expect, it } from 'vitest'
import { columnsOf } from '../../src/base/width.ts'
import { threadId } from '../../src/model/ids.ts'
import { SessionPainter } from '../../src/render/terminal/items.ts'
import { glyphsFor, type Paint } from '../../src/render/terminal/style.ts'
import type { ViewItem } from '../../src/view/view.ts'
import { everyItem, item } from './show-items.ts'

function paintWith(options: Partial<Paint> = {}): Paint {
  return {
    width: 80,
    glyphs: glyphsFor({ LANG: 'C.UTF-8' }),
    colors: pc.createColors(false),
    isFull: false,
    showsThinking: false,
    showsTimes: false,
    time: at => (at ?? '').replace('T', ' ').slice(0, 19),
    ...options,
  }
}

function lines(items: ViewItem[], options: Partial<Paint> = {}): string[] {
  return [...new SessionPainter(paintWith(options)).lines(items)]
}

const text = (items: ViewItem[], options: Partial<Paint> = {}) => lines(items, options).join('\n')
const sgr = /\u001b\[[0-9;]*m/g
const coloured = { showsThinking: true, colors: pc.createColors(true) }
const everyWay: Partial<Paint>[] = [
  { width: 40 },
  { width: 41, ...coloured, isFull: true },
  { width: 80, isFull: true, showsTimes: true },
  { width: 200, ...coloured, showsTimes: true },
]

/** What programs and attackers write to make a terminal do things. */
const hostile: Record<string, string> = {
  'a CSI sequence': '\u001b[2J\u001b[31mred\u001b[0m',
  'a hyperlink': '\u001b]8;;http://evil.example\u0007click\u001b]8;;\u0007',
  'a write to the clipboard': '\u001b]52;c;ZXZpbA==\u0007',
  'a window title': '\u001b]0;owned\u001b\\\u001b]2;owned\u0007',
  'a device control string': '\u001bP+q544e\u001b\\',
  'an application command': '\u001b_Gf=100;AAAA\u001b\\\u001b^pm\u001b\\',
  'C1 controls': '\u009b31m\u009d0;x\u009c\u0090q\u0085\u008d',
  'raw C1 bytes read as UTF-8': new TextDecoder().decode(new Uint8Array([0x9b, 0x33, 0x31, 0x6d, 0xff, 0x90])),
  'a reset': '\u001bc\u001b(0\u001b#8\u000e\u000f',
  'a carriage return': 'safe\rEVIL\r\n\rmore',
  'bells and backspaces': 'a\u0007\b\b\u007f\u0000\u000b\u000c',
  'bidirectional overrides': '\u202eevil\u202c\u2066x\u2069\u200f\u061c',
  'invisible characters': 'a\u200bb\ufeffc\u2028d\u2029e\u2060f',
  'entities of Markdown': '&#x202e;evil&#27;[31m&#13;&#x9b;&#12;&ZeroWidthSpace;',
  'lone surrogates': 'a\ud800b\udc00',
}

const raw = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u

describe('nothing of a log drives the terminal', () => {
  it.each(Object.entries(hostile))('%s is written out, in every field of every kind', (_name, sequence) => {
    for (const options of everyWay) {
      const painted = text(everyItem(`x${sequence}y`), options).replaceAll('\n', '')
      expect(options.colors ? painted.replace(sgr, '') : painted).not.toMatch(raw)
    }
  })

  it('colours come from the painter only, and every line ends without one', () => {
    const painted = lines(everyItem('\u001b[31mred'), { colors: pc.createColors(true), isFull: true })
    for (const line of painted) {
      const codes = line.match(sgr) ?? []
      expect(codes.filter(code => !/^\u001b\[(1|2|3|4|9|22|23|24|29|3[1-6]|39)m$/.test(code))).toEqual([])
      const opened = codes.filter(code => !/\[(2[2-9]|39)m/.test(code)).length
      expect(codes.length - opened).toBeGreaterThanOrEqual(opened > 0 ? 1 : 0)
    }
    expect(painted.join('\n')).toContain('\\u{1b}[31mred')
  })
})

describe('every line fits', () => {
  const contents = {
    'long words': 'x'.repeat(300),
    'long lines': 'word '.repeat(80),
    'wide characters': '丸め処理のテスト🎉'.repeat(12),
    'marks on letters': 'e\u0301'.repeat(250),
    'right-to-left text': 'שלום עולם '.repeat(25),
    tabs: 'a\tb\t\tc'.repeat(40),
    'many lines': Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n'),
    nothing: '',
  }
  it.each(Object.entries(contents))('with %s, at every width', (_name, content) => {
    for (const options of everyWay) {
      const widest = lines(everyItem(content), options).reduce(
        (most, line) => Math.max(most, columnsOf(line.replace(sgr, ''))),
        0,
      )
      expect(widest).toBeLessThanOrEqual(options.width ?? 80)
    }
  })

  it('in threads nested a thousand deep', () => {
    let inner = item('answer', { body: [{ type: 'markdown', text: 'deepest word' }] })
    for (let depth = 0; depth < 1000; depth++) {
      inner = item('call', {
        headline: 'Task  deeper',
        body: [{ type: 'thread', thread: threadId(`t${depth}`), items: [inner] }],
      })
    }
    const painted = lines([inner], { width: 60 })
    expect(Math.max(...painted.map(columnsOf))).toBeLessThanOrEqual(60)
    expect(painted.join('\n')).toContain('deepest word')
  })
})

describe('what is cut is said, and --full cuts nothing', () => {
  const output = Array.from({ length: 132 }, (_, line) => `line ${line} ${'x'.repeat(line)}!`).join('\n')
  const call = item('call', { headline: 'Bash  seq 132', body: [{ type: 'text', text: output, tone: 'plain' }] })

  it('keeps beginning and end of output', () => {
    const painted = text([call])
    expect(painted).toContain('line 0')
    expect(painted).toContain('… 120 more lines; --full')
    expect(painted).toContain('line 131')
  })

  it('shows every character with --full', () => {
    const body = lines([call], { isFull: true }).filter(line => line.includes('│'))
    expect(body.map(line => line.replace(/^ *│ /, '')).join('')).toBe(output.replaceAll('\n', ''))
  })

  it('folds thinking to a line and shows it when asked', () => {
    const thinking = item('thinking', {
      isQuiet: true,
      headline: 'thinking',
      body: [{ type: 'markdown', text: 'why\n\nnot' }],
    })
    expect(text([thinking])).toContain('∴ thinking, 3 lines · --thinking')
    expect(text([thinking])).not.toContain('why')
    expect(text([thinking], { showsThinking: true })).toContain('why')
    const never = item('thinking', { isQuiet: true, headline: 'thinking, its text was never logged' })
    expect(text([never])).toContain('never logged')
  })

  it('shows a diff with numbers and signs', () => {
    const edit = item('call', {
      headline: 'Edit  a.ts',
      body: [
        {
          type: 'diff',
          path: 'a.ts',
          hunks: [
            {
              oldStart: 9,
              newStart: 9,
              lines: [
                { sign: ' ', text: 'a' },
                { sign: '-', text: 'b' },
                { sign: '+', text: 'c' },
              ],
            },
          ],
          added: 1,
          removed: 1,
        },
      ],
    })
    expect(lines([edit]).slice(-3)).toEqual(['    │  9   a', '    │ 10 - b', '    │ 10 + c'])
  })
})

describe('it reads without colours', () => {
  it('says who speaks, and separates turns', () => {
    const painted = lines([
      item('prompt', { turn: 0, body: [{ type: 'markdown', text: 'Round the prices.' }] }),
      item('answer', { turn: 0, body: [{ type: 'markdown', text: 'I will.' }] }),
      item('call', {
        turn: 0,
        headline: 'Bash  npm test',
        status: 'failed',
        badges: [{ text: 'exit 1', tone: 'bad' }],
      }),
      item('interruption', { turn: 0, headline: 'Interrupted' }),
      item('prompt', { turn: 1, body: [{ type: 'markdown', text: 'Go on.' }] }),
    ])
    expect(painted).toEqual([
      '── turn 1 · You ──────────────────────────────────────────── 2026-01-12 09:14 ──',
      '▌ Round the prices.',
      '',
      'Claude',
      '  I will.',
      '',
      '  ✗ Bash  npm test · exit 1',
      '  ■ Interrupted',
      '',
      '── turn 2 · You ──────────────────────────────────────────── 2026-01-12 09:14 ──',
      '▌ Go on.',
    ])
  })

  it('falls back to ASCII where the terminal knows no more', () => {
    const all = everyItem('text')
    for (const env of [{ TERM: 'dumb' }, { LANG: 'C' }, { LC_ALL: 'de_DE.ISO-8859-1', LANG: 'C.UTF-8' }]) {
      expect(text(all, { glyphs: glyphsFor(env) })).toMatch(/^[\n -~]*$/)
    }
    expect(glyphsFor({}).rule).toBe('│')
  })

  it('draws a table that fits, and stacks one that does not', () => {
    const table = '| name | price |\n|:--|--:|\n| croissant | 2.90 |\n| roll | 11.00 |'
    const answer = (markdown: string) => item('answer', { body: [{ type: 'markdown', text: markdown }] })
    expect(lines([answer(table)]).slice(1)).toEqual([
      '  name       price',
      '  ─────────  ─────',
      '  croissant   2.90',
      '  roll       11.00',
    ])
    const wide = `|${' column |'.repeat(9)}\n|${'---|'.repeat(9)}\n|${' value |'.repeat(9)}`
    expect(lines([answer(wide)], { width: 40 })[1]).toBe('  • column: value')
  })

  it('marks what was removed or aborted', () => {
    const painted = text([
      item('call', { headline: 'Read  a', isRemoved: true }),
      item('answer', { isAborted: true, body: [{ type: 'markdown', text: 'half' }] }),
    ])
    expect(painted).toContain('removed')
    expect(painted).toContain('aborted')
  })
})
