// Lets people choose one of many by typing a part of it: any command may use it. It owns the terminal while it is open and
// gives it back as it was, however it ends.

import { glyphsFor } from './paint-glyphs.ts'
import { leastWidth } from './paint-style.ts'
import { initialPick, keysOf, type Pick, type PickRow, press, resized } from './picker-keys.ts'
import { picture } from './picker-picture.ts'

export interface PickerOptions {
  /** What is being chosen: `session`. */
  what: string
}

/** Whether there is somebody who could choose. */
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

  /** Rows of the list: the filter stands above it, the hint below. */
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
