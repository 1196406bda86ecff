import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { eventId, threadId } from '../../src/model/ids.ts'
import { sessionToMarkdown } from '../../src/render/markdown/markdown.ts'
import type { ExportOptions } from '../../src/render/words.ts'
import type { ViewItem, ViewPart } from '../../src/view/view.ts'
import fc from '../property.ts'
import { everyHead, everyItem, head, hostileTexts, item } from './items.ts'

// As permissive as readers of Markdown come: HTML, tables, bare addresses.
const reader = new MarkdownIt({ html: true, linkify: true })

function written(items: readonly ViewItem[], options: ExportOptions = { timezone: 'UTC' }): string {
  return [...sessionToMarkdown(items, head, options)].join('')
}

function answer(text: string): ViewItem {
  return item('answer', '', [{ type: 'markdown', text }])
}

/** The document without title and table of facts. */
function body(items: readonly ViewItem[], options?: ExportOptions): string {
  return written(items, options).replace(/^[\s\S]*?\| Files \|[^\n]*\n\n?/, '')
}

/** What in a document could act, load or lead somewhere that it must not. */
function dangersIn(markdown: string): string[] {
  const dangers: string[] = []
  for (const block of reader.parse(markdown, {})) {
    for (const token of [block, ...(block.children ?? [])]) {
      if (token.type.startsWith('html')) dangers.push(`HTML ${token.content}`)
      if (token.type === 'image') dangers.push(`image ${token.attrGet('src')}`)
      const href = String(token.attrGet('href') ?? 'https://')
      if (!/^(https?:\/\/|mailto:)/i.test(href)) dangers.push(`href ${href}`)
    }
  }
  return dangers
}

/** The blocks of a document, without their text. */
function shapeOf(markdown: string): string {
  return reader
    .parse(markdown, {})
    .map(token => `${token.type} ${token.tag}`)
    .join('\n')
}

/** The same items with the text of Markdown parts, whose shape is the writer's own, left out. */
function withoutProse(items: readonly ViewItem[]): ViewItem[] {
  const kept = (part: ViewPart): ViewPart[] => {
    if (part.type === 'markdown') return []
    return 'items' in part && part.type !== 'checklist' ? [{ ...part, items: withoutProse(part.items) }] : [part]
  }
  return items.map(one => ({ ...one, body: one.body.flatMap(kept) }))
}

describe('a document', () => {
  it('has no HTML, no image and no strange link, whatever text is in any field', () => {
    for (const text of hostileTexts) {
      const markdown = [...sessionToMarkdown(everyItem(text), everyHead(text), { thinking: true })].join('')
      expect(dangersIn(markdown), text).toEqual([])
    }
  })

  it('has the same shape whatever the text: nothing closes a fence, a quote or a table', () => {
    for (const text of hostileTexts) {
      const harmless = text.replace(/\r\n/g, '\n').replace(/[^\n]/g, 'x')
      const shape = (said: string): string =>
        shapeOf([...sessionToMarkdown(withoutProse(everyItem(said)), everyHead(said), { timezone: 'UTC' })].join(''))
      expect(shape(text), text).toBe(shape(harmless))
    }
  })

  it('has no markup from the log for any mixture of signs', () => {
    const signs = [
      '<',
      '>',
      '`',
      '```',
      '~~~',
      '*',
      '_',
      '[',
      ']',
      '(',
      ')',
      '!',
      '|',
      '-',
      '#',
      '\\',
      '\n',
      '\n\n',
      ' ',
      '&',
      ';',
      'a',
      '1.',
      'https://x.example',
      'javascript:',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...signs), { maxLength: 30 }), parts => {
        const markdown = written(everyItem(parts.join('')), { thinking: true, timestamps: true })
        expect(dangersIn(markdown)).toEqual([])
      }),
      { numRuns: 60 },
    )
  })

  it('leaves no control character and no bidirectional override in it', () => {
    for (const text of hostileTexts) {
      const markdown = [...sessionToMarkdown(everyItem(text), everyHead(text))].join('')
      expect(markdown, text).not.toMatch(
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]/,
      )
    }
  })

  it('begins with what is known of the session', () => {
    expect(written([])).toBe(`# Fix the rounding bug

| | |
| --- | --- |
| Session | \`a1b2\` |
| Project | \`/home/mira/shop\` |
| Time | 2026-02-17 14:31 – 16:02 (1 h 31 min, UTC) |
| Models | \`claude-x\` |
| Claude Code | \`2.1.0\` |
| Contains | 0 turns, 0 calls |
| Files | \`/home/mira/.claude/projects/shop/a1b2.jsonl\` |
`)
  })
})

describe('answers', () => {
  it('keep their own Markdown', () => {
    const text = `Two **bold *both*** words, \`code\`, ~~gone~~.

### Heading

- one
- two
  - deeper
- [x] done

3. three
4. four

> quoted
>
> - in a quote

| a | b |
| :-- | --: |
| 1 | 2 |

---

\`\`\`ts
const a = '<b>'
\`\`\`
`
    const html = (markdown: string): string => new MarkdownIt({ html: false }).render(markdown)
    expect(html(body([answer(text)]))).toBe(html(text.replace('### ', '##### ')))
  })

  it('show raw HTML and images as words', () => {
    expect(body([answer('a <img src=x> b ![alt](https://evil.example/p.png)')])).toBe(
      'a &lt;img src=x&gt; b \\[image: alt\\] (<https://evil.example/p.png>)\n',
    )
  })

  it('say where a link leads, and link only to the web and to mail', () => {
    expect(body([answer('[here](https://ok.example/a_b) [file](src/cart.ts) <https://ok.example>')])).toBe(
      'here (<https://ok.example/a_b>) file (src/cart.ts) <https://ok.example>\n',
    )
  })
})

