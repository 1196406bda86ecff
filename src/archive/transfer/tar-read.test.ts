import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesToText, concatBytes, textToBytes } from '../../base/bytes.ts'
import { TarError } from './tar-header.ts'
import { unpackTar } from './tar-open.ts'
import { readTar } from './tar-read.ts'
import {
  endMark,
  gather,
  inChunks,
  paxRecord,
  rawEntry,
  readAll,
  setChecksum,
  type WholeEntry,
  writeTar,
} from './tar-test-kit.ts'

const read = (...parts: Uint8Array[]) => readAll(inChunks(concatBytes(parts), 700))

async function faultOf(...parts: Uint8Array[]): Promise<TarError> {
  const { error } = await read(...parts)
  expect(error).toBeInstanceOf(TarError)
  return error as TarError
}

const at = (millis: number) => ({ mode: 0o600, modifiedMs: millis })

describe('reading a tar by hand-written blocks', () => {
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
    expect(entries.map(({ path, kind, link, target }) => [path, kind, link, target])).toEqual([
      ['home', 'folder', undefined, undefined],
      ['home/a.txt', 'file', undefined, undefined],
      ['home/b.txt', 'link', 'hard', 'home/a.txt'],
      ['home/c.txt', 'link', 'symbolic', '../../etc/passwd'],
      ['home/pipe', 'other', undefined, undefined],
    ])
    expect(entries[1]).toMatchObject({ size: 5, mode: 0o644, modifiedMs: 1_700_000_000_000 })
    expect(bytesToText(entries[1]?.bytes ?? new Uint8Array(0))).toBe('hello')
  })

  it('takes a closing slash of an untyped entry for a folder, as old writers meant it', async () => {
    const v7 = rawEntry('\0', 'old/', '', block => block.fill(0, 257, 500))
    expect((await read(v7, endMark)).entries).toMatchObject([{ path: 'old', kind: 'folder' }])
  })

  it('expects no content after a hard link whatever its size says', async () => {
    const link = rawEntry('1', 'b', '', block => block.set(textToBytes('00000001234\0'), 124))
    const { entries, error } = await read(link, rawEntry('0', 'c', 'x'), endMark)
    expect(error).toBeNull()
    expect(entries.map(entry => [entry.path, entry.size])).toEqual([
      ['b', 0],
      ['c', 1],
    ])
  })

  it('applies pax path, size, link and time, and global values until they are overridden or taken back', async () => {
    const body = textToBytes('abc')
    const sized = rawEntry('0', 'short', body, block => block.set(textToBytes('00000000000\0'), 124))
    const { entries, error } = await read(
      rawEntry('g', 'global', paxRecord('mtime', '5.5') + paxRecord('comment', 'x'.repeat(2000))),
      rawEntry('x', 'x', paxRecord('path', 'wörld/🎉') + paxRecord('size', '3') + paxRecord('mtime', '-1.25')),
      sized,
      rawEntry('0', 'plain', 'y'),
      rawEntry('x', 'x', paxRecord('mtime', '')),
      rawEntry('0', 'own time', 'z'),
      rawEntry('X', 'x', paxRecord('linkpath', 'ö')),
      rawEntry('2', 'link'),
      endMark,
    )
    expect(error).toBeNull()
    expect(entries.map(entry => [entry.path, entry.size, entry.modifiedMs, entry.target])).toEqual([
      ['wörld/🎉', 3, -1250, undefined],
      ['plain', 1, 5500, undefined],
      ['own time', 1, 1_700_000_000_000, undefined],
      ['link', 0, 5500, 'ö'],
    ])
    expect(entries[0]?.bytes).toEqual(body)
  })

  it('applies GNU long names and links to the next entry only', async () => {
    const name = `${'n'.repeat(300)}`
    const { entries } = await read(
      rawEntry('L', '././@LongLink', `${name}\0`),
      rawEntry('K', '././@LongLink', `${'k'.repeat(200)}\0`),
      rawEntry('2', 'cut'),
      rawEntry('0', 'next'),
      endMark,
    )
    expect(entries.map(entry => [entry.path, entry.target])).toEqual([
      [name, 'k'.repeat(200)],
      ['next', undefined],
    ])
  })

  it('reads base-256 numbers, negative times included, and lets absurd times be none', async () => {
    const time = (bytes: number[]) => (block: Uint8Array) => block.set(bytes, 136)
    const { entries } = await read(
      rawEntry('0', 'size', 'abcd', block => block.set([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4], 124)),
      rawEntry('0', 'before', '', time([255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 254])),
      rawEntry('0', 'absurd', '', time([0x80, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 254])),
      rawEntry('0', 'unreadable', '', time([57, 57, 57])),
      endMark,
    )
    expect(entries.map(entry => [entry.path, entry.size, entry.modifiedMs])).toEqual([
      ['size', 4, 1_700_000_000_000],
      ['before', 0, -2000],
      ['absurd', 0, 0],
      ['unreadable', 0, 0],
    ])
  })

  it('accepts checksums of signed bytes and refuses wrong ones', async () => {
    const entry = rawEntry('0', 'é', 'x')
    setChecksum(entry.subarray(0, 512), true)
    expect((await read(entry, endMark)).entries).toMatchObject([{ path: 'é' }])
    entry[0] = 0x41
    expect(await faultOf(rawEntry('0', 'good'), entry, endMark)).toMatchObject({ fault: 'damaged', at: 512 })
    expect(await faultOf(entry, endMark)).toMatchObject({ fault: 'not-tar' })
  })

  it('keeps an entry whose name is not UTF-8, marked', async () => {
    const odd = rawEntry('0', 'x', 'content', block => block.set([0x61, 0xff, 0x62], 0))
    const { entries } = await read(odd, rawEntry('0', 'next'), endMark)
    expect(entries).toMatchObject([{ path: 'a\ufffdb', hasOddName: true, size: 7 }, { path: 'next' }])
    expect(entries[1]).not.toHaveProperty('hasOddName')
  })

  it('joins a POSIX prefix, a shorter one of star, and none of GNU', async () => {
    const prefix = (block: Uint8Array) => block.set(textToBytes('a/deep'), 345)
    const { entries } = await read(
      rawEntry('0', 'name', '', prefix),
      rawEntry('0', 'name', '', block => {
        prefix(block)
        block.set(textToBytes('00000000000 '), 476)
        block.set(textToBytes('tar\0'), 508)
      }),
      rawEntry('0', 'name', '', block => {
        prefix(block)
        block.set(textToBytes('ustar  \0'), 257)
      }),
      endMark,
    )
    expect(entries.map(entry => entry.path)).toEqual(['a/deep/name', 'a/deep/name', 'name'])
  })
})

