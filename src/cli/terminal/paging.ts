// Sends what a command prints through a pager as soon as it is more than a screen. What fits is printed as it is. How a pager
// is started and ended is in pager.ts.

import { columnsOf } from '../../base/width.ts'
import { flush, type OutputRoute, routeOutput } from './output.ts'
import { openSink, pagerCommand, plainSink, type Sink } from './pager.ts'

/** Lines that wait longer than this for a full screen are shown. */
const longestHoldMs = 200

interface Screen {
  rows: number
  columns: number
}

/** From here on, until the function that it gives is called. Does nothing where there is no terminal, or the environment wants no pager. */
export function startPaging(): () => Promise<void> {
  const { isTTY, rows = 24, columns = 80 } = process.stdout
  const isTerminal = isTTY === true
  if (pagerCommand({ isEnabled: true, env: process.env, isTerminal }) === null) return flush
  const paging = new Paging({ rows, columns })
  routeOutput(paging)
  return () => paging.end()
}

class Paging implements OutputRoute {
  private readonly screen: Screen
  private held: string[] = []
  private heldRows = 0
  private heldSince = 0
  private opening: Promise<Sink> | null = null
  private sink: Sink | null = null
  /** They would be on the screen of the pager. */
  private readonly messages: string[] = []

  constructor(screen: Screen) {
    this.screen = screen
  }

  get isClosed(): boolean {
    return this.sink?.isClosed ?? false
  }

  get isBusy(): boolean {
    return this.opening !== null
  }

  async line(text: string): Promise<void> {
    if (this.opening !== null) return (await this.opening).line(text)
    if (this.held.length === 0) this.heldSince = Date.now()
    this.held.push(text)
    this.heldRows += rowsOf(text, this.screen.columns)
    if (this.heldRows >= this.screen.rows) await this.open()
  }

  async flush(): Promise<void> {
    if (this.opening !== null) return (await this.opening).flush()
    if (this.held.length > 0 && Date.now() - this.heldSince > longestHoldMs) await this.open()
  }

  /** Below what was printed before it. */
  say(message: string): void {
    this.messages.push(message)
  }

  get hasPrinted(): boolean {
    return this.held.length > 0 || this.opening !== null
  }

  async end(): Promise<void> {
    routeOutput(null)
    const sink = await (this.opening ?? plainSink())
    for (const line of this.held.splice(0)) await sink.line(line)
    await sink.end()
    for (const message of this.messages) process.stderr.write(message)
  }

  private async open(): Promise<void> {
    this.opening = openSink({ isEnabled: true, env: process.env, isTerminal: true })
    this.sink = await this.opening
    for (const line of this.held.splice(0)) await this.sink.line(line)
    await this.sink.flush()
  }
}

/** Rows of the screen that lines take, the wrapped parts of long ones included. */
function rowsOf(text: string, columns: number): number {
  return text
    .split('\n')
    .reduce((rows, line) => rows + Math.max(1, Math.ceil(columnsOf(withoutColours(line)) / columns)), 0)
}

function withoutColours(line: string): string {
  return line.replace(/\u001b\[[\d;]*m/g, '')
}
