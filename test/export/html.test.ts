import { describe, expect, it } from 'vitest'
import { eventId, threadId } from '../../src/model/ids.ts'
import { type HtmlOptions, sessionToHtml } from '../../src/render/html/html.ts'
import { styleSheet } from '../../src/render/html/style.ts'
import type { ViewItem } from '../../src/view/view.ts'
import fc from '../property.ts'
import { everyHead, everyItem, head, hostileTexts, item, kinds } from './items.ts'
import { dangersIn, readTags } from './tags.ts'

function page(items: readonly ViewItem[], options: HtmlOptions = { timezone: 'UTC' }): string {
  return [...sessionToHtml(items, head, options)].join('')
}

/** The page between its head and its end. */
function bodyOf(html: string): string {
  return html.slice(html.indexOf('<main'))
}

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe('a page', () => {
  it('says who may act in it before anything from the log', () => {
    const html = page([])
    expect(html.indexOf('Content-Security-Policy')).toBeLessThan(html.indexOf('<title>'))
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"`)
  })

  it('has only tags and attributes of ours, whatever text is in any field', () => {
    for (const text of hostileTexts) {
      const html = [...sessionToHtml(everyItem(text), everyHead(text), { timezone: 'UTC', data: true })].join('')
      expect(dangersIn(readTags(html)), text).toEqual([])
      expect(html.slice(html.indexOf('<style>') + 7, html.indexOf('</style>'))).toBe(styleSheet)
    }
  })

  it('has only tags of ours for any mixture of signs', () => {
    const signs = [
      '<',
      '>',
      '"',
      "'",
      '&',
      '`',
      '/',
      '=',
      '!',
      '-',
      '[',
      ']',
      '(',
      ')',
      '\n',
      ' ',
      '\u0000',
      'a',
      'https://x',
      'onload',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...signs), { maxLength: 24 }), parts => {
        const html = page(everyItem(parts.join('')), { data: true, timezone: 'UTC', timestamps: true })
        expect(dangersIn(readTags(html))).toEqual([])
      }),
      { numRuns: 60 },
    )
  })

  it('leaves no control character and no bidirectional override in it', () => {
    for (const text of hostileTexts) {
      const html = [...sessionToHtml(everyItem(text), everyHead(text))].join('')
      expect(html, text).not.toMatch(
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]/,
      )
    }
  })

  it('shows what it escapes', () => {
    const html = page([item('answer', '', [{ type: 'text', text: 'a\u0000b \u202e <i> 👩‍👧', tone: 'plain' }])])
    expect(html).toContain('a\\u{0}b \\u{202e} &lt;i&gt; 👩‍👧')
  })

  it('gives every item an anchor of its own, by the event', () => {
    const two = [item('thinking', ''), item('answer', ''), item('call', 'Bash  ls')]
    const html = page(two.map(one => ({ ...one, id: eventId('a b') })))
    expect(html).toContain('id="e-a_20_b"')
    expect(html).toContain('id="e-a_20_b.2"')
    expect(html).toContain('id="e-a_20_b.3"')
  })

  it('lists the turns with a link to each', () => {
    const html = page([
      item('prompt', 'first', [{ type: 'markdown', text: 'Do this.' }], { turn: 0 }),
      item('call', 'Bash  ls', [], { turn: 0, status: 'failed' }),
      item('prompt', 'second', [{ type: 'markdown', text: 'And that.' }], { turn: 1 }),
    ])
    expect(html).toContain('<a href="#t-2"><span class="w" dir="auto">And that.</span>')
    expect(html).toContain('<section class="turn" id="t-2" aria-label="Turn 2">')
    expect(html).toContain('<i class="k-shell failed"></i>')
  })

  it('folds quiet things that follow one another into one line', () => {
    const quiet = [item('hook', 'Hook'), item('summary', 'Summary'), item('summary', 'Summary')]
    const html = page(quiet.map(one => ({ ...one, isQuiet: true })))
    expect(html).toContain('<details class="run"><summary>1 hook, 2 summaries</summary>')
  })

  it('writes times in the zone asked for, and for machines in UTC', () => {
    const html = page([item('prompt', 'x', [], { turn: 0 })], { timezone: 'Asia/Tokyo' })
    expect(html).toContain(
      '<time datetime="2026-02-17T14:31:00.000Z" title="2026-02-17 23:31:00 Asia/Tokyo">23:31</time>',
    )
    expect(page([item('prompt', 'x', [], { turn: 0 })], { timezone: 'No/Where' })).toContain('>14:31</time>')
  })

  it('names every kind of item without a headline', () => {
    const html = page(kinds.map(kind => item(kind, '')))
    expect(dangersIn(readTags(html))).toEqual([])
    for (const word of ['Hook', 'Damaged', 'Compaction', 'thinking']) expect(html).toContain(word)
  })
})

