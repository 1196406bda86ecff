import { execFileSync } from 'node:child_process'
import { lstat, mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import fc from '../../../test/property.ts'
import { bytesToText, concatBytes, textToBytes } from '../../base/bytes.ts'
import { makeTestFolder, type TestFolder } from '../../disk/folder-testing.ts'
import { openTar, readTar, TarError, writeTar } from './tar.ts'
import { endMark, inChunks, paxRecord, rawEntry, readAll, setChecksum, tarBytes } from './tar-testing.ts'

const read = (...parts: Uint8Array[]) => readAll(inChunks(concatBytes(parts), 700))

async function faultOf(...parts: Uint8Array[]): Promise<TarError> {
  const { error } = await read(...parts)
  expect(error).toBeInstanceOf(TarError)
  return error as TarError
}

const at = (modifiedMs: number) => ({ mode: 0o600, modifiedMs })

let folder: TestFolder
beforeEach(async () => {
  folder = await makeTestFolder()
})
afterEach(() => folder.remove())

describe('reading a tar', () => {
  it('gives files, folders and links with their facts', async () => {
    const { entries, error } = await read(
      rawEntry('5', 'home/'),
      rawEntry('0', 'home/a.txt', 'hello'),
      rawEntry('1', 'home/b.txt', '', block => block.set(textToBytes('home/a.txt'), 157)),
      rawEntry('2', 'home/c.txt', '', block => block.set(textToBytes('../../etc/passwd'), 157)),
      rawEntry('6', 'home/pipe'),
      endMark,
    )
    expect(error).toBeNull()
    expect(entries.map(({ path, kind, target }) => [path, kind, target])).toEqual([
      ['home', 'folder', undefined],
      ['home/a.txt', 'file', undefined],
      ['home/b.txt', 'hard-link', 'home/a.txt'],
      ['home/c.txt', 'symbolic-link', '../../etc/passwd'],
      ['home/pipe', 'other', undefined],
    ])
    expect(entries[1]).toMatchObject({ size: 5, mode: 0o644, modifiedMs: 1_700_000_000_000 })
    expect(bytesToText(entries[1]?.bytes ?? new Uint8Array(0))).toBe('hello')
  })

  it('takes a closing slash of an untyped entry for a folder, as old writers meant it', async () => {
    const v7 = rawEntry('\0', 'old/', '', block => block.fill(0, 257, 500))
    expect((await read(v7, endMark)).entries).toMatchObject([{ path: 'old', kind: 'folder' }])
  })

  it('applies extended headers and long names to the next entry only', async () => {
    const name = 'n'.repeat(300)
    const { entries, error } = await read(
      rawEntry('x', 'x', paxRecord('path', 'wörld/🎉') + paxRecord('size', '3') + paxRecord('mtime', '-1.25')),
      rawEntry('0', 'short', 'abc'),
      rawEntry('L', '././@LongLink', `${name}\0`),
      rawEntry('0', 'cut', 'x'),
      rawEntry('0', 'next'),
      endMark,
    )
    expect(error).toBeNull()
    expect(entries.map(entry => [entry.path, entry.size, entry.modifiedMs])).toEqual([
      ['wörld/🎉', 3, -1250],
      [name, 1, 1_700_000_000_000],
      ['next', 0, 1_700_000_000_000],
    ])
  })

  it('names sparse files and continues with the next entry', async () => {
    const records = [paxRecord('GNU.sparse.major', '1'), paxRecord('GNU.sparse.name', 'real name')].join('')
    const { entries } = await read(rawEntry('x', 'x', records), rawEntry('0', 'x', 'abc'), rawEntry('0', 'b'), endMark)
    expect(entries).toMatchObject([
      { path: 'real name', kind: 'sparse' },
      { path: 'b', kind: 'file' },
    ])
  })

  it('skips the content that is not read', async () => {
    const large = new Uint8Array(5_000_000).fill(65)
    const bytes = concatBytes([rawEntry('0', 'a', large), rawEntry('0', 'b', 'x'), endMark])
    const paths: string[] = []
    for await (const { path } of readTar(inChunks(bytes, 65_536))) paths.push(path)
    expect(paths).toEqual(['a', 'b'])
  })

  it('ends its source when the caller stops early', async () => {
    let isClosed = false
    async function* source() {
      try {
        yield* inChunks(concatBytes([rawEntry('0', 'a', 'x'), rawEntry('0', 'b'), endMark]), 64)
        await new Promise(() => {})
      } finally {
        isClosed = true
      }
    }
    for await (const entry of readTar(source())) {
      expect(entry.path).toBe('a')
      break
    }
    await vi.waitFor(() => expect(isClosed).toBe(true), 50_000)
  })
})

describe('what a tar must not do', () => {
  it('refuses sizes that cannot be', async () => {
    const minus = rawEntry('0', 'a', '', block => block.fill(254, 124, 136).fill(255, 124, 125))
    const huge = rawEntry('0', 'a', '', block => block.set([0x80, 1, 0, 0, 0], 124))
    const odd = rawEntry('0', 'a', '', block => block.set([0xc0, 1, 0, 0, 0], 124))
    for (const entry of [minus, huge, odd]) expect(await faultOf(entry, endMark)).toMatchObject({ fault: 'refused' })
    for (const size of ['-5', '9'.repeat(19), 'x']) {
      const record = rawEntry('x', 'x', paxRecord('size', size))
      expect(await faultOf(record, rawEntry('0', 'a'), endMark)).toMatchObject({ fault: 'refused' })
    }
  })

  it('does not gather an extended header of any length', async () => {
    const header = rawEntry('x', 'x', '', block => block.set([0x80, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0], 124))
    let given = 0
    async function* endless() {
      yield header
      for (; given < 64; given++) yield new Uint8Array(1024 * 1024).fill(65)
    }
    expect((await readAll(endless())).error).toMatchObject({ fault: 'refused' })
    expect(given).toBeLessThan(8)
  })

  it('skips an entry of 4 GiB without holding it', async () => {
    const header = rawEntry('0', 'huge', '', block => block.set([0x80, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0], 124))
    const chunk = new Uint8Array(2 ** 26).fill(65)
    async function* source() {
      yield header
      for (let part = 0; part < 64; part++) yield chunk
      yield concatBytes([rawEntry('0', 'after', 'x'), endMark])
    }
    const paths: string[] = []
    for await (const { path } of readTar(source())) paths.push(path)
    expect(paths).toEqual(['huge', 'after'])
  })

  it('reports what is not a tar, and a missing end mark', async () => {
    expect(await faultOf()).toMatchObject({ fault: 'not-tar' })
    expect(await faultOf(new Uint8Array(100).fill(7))).toMatchObject({ fault: 'not-tar' })
    expect(await faultOf(new Uint8Array(5000).fill(7))).toMatchObject({ fault: 'not-tar' })
    expect(await read(endMark)).toMatchObject({ error: null, entries: [] })
    const entry = rawEntry('0', 'a', 'x'.repeat(512))
    expect(await read(entry)).toMatchObject({ entries: [{ path: 'a' }], error: { fault: 'truncated' } })
  })
})

describe('laws of reading', () => {
  const sample = () =>
    tarBytes([
      { path: 'home', ...at(1000) },
      { path: 'home/ünï', ...at(1234), bytes: textToBytes('alpha beta') },
      { path: 'home/empty', ...at(0), bytes: new Uint8Array(0) },
      { path: `home/${'d'.repeat(120)}`, ...at(5000), bytes: new Uint8Array(600).fill(65) },
    ])

  it('gives the entries before the cut and an error wherever a tar is cut', async () => {
    const bytes = await sample()
    const whole = await readAll(inChunks(bytes, 512))
    expect(whole.error).toBeNull()
    for (let length = 0; length < bytes.length - 512; length += 37) {
      const { entries, error } = await readAll(inChunks(bytes.subarray(0, length), 512))
      expect(error, String(length)).toBeInstanceOf(TarError)
      expect(entries).toEqual(whole.entries.slice(0, entries.length))
    }
  })

  it('fails with nothing but a TarError, and always ends, however bytes are flipped', async () => {
    const bytes = await sample()
    const flips = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 })), {
      minLength: 1,
      maxLength: 8,
    })
    await fc.assert(
      fc.asyncProperty(flips, fc.boolean(), async (changes, isSummed) => {
        const flipped = bytes.slice()
        for (const [where, bits] of changes) flipped[where] = (flipped[where] ?? 0) ^ bits
        // With right checksums, the flips reach what is behind them.
        if (isSummed)
          for (const [where] of changes) {
            const start = where - (where % 512)
            if (flipped[start + 257] === 0x75) setChecksum(flipped.subarray(start, start + 512))
          }
        const { error } = await readAll(inChunks(flipped, 4096))
        if (error !== null) expect(error).toBeInstanceOf(TarError)
      }),
      { numRuns: 500 },
    )
  })
})

