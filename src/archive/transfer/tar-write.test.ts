import { execFileSync } from 'node:child_process'
import { lstat, mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bytesToText, textToBytes } from '../../base/bytes.ts'
import { makeTestFolder, type TestFolder } from '../../disk/test-folder.ts'
import { openTar } from './tar-open.ts'
import { readTar } from './tar-read.ts'
import { gather, inChunks, readAll, writeTar } from './tar-test-kit.ts'
import { TarWriter } from './tar-write.ts'

describe('TarWriter', () => {
  it('needs one block of header where everything fits, and names nobody', async () => {
    const bytes = await writeTar([{ path: 'a/b.txt', mode: 0o100640, modifiedMs: 5000, bytes: textToBytes('x') }])
    expect(bytes.length).toBe(512 * 4)
    const text = (from: number, to: number) => bytesToText(bytes.slice(from, to))
    expect(text(100, 124)).toBe('0000640\x000000000\x000000000\0')
    expect(text(257, 265)).toBe('ustar\x0000')
    expect(text(265, 329)).toBe('\0'.repeat(64))
  })

  it('splits a long plain name between prefix and name before it asks for a pax header', async () => {
    const split = `${'p'.repeat(150)}/${'n'.repeat(100)}`
    const whole = `${'p'.repeat(150)}${'n'.repeat(101)}`
    const one = await writeTar([{ path: split, mode: 0o600, modifiedMs: 0, bytes: new Uint8Array(0) }])
    const two = await writeTar([{ path: whole, mode: 0o600, modifiedMs: 0, bytes: new Uint8Array(0) }])
    expect([one.length, two.length]).toEqual([512 * 3, 512 * 5])
    expect((await readAll(inChunks(one, 512))).entries).toMatchObject([{ path: split }])
    expect((await readAll(inChunks(two, 512))).entries).toMatchObject([{ path: whole }])
  })

  it('writes sizes from 8 GiB on as pax', async () => {
    const size = 8 * 2 ** 30
    const parts: Uint8Array[] = []
    const chunk = new Uint8Array(2 ** 26)
    async function* content() {
      for (let left = size; left > 0; left -= chunk.length) yield chunk
    }
    const writer = new TarWriter(async bytes => {
      if (bytes !== chunk) parts.push(bytes.slice())
    })
    await writer.addFile({ path: 'big', size, mode: 0o600, modifiedMs: 0 }, content())
    const entry = (await readTar(inChunks(Buffer.concat(parts), 512)).next()).value
    expect(entry).toMatchObject({ path: 'big', size })
  })

  it('throws if the content is longer or shorter than said, and cannot be ended then', async () => {
    for (const size of [3, 5]) {
      const writer = new TarWriter(async () => {})
      const file = { path: 'a', size, mode: 0o600, modifiedMs: 0 }
      await expect(writer.addFile(file, inChunks(textToBytes('four'), 2))).rejects.toMatchObject({ fault: 'misuse' })
      await expect(writer.end()).rejects.toMatchObject({ fault: 'misuse' })
    }
  })

  it('refuses calls that overlap, calls after the end, and what cannot be written', async () => {
    const file = { path: 'a', size: 0, mode: 0o600, modifiedMs: 0 }
    const none = () => inChunks(new Uint8Array(0), 1)
    const writer = new TarWriter(async () => {})
    const first = writer.addFile(file, none())
    await expect(writer.addFolder({ ...file, path: 'b' })).rejects.toMatchObject({ fault: 'misuse' })
    await first
    await writer.end()
    await expect(writer.addFile(file, none())).rejects.toMatchObject({ fault: 'misuse' })
    for (const odd of [
      { path: '' },
      { path: 'a\0b' },
      { path: '\ud800' },
      { path: 'a/' },
      { size: -1 },
      { size: 0.5 },
      { modifiedMs: Number.NaN },
      { modifiedMs: 1e17 },
    ]) {
      const fresh = new TarWriter(async () => {})
      await expect(fresh.addFile({ ...file, ...odd }, none())).rejects.toMatchObject({ fault: 'misuse' })
    }
  })

  it('passes on an error of the place it writes to', async () => {
    const writer = new TarWriter(async () => {
      throw Object.assign(new Error('full'), { code: 'ENOSPC' })
    })
    await expect(writer.addFolder({ path: 'a', mode: 0o700, modifiedMs: 0 })).rejects.toMatchObject({ code: 'ENOSPC' })
  })
})

