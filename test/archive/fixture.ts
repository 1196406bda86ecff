// Small fixtures for tests of the archive: a Claude home and an archive in a temporary folder. Nothing here
// judges anything.

import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type CaptureOptions, type CaptureReport, capture } from '../../src/archive/capture/capture.ts'
import type { Generation } from '../../src/archive/format/catalog.ts'
import { archivedGeneration, archiveSource } from '../../src/archive/read/source.ts'
import { Archive, type ArchiveOptions } from '../../src/archive/store/archive.ts'
import { realOps, type WriteOps } from '../../src/files/ops.ts'

/** Without waiting for the disk: for tests that are not about power cuts. */
export const quickOps: WriteOps = { ...realOps, sync() {}, syncFolder() {} }

export class Fixture {
  /** Everything is in here; links resolved. */
  readonly root: string
  readonly home: string
  /** Where the archive is. */
  readonly folder: string
  /** How far the archive's clock is ahead: more than two seconds make files settled that were written just now. */
  aheadMs = 0

  constructor(home = '.claude') {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), 'clew-archive-')))
    this.home = join(this.root, home)
    this.folder = join(this.root, 'clew', 'archive')
    mkdirSync(this.home)
  }

  archive(options: ArchiveOptions = {}): Archive {
    return new Archive(this.folder, { ops: quickOps, now: () => Date.now() + this.aheadMs, ...options })
  }

  /** A place in the home. */
  at(path: string): string {
    return join(this.home, ...path.split('/'))
  }

  write(path: string, content: string | Uint8Array): string {
    mkdirSync(dirname(this.at(path)), { recursive: true })
    writeFileSync(this.at(path), content)
    return this.at(path)
  }

  append(path: string, content: string | Uint8Array): void {
    appendFileSync(this.at(path), content)
  }

  read(path: string): Buffer {
    return readFileSync(this.at(path))
  }

  /** Device, inode and birth of a file, as the archive writes them. */
  identity(path: string): string {
    const { dev, ino, birthtimeMs } = lstatSync(this.at(path))
    return `${dev}-${ino}-${birthtimeMs}`
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true })
  }
}

export async function withFixture<Value>(
  work: (fixture: Fixture) => Value | Promise<Value>,
  home?: string,
): Promise<Value> {
  const fixture = new Fixture(home)
  try {
    return await work(fixture)
  } finally {
    fixture.remove()
  }
}

/** Archives the home, with a newly opened archive. */
export async function run(
  fixture: Fixture,
  options: Partial<CaptureOptions> = {},
): Promise<{ archive: Archive; report: CaptureReport }> {
  const archive = fixture.archive()
  return { archive, report: await capture(archive, { roots: [fixture.home], ...options }) }
}

/** The generation that a file is in. */
export function currentIn(archive: Archive, fixture: Fixture, path: string): Generation {
  const found = archive.manifest.catalog.current(fixture.home, path)
  if (found === undefined) throw new Error(`${path} is not kept`)
  return found
}

/** All bytes of a archived generation, by the asynchronous way. */
export async function archivedBytes(archive: Archive, id: string, from = 0, to = Number.POSITIVE_INFINITY) {
  const chunks: Uint8Array[] = []
  for await (const chunk of archiveSource(archive).read(archivedGeneration(id), from, to)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Paths of all archived files, from their homes, in order. */
export function archivedPaths(archive: Archive): string[] {
  return [...archive.manifest.catalog.files()].map(([first]) => first?.path ?? '').sort()
}

/** Every file and folder below a folder, from there, in order. */
export function everythingBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
}

/** Numbers that look random and are the same in every run. */
export class Dice {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** 0 up to, not including, the limit. */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

/** This many bytes of lines of a log, of all lengths; the last one may be torn. */
export function logBytes(seed: number, size: number): Buffer {
  const dice = new Dice(seed)
  const bytes = Buffer.alloc(size)
  for (let at = 0; at < size; ) {
    const line = `{"uuid":"${dice.below(2 ** 32).toString(16)}","text":"${'lorem ipsum '.repeat(dice.below(40))}"}\n`
    at += bytes.write(line, at, 'latin1')
  }
  return bytes
}

/** A record of a session, as a line. */
export function recordLine(session: string, cwd: string, text = 'hello'): string {
  const fields = { type: 'user', sessionId: session, cwd, timestamp: '2026-04-06T18:30:00.000Z', uuid: `${session}-1` }
  return `${JSON.stringify({ ...fields, parentUuid: null, message: { role: 'user', content: text } })}\n`
}

export const sessionA = '11111111-1111-4111-8111-111111111111'
export const sessionB = '22222222-2222-4222-8222-222222222222'
export const sessionC = '33333333-3333-4333-8333-333333333333'
