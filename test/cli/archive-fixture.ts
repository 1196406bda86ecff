// What tests of the archive commands look at: homes that a command leaves as they are, locks, and harmless output.

import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync, rmdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { join, relative } from 'node:path'
import { expect } from 'vitest'
import { filesBelow, TestHome, using } from '../home.ts'
import { clewHere, mainFile, type Result } from './run.ts'

export class Fixture extends TestHome {
  /** Commands print to a terminal. */
  isTerminal = false

  constructor() {
    super()
    // A machine on which Claude Code never ran, until a test copies a home.
    rmdirSync(this.home)
  }

  /** Runs `clew …` inside this process. */
  clew(...args: string[]): Promise<Result> {
    return clewHere(args, { env: this.env, isTerminal: this.isTerminal })
  }

  with(env: Record<string, string>, ...args: string[]): Promise<Result> {
    return clewHere(args, { env: { ...this.env, ...env } })
  }

  /** Runs `clew …` in a process of its own, which `during` gets. */
  start(args: readonly string[], env = {}, during: (child: ChildProcess) => void = () => {}): Promise<Result> {
    const whole = { ...process.env, NO_COLOR: '1', LC_ALL: 'C.UTF-8', TERM: 'xterm', ...this.env, ...env }
    const child = spawn(process.execPath, [mainFile, ...args], { env: whole, stdio: ['ignore', 'pipe', 'pipe'] })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', chunk => (stdout += chunk))
    child.stderr.on('data', chunk => (stderr += chunk))
    during(child)
    return new Promise((done, fail) => {
      child.on('error', fail)
      child.on('close', code => done({ stdout, stderr, code }))
    })
  }

  /** Does something that must leave the home as it is, to the last time and mode. */
  async leavingHome(act: () => Promise<Result>): Promise<Result> {
    const before = picture(this.home)
    const result = await act()
    expect(picture(this.home)).toEqual(before)
    return result
  }
}

export function withFixture(work: (fixture: Fixture) => void | Promise<void>): Promise<void> {
  return using(new Fixture(), work)
}

/** Everything below a folder: kind, mode, time and content. */
export function picture(folder: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const { mode, mtimeMs } = lstatSync(path)
    const content = entry.isFile() ? hashOf(path) : entry.isSymbolicLink() ? readlinkSync(path) : ''
    found[relative(folder, path)] = `${mode.toString(8)} ${mtimeMs} ${content}`
  }
  return found
}

/** What is in files alone, by path. */
export function contents(folder: string): Record<string, string> {
  return Object.fromEntries(filesBelow(folder).map(path => [relative(folder, path), hashOf(path)]))
}

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

/** What the lock says while this test has it. */
export function lockText(started = new Date().toISOString()): string {
  return JSON.stringify({ pid: process.pid, host: hostname(), started, what: 'run', key: 'test' })
}

/** Neither stream has anything that a terminal would obey. */
export function expectHarmless({ stdout, stderr }: Result): void {
  expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
}
