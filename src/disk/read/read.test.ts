import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { appendFile, open, stat, truncate } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestHome } from '../../../test/home.ts'
import { attempt } from '../../base/attempt.ts'
import { concatBytes } from '../../base/bytes.ts'
import type { GenerationId } from '../../model/source.ts'
import { expectSourceContract } from '../testing.ts'
import { chunkBytes, diskSource, generationOf, pathOfGeneration, ReadError, sameFileKey } from './read.ts'

let folder: TestHome
beforeEach(async () => {
  folder = new TestHome()
})
afterEach(() => folder.remove())

/** Files of the test that this process has open; other tests in it have others. Empty where the system does not say. */
function openFiles(): string[] {
  if (!existsSync('/proc/self/fd')) return []
  const targets = readdirSync('/proc/self/fd').map(name => attempt(() => readlinkSync(`/proc/self/fd/${name}`)) ?? '')
  return targets.filter(target => target.startsWith(folder.folder))
}

async function generation(path: string): Promise<GenerationId> {
  return generationOf(path, await stat(path, { bigint: true }))
}

async function readAll(path: string, from = 0, to = Number.POSITIVE_INFINITY): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of diskSource().read(await generation(path), from, to)) chunks.push(chunk)
  return concatBytes(chunks)
}

async function failure(path: string, id?: GenerationId): Promise<ReadError> {
  try {
    for await (const _ of diskSource().read(id ?? (await generation(path)), 0, Number.POSITIVE_INFINITY));
  } catch (error) {
    if (error instanceof ReadError) return error
    throw error
  }
  throw new Error('the reading did not fail')
}

const patterned = (length: number) => Buffer.from(Array.from({ length }, (_, index) => index % 251))

describe('diskSource', () => {
  it('gives the bytes of a range, in chunks of at most the chunk size', async () => {
    const content = Buffer.alloc(chunkBytes * 2 + 5, patterned(10_007))
    const path = folder.write('a.jsonl', content)
    const sizes: number[] = []
    for await (const chunk of diskSource().read(await generation(path), 0, Number.POSITIVE_INFINITY)) {
      sizes.push(chunk.length)
    }
    expect(sizes).toEqual([chunkBytes, chunkBytes, 5])
    expect(Buffer.compare(await readAll(path), content)).toBe(0)
    expect(Buffer.compare(await readAll(path, 3, chunkBytes + 9), content.subarray(3, chunkBytes + 9))).toBe(0)
  })

  it('gives nothing for an empty file, an empty range and a range behind the end', async () => {
    const path = folder.write('a.jsonl', '')
    expect(await readAll(path)).toHaveLength(0)
    folder.write('a.jsonl', 'abc')
    expect(await readAll(path, 1, 1)).toHaveLength(0)
    expect(await readAll(path, 7, 9)).toHaveLength(0)
  })

  it('never changes a chunk that it has given away', async () => {
    const path = folder.write('a.jsonl', Buffer.concat([Buffer.alloc(chunkBytes, 1), Buffer.alloc(chunkBytes, 2)]))
    const chunks: Uint8Array[] = []
    for await (const chunk of diskSource().read(await generation(path), 0, Number.POSITIVE_INFINITY)) chunks.push(chunk)
    expect(chunks.map(chunk => chunk[0])).toEqual([1, 2])
    expect(chunks[0]?.buffer).not.toBe(chunks[1]?.buffer)
  })

  it('reads beyond four gigabytes', async () => {
    const path = folder.write('big.jsonl', '')
    const size = 5 * 1024 ** 3
    await truncate(path, size)
    const file = await open(path, 'r+')
    await file.write(Buffer.from('{"near":"the end"}\n'), 0, 19, size - 19)
    await file.close()
    expect(Buffer.from(await readAll(path, size - 19)).toString()).toBe('{"near":"the end"}\n')
    expect(Buffer.from(await readAll(path, size - 10, size - 1)).toString()).toBe('the end"}'.slice(0, 9))
  })

  it('continues to what was appended while it read, but never past the wanted end', async () => {
    const path = folder.write('a.jsonl', Buffer.alloc(chunkBytes, 1))
    let total = 0
    let hasGrown = false
    for await (const chunk of diskSource().read(await generation(path), 0, Number.POSITIVE_INFINITY)) {
      total += chunk.length
      if (!hasGrown) await appendFile(path, 'more')
      hasGrown = true
    }
    expect(total).toBe(chunkBytes + 4)
    expect(await readAll(path, 0, chunkBytes + 2)).toHaveLength(chunkBytes + 2)
  })

  it('ends no more than one chunk after the new end of a file that shrank while it was read', async () => {
    const path = folder.write('a.jsonl', Buffer.alloc(chunkBytes * 3, 1))
    let total = 0
    for await (const chunk of diskSource().read(await generation(path), 0, chunkBytes * 3)) {
      total += chunk.length
      await truncate(path, chunkBytes + 10)
    }
    expect(total).toBeLessThanOrEqual(chunkBytes * 2)
  })

  it('closes the file when the reader ends, leaves early or fails', { tags: 'linux' }, async () => {
    const path = folder.write('a.jsonl', Buffer.alloc(chunkBytes * 3, 1))
    await readAll(path)
    for await (const _ of diskSource().read(await generation(path), 0, Number.POSITIVE_INFINITY)) break
    const failing = async () => {
      for await (const _ of diskSource().read(await generation(path), 0, 5)) throw new Error('consumer')
    }
    await expect(failing()).rejects.toThrow('consumer')
    await failure(folder.home)
    expect(openFiles()).toEqual([])
  })

  it('fails with code and path where there is nothing to read', async () => {
    const gone = 'disk:1-2-3:/no/such/file' as GenerationId
    expect(await failure('', gone)).toMatchObject({ code: 'ENOENT', path: '/no/such/file', offset: 0 })
    expect(await failure('', 'archive:7' as GenerationId)).toMatchObject({ code: 'ENOENT' })
    expect((await failure(folder.home)).code).toBe('not-a-regular-file')
  })

  it('does not wait for a writer where a FIFO has taken the place of the file', { tags: 'posix' }, async () => {
    const path = folder.at('pipe.jsonl')
    await promisify(execFile)('mkfifo', [path])
    expect((await failure(path)).code).toBe('not-a-regular-file')
  })
})

