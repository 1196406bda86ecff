// A test home with an archive of it, and small contents for both. Nothing here judges anything.

import { chmodSync, cpSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { type CaptureOptions, type CaptureReport, capture } from '../../src/archive/capture/capture.ts'
import type { Generation } from '../../src/archive/format/catalog.ts'
import { archiveFolder } from '../../src/archive/format/layout.ts'
import { archivedGeneration, archiveSource } from '../../src/archive/read/source.ts'
import { Archive, type ArchiveOptions } from '../../src/archive/store/archive.ts'
import { realOps, type WriteOps } from '../../src/files/ops.ts'
import { TestHome, using } from '../home.ts'

/** Without waiting for the disk: for tests that are not about power cuts. */
export const quickOps: WriteOps = { ...realOps, sync() {}, syncFolder() {} }

export class Fixture extends TestHome {
  /** How far the archive's clock is ahead: more than two seconds make files settled that were written just now. */
  aheadMs = 0

  get archiveFolder(): string {
    return archiveFolder(this.own)
  }

  archive(options: ArchiveOptions = {}): Archive {
    return new Archive(this.archiveFolder, { ops: quickOps, now: () => Date.now() + this.aheadMs, ...options })
  }

  /** Device, inode and birth of a file, as the archive writes them. */
  identity(path: string): string {
    const { dev, ino, birthtimeMs } = lstatSync(this.at(path))
    return `${dev}-${ino}-${birthtimeMs}`
  }
}

export function withFixture<Value>(work: (fixture: Fixture) => Value | Promise<Value>, name?: string): Promise<Value> {
  return using(new Fixture(name === undefined ? {} : { name }), work)
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

/** Numbers that look random and are the same for the same seed: mulberry32. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** The same as whole numbers. */
export class Dice {
  private readonly random: () => number

  constructor(seed: number) {
    this.random = randomOf(seed)
  }

  /** 0 up to, not including, the limit. */
  below(limit: number): number {
    return (this.random() * 2 ** 32) % limit
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

/** A session's log: lines that compress about as well as real ones. */
export function logText(session: string, lines: number, cwd = '/home/mira/boat'): string {
  const random = randomOf(lines * 31 + session.length)
  const out: string[] = []
  for (let n = 0; n < lines; n++) {
    const words = Array.from({ length: 12 }, () => Math.floor(random() * 1e9).toString(36)).join(' ')
    const type = n % 2 === 0 ? 'user' : 'assistant'
    const uuid = `${session.slice(0, 24)}${String(n).padStart(12, '0')}`
    const message = { role: type, content: [{ type: 'text', text: words }] }
    out.push(JSON.stringify({ type, uuid, sessionId: session, cwd, timestamp: '2026-04-13T19:05:00.000Z', message }))
  }
  return `${out.join('\n')}\n`
}

/** A copy of the archive of format 1, with the modes that git does not keep. */
export function copyFormat1(folder: string): void {
  cpSync(resolve('test/archive/format-1'), folder, { recursive: true })
  chmodSync(folder, 0o700)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600)
  }
}

export interface FileImage {
  bytes: Buffer
  mode: number
  mtimeMs: number
}

/** Every file below a folder, by its path from there. */
export function imagesBelow(folder: string): Map<string, FileImage> {
  const files = new Map<string, FileImage>()
  const waiting = [folder]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const place = join(at, entry.name)
      if (entry.isDirectory()) waiting.push(place)
      else if (entry.isFile()) {
        const { mode, mtimeMs } = lstatSync(place)
        const path = relative(folder, place).split(sep).join('/')
        files.set(path, { bytes: readFileSync(place), mode: mode & 0o7777, mtimeMs })
      }
    }
  }
  return files
}
