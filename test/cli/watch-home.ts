// A home that sessions are written to while `clew watch` runs on it, and the running command itself.

import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { mainFile } from './run.ts'

export const first = '11111111-aaaa-4000-8000-000000000001'
export const second = '22222222-bbbb-4000-8000-000000000002'

let made = 0

/** A record as Claude Code writes it, now unless it says otherwise. */
export function record(session: string, type: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
  made++
  return {
    parentUuid: null,
    isSidechain: false,
    cwd: '/home/dev/shop',
    sessionId: session,
    version: '2.1.100',
    type,
    uuid: `event-${made}`,
    timestamp: new Date().toISOString(),
    ...fields,
  }
}

export const prompt = (session: string, text: string, fields: Record<string, unknown> = {}) =>
  record(session, 'user', { message: { role: 'user', content: text }, ...fields })

export const answer = (session: string, content: unknown[], fields: Record<string, unknown> = {}) =>
  record(session, 'assistant', { message: { id: `msg_${made}`, role: 'assistant', content }, ...fields })

export const call = (session: string, id: string, name: string, input: unknown) =>
  answer(session, [{ type: 'tool_use', id, name, input }])

export const result = (session: string, id: string, content: string, isError = false) =>
  record(session, 'user', {
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, is_error: isError }] },
  })

export class WatchHome {
  readonly root = mkdtempSync(join(tmpdir(), 'clew-watch-'))
  readonly home = join(this.root, 'clew')
  readonly claude = join(this.root, 'claude')
  private readonly running: WatchRun[] = []

  constructor() {
    // Long ago, so that its own lines are no news.
    this.append(first, prompt(first, 'Sell bread online', { timestamp: '2026-01-01T10:00:00.000Z' }))
  }

  path(name: string, project = '-home-dev-shop'): string {
    const file = name.endsWith('.jsonl') ? name : `${name}.jsonl`
    return join(this.claude, 'projects', project, file)
  }

  append(name: string, ...records: unknown[]): void {
    this.appendText(name, records.map(one => `${JSON.stringify(one)}\n`).join(''))
  }

  appendText(name: string, text: string): void {
    mkdirSync(dirname(this.path(name)), { recursive: true })
    appendFileSync(this.path(name), text)
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(this.path(name)), { recursive: true })
    writeFileSync(this.path(name), text)
  }

  /** Runs `clew watch …` until it says that it watches. */
  async watch(...args: string[]): Promise<WatchRun> {
    const run = new WatchRun(['watch', '--root', this.claude, '--home', this.home, '--timezone', 'UTC', ...args])
    this.running.push(run)
    await run.said(/watching|waiting for/)
    return run
  }

  async remove(): Promise<void> {
    for (const run of this.running) run.kill()
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 })
  }
}

export class WatchRun {
  stdout = ''
  stderr = ''
  readonly child: ChildProcess
  private readonly ended: Promise<number | null>

  constructor(args: readonly string[]) {
    const env = { ...process.env, NO_COLOR: '1', COLUMNS: '100', LC_ALL: 'C.UTF-8', TERM: 'xterm' }
    this.child = spawn(process.execPath, [mainFile, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.child.stdout?.on('data', chunk => (this.stdout += chunk))
    this.child.stderr?.on('data', chunk => (this.stderr += chunk))
    this.ended = new Promise(done => this.child.on('exit', code => done(code)))
  }

  /** Waits until standard output has this. */
  shown(wanted: RegExp | string): Promise<string> {
    return this.until(() => this.stdout, wanted)
  }

  said(wanted: RegExp | string): Promise<string> {
    return this.until(() => this.stderr, wanted)
  }

  private async until(text: () => string, wanted: RegExp | string): Promise<string> {
    const deadline = Date.now() + 50_000
    for (;;) {
      const now = text()
      if (typeof wanted === 'string' ? now.includes(wanted) : wanted.test(now)) {
        expect(now).toMatch(wanted)
        return now
      }
      if (Date.now() > deadline || this.child.exitCode !== null) {
        throw new Error(`${wanted} never came; stdout:\n${this.stdout}\nstderr:\n${this.stderr}`)
      }
      await pause(15)
    }
  }

  /** The events printed with `--json`. */
  events(): Record<string, unknown>[] {
    const lines = this.stdout.split('\n').filter(line => line !== '')
    return lines.map(line => JSON.parse(line))
  }

  /** Ends as with Ctrl-C; the exit code. */
  end(signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
    this.child.kill(signal)
    return this.ended
  }

  closeOutput(): Promise<number | null> {
    this.child.stdout?.destroy()
    return this.ended
  }

  exit(): Promise<number | null> {
    return this.ended
  }

  kill(): void {
    if (this.child.exitCode === null) this.child.kill('SIGKILL')
  }
}

export const pause = (ms: number) => new Promise(done => setTimeout(done, ms))
