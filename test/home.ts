// A machine of its own for a test: a Claude home, a folder for Clew, and whatever else is needed, all in one temporary folder
// that is removed afterwards. What is written to a session is sketched elsewhere: `Sketch` of src/graph/testing.ts.

import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

/** The sample history of the repository; tests that write take a copy. */
export const samples = resolve('samples/home')

/** Sessions of the sample history, in its project -home-mira-bakery. */
export const sampleIds = {
  croissants: '33c79d8c-6d99-4d32-b36b-48f475c1e43f',
  prices: '9a1f4da4-54fa-4745-a6a3-3c7a972d7e1b',
  hours: 'cde86577-3a20-4cb0-915e-f80d229f6584',
}

/** What is in a file; objects are the records of a log. */
export type Content = string | Uint8Array | readonly object[]

/** Path below a home → what is in the file. */
export type HomeFiles = Readonly<Record<string, Content>>

export class TestHome {
  /** Everything is in here, and it is the user's home folder; links resolved. */
  readonly folder: string
  /** The Claude home. */
  readonly home: string
  /** Clew's own folder; no one makes it but Clew. */
  readonly own: string

  /** `folder`: instead of a temporary one. */
  constructor({ name = '.claude', folder = temporaryFolder() }: { name?: string; folder?: string } = {}) {
    this.folder = folder
    this.home = join(folder, name)
    this.own = join(folder, 'clew')
    mkdirSync(this.home, { recursive: true })
  }

  /** For commands in a process: nothing of the person who runs the tests is seen or touched. */
  get env(): Record<string, string> {
    return { HOME: this.folder, CLEW_HOME: this.own, CLAUDE_CONFIG_DIR: '', COLUMNS: '', TZ: 'UTC' }
  }

  /** A place next to the home. */
  path(...parts: string[]): string {
    return join(this.folder, ...parts)
  }

  /** A place in the home. */
  at(path: string): string {
    return join(this.home, path)
  }

  /** The log of a session of the project that most tests are about. */
  log(session: string): string {
    return this.at(`projects/-home-mira-bakery/${session}.jsonl`)
  }

  write(path: string, content: Content): string {
    return writeFile(this.at(path), content)
  }

  append(path: string, content: Content): void {
    mkdirSync(dirname(this.at(path)), { recursive: true })
    appendFileSync(this.at(path), bytesOf(content))
  }

  read(path: string): Buffer {
    return readFileSync(this.at(path))
  }

  fill(files: HomeFiles): this {
    fillFolder(this.home, files)
    return this
  }

  /** Adds what is in another home: the sample history, unchanged for a day. */
  copy(from = samples): this {
    cpSync(from, this.home, { recursive: true })
    this.age(1)
    return this
  }

  /** Sets back the last change of all files of the home. */
  age(days: number): void {
    const at = new Date(Date.now() - days * 86_400_000)
    for (const path of filesBelow(this.home)) utimesSync(path, at, at)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

export function withHome<Value>(work: (home: TestHome) => Value | Promise<Value>): Promise<Value> {
  return using(new TestHome(), work)
}

/** Removes a home after the work. */
export async function using<Home extends { remove(): void }, Value>(
  home: Home,
  work: (home: Home) => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await work(home)
  } finally {
    home.remove()
  }
}

/** A folder that is gone after the work. */
export async function withFolder<Value>(work: (folder: string) => Value | Promise<Value>): Promise<Value> {
  const folder = temporaryFolder()
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export function fillFolder(folder: string, files: HomeFiles): void {
  for (const [path, content] of Object.entries(files)) writeFile(join(folder, path), content)
}

/** Every file below a folder, in order. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .sort()
}

/** Records as lines of a log. */
export function lines(...records: readonly object[]): string {
  return records.map(record => `${JSON.stringify(record)}\n`).join('')
}

function temporaryFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'clew-test-')))
}

function writeFile(path: string, content: Content): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytesOf(content))
  return path
}

function bytesOf(content: Content): string | Uint8Array {
  return typeof content === 'string' || content instanceof Uint8Array ? content : lines(...content)
}
