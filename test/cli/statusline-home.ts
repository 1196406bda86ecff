// A made-up Claude home that grows, and what a status line says about it next to what reports of usage say. Times are handed
// in, so that days and blocks can go by.

import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openClew } from '../../src/answers/open.ts'
import { activeBlock, costToday } from '../../src/answers/statusline/count.ts'
import { currentWindow, type StatusWindow, type WindowOptions } from '../../src/answers/statusline/window.ts'
import { scanUsage } from '../../src/answers/usage/scan.ts'
import { openLive } from '../../src/disk/read/read.ts'
import { reportBlocks } from '../../src/usage/blocks.ts'
import { rollUp } from '../../src/usage/cell.ts'
import { bundledPrices } from '../../src/usage/prices.ts'
import { reportUsage } from '../../src/usage/report.ts'
import { withFolder } from '../home.ts'

export const hour = 3_600_000
export const noon = Date.UTC(2026, 10, 10, 12)

/** Fields of an answer that tests choose. */
export interface Answer {
  session: string
  at: number
  id?: string
  request?: string
  output?: number
  input?: number
  model?: string
  agent?: string
  more?: Record<string, unknown>
}

let made = 0

/** One line of an answer, with its newline. */
export function answerLine(answer: Answer): string {
  const { session, at, output = 100, input = 1000, model = 'claude-opus-4-5', agent, more } = answer
  made++
  const { id = `msg_${made}`, request = `req_${made}` } = answer
  const record = {
    parentUuid: `p-${made}`,
    isSidechain: agent !== undefined,
    sessionId: session,
    version: '2.1.200',
    cwd: '/home/dev/shop',
    ...(agent !== undefined && { agentId: agent }),
    type: 'assistant',
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: [{ type: 'text', text: 'done' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: input, output_tokens: output, cache_read_input_tokens: 20_000 },
    },
    requestId: request,
    uuid: `u-${made}`,
    timestamp: new Date(at).toISOString(),
    ...more,
  }
  return `${JSON.stringify(record)}\n`
}

export class StatusHome {
  readonly folder: string
  readonly root: string
  /** Bytes of logs that were read, and how often one was opened, since it was last asked. */
  bytes = 0
  opened = 0
  isOver = () => false
  transcript: string | undefined

  constructor(folder: string) {
    this.folder = folder
    this.root = join(folder, 'claude')
    mkdirSync(join(this.root, 'projects', 'shop'), { recursive: true })
  }

  get own(): string {
    return join(this.folder, 'own')
  }

  /** Where a log of the project is. */
  path(name: string): string {
    return join(this.root, 'projects', 'shop', name)
  }

  append(name: string, ...lines: string[]): void {
    mkdirSync(dirname(this.path(name)), { recursive: true })
    appendFileSync(this.path(name), lines.join(''))
  }

  write(name: string, ...lines: string[]): void {
    mkdirSync(dirname(this.path(name)), { recursive: true })
    writeFileSync(this.path(name), lines.join(''))
  }

  window(nowMs: number, more: Partial<WindowOptions> = {}): StatusWindow {
    this.bytes = 0
    this.opened = 0
    const open = (path: string) => {
      const log = openLive(path)
      this.opened++
      return {
        read: (into: Uint8Array, from: number) => {
          const read = log.read(into, from)
          this.bytes += read
          return read
        },
        close: log.close,
      }
    }
    const { root, transcript } = this
    const folder = join(this.own, 'statusline')
    const steps = bundledPrices.promptSteps
    return currentWindow({ steps, roots: [root], transcript, folder, nowMs, open, isOver: this.isOver, ...more })
  }

  /** How many messages are known. */
  count(nowMs: number): number {
    return this.window(nowMs).cells.reduce((sum, cell) => sum + cell.messages, 0)
  }

  /** What the status line says about today and the active block, in dollars. */
  said(nowMs: number, timezone = 'UTC'): Spoken {
    const { cells, blockFrom } = this.window(nowMs)
    const options = { prices: bundledPrices, nowMs, timezone }
    const block = activeBlock(cells, blockFrom, options)
    return {
      today: costToday(cells, options).usd,
      block: block === null ? null : { usd: block.usd, start: block.startMs, rate: block.usdPerHour ?? 0 },
    }
  }

  /** What `clew usage daily` and `clew usage blocks` say from the files. */
  async reported(nowMs: number, timezone = 'UTC'): Promise<Spoken> {
    const clew = await openClew({ roots: [this.root], home: join(this.folder, 'none') })
    const { messages } = await scanUsage(clew, { withTools: false, withEstimate: false })
    const cells = rollUp(messages, { promptSteps: bundledPrices.promptSteps, withTools: false })
    const day = new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(nowMs)
    const { rows } = reportUsage(cells, { by: 'daily', timezone, prices: bundledPrices })
    const block = reportBlocks(cells, { prices: bundledPrices, now: nowMs }).blocks.find(one => one.isActive)
    return {
      today: rows.find(row => row.date === day)?.totalCost ?? 0,
      block:
        block === undefined
          ? null
          : { usd: block.totalCost, start: Date.parse(block.start ?? ''), rate: block.burnRate?.costPerHour ?? 0 },
    }
  }
}

export interface Spoken {
  today: number
  block: { usd: number; start: number; rate: number } | null
}

export function withStatusHome(work: (home: StatusHome) => void | Promise<void>): Promise<void> {
  return withFolder(folder => work(new StatusHome(folder)))
}