describe('what a tar must not do', () => {
  const sized = (text: string) => (block: Uint8Array) => block.set(textToBytes(text), 124)

  it('refuses negative, absurd and unreadable sizes', async () => {
    const minus = rawEntry('0', 'a', '', block => block.fill(255, 124, 136))
    expect(await faultOf(minus, endMark)).toMatchObject({ fault: 'refused', message: /negative/ })
    const huge = rawEntry('0', 'a', '', block => block.set([0x80, 1, 0, 0, 0], 124))
    expect(await faultOf(huge, endMark)).toMatchObject({ fault: 'refused', message: /2\^53/ })
    expect(await faultOf(rawEntry('0', 'a', '', sized('12a')), endMark)).toMatchObject({ fault: 'damaged' })
    for (const [size, fault] of [
      ['-5', 'refused'],
      ['9'.repeat(19), 'refused'],
      ['1e3', 'damaged'],
      ['0x10', 'damaged'],
      ['9'.repeat(300), 'damaged'],
    ] as const)
      expect(await faultOf(rawEntry('x', 'x', paxRecord('size', size)), rawEntry('0', 'a'), endMark)).toMatchObject({
        fault,
      })
  })

  it('refuses extended headers and long names of more than 1 MiB before reading them', async () => {
    for (const type of ['x', 'g', 'L', 'K']) {
      const header = rawEntry(type, 'big', '', sized('00004000001\0'))
      expect(await faultOf(header, endMark)).toMatchObject({ fault: 'refused', at: 0 })
    }
    const comment = rawEntry('x', 'x', paxRecord('comment', 'c'.repeat(1024 * 1024 - 100)))
    expect((await read(comment, rawEntry('0', 'a'), endMark)).entries).toMatchObject([{ path: 'a' }])
  })

  it.each([
    ['a length that is no number', 'x path=a\n'],
    ['a length of zero', '0 path=a\n'],
    ['a length that is too large', '99 path=a\n'],
    ['a length that ends inside its own digits', '2 path=a\n'],
    ['no closing newline', '9 path=ab'],
    ['no equals sign', '8 patha\n'],
    ['no blank', '123456789'],
  ])('refuses a pax record with %s', async (_what, record) => {
    expect(await faultOf(rawEntry('x', 'x', record), rawEntry('0', 'a'), endMark)).toMatchObject({ fault: 'damaged' })
  })

  it('reports an extended header without an entry', async () => {
    expect(await faultOf(rawEntry('x', 'x', paxRecord('path', 'lost')), endMark)).toMatchObject({ fault: 'damaged' })
    expect(await faultOf(rawEntry('L', 'x', 'lost'), endMark)).toMatchObject({ fault: 'damaged' })
  })

  it('refuses sparse files by name and goes on with the next entry', async () => {
    const old = rawEntry('S', 'holes.bin', '', block => {
      block[482] = 1
      block.set(textToBytes('00000010000\0'), 483)
    })
    const map = new Uint8Array(1024)
    map[504] = 1
    const pax = rawEntry(
      'x',
      'x',
      paxRecord('GNU.sparse.major', '1') +
        paxRecord('GNU.sparse.name', 'real name') +
        paxRecord('GNU.sparse.realsize', '9000'),
    )
    const seen: unknown[] = []
    const bytes = concatBytes([
      old,
      map,
      pax,
      rawEntry('0', 'GNUSparseFile.0/x', 'abc'),
      rawEntry('0', 'after'),
      endMark,
    ])
    for await (const entry of readTar(inChunks(bytes, 512))) {
      const fault = await gather(entry.content).then(
        () => null,
        (error: TarError) => [error.fault, error.message.includes(entry.path)],
      )
      seen.push([entry.path, entry.kind, entry.size, fault])
    }
    expect(seen).toEqual([
      ['holes.bin', 'file', 4096, ['sparse', true]],
      ['real name', 'file', 9000, ['sparse', true]],
      ['after', 'file', 0, null],
    ])
  })

  it('takes a lone block of zeros for damage, unless it is the last', async () => {
    const zeros = new Uint8Array(512)
    const entry = rawEntry('0', 'a', 'x')
    expect(await faultOf(entry, zeros, entry, endMark)).toMatchObject({ fault: 'damaged', at: 1024 })
    expect(await read(entry, zeros)).toMatchObject({ error: null, entries: [{ path: 'a' }] })
  })

  it('ignores what follows the end mark, and says when there is no end mark', async () => {
    const entry = rawEntry('0', 'a', 'x')
    const garbage = new Uint8Array(5000).fill(7)
    expect(await read(entry, endMark, garbage)).toMatchObject({ error: null, entries: [{ path: 'a' }] })
    expect(await read(endMark)).toMatchObject({ error: null, entries: [] })
    expect(await read(entry)).toMatchObject({ entries: [{ path: 'a' }], error: { fault: 'no-end', at: 1024 } })
    expect(await faultOf()).toMatchObject({ fault: 'not-tar' })
    expect(await faultOf(garbage)).toMatchObject({ fault: 'not-tar' })
  })

  it('gives content once, and not after the next entry was asked for', async () => {
    const bytes = concatBytes([rawEntry('0', 'a', 'first'), rawEntry('0', 'b', 'second'), endMark])
    const entries = readTar(inChunks(bytes, 100))
    const first = (await entries.next()).value
    const second = (await entries.next()).value
    await expect(gather(first.content)).rejects.toMatchObject({ fault: 'misuse' })
    expect(bytesToText(await gather(second.content))).toBe('second')
    await expect(gather(second.content)).rejects.toMatchObject({ fault: 'misuse' })
  })

  it('lets go of its source when the caller stops early', async () => {
    let isClosed = false
    async function* source() {
      try {
        yield* inChunks(concatBytes([rawEntry('0', 'a', 'x'), rawEntry('0', 'b'), endMark]), 64)
      } finally {
        isClosed = true
      }
    }
    for await (const entry of readTar(source())) {
      expect(entry.path).toBe('a')
      break
    }
    expect(isClosed).toBe(true)
  })
})