describe('opening a tar file', () => {
  const content = new Uint8Array(300_000).map((_, index) => (index * index) >> 3)
  const sample = () =>
    tarBytes([
      { path: 'a', ...at(0), bytes: content },
      { path: 'b', ...at(0), bytes: textToBytes('b') },
    ])

  it('reads plain and gzip tars alike, of several members and with zeros behind them', async () => {
    const bytes = await sample()
    const half = bytes.length >> 1
    const members = concatBytes([gzipSync(bytes.subarray(0, half)), gzipSync(bytes.subarray(half))])
    const forms = [bytes, gzipSync(bytes), members, concatBytes([members, new Uint8Array(900)])]
    for (const [index, form] of forms.entries()) {
      const { entries, error } = await readAll(openTar(await folder.write(`${index}.tar`, form)))
      expect(error).toBeNull()
      expect(entries.map(entry => entry.path)).toEqual(['a', 'b'])
      expect(Buffer.compare(entries[0]?.bytes ?? Buffer.alloc(0), content)).toBe(0)
    }
  })

  it('gives the entries of a cut or damaged gzip tar before it reports that', async () => {
    const files = Array.from({ length: 20 }, (_, n) => ({ path: `${n}`, ...at(0), bytes: content.subarray(0, 15_000) }))
    const packed = gzipSync(await tarBytes(files), { level: 0 })
    const wrong = Uint8Array.from(packed)
    wrong[packed.length - 6] = (wrong[packed.length - 6] ?? 0) ^ 1
    for (const [bytes, count] of [
      [packed.subarray(0, packed.length - 2000), 19],
      [packed.subarray(0, packed.length >> 1), 9],
      [wrong, 16],
    ] as const) {
      const { entries, error } = await readAll(openTar(await folder.write('x.tgz', bytes)))
      expect(error).toBeInstanceOf(TarError)
      expect(entries.length).toBeGreaterThanOrEqual(count)
    }
  })

  it.each([
    ['backup.tar.xz', 'fd377a585a000004', 'xz -dc', 'backup.tar'],
    ['backup.txz', 'fd377a585a000004', 'xz -dc', 'backup.tar'],
    ['b.tar.bz2', '425a6839314159265359', 'bzip2 -dc', 'b.tar'],
    ['b.tar.zst', '28b52ffd04', 'zstd -dc', 'b.tar'],
    ['b.zip', '504b0304', 'unzip', ''],
  ])('names the tool that unpacks %s', async (name, magic, command, unpacked) => {
    const path = await folder.write(name, Buffer.from(magic, 'hex'))
    const { error } = await readAll(openTar(path))
    expect(error).toMatchObject({ name: 'TarError', fault: 'compressed' })
    expect((error as TarError).message).toContain(`${command} ${path}`)
    expect((error as TarError).message).toContain(unpacked)
  })

  it('reports a file that cannot be opened', async () => {
    expect((await readAll(openTar(folder.path('absent.tar')))).error).toMatchObject({
      name: 'ReadError',
      code: 'ENOENT',
    })
    expect((await readAll(openTar(folder.root))).error).toMatchObject({ name: 'ReadError', code: 'EISDIR' })
  })
})