describe('pictures', () => {
  const picture = (mediaType: string, data: string) =>
    item('prompt', '', [{ type: 'media', media: 'image', mediaType, bytes: 12_000, data }])

  it('are shown from the log when asked for', () => {
    expect(page([picture('image/png', png)], { data: true })).toContain(`<img src="data:image/png;base64,${png}"`)
    expect(page([picture('image/png', png)])).toContain('[image: image/png, 12 kB]')
  })

  it('are words where the data is not what its type says', () => {
    const others = [
      picture('image/svg+xml', png),
      picture('text/html', 'PHNjcmlwdD4='),
      picture('image/jpeg', png),
      picture('image/png', `${png.slice(0, -1)}"`),
      picture('image/png', png.slice(1)),
    ]
    expect(page(others, { data: true })).not.toContain('<img')
  })
})

describe('links', () => {
  const links = (markdown: string): (string | undefined)[] =>
    readTags(page([item('answer', '', [{ type: 'markdown', text: markdown }])]))
      .filter(tag => tag.name === 'a' && tag.attributes.has('rel'))
      .map(tag => tag.attributes.get('href'))

  it('lead to the web or to mail, and nowhere else', () => {
    expect(links('[a](https://ok.example/x?y=1&z=2) [b](mailto:a@b.example) [c](HTTP://ok.example)')).toEqual([
      'https://ok.example/x?y=1&amp;z=2',
      'mailto:a@b.example',
      'HTTP://ok.example',
    ])
    expect(
      links('[a](javascript:x) [b](src/cart.ts) [c](//evil.example) [d](file:///etc/passwd) [e](vbscript:x)'),
    ).toEqual([])
  })

  it('replace images, which never load', () => {
    const html = page([item('answer', '', [{ type: 'markdown', text: '![pixel](https://evil.example/p.png)' }])])
    expect(html).not.toContain('<img')
    expect(html).toContain('>[image: pixel]</a>')
  })
})

describe('parts', () => {
  it('number and mark the lines of a diff', () => {
    const html = page([
      item('call', 'Edit  cart.ts', [
        {
          type: 'diff',
          path: 'cart.ts',
          added: 1,
          removed: 1,
          hunks: [
            {
              oldStart: 17,
              newStart: 17,
              lines: [
                { sign: ' ', text: 'function total() {' },
                { sign: '-', text: '  return sum(item.price)' },
                { sign: '+', text: '  return sum(cents(item.price))' },
              ],
            },
          ],
        },
      ]),
    ])
    expect(html).toContain('<div class="l" data-n="17"> function total() {</div>')
    expect(html).toContain('<div class="l add" data-n="18">+  return sum(<mark>cents(</mark>item.price)<mark>)</mark>')
  })

  it('draw the colours that a program printed', () => {
    const html = page([
      item('call', 'Bash  x', [{ type: 'text', text: '\u001b[1;31m<no>\u001b[0m yes', tone: 'plain' }]),
    ])
    expect(html).toContain('<span class="c1 cb">&lt;no&gt;</span> yes')
  })

  it('cut long output and say how much, unless all of it is asked for', () => {
    const text = Array.from({ length: 1000 }, (_, at) => `line ${at}`).join('\n')
    const long = [item('call', 'Bash  x', [{ type: 'text', text, tone: 'plain' }])]
    expect(page(long)).toContain('640 lines')
    expect(page(long)).not.toContain('line 500')
    expect(page(long, { isFull: true })).toContain('line 500\n')
  })

  it('keep the first line end of printed text', () => {
    expect(page([item('call', 'Bash  x', [{ type: 'text', text: '\nx', tone: 'plain' }])])).toContain(
      'dir="auto">\n\nx</pre>',
    )
  })
})

describe('an abandoned branch', () => {
  it('is closed until it is opened, and has all that is on it', () => {
    const answer = item('answer', '', [{ type: 'markdown', text: 'Left' }])
    const branch = item('branch', 'Earlier branch  Go left', [{ type: 'branch', leaf: eventId('b'), items: [answer] }])
    expect(bodyOf(page([branch]))).toMatch(
      /<details class="branch" id="[^"]*"><summary><b>Earlier branch<\/b>[^<]*<span class="what">Go left[\s\S]*Left[\s\S]*<\/details>/,
    )
  })
})

describe('subagents', () => {
  /** A thread within a thread within a thread. */
  function nested(depth: number): ViewItem {
    let inner = item('answer', '', [{ type: 'markdown', text: 'the deepest answer' }])
    for (let at = 0; at < depth; at++) {
      inner = item('call', `Task  level ${at}`, [
        { type: 'thread', thread: threadId(`t${at}`), agentType: 'Explore', linkedBy: 'meta', items: [inner] },
      ])
    }
    return inner
  }

  it('stand in a loop inside the call that started them', () => {
    const html = bodyOf(page([nested(1)]))
    expect(html).toMatch(
      /<b>Task<\/b>[\s\S]*<details class="sub h0" open><summary><b>Explore<\/b>[\s\S]*the deepest answer/,
    )
  })

  it('are distinguished from guessed ones by a dotted line', () => {
    const guess = item('notice', '', [{ type: 'thread', thread: threadId('x'), items: [] }])
    expect(page([guess])).toContain('class="sub h0 unsure"')
  })

  it('may nest as deep as they like without losing anything or overflowing', () => {
    const html = page([nested(20_000)])
    expect(html).toContain('the deepest answer')
    expect(readTags(html).filter(tag => tag.attributes.get('class')?.startsWith('sub '))).toHaveLength(16)
  })
})