describe('short ranges of live files', () => {
  it('are the same bytes as a pass gives, at once or from a file held open', async () => {
    const bytes = Uint8Array.from({ length: chunkBytes + 12_345 }, (_, i) => (i * 7919) % 251)
    const path = folder.write('a.jsonl', bytes)
    const missing = `disk:1-2-3:${folder.at('gone.jsonl')}` as GenerationId
    await expectSourceContract({ source: diskSource(), generation: await generation(path), bytes, missing })
    expect.hasAssertions()
  })

  it('hold what was appended since the file was found', async () => {
    const path = folder.write('a.jsonl', 'one')
    const id = await generation(path)
    await appendFile(path, 'two')
    expect(Buffer.from(diskSource().readSync(id, 2, 5)).toString()).toBe('etw')
  })

  it('fail with code, path and place, and leave no file open', async () => {
    const source = diskSource()
    const thrown = (id: string) => {
      try {
        source.readSync(id as GenerationId, 3, 4)
      } catch (error) {
        return error
      }
      return undefined
    }
    expect(thrown('disk:1-2-3:/no/such/file')).toMatchObject({ code: 'ENOENT', path: '/no/such/file', offset: 3 })
    expect(thrown('kept:7')).toBeInstanceOf(ReadError)
    expect(thrown(`disk:1-2-3:${folder.home}`)).toMatchObject({ code: 'not-a-regular-file' })
    expect(openFiles()).toEqual([])
  })
})

describe('a generation', () => {
  it('leads back to its path, whatever the path has', () => {
    for (const path of ['/a:b/c d.jsonl', '/a\n:x']) {
      const id = generationOf(path, { dev: 1n, ino: 2n, birthtimeMs: 3n })
      expect(pathOfGeneration(id)).toBe(path)
    }
    expect(pathOfGeneration('stream:-' as GenerationId)).toBeNull()
  })

  it('stays while a file grows and changes when another file takes its place', async () => {
    const path = folder.write('a.jsonl', 'x')
    const first = await generation(path)
    await appendFile(path, 'y')
    expect(await generation(path)).toBe(first)
    const other = folder.write('b.jsonl', 'x')
    const { rename } = await import('node:fs/promises')
    await rename(other, path)
    expect(await generation(path)).not.toBe(first)
  })

  it('has no key for comparing files where the file system gives no inode', () => {
    expect(sameFileKey(generationOf('/a', { dev: 1n, ino: 0n, birthtimeMs: 3n }))).toBeNull()
    expect(sameFileKey(generationOf('/a', { dev: 1n, ino: 5n, birthtimeMs: 3n }))).toBe(
      sameFileKey(generationOf('/b', { dev: 1n, ino: 5n, birthtimeMs: 3n })),
    )
  })
})