describe('writing a tar', () => {
  it('fails if the content is longer or shorter than said, or cannot be read, or the place is full', async () => {
    const one = async function* (size: number, content: AsyncIterable<Uint8Array>) {
      yield { path: 'a', size, mode: 0o600, modifiedMs: 0, content }
    }
    for (const size of [3, 5]) {
      await expect(writeTar(one(size, inChunks(textToBytes('four'), 2)), async () => {})).rejects.toThrow()
    }
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(1)
      throw new Error('unreadable')
    }
    await expect(writeTar(one(2, failing()), async () => {})).rejects.toThrow('unreadable')
    const full = async () => {
      throw Object.assign(new Error('full'), { code: 'ENOSPC' })
    }
    const large = inChunks(new Uint8Array(3_000_000), 100_000)
    await expect(writeTar(one(3_000_000, large), full)).rejects.toMatchObject({ code: 'ENOSPC' })
  })

  const component = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    fc.integer({ min: 90, max: 170 }).map(length => 'x'.repeat(length)),
  )
  const path = fc
    .array(component, { minLength: 1, maxLength: 5 })
    .map(parts => parts.join('/'))
    .filter(name => !/[\0\ufffd]|\/$|\p{Surrogate}/u.test(name))
  const file = fc.record({
    path,
    mode: fc.integer({ min: 1, max: 0o7777 }),
    modifiedMs: fc.integer({ min: -(10 ** 12), max: 10 ** 13 }),
    bytes: fc.uint8Array({ maxLength: 1600 }),
  })

  it('gives back what was written', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(file, { maxLength: 6 }), fc.integer({ min: 1, max: 2000 }), async (files, size) => {
        const { entries, error } = await readAll(inChunks(await tarBytes(files), size))
        expect(error).toBeNull()
        expect(entries.map(({ kind: _kind, size: _size, ...entry }) => entry)).toEqual(files)
      }),
      { numRuns: 100 },
    )
  })
})

