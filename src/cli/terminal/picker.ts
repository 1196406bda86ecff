// Lets people choose one of many by typing a part of it: any command may use it. It owns the terminal while it is open and
// gives it back as it was, however it ends.

import pc from 'picocolors'
import { type Glyphs, glyphsFor, leastWidth } from '../../render/terminal/style.ts'
import { cutLine, type Line, lineWidth, own, render, safeLine } from '../../render/terminal/text.ts'

interface PickerOptions {
  /** What is being chosen: `session`. */
  what: string
}

/** Whether there is a terminal to choose on. */
export function canPick(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true && process.env['TERM'] !== 'dumb'
}

const openScreen = '\u001b[?1049h\u001b[?25l'
const closeScreen = '\u001b[?25h\u001b[?1049l'
/** A lone Escape key and the beginning of an arrow key look the same for a moment. */
const escapeMs = 40

/** The row that was chosen; null when people left without choosing. */
export async function pick(rows: readonly PickRow[], options: PickerOptions): Promise<PickRow | null> {
  const session = new PickSession(rows, options)
  try {
    return await session.run()
  } finally {
    session.restore()
  }
}

class PickSession {
  private readonly rows: readonly PickRow[]
  private readonly options: PickerOptions
  private state: Pick
  private isOpen = false
  private pending = ''
  private timer: NodeJS.Timeout | undefined
  private finish: (row: PickRow | null) => void = () => {}
  private fail: (error: unknown) => void = () => {}

  constructor(rows: readonly PickRow[], options: PickerOptions) {
    this.rows = rows
    this.options = options
    this.state = initialPick(rows)
  }

  run(): Promise<PickRow | null> {
    return new Promise((resolve, reject) => {
      this.finish = resolve
      this.fail = reject
      this.open()
      this.draw()
    })
  }

  private open(): void {
    this.isOpen = true
    process.stdin.setRawMode(true)
    process.stdin.setEncoding('utf8')
    process.stdin.on('data', this.onData)
    process.stdin.on('end', this.onLeave)
    process.stdin.resume()
    process.stdout.on('resize', this.onResize)
    process.on('exit', this.restore)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, this.onLeave)
    process.stdout.write(openScreen)
  }

  /** Also called when the process ends for whatever reason, so it waits for nothing. */
  readonly restore = (): void => {
    if (!this.isOpen) return
    this.isOpen = false
    clearTimeout(this.timer)
    process.stdin.off('data', this.onData)
    process.stdin.off('end', this.onLeave)
    process.stdin.setRawMode(false)
    process.stdin.pause()
    process.stdout.off('resize', this.onResize)
    process.off('exit', this.restore)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, this.onLeave)
    process.stdout.write(closeScreen)
  }

  private readonly onResize = (): void => {
    this.state = resized(this.state, this.height())
    this.draw()
  }

  private readonly onLeave = (): void => this.finish(null)

  private readonly onData = (chunk: string | Buffer): void => {
    clearTimeout(this.timer)
    const { keys, rest } = keysOf(this.pending + String(chunk))
    this.pending = rest
    if (rest !== '') this.timer = setTimeout(() => this.take(['escape']), escapeMs)
    this.take(keys)
  }

  private take(keys: readonly string[]): void {
    try {
      for (const key of keys) {
        this.state = press(this.state, key, this.rows, this.height())
        if (this.state.isDone) break
      }
      if (this.state.isDone) this.finish(this.state.isCancelled ? null : (this.chosen() ?? null))
      else this.draw()
    } catch (error) {
      this.fail(error)
    }
  }

  private chosen(): PickRow | undefined {
    return this.rows[this.state.found[this.state.at] ?? -1]
  }

  /** Rows of the list: the filter is above it, the hint below. */
  private height(): number {
    return Math.max(1, (process.stdout.rows || 24) - 3)
  }

  private draw(): void {
    if (!this.isOpen) return
    const lines = picture(this.rows, this.state, {
      width: Math.max(20, process.stdout.columns || leastWidth),
      height: this.height(),
      glyphs: glyphsFor(process.env),
      what: this.options.what,
    })
    process.stdout.write(`\u001b[H${lines.map(line => `${line}\u001b[K`).join('\r\n')}\u001b[J`)
  }
}

/** One thing to choose from. All texts are raw: the picture escapes them. */
export interface PickRow {
  /** What the caller knows it by. */
  id: string
  title: string
  /** Where it belongs: a project. */
  place: string
  /** When, in few columns. */
  when: string
}

interface Pick {
  filter: string
  /** Indices of the rows that fit the filter. */
  found: readonly number[]
  /** Which of them is chosen, and which is the first on the screen. */
  at: number
  top: number
  isDone: boolean
  isCancelled: boolean
}

export function initialPick(rows: readonly PickRow[]): Pick {
  return { filter: '', found: rows.map((_, index) => index), at: 0, top: 0, isDone: false, isCancelled: false }
}

const escapeKey = '\u001b'
const tokens = /\u001b(?:\[[0-9;]*[A-Za-z~]|O[A-Za-z])|[\s\S]/gu
const names: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\u0003': 'cancel',
  '\u0004': 'cancel',
  '\u0007': 'cancel',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u0015': 'clear',
  '\u0017': 'word',
  '\u0010': 'up',
  '\u000e': 'down',
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  '\u001b[B': 'down',
  '\u001bOB': 'down',
  '\u001b[5~': 'page-up',
  '\u001b[6~': 'page-down',
  '\u001b[H': 'first',
  '\u001bOH': 'first',
  '\u001b[1~': 'first',
  '\u001b[F': 'last',
  '\u001bOF': 'last',
  '\u001b[4~': 'last',
}

