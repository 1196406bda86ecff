// A machine of its own for tests of the archive commands: a home folder with a Claude home in it, a folder for Clew, and the
// built tool. Nothing of whoever runs the tests is seen or touched.

import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, utimesSync } from 'node:fs'
import { hostname } from 'node:os'
import { join, relative } from 'node:path'
import { expect } from 'vitest'
import { samples } from './reviewed.ts'
import { clewHere, mainFile, type Result, withFolder } from './run.ts'

/** Sessions of the sample history. */
export const ids = {
  croissants: '33c79d8c-6d99-4d32-b36b-48f475c1e43f',
  prices: '9a1f4da4-54fa-4745-a6a3-3c7a972d7e1b',
  hours: 'cde86577-3a20-4cb0-915e-f80d229f6584',
}

const dayMs = 86_400_000

export class Fixture {
  readonly folder: string
  /** The Claude home. */
  readonly home: string
  /** Clew's own folder. */
  readonly own: string
  readonly env: Record<string, string>
  /** Commands print to a terminal. */
  isTerminal = false

  constructor(folder: string) {
    this.folder = folder
    this.home = join(folder, 'user', '.claude')
    this.own = join(folder, 'own')
    mkdirSync(join(folder, 'user'))
    this.env = { HOME: join(folder, 'user'), CLEW_HOME: this.own, CLAUDE_CONFIG_DIR: '', COLUMNS: '', TZ: 'UTC' }
  }

  /** The sample history, unchanged for a day. */
  fill(): this {
    cpSync(samples, this.home, { recursive: true })
    this.age(1)
    return this
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

  /** A file of the project that most tests are about. */
  log(id: string): string {
    return join(this.home, 'projects', '-home-mira-bakery', `${id}.jsonl`)
  }

  path(...parts: string[]): string {
    return join(this.folder, ...parts)
  }

  /** Sets back the last change of all files of the home. */
  age(days: number): void {
    const at = new Date(Date.now() - days * dayMs)
    for (const path of filesBelow(this.home)) utimesSync(path, at, at)
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
  return withFolder(folder => work(new Fixture(folder)))
}

export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .sort()
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
