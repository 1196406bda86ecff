// A real terminal for tests with the tag `tmux`: tmux with a server of its own, which ends with the test.

import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'

export interface TerminalOptions {
  columns: number
  rows?: number
  env?: Record<string, string>
}

export class Terminal {
  private readonly socket = `clew-test-${randomBytes(6).toString('hex')}`
  private readonly folder = mkdtempSync(join(tmpdir(), 'clew-tmux-'))

  /** Runs shell text in a new terminal. */
  constructor(script: string, { columns, rows = 30, env = {} }: TerminalOptions) {
    const variables = { LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', ...env }
    const settings = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`)
    const shell = [...settings, 'unset NO_COLOR FORCE_COLOR LESS', script, 'sleep 100'].join('\n')
    this.tmux(
      '-f',
      '/dev/null',
      'start-server',
      ';',
      'set',
      '-g',
      'history-limit',
      '20000',
      ';',
      'new-session',
      '-d',
      '-s',
      't',
      '-x',
      String(columns),
      '-y',
      String(rows),
      'bash',
      '--norc',
      '-c',
      shell,
    )
  }

  /** What the screen shows, or with `all` everything that scrolled through it; lines that the terminal wrapped are joined. */
  text(all = false): string {
    return this.tmux('capture-pane', '-p', '-J', '-t', 't', ...(all ? ['-S', '-'] : [])).replace(/ +$/gm, '')
  }

  keys(...keys: string[]): void {
    this.tmux('send-keys', '-t', 't', ...keys)
  }

  resize(columns: number, rows: number): void {
    this.tmux('resize-window', '-t', 't', '-x', String(columns), '-y', String(rows))
  }

  /** The screen once it shows this; fails with what it shows instead. */
  async until(wanted: RegExp | string, all = false): Promise<string> {
    const deadline = Date.now() + 50_000
    for (;;) {
      const text = this.text(all)
      if (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text)) {
        expect(text).toMatch(wanted)
        return text
      }
      if (Date.now() > deadline) throw new Error(`the terminal never showed ${wanted}; it shows\n${text}`)
      await new Promise(done => setTimeout(done, 60))
    }
  }

  close(): void {
    this.tmux('kill-server')
    rmSync(this.folder, { recursive: true, force: true })
  }

  private tmux(...args: string[]): string {
    const env = { ...process.env, TMUX_TMPDIR: this.folder }
    return spawnSync('tmux', ['-u', '-L', this.socket, ...args], { encoding: 'utf8', env }).stdout
  }
}