// Names as tars may hold them: anything but NUL, empty names and a closing slash.
const component = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
  fc.integer({ min: 90, max: 170 }).map(length => 'x'.repeat(length)),
)
const path = fc
  .array(component, { minLength: 1, maxLength: 5 })
  .map(parts => parts.join('/'))
  .filter(name => !name.includes('\0') && !name.endsWith('/') && !/\p{Surrogate}/u.test(name))
const modifiedMs = fc.oneof(
  fc.integer({ min: -(10 ** 12), max: 10 ** 13 }),
  fc.integer({ min: 0, max: 10 ** 9 }).map(seconds => seconds * 1000),
  fc.integer({ min: 10 ** 9, max: 2 * 10 ** 9 }).map(seconds => seconds * 1000 + 0.25),
)
const bytes = fc.option(fc.uint8Array({ maxLength: 1600 }), { nil: undefined })
const file = fc
  .record({ path, mode: fc.integer({ min: 0, max: 0o7777 }), modifiedMs, bytes })
  .map(({ bytes: content, ...rest }) => (content === undefined ? rest : { ...rest, bytes: content }))

describe('the law of writing and reading', () => {
  it('gives back what was written, in whatever chunks it is read', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(fc.array(file, { maxLength: 6 }), sizes, async (files, cuts) => {
        const { entries, error } = await readAll(inChunks(await writeTar(files), cuts))
        expect(error).toBeNull()
        expect(entries.map(entry => ({ ...entry, bytes: Array.from(entry.bytes) }))).toEqual(
          files.map(written => {
            const { bytes: content, ...rest } = { bytes: undefined, ...written }
            const kind = content === undefined ? 'folder' : 'file'
            return { ...rest, kind, size: content?.length ?? 0, bytes: Array.from(content ?? []) }
          }),
        )
      }),
      { numRuns: 300 },
    )
  })
})

