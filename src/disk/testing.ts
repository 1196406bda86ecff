// What tests of finding and reading share: a tree of files that exist in memory only, and the contract that every source of
// bytes keeps. Not used outside of tests.

import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { concatBytes, textToBytes } from '../base/bytes.ts'
import type { ByteSource, GenerationId } from '../model/source.ts'
import type { Entry, FileTree, KnownFacts, TreeStat } from './discover/tree.ts'
import { ReadError, rangeReader } from './read/read.ts'

export interface MemoryFile {
  content: string | Uint8Array
  modifiedMs?: number
  isArchiveOnly?: true
  /** Given back without a look at the content. */
  known?: KnownFacts
}

/** A tree of the files at absolute paths. `reads` lists every path whose bytes were asked for. */
export class MemoryTree implements FileTree {
  readonly reads: string[] = []
  readonly source: ByteSource = {
    read: (generation, from, to) => this.chunks(generation, from, to),
    readSync: (generation, from, to) => this.bytes(generation, from).slice(from, to),
  }
  private readonly files: ReadonlyMap<string, MemoryFile>

  constructor(files: Readonly<Record<string, string | MemoryFile>>) {
    const entries = Object.entries(files)
    this.files = new Map(entries.map(([path, file]) => [path, typeof file === 'string' ? { content: file } : file]))
  }

  async list(folder: string): Promise<Entry[]> {
    const entries = new Map<string, Entry>()
    for (const path of this.files.keys()) {
      if (!path.startsWith(join(folder, '/'))) continue
      const [name = '', ...deeper] = path.slice(join(folder, '/').length).split('/')
      entries.set(name, { name, path: join(folder, name), kind: deeper.length > 0 ? 'folder' : 'file' })
    }
    if (entries.size === 0) throw notThere(folder)
    return [...entries.values()]
  }

  stat(path: string): TreeStat {
    const file = this.files.get(join(path))
    if (file !== undefined) {
      const { modifiedMs = 0, isArchiveOnly } = file
      const size = bytesOf(file).length
      return { kind: 'file', size, modifiedMs, generation: generationAt(path), ...(isArchiveOnly && { isArchiveOnly }) }
    }
    const isFolder = [...this.files.keys()].some(other => other.startsWith(join(path, '/')))
    if (!isFolder) throw notThere(path)
    return { kind: 'folder', key: join(path) }
  }

  isLink(): boolean {
    return false
  }

  known({ path }: { path: string }): KnownFacts | undefined {
    return this.files.get(path)?.known
  }

  private bytes(generation: GenerationId, from: number): Uint8Array {
    const path = generation.replace(/^memory:/, '')
    const file = this.files.get(path)
    if (file === undefined) throw new ReadError(path, from, 'ENOENT')
    this.reads.push(path)
    return bytesOf(file)
  }

  private async *chunks(generation: GenerationId, from: number, to: number): AsyncGenerator<Uint8Array> {
    const bytes = this.bytes(generation, from).slice(from, to)
    // Of an odd size, so that borders fall anywhere.
    for (let at = 0; at < bytes.length; at += 1009) yield bytes.slice(at, at + 1009)
  }
}

/** The generation of a file of a `MemoryTree`. */
export function generationAt(path: string): GenerationId {
  return `memory:${join(path)}` as GenerationId
}

function bytesOf({ content }: MemoryFile): Uint8Array {
  return typeof content === 'string' ? textToBytes(content) : content
}

function notThere(path: string): Error {
  return Object.assign(new Error(`nothing at ${path} in ${dirname(path)}`), { code: 'ENOENT' })
}

export interface SourceCase {
  source: ByteSource
  generation: GenerationId
  /** What the generation has: some hundred thousand bytes. */
  bytes: Uint8Array
  /** One that the source does not have. */
  missing: GenerationId
}

/** All ways to read a range give the same bytes, end where the file ends, and fail alike. */
export async function expectSourceContract({ source, generation, bytes, missing }: SourceCase): Promise<void> {
  const size = bytes.length
  const ranges = [
    [0, size],
    [0, 1],
    [size - 1, size],
    [size - 70_000, size],
    [1, 65_537],
    [0, Number.POSITIVE_INFINITY],
    [size - 10, size + 1000],
    [size, size + 10],
    [size + 10, size + 20],
    [5, 5],
  ] as const
  const reader = rangeReader(source, generation)
  for (const [from, to] of ranges) {
    const expected = Buffer.from(bytes.slice(from, to))
    expect(Buffer.from(source.readSync(generation, from, to)).equals(expected), `${from} to ${to} at once`).toBe(true)
    const chunks: Uint8Array[] = []
    for await (const chunk of source.read(generation, from, to)) chunks.push(chunk)
    expect(Buffer.from(concatBytes(chunks)).equals(expected), `${from} to ${to} in chunks`).toBe(true)
    const into = new Uint8Array(Math.min(to, size + 2000) - from)
    const length = reader.read(into, from)
    expect(Buffer.from(into.subarray(0, length)).equals(expected), `${from} to ${to} held open`).toBe(true)
  }
  reader.close()
  const first = source.readSync(generation, 0, 100)
  const before = first.slice()
  source.readSync(generation, 100, 200)
  expect(first, 'a range may be kept').toEqual(before)
  expect(() => source.readSync(missing, 7, 8)).toThrow(ReadError)
  expect(() => rangeReader(source, missing).read(new Uint8Array(1), 7)).toThrow(ReadError)
  const failing = async () => {
    for await (const _ of source.read(missing, 7, 8));
  }
  await expect(failing()).rejects.toThrow(ReadError)
}