/** One part of each kind that is no text. */
const fewParts: ViewPart[] = [
  {
    type: 'diff',
    path: 'a.ts',
    added: 1,
    removed: 1,
    hunks: [
      {
        oldStart: 3,
        newStart: 3,
        lines: [
          { sign: '-', text: 'x' },
          { sign: '+', text: 'y' },
        ],
      },
    ],
  },
  {
    type: 'checklist',
    items: [
      { text: 'a|b', state: 'done' },
      { text: '1. c', state: 'active' },
    ],
  },
  {
    type: 'facts',
    facts: [
      { name: 'a', value: 'b | c' },
      { name: 'long', value: 'two\nlines' },
    ],
  },
  { type: 'media', media: 'image', mediaType: 'image/png', bytes: 12_000 },
]

describe('items', () => {
  it('have a heading per turn and quote what was asked', () => {
    const asked = item('prompt', 'Prompt', [{ type: 'markdown', text: 'Fix it.\n\nThen check *all* sums.' }], {
      turn: 0,
    })
    expect(body([asked])).toBe('## 1. Fix it.\n\n*2026-02-17 14:31*\n\n> Fix it.\n>\n> Then check *all* sums.\n')
  })

  it('show a call with its outcome', () => {
    const call = item(
      'call',
      'Bash  npm test',
      [
        { type: 'code', text: 'npm test', language: 'bash' },
        { type: 'text', text: 'has ``` in it\n', tone: 'bad', label: 'stderr' },
      ],
      {
        status: 'failed',
        badges: [
          { text: 'exit 1', tone: 'bad' },
          { text: '3.2 s', tone: 'quiet' },
        ],
      },
    )
    expect(body([call])).toBe(`**Bash** \`npm test\` · **exit 1** · 3.2 s

\`\`\`bash
npm test
\`\`\`

*stderr*

\`\`\`\`
has \`\`\` in it
\`\`\`\`
`)
  })

  it('show diffs, check lists, facts and media', () => {
    expect(body([item('call', 'Edit  a.ts', fewParts)])).toBe(`**Edit** \`a.ts\`

\`\`\`diff
--- a.ts
+++ a.ts
@@ -3,1 +3,1 @@
-x
+y
\`\`\`

- [x] a\\|b
- [ ] **1\\. c** (in progress)

| | |
| --- | --- |
| a | b \\| c |

*long*

\`\`\`
two
lines
\`\`\`

[image: image/png, 12 kB]
`)
  })

  it('mention thinking, and write it out when asked for', () => {
    const thought = item('thinking', 'Thinking', [{ type: 'markdown', text: 'hm' }])
    expect(body([thought])).toBe('*Thinking*\n')
    expect(body([thought], { thinking: true })).toBe('*Thinking*\n\n> hm\n')
    const missing = item('thinking', 'Thinking', [{ type: 'text', text: 'not logged', tone: 'quiet' }])
    expect(body([missing], { thinking: true })).toBe('*not logged*\n')
  })

  it('set a compaction between rules', () => {
    expect(body([item('compaction', 'Compaction  auto, 158,000 tokens')])).toBe(
      '---\n\n**Compaction · auto, 158,000 tokens**\n\n---\n',
    )
  })

  it('cut long output and say how much, unless all of it is asked for', () => {
    const text = Array.from({ length: 200 }, (_, at) => `line ${at}`).join('\n')
    const long = [item('call', 'Bash  x', [{ type: 'text', text, tone: 'plain' }])]
    expect(body(long)).toContain('```\n\n*… 120 lines (1.0 kB) left out; a full export has them …*\n\n```\nline 180\n')
    expect(body(long, { isFull: true })).toContain('line 100\n')
    const folded = [item('notice', 'Added', [{ type: 'text', text, tone: 'quiet', isFolded: true }])]
    expect(body(folded)).not.toContain('line 1\n')
    expect(body(folded, { isFull: true })).toContain('line 1\n')
  })

  it('quote an abandoned branch with the numbers of its turns, which count as turns', () => {
    const prompt = item('prompt', 'Prompt', [{ type: 'markdown', text: 'Go left' }], { turn: 1 })
    const part: ViewPart = { type: 'branch', leaf: eventId('b'), items: [prompt, answer('Left')] }
    const items = [answer('Hi'), item('branch', 'Earlier branch  Go left', [part])]
    expect(body(items)).toBe('Hi\n\n**Earlier branch** Go left\n\n> **Turn 2**\n>\n> > Go left\n>\n> Left\n')
    expect([...sessionToMarkdown(items, head)].join('')).toContain('| Contains | 1 turn,')
  })

  it('nest subagents as quotes, as deep as they go', () => {
    const thread = (items: ViewItem[]): ViewPart => ({
      type: 'thread',
      thread: threadId('t1'),
      agentType: 'Explore',
      linkedBy: 'meta',
      items,
    })
    expect(body([item('call', 'Task  look', [thread([answer('found\n\n```\nx\n```')])])])).toBe(
      '**Task** look\n\n> **Subagent Explore** · `t1`\n>\n> found\n>\n> ```\n> x\n> ```\n',
    )
    let inner = answer('the deepest answer')
    for (let at = 0; at < 5_000; at++) inner = item('call', 'Task  x', [thread([inner])], { id: eventId(`e${at}`) })
    expect(body([inner])).toContain('\n> > > > > > > > the deepest answer\n')
  })
})
