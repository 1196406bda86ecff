// Homes and archives for tests, below a folder that is removed afterwards, and comparing what is in them.

import {
  chmodSync,
  cpSync,
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
import { dirname, join, relative, resolve, sep } from 'node:path'
import { Archive, type ArchiveOptions } from '../../src/archive/store/archive.ts'

export const sampleHome = resolve(process.cwd(), 'samples/home')

/** A folder of its own for each test. */
export class Workplace {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'clew-archive-')))

  at(...parts: string[]): string {
    return join(this.folder, ...parts)
  }

  archive(options: ArchiveOptions = {}): Archive {
    return new Archive(this.at('archive'), options)
  }

  /** Writes files into a home; an odd length of content is the point of some tests. */
  home(name: string, files: Record<string, string | Uint8Array>): string {
    const home = this.at(name)
    for (const [path, content] of Object.entries(files)) {
      const place = join(home, path)
      mkdirSync(dirname(place), { recursive: true })
      writeFileSync(place, content)
    }
    return home
  }

  copy(from: string, name: string): string {
    const home = this.at(name)
    cpSync(from, home, { recursive: true })
    return home
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
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
export function filesBelow(folder: string): Map<string, FileImage> {
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