describe('with GNU tar', { tags: 'gnu-tar' }, () => {
  const deep = `${'l'.repeat(150)}/${'m'.repeat(145)}/end.txt`
  const large = new Uint8Array(5_000_000).map((_, index) => (index * 7919) >> 5)

  it.each(['ustar', 'pax', 'gnu', 'v7'])('reads what it wrote as %s', async format => {
    const isShort = format === 'v7' || format === 'ustar'
    const names = [
      'tree/a.txt',
      'tree/empty',
      'tree/large.bin',
      'tree/grüße 🎉.txt',
      ...(isShort ? [] : [`tree/${deep}`]),
    ]
    const contents = new Map<string, Uint8Array>()
    for (const [index, name] of names.entries()) {
      const content = name.endsWith('empty') ? new Uint8Array(0) : name.endsWith('.bin') ? large : textToBytes(name)
      contents.set(name, content)
      await folder.write(name, content)
      await utimes(folder.path(name), 1_600_000_000 + index + 0.5, 1_600_000_000 + index + 0.5)
    }
    execFileSync('tar', ['-C', folder.root, `--format=${format}`, '-cf', folder.path('x.tar'), 'tree'])
    await writeFile(folder.path('x.tgz'), gzipSync(await readFile(folder.path('x.tar')), { level: 1 }))
    for (const tar of ['x.tar', 'x.tgz']) {
      const { entries, error } = await readAll(openTar(folder.path(tar)))
      expect(error).toBeNull()
      const files = new Map(entries.filter(entry => entry.kind === 'file').map(entry => [entry.path, entry]))
      expect([...files.keys()].sort()).toEqual([...names].sort())
      for (const [index, name] of names.entries()) {
        const entry = files.get(name)
        expect(Buffer.compare(entry?.bytes ?? Buffer.alloc(0), contents.get(name) ?? Buffer.alloc(0))).toBe(0)
        expect(entry?.modifiedMs).toBe((1_600_000_000 + index) * 1000 + (format === 'pax' ? 500 : 0))
      }
    }
  })

  it('unpacks what was written here, with names, modes and times, and no owner', async () => {
    const files = [
      { path: 'top', mode: 0o755, modifiedMs: 1_600_000_000_000 },
      { path: 'top/plain.txt', mode: 0o640, modifiedMs: 1_600_000_001_000, bytes: textToBytes('plain') },
      { path: 'top/grüße 🎉', mode: 0o600, modifiedMs: 1_600_000_002_250, bytes: textToBytes('party') },
      { path: `top/${deep}`, mode: 0o600, modifiedMs: 1_600_000_003_000, bytes: textToBytes('deep') },
      { path: 'top/empty', mode: 0o600, modifiedMs: -1500, bytes: new Uint8Array(0) },
      { path: 'top/large', mode: 0o600, modifiedMs: 1_600_000_004_000, bytes: large },
    ]
    await writeFile(folder.path('x.tar'), await tarBytes(files))
    await mkdir(folder.path('out'))
    const said = execFileSync('tar', ['-C', folder.path('out'), '-xpf', folder.path('x.tar')], { stdio: 'pipe' })
    expect(said.toString()).toBe('')
    for (const { path, mode, modifiedMs, bytes } of files.slice(1)) {
      const stat = await lstat(folder.path(`out/${path}`))
      expect([path, stat.mode & 0o7777, stat.mtimeMs]).toEqual([path, mode, modifiedMs])
      expect(Buffer.compare(await readFile(folder.path(`out/${path}`)), bytes ?? Buffer.alloc(0))).toBe(0)
    }
    const list = execFileSync('tar', ['-tvf', folder.path('x.tar')], { encoding: 'utf8' })
    expect(list.split('\n').filter(line => line !== '' && !line.includes(' 0/0 '))).toEqual([])
  })
})