describe('laws of reading', () => {
  const sample = () =>
    writeTar([
      { path: 'home', ...at(1000) },
      { path: 'home/ünï', ...at(1234.5), bytes: textToBytes('alpha beta') },
      { path: 'home/empty', ...at(0), bytes: new Uint8Array(0) },
      { path: `home/${'d'.repeat(120)}`, ...at(5000), bytes: new Uint8Array(600).fill(65) },
    ])

  it('gives the entries before the cut and an error wherever a tar is cut', async () => {
    const bytes = await sample()
    const whole = await readAll(inChunks(bytes, 512))
    expect(whole.error).toBeNull()
    const textOf = ({ bytes: content, ...entry }: WholeEntry) => JSON.stringify(entry) + bytesToText(content)
    const texts = whole.entries.map(textOf)
    // With one block of zeros of two, nothing is missing.
    const endFrom = bytes.length - 512
    for (let length = 0; length < bytes.length; length++) {
      const { entries, error, cut } = await readAll(inChunks(bytes.subarray(0, length), 512))
      expect([length, error instanceof TarError]).toEqual([length, length < endFrom])
      // An entry whose content is whole may be there although its padding is not.
      expect(entries.map(textOf)).toEqual(texts.slice(0, entries.length))
      const torn = whole.entries[entries.length]?.bytes.subarray(0, cut?.bytes.length)
      if (cut !== null) expect(bytesToText(cut.bytes)).toBe(bytesToText(torn ?? new Uint8Array(0)))
      if (error instanceof TarError) expect(error.at).toBeLessThanOrEqual(length)
    }
  })

  it('fails with nothing but a TarError however bytes are flipped', async () => {
    const bytes = await sample()
    const flips = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 })), {
      minLength: 1,
      maxLength: 8,
    })
    await fc.assert(
      fc.asyncProperty(flips, fc.boolean(), async (changes, isSummed) => {
        const flipped = bytes.slice()
        for (const [where, bits] of changes) flipped[where] = (flipped[where] ?? 0) ^ bits
        // With the checksums made right again, the flips reach what lies behind them.
        if (isSummed)
          for (const [where] of changes) {
            const start = where - (where % 512)
            if (flipped[start + 257] === 0x75) setChecksum(flipped.subarray(start, start + 512))
          }
        const { error } = await readAll(inChunks(flipped, 4096))
        if (error !== null) expect(error).toBeInstanceOf(TarError)
      }),
      { numRuns: 1500 },
    )
  })

  it('fails with nothing but a TarError on arbitrary bytes, gzip or not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), fc.boolean(), async (bytes, isGzip) => {
        const start = isGzip ? Uint8Array.of(0x1f, 0x8b, 8, 0) : new Uint8Array(0)
        const { error } = await readAll(unpackTar(inChunks(concatBytes([start, bytes]), 999), 'x'))
        if (error !== null) expect(error).toBeInstanceOf(TarError)
      }),
      { numRuns: 300 },
    )
  })

  it('skips an entry of 64 GiB without holding it', async () => {
    const header = rawEntry('0', 'huge', '', block => block.set([0x80, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0], 124))
    const chunk = new Uint8Array(2 ** 26)
    async function* source() {
      yield header
      for (let part = 0; part < 1024; part++) yield chunk
      yield concatBytes([rawEntry('0', 'after', 'x'), endMark])
    }
    expect((await readAll(skipping(source()))).entries).toMatchObject([{ path: 'after' }])
  })
})

/** A tar without its first entry, passed over as a caller would. */
async function* skipping(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const entries = readTar(chunks)
  expect((await entries.next()).value).toMatchObject({ path: 'huge', size: 64 * 2 ** 30 })
  const after = (await entries.next()).value
  yield concatBytes([rawEntry('0', after.path, await gather(after.content)), endMark])
  expect((await entries.next()).done).toBe(true)
}
