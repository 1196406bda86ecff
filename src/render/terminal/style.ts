// What every painter needs: width, colours, glyphs in a Unicode and an ASCII set, badges and highlighted matches. Text of a
// log is never changed to ASCII: only what we draw is.

import pc from 'picocolors'
import type { Instant } from '../../base/instant.ts'
import type { Badge, Tone } from '../../view/view.ts'
import { type Line, lineWidth, own, type Style, safeLine, wrapLine } from './text.ts'

type Colors = ReturnType<typeof pc.createColors>

export interface Paint {
  width: number
  glyphs: Glyphs
  colors: Colors
  /** Nothing is cut. */
  isFull: boolean
  showsThinking: boolean
  /** Every item with its time, not only the prompts. */
  showsTimes: boolean
  /** A time as people read it, in the chosen time zone. */
  time(at: Instant): string
}

/** Narrower terminals get lines for this width, which they wrap. */
export const leastWidth = 40
const pipeWidth = 100

/** For standard output as it is now; everything can be said otherwise. */
export function paintFor(time: Paint['time'], overrides: Partial<Paint> = {}): Paint {
  return {
    width: Math.max(leastWidth, outputWidth()),
    glyphs: glyphsFor(process.env),
    colors: pc,
    isFull: false,
    showsThinking: false,
    showsTimes: false,
    time,
    ...overrides,
  }
}

/** The terminal's columns; `COLUMNS` where there is no terminal and it is set. */
export function outputWidth(): number {
  const columns = Number(process.env['COLUMNS'])
  return process.stdout.columns || (Number.isInteger(columns) && columns > 0 ? columns : pipeWidth)
}

export function toneStyle(tone: Tone, { colors }: Paint): Style | undefined {
  if (tone === 'quiet') return colors.dim
  if (tone === 'good') return colors.green
  if (tone === 'bad') return colors.red
  if (tone === 'warn') return colors.yellow
  if (tone === 'accent') return colors.cyan
  return undefined
}

/** ` · exit 1 · 3.2 s`, with a blank before each. */
export function badgeRuns(badges: readonly Badge[], paint: Paint): Line {
  const runs: Line = []
  for (const { text, tone } of badges) {
    const style = toneStyle(tone, paint)
    runs.push({ text: own(` ${paint.glyphs.dot} `), style: paint.colors.dim })
    runs.push({ text: safeLine(text), ...(style && { style }) })
  }
  return runs
}

/** The same on lines of their own: a badge is broken only where it is wider than the line. */
export function badgeLines(badges: readonly Badge[], width: number, paint: Paint): Line[] {
  const lines: Line[] = []
  let current: Line = []
  for (const badge of badges) {
    const [dot, text] = badgeRuns([badge], paint)
    if (dot === undefined || text === undefined) continue
    if (current.length > 0 && lineWidth([...current, dot, text]) > width) {
      lines.push(current)
      current = []
    }
    current.push(...(current.length > 0 ? [dot] : []), text)
  }
  if (current.length > 0) lines.push(current)
  return lines.flatMap(line => wrapLine(line, width))
}

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

/** `spans`: from where to where, in order, without overlap. */
export function matchedLine(text: string, spans: readonly (readonly [from: number, to: number])[]): Line {
  const runs: Line = []
  const add = (from: number, to: number, isMatch: boolean) => {
    const safe = safeLine(text.slice(from, to))
    if (safe !== '') runs.push(isMatch ? { text: safe, style: matchStyle } : { text: safe })
  }
  let at = 0
  for (const [from, to] of spans) {
    add(at, from, false)
    add(from, to, true)
    at = to
  }
  add(at, text.length, false)
  return runs
}

function matchStyle(text: string): string {
  return pc.bold(pc.red(text))
}
