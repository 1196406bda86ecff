import { writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bytesToText, concatBytes, textToBytes } from '../../base/bytes.ts'
import { ReadError } from '../../disk/read/read.ts'
import { makeTestFolder, type TestFolder } from '../../disk/test-folder.ts'
import type { TarError } from './tar-header.ts'
import { openTar, unpackTar } from './tar-open.ts'
import { readTar } from './tar-read.ts'
import { gather, inChunks, readAll, writeTar } from './tar-test-kit.ts'

const at = (millis: number) => ({ mode: 0o600, modifiedMs: millis })

describe('opening a tar file', () => {
  let folder: TestFolder
  beforeEach(async () => {
    folder = await makeTestFolder()
  })
  afterEach(() => folder.remove())

  const content = new Uint8Array(300_000).map((_, index) => (index * index) >> 3)
  const sample = () =>
    writeTar([
      { path: 'a', ...at(0), bytes: content },
      { path: 'b', ...at(0), bytes: textToBytes('b') },
    ])

  it('reads plain and gzip tars alike, of several members and with zeros behind them', async () => {
    const bytes = await sample()
    const half = bytes.length >> 1
    const members = concatBytes([gzipSync(bytes.subarray(0, half)), gzipSync(bytes.subarray(half))])
    const forms = [bytes, gzipSync(bytes), members, concatBytes([members, new Uint8Array(900)])]
    for (const [index, form] of forms.entries()) {
      const path = await folder.write(`${index}.tar`, form)
      const { entries, error } = await readAll(openTar(path))
      expect(error).toBeNull()
      expect(entries.map(entry => entry.path)).toEqual(['a', 'b'])
      expect(Buffer.compare(entries[0]?.bytes ?? Buffer.alloc(0), content)).toBe(0)
    }
  })

  it('joins gzip members wherever the chunks are cut', async () => {
    const members = concatBytes([gzipSync('one '), gzipSync('two '), gzipSync('three')])
    for (let size = 1; size <= members.length; size++)
      expect(bytesToText(await gather(unpackTar(inChunks(members, size), 'x')))).toBe('one two three')
    const padded = concatBytes([members, new Uint8Array(100_000)])
    for (const size of [members.length - 1, members.length, members.length + 1, 16_384])
      expect(bytesToText(await gather(unpackTar(inChunks(padded, size), 'x')))).toBe('one two three')
  })

  it('reports a gzip tar that is cut short, even behind the end mark', async () => {
    const packed = gzipSync(await sample())
    for (const length of [packed.length - 1, packed.length - 8, packed.length >> 1, 20]) {
      const { error } = await readAll(openTar(await folder.write('cut.tgz', packed.subarray(0, length))))
      expect(error).toMatchObject({ name: 'TarError', fault: 'truncated' })
    }
  })

  it('gives the entries of a gzip tar before it reports that its end is damaged', async () => {
    const last = { path: 'c', ...at(0), bytes: new Uint8Array(20_000) }
    const packed = gzipSync(await writeTar([{ path: 'a', ...at(0), bytes: content }, last]))
    const junk = concatBytes([packed, new Uint8Array(700).fill(0x50)])
    const wrong = Uint8Array.from(packed)
    wrong[packed.length - 6] = (wrong[packed.length - 6] ?? 0) ^ 1
    for (const [bytes, fault] of [
      [junk, 'damaged'],
      [wrong, 'damaged'],
      [packed.subarray(0, -4), 'truncated'],
    ] as const) {
      const { entries, error } = await readAll(openTar(await folder.write('x.tgz', bytes)))
      expect(error).toMatchObject({ name: 'TarError', fault })
      expect(entries[0]?.path).toBe('a')
      if (fault === 'truncated') expect(entries.length).toBe(2)
    }
  })

  it('gives every byte that a cut gzip stream still holds', async () => {
    const plain = textToBytes(Array.from({ length: 40_000 }, (_, index) => `line ${index * 7919}\n`).join(''))
    const packed = gzipSync(plain)
    let before = 0
    for (const share of [0.3, 0.6, 0.9, 0.999]) {
      const parts: Uint8Array[] = []
      const run = async () => {
        for await (const part of unpackTar(inChunks(packed.subarray(0, packed.length * share), 5000), 'x'))
          parts.push(part)
      }
      await expect(run()).rejects.toMatchObject({ fault: 'truncated' })
      const found = concatBytes(parts)
      expect(found.length).toBeGreaterThan(Math.max(before, plain.length * (share - 0.15)))
      expect(Buffer.compare(found, plain.subarray(0, found.length))).toBe(0)
      before = found.length
    }
  })

  it('unpacks what grows a thousandfold without an error', async () => {
    const packed = gzipSync(new Uint8Array(50_000_000), { level: 9 })
    let size = 0
    for await (const part of unpackTar(inChunks(packed, 1_000_000), 'x')) size += part.length
    expect(size).toBe(50_000_000)
  })

  it.each([
    ['backup.tar.xz', 'fd377a585a000004', 'xz -dc backup.tar.xz > backup.tar'],
    ['backup.txz', 'fd377a585a000004', 'xz -dc backup.txz > backup.tar'],
    ['backup', 'fd377a585a000004', 'xz -dc backup > backup.tar'],
    ['my backup.tar.xz', 'fd377a585a000004', 'xz -dc backup.tar.xz > backup.tar'],
    ['b.tar.bz2', '425a6839314159265359', 'bzip2 -dc b.tar.bz2 > b.tar'],
    ['b.tar.zst', '28b52ffd04', 'zstd -dc b.tar.zst > b.tar'],
    ['b.tar.lz4', '04224d18', 'lz4 -dc b.tar.lz4 > b.tar'],
    ['b.tar.Z', '1f9d90', 'uncompress -c b.tar.Z > b.tar'],
    ['b.zip', '504b0304', 'unzip b.zip'],
  ])('names the tool that unpacks %s', async (name, magic, command) => {
    const chunks = unpackTar(inChunks(Buffer.from(magic, 'hex'), 1), name)
    const error = await gather(chunks).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'TarError', fault: 'compressed' })
    expect((error as TarError).message).toContain(command)
  })

  it('reads a tar whose first name looks like a packer', async () => {
    for (const name of ['BZh91AY', 'LZIP', 'PK']) {
      const bytes = await writeTar([{ path: name, ...at(0), bytes: textToBytes('x') }])
      expect((await readAll(unpackTar(inChunks(bytes, 100), 'x'))).entries).toMatchObject([{ path: name }])
    }
  })

  it('reports a file that cannot be opened or read, also half-way', async () => {
    await expect(gather(openTar(folder.path('absent.tar')))).rejects.toMatchObject({
      name: 'ReadError',
      code: 'ENOENT',
    })
    await expect(gather(openTar(folder.root))).rejects.toMatchObject({ name: 'ReadError', code: 'EISDIR' })
    for (const bytes of [await sample(), gzipSync(await sample())]) {
      async function* failing() {
        yield bytes.subarray(0, 2000)
        throw new ReadError('x.tar', 2000, 'EIO')
      }
      expect((await readAll(unpackTar(failing(), 'x.tar'))).error).toMatchObject({ name: 'ReadError', code: 'EIO' })
    }
  })

  it('can be left before the end', async () => {
    await writeFile(folder.path('x.tgz'), gzipSync(await sample()))
    for await (const entry of readTar(openTar(folder.path('x.tgz')))) {
      expect(entry.path).toBe('a')
      break
    }
  })
})
