// The characters that the painter draws with, in a Unicode and an ASCII set. Text from a log is never changed to ASCII:
// only what we draw ourselves is.

export interface Glyphs {
  /** Left of what a human or a delegating agent wrote. */
  bar: string
  /** Left of output, code and nested threads. */
  rule: string
  threadStart: string
  threadEnd: string
  line: string
  heavyLine: string
  ellipsis: string
  dot: string
  bullet: string
  quote: string
  thinking: string
  dash: string
  arrow: string
  done: string
  failed: string
  interrupted: string
  missing: string
  running: string
  note: string
  open: string
  active: string
  checked: string
  dropped: string
  picked: string
}

const unicode: Glyphs = {
  bar: '▌',
  rule: '│',
  threadStart: '╭',
  threadEnd: '╰',
  line: '─',
  heavyLine: '═',
  ellipsis: '…',
  dot: '·',
  bullet: '•',
  quote: '┃',
  thinking: '∴',
  dash: '–',
  arrow: '→',
  done: '✓',
  failed: '✗',
  interrupted: '■',
  missing: '?',
  running: '◌',
  note: '·',
  open: '☐',
  active: '◐',
  checked: '☑',
  dropped: '☒',
  picked: '›',
}

const ascii: Glyphs = {
  bar: '|',
  rule: '|',
  threadStart: '+',
  threadEnd: '+',
  line: '-',
  heavyLine: '=',
  ellipsis: '...',
  dot: '-',
  bullet: '*',
  quote: '>',
  thinking: '~',
  dash: '-',
  arrow: '->',
  done: '+',
  failed: 'x',
  interrupted: '!',
  missing: '?',
  running: 'o',
  note: '-',
  open: '[ ]',
  active: '[~]',
  checked: '[x]',
  dropped: '[-]',
  picked: '>',
}

/** ASCII for dumb terminals and for locales that say that they are not UTF-8; no locale at all says nothing. */
export function glyphsFor(env: Readonly<Record<string, string | undefined>>): Glyphs {
  if (env['TERM'] === 'dumb') return ascii
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''
  return locale === '' || /utf-?8/i.test(locale) ? unicode : ascii
}