/** Keys in what the terminal sent; `rest` is an escape whose meaning the next bytes decide. Typed characters are their own names. */
export function keysOf(input: string): { keys: string[]; rest: string } {
  const unfinished = /\u001b(?:\[[0-9;]*|O)?$/.exec(input)
  const rest = unfinished?.[0] ?? ''
  const whole = input.slice(0, input.length - rest.length)
  const keys: string[] = []
  for (const [token] of whole.matchAll(tokens)) {
    const name = names[token]
    if (name !== undefined) keys.push(name)
    else if (token === escapeKey) keys.push('escape')
    else if (token >= ' ' && !token.startsWith(escapeKey)) keys.push(token)
  }
  return { keys, rest }
}

export function press(pick: Pick, key: string, rows: readonly PickRow[], height: number): Pick {
  switch (key) {
    case 'enter':
      return pick.found.length > 0 ? { ...pick, isDone: true } : pick
    case 'cancel':
    case 'escape':
      return { ...pick, isDone: true, isCancelled: true }
    case 'backspace':
      return filtered(pick, [...pick.filter].slice(0, -1).join(''), rows)
    case 'clear':
      return filtered(pick, '', rows)
    case 'word':
      return filtered(pick, pick.filter.replace(/\S*\s*$/, ''), rows)
    default:
      return key in steps ? moved(pick, key, height) : filtered(pick, pick.filter + key, rows)
  }
}

const steps: Readonly<Record<string, true>> = {
  up: true,
  down: true,
  'page-up': true,
  'page-down': true,
  first: true,
  last: true,
}

function moved(pick: Pick, key: string, height: number): Pick {
  const last = pick.found.length - 1
  if (key === 'first') return scrolled(pick, 0, height)
  if (key === 'last') return scrolled(pick, last, height)
  const step = key === 'up' ? -1 : key === 'down' ? 1 : key === 'page-up' ? -height : height
  return scrolled(pick, pick.at + step, height)
}

/** The same choice on a screen of another height. */
function resized(pick: Pick, height: number): Pick {
  return scrolled(pick, pick.at, height)
}

/** Keeps the chosen row within the list and on the screen. */
function scrolled(pick: Pick, index: number, height: number): Pick {
  const at = Math.max(0, Math.min(pick.found.length - 1, index))
  const top = Math.max(0, Math.min(at, Math.max(pick.top, at - height + 1)))
  return { ...pick, at, top }
}

function filtered(pick: Pick, filter: string, rows: readonly PickRow[]): Pick {
  return { ...pick, filter, found: findRows(filter, rows), at: 0, top: 0 }
}

/** Rows that contain every word, in any case and order, in title, place or id. */
function findRows(filter: string, rows: readonly PickRow[]): number[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  const found: number[] = []
  rows.forEach((row, index) => {
    const text = `${row.title}\n${row.place}\n${row.id}`.toLowerCase()
    if (words.every(word => text.includes(word))) found.push(index)
  })
  return found
}

interface PictureOptions {
  width: number
  /** Rows of the list. */
  height: number
  glyphs: Glyphs
  what: string
}

/** Below this width a row has no space for its place. */
const placeFrom = 70

export function picture(rows: readonly PickRow[], pick: Pick, options: PictureOptions): string[] {
  const { width, height, glyphs, what } = options
  const fits = (line: Line) => render(cutLine(line, width - 1, glyphs.ellipsis))
  const count = `${pick.found.length} of ${rows.length}`
  const filter: Line = [
    { text: own(`${what}: `), style: pc.bold },
    { text: safeLine(pick.filter) },
    { text: own('_'), style: pc.dim },
    { text: own(`  ${count}`), style: pc.dim },
  ]
  const shown = pick.found.slice(pick.top, pick.top + height)
  const list = shown.map((index, line) => fits(rowLine(rows[index], pick.top + line === pick.at, options)))
  const none = rows.length === 0 ? `no ${what}s` : `no matching ${what}`
  if (shown.length === 0) list.push(fits([{ text: own(`  ${none}`), style: pc.dim }]))
  const hint = `type to filter ${glyphs.dot} arrows to move ${glyphs.dot} Enter to open ${glyphs.dot} Esc to quit`
  return [fits(filter), ...list, fits([{ text: own(hint), style: pc.dim }])]
}

function rowLine(row: PickRow | undefined, isChosen: boolean, { width, glyphs }: PictureOptions): Line {
  if (!row) return []
  const mark = own(isChosen ? `${glyphs.picked} ` : '  ')
  const when = own(`${safeLine(row.when)}  `)
  const place =
    width >= placeFrom && row.place !== '' ? cutLine([{ text: safeLine(row.place) }], 24, glyphs.ellipsis) : []
  const space = width - 1 - lineWidth([{ text: mark }, { text: when }]) - (place.length > 0 ? lineWidth(place) + 2 : 0)
  const title = cutLine([{ text: safeLine(row.title) }], space, glyphs.ellipsis)
  const gap = own(' '.repeat(Math.max(0, space - lineWidth(title)) + 2))
  const runs: Line = [{ text: mark }, { text: when, style: pc.dim }, ...title]
  if (place.length > 0) runs.push({ text: gap }, ...place.map(run => ({ ...run, style: pc.dim })))
  return isChosen ? runs.map(run => ({ text: run.text, style: text => pc.bold(pc.cyan(text)) })) : runs
}