describe('with the tar tool', () => {
  let folder: TestFolder
  beforeEach(async () => {
    folder = await makeTestFolder()
  })
  afterEach(() => folder.remove())

  const deep = `${'l'.repeat(150)}/${'m'.repeat(145)}/end.txt`
  const large = new Uint8Array(5_000_000).map((_, index) => (index * 7919) >> 5)

  it.each(['ustar', 'pax', 'gnu', 'v7'])('reads what it wrote as %s', async format => {
    const short = format === 'v7' || format === 'ustar'
    // What a format cannot hold is left out of it.
    const names = [
      'tree/a.txt',
      'tree/empty',
      'tree/large.bin',
      'tree/grüße 🎉.txt',
      ...(short ? [] : [`tree/${deep}`]),
    ]
    if (format === 'ustar') names.push(`tree/${'q'.repeat(70)}/${'r'.repeat(70)}/${'s'.repeat(90)}`)
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
      expect(entries.find(entry => entry.path === 'tree')?.kind).toBe('folder')
      for (const [index, name] of names.entries()) {
        const entry = files.get(name)
        expect(Buffer.compare(entry?.bytes ?? Buffer.alloc(0), contents.get(name) ?? Buffer.alloc(0))).toBe(0)
        const fraction = format === 'pax' ? 500 : 0
        expect(entry?.modifiedMs).toBe((1_600_000_000 + index) * 1000 + fraction)
      }
    }
  })

  it.each(['ustar', 'pax', 'gnu'])('reads its links, modes and old times as %s', async format => {
    await folder.write('t/a', 'content')
    const pack = ['-C', folder.root, `--format=${format}`, '--mode=u=rwx,g=rx,o=', '--sort=name']
    execFileSync('ln', [folder.path('t/a'), folder.path('t/b')])
    execFileSync('ln', ['-s', `../${'z'.repeat(90)}`, folder.path('t/c')])
    const old = format === 'ustar' ? [] : ['--mtime=@-86400']
    execFileSync('tar', [...pack, ...old, '-cf', folder.path('x.tar'), 't'], { stdio: 'ignore' })
    const { entries, error } = await readAll(openTar(folder.path('x.tar')))
    expect(error).toBeNull()
    expect(entries.map(({ path, kind, link, target, mode }) => [path, kind, link, target, mode])).toEqual([
      ['t', 'folder', undefined, undefined, 0o750],
      ['t/a', 'file', undefined, undefined, 0o750],
      ['t/b', 'link', 'hard', 't/a', 0o750],
      ['t/c', 'link', 'symbolic', `../${'z'.repeat(90)}`, 0o750],
    ])
    if (format !== 'ustar') expect(entries[1]?.modifiedMs).toBe(-86_400_000)
  })

  it.each(['gnu', 'pax'])('refuses its sparse files as %s and reads what follows', async format => {
    await mkdir(folder.path('t'))
    execFileSync('truncate', ['-s', '4M', folder.path('t/holes')])
    await writeFile(folder.path('t/holes'), 'x', { flag: 'a' })
    await folder.write('t/next', 'next')
    const pack = [
      '-C',
      folder.root,
      `--format=${format}`,
      '-S',
      '--hole-detection=raw',
      '--sort=name',
      '-cf',
      folder.path('x.tar'),
      't',
    ]
    execFileSync('tar', pack)
    const seen: unknown[] = []
    for await (const entry of readTar(openTar(folder.path('x.tar')))) {
      const content = await gather(entry.content).then(bytesToText, (error: { fault: string }) => error.fault)
      seen.push([entry.path, entry.size, content])
    }
    expect(seen).toEqual([
      ['t', 0, ''],
      ['t/holes', 4 * 2 ** 20 + 1, 'sparse'],
      ['t/next', 4, 'next'],
    ])
  })

  it('unpacks what was written here, with names, modes and times', async () => {
    const files = [
      { path: 'top', mode: 0o755, modifiedMs: 1_600_000_000_000 },
      { path: 'top/plain.txt', mode: 0o640, modifiedMs: 1_600_000_001_000, bytes: textToBytes('plain') },
      { path: 'top/grüße 🎉', mode: 0o600, modifiedMs: 1_600_000_002_250, bytes: textToBytes('party') },
      { path: `top/${deep}`, mode: 0o600, modifiedMs: 1_600_000_003_000, bytes: textToBytes('deep') },
      { path: `top/${'q'.repeat(120)}/${'r'.repeat(90)}`, mode: 0o600, modifiedMs: 0, bytes: textToBytes('split') },
      { path: 'top/empty', mode: 0o600, modifiedMs: -1500, bytes: new Uint8Array(0) },
      { path: 'top/large', mode: 0o600, modifiedMs: 1_600_000_004_000, bytes: large },
    ]
    await writeFile(folder.path('x.tar'), await writeTar(files))
    await mkdir(folder.path('out'))
    const said = execFileSync('tar', ['-C', folder.path('out'), '-xpf', folder.path('x.tar')], { stdio: 'pipe' })
    expect(said.toString()).toBe('')
    for (const { path: name, mode, modifiedMs: time, bytes: content } of files.slice(1)) {
      const stat = await lstat(folder.path(`out/${name}`))
      expect([name, stat.mode & 0o7777, stat.mtimeMs]).toEqual([name, mode, time])
      const found = await readFile(folder.path(`out/${name}`))
      expect(Buffer.compare(found, content ?? Buffer.alloc(0))).toBe(0)
    }
    const owners = execFileSync('tar', ['-tvf', folder.path('x.tar')], { encoding: 'utf8' })
    expect(owners.split('\n').filter(line => line !== '' && !line.includes(' 0/0 '))).toEqual([])
  })
})
