import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Fixture, imagesBelow, logText } from '../../../test/archive/fixture.ts'
import { fillFolder } from '../../../test/home.ts'
import { realOps, type WriteOps } from '../../files/ops.ts'
import { capture } from '../capture/capture.ts'
import { hashOf, segmentBytes } from '../format/lines.ts'
import { verifyArchive } from '../maintain/verify.ts'
import { archivedHomes } from '../read/sessions.ts'
import { Archive } from '../store/archive.ts'
import { type RestoreReport, restoreFiles } from './restore.ts'

const first = '11111111-1111-4111-8111-111111111111'
const second = '22222222-2222-4222-8222-222222222222'
const firstPath = `projects/-home-mira-boat/${first}.jsonl`
const resultPath = `projects/-home-mira-boat/${first}/tool-results/toolu_01.txt`
const secondPath = `projects/-home-mira-boat/${second}.jsonl`
const todoPath = `todos/${first}.json`

let place: Fixture
let home: string
let archive: Archive

beforeEach(async () => {
  place = new Fixture()
  home = place.fill({
    [firstPath]: logText(first, 20),
    [resultPath]: 'a long result\n'.repeat(500),
    [secondPath]: logText(second, 30),
    [todoPath]: '[]',
    'history.jsonl': '{"display":"hello","project":"/home/mira/boat","timestamp":1}\n',
  }).home
  for (const path of imagesBelow(home).keys()) utimesSync(join(home, path), 1_700_000_000, 1_700_000_000)
  archive = place.archive()
  await capture(archive, { roots: [home] })
})

afterEach(() => {
  place.remove()
})

async function sessionOf(id: string) {
  const found = (await archivedHomes(archive)).flatMap(({ sessions }) => sessions).filter(session => session.id === id)
  expect(found).toHaveLength(1)
  return found
}

function statuses(report: RestoreReport): Record<string, string> {
  return Object.fromEntries(report.files.map(({ path, status }) => [path, status]))
}

const text = (path: string) => readFileSync(join(home, path), 'utf8')

describe('restoring', () => {
  test('brings one session back with all that it owns, and nothing else', async () => {
    const before = imagesBelow(home)
    rmSync(home, { recursive: true })
    const report = await restoreFiles(archive, { sessions: await sessionOf(first) })
    expect(statuses(report)).toEqual({ [firstPath]: 'restored', [resultPath]: 'restored', [todoPath]: 'restored' })
    expect(report).toMatchObject({ restored: 3, same: 0, different: 0, inUse: 0, failed: 0, folders: [{ home }] })
    const after = imagesBelow(home)
    expect([...after.keys()].sort()).toEqual([firstPath, resultPath, todoPath].sort())
    for (const [path, { bytes }] of after)
      expect(bytes.equals(before.get(path)?.bytes ?? Buffer.of(0)), path).toBe(true)
    expect(statSync(join(home, 'todos')).mode & 0o777).toBe(0o700)
  })

  test('gives modes back, readable for the owner in any case, and no rights beyond', async () => {
    const modes = new Map([
      [firstPath, [0o644, 0o644]],
      [secondPath, [0o600, 0o600]],
      [resultPath, [0o755, 0o755]],
      [todoPath, [0o4664, 0o664]],
    ])
    for (const [path, [mode = 0]] of modes) chmodSync(join(home, path), mode)
    await capture(archive, { roots: [home] })
    rmSync(home, { recursive: true })
    await restoreFiles(archive)
    for (const [path, [, mode]] of modes) expect(statSync(join(home, path)).mode & 0o7777, path).toBe(mode)
  })

  test('leaves what is there alone, the same or different', async () => {
    appendFileSync(join(home, secondPath), 'more')
    utimesSync(join(home, secondPath), 1_700_000_000, 1_700_000_000)
    rmSync(join(home, todoPath))
    const report = await restoreFiles(archive)
    expect(statuses(report)).toEqual({
      [firstPath]: 'same',
      [resultPath]: 'same',
      [todoPath]: 'restored',
      [secondPath]: 'different',
      'history.jsonl': 'same',
    })
    expect(text(secondPath)).toBe(`${logText(second, 30)}more`)
    expect(statSync(join(home, firstPath)).mtimeMs).toBe(1_700_000_000_000)
  })

  test('twice in a row finds everything there, though it is fresh', async () => {
    rmSync(home, { recursive: true })
    expect((await restoreFiles(archive)).restored).toBe(5)
    expect((await restoreFiles(archive)).same).toBe(5)
  })

  test('brings an earlier generation of the log back', async () => {
    writeFileSync(join(home, firstPath), logText(first, 3))
    utimesSync(join(home, firstPath), 1_700_000_100, 1_700_000_100)
    await capture(archive, { roots: [home] })
    const sessions = await sessionOf(first)
    const to = place.path('earlier')
    expect((await restoreFiles(archive, { sessions, to, generation: 1 })).restored).toBe(3)
    expect(readFileSync(join(to, firstPath), 'utf8')).toBe(logText(first, 20))
    const missing = await restoreFiles(archive, { sessions, to: place.path('none'), generation: 7 })
    expect(statuses(missing)).toEqual({ [firstPath]: 'failed', [resultPath]: 'restored', [todoPath]: 'restored' })
  })

  test('of several homes into one folder gives each a folder of its own', async () => {
    const other = place.path('work/.claude')
    fillFolder(other, { [firstPath]: logText(first, 4), 'history.jsonl': '{}\n' })
    await capture(archive, { roots: [other] })
    const to = place.path('all')
    const report = await restoreFiles(archive, { to })
    expect(report.failed).toBe(0)
    const folderOf = new Map(report.folders.map(one => [one.home, one.folder]))
    expect([...folderOf.keys()].sort()).toEqual([home, other].sort())
    expect(dirname(folderOf.get(other) ?? '')).toBe(to)
    expect(folderOf.get(other)).toBe(join(to, 'work-claude'))
    expect(readFileSync(join(folderOf.get(other) ?? '', firstPath), 'utf8')).toBe(logText(first, 4))
    expect(readFileSync(join(folderOf.get(home) ?? '', firstPath), 'utf8')).toBe(logText(first, 20))
  })

  test('into the archive itself is refused', async () => {
    await expect(restoreFiles(archive, { to: join(archive.layout.packs, 'x') })).rejects.toThrow(
      'in the archive itself',
    )
  })
})

describe('overwriting', () => {
  test('archives what was there before it is replaced, each file in its home', async () => {
    const changed = { [firstPath]: 'other log\n', [todoPath]: '[1]', 'history.jsonl': '{"display":"new"}\n' }
    place.fill(changed)
    for (const path of Object.keys(changed)) utimesSync(join(home, path), 1_700_000_500, 1_700_000_500)
    const report = await restoreFiles(archive, { isOverwriting: true })
    expect(report).toMatchObject({ restored: 3, same: 2, failed: 0 })
    expect(text(firstPath)).toBe(logText(first, 20))
    expect(text(todoPath)).toBe('[]')
    expect([...archive.manifest.catalog.homes()]).toEqual([home])
    for (const [path, content] of Object.entries(changed)) {
      const archived = archive.manifest.catalog.of(home, path).map(({ size }) => size)
      expect(archived, path).toContain(content.length)
    }
    expect((await verifyArchive(archive)).isIntact).toBe(true)
  })

  test('does not replace what cannot be archived', async () => {
    writeFileSync(join(home, firstPath), 'other log\n')
    utimesSync(join(home, firstPath), 1_700_000_500, 1_700_000_500)
    const ops: WriteOps = {
      ...realOps,
      create(path, mode) {
        if (path.startsWith(archive.layout.folder)) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
        return realOps.create(path, mode)
      },
    }
    const full = new Archive(archive.layout.folder, { ops })
    const report = await restoreFiles(full, { isOverwriting: true })
    expect(report).toMatchObject({ failed: 1, restored: 0 })
    expect(report.files.find(({ status }) => status === 'failed')?.reason).toContain('disk is full')
    expect(text(firstPath)).toBe('other log\n')
  })
})

describe('a session that is in use', () => {
  test('is refused while its client runs, whatever the options', async () => {
    place.fill({ 'sessions/1.json': JSON.stringify({ pid: process.pid, sessionId: first }) })
    rmSync(join(home, resultPath))
    appendFileSync(join(home, todoPath), ' ')
    const report = await restoreFiles(archive, { isOverwriting: true })
    expect(statuses(report)).toMatchObject({ [firstPath]: 'in-use', [resultPath]: 'in-use', [todoPath]: 'in-use' })
    expect(statuses(report)).toMatchObject({ [secondPath]: 'same' })
    expect(existsSync(join(home, resultPath))).toBe(false)
    const aside = await restoreFiles(archive, { to: place.path('aside') })
    expect(aside.restored).toBe(5)
    const inside = await restoreFiles(archive, { to: join(home, 'back'), sessions: await sessionOf(first) })
    expect(inside.inUse).toBe(3)
  })

  test('is refused when its log just changed', async () => {
    appendFileSync(join(home, firstPath), 'x')
    rmSync(join(home, resultPath))
    const report = await restoreFiles(archive, { isOverwriting: true })
    expect(statuses(report)).toMatchObject({ [firstPath]: 'in-use', [resultPath]: 'in-use', [secondPath]: 'same' })
    expect((await restoreFiles(archive, { now: Date.now() + 61_000 })).inUse).toBe(0)
  })

  test('keeps the prompt history from being replaced', async () => {
    place.fill({ 'sessions/1.json': JSON.stringify({ pid: process.pid, sessionId: 'another' }) })
    writeFileSync(join(home, 'history.jsonl'), 'new\n')
    expect(statuses(await restoreFiles(archive, { isOverwriting: true }))['history.jsonl']).toBe('in-use')
    expect(text('history.jsonl')).toBe('new\n')
  })
})

describe('damage', () => {
  test('costs the file it hits: nothing of it is written, and all others are', async () => {
    const generation = archive.manifest.catalog.current(home, resultPath)
    const frame = archive.manifest.catalog.frames.get(generation?.frames[0] ?? '')
    const pack = join(archive.layout.packs, frame?.pack ?? '')
    const bytes = readFileSync(pack)
    const at = (frame?.at ?? 0) + (frame?.stored ?? 0) - 6
    bytes[at] = (bytes[at] ?? 0) ^ 1
    writeFileSync(pack, bytes)
    rmSync(home, { recursive: true })
    const report = await restoreFiles(archive)
    expect(report).toMatchObject({ restored: 4, failed: 1 })
    expect(report.files.find(({ status }) => status === 'failed')).toMatchObject({
      path: resultPath,
      reason: expect.stringContaining('at byte'),
    })
    expect(existsSync(dirname(dirname(join(home, resultPath))))).toBe(false)
    expect(imagesBelow(home).size).toBe(4)
  })
})

/** An archive that someone else made: one frame of our own, and paths as they like. */
function hostile(paths: readonly string[], at = home): Archive {
  const [id, stored] = [...archive.manifest.catalog.frames][0] ?? []
  const lines = [
    { clew: 'archive', format: 1, segment: 1, previous: '' },
    { frame: id, ...stored },
    ...paths.map((path, n) => ({ generation: `g${n}`, home: at, path, size: stored?.bytes, from: 0, frames: [id] })),
  ]
  const [name = ''] = readdirSync(archive.layout.manifest)
  writeFileSync(join(archive.layout.manifest, name), segmentBytes(lines))
  return new Archive(archive.layout.folder)
}

describe('a manifest that wants to write elsewhere', () => {
  const bad = ['../../x', '/etc/clew-x', 'a/../../x', 'a\0b', '..', '', 'projects/./x']
  // Names like any other, but on Windows.
  const odd = ['todos/C:', 'todos/a\\..\\..\\x', 'todos/\n']

  test('writes nothing outside, and the rest is restored', async () => {
    rmSync(home, { recursive: true })
    const isWindows = process.platform === 'win32'
    const restored = isWindows ? 1 : 1 + odd.length
    const evil = hostile([...bad, ...odd, firstPath])
    for (const to of [undefined, place.path('to', 'deep')]) {
      const report = await restoreFiles(evil, to === undefined ? {} : { to })
      expect(report).toMatchObject({ restored, failed: bad.length + (isWindows ? odd.length : 0) })
      expect(imagesBelow(to ?? home).size).toBe(restored)
    }
    expect(readdirSync(place.folder).sort()).toEqual(['.claude', 'clew', 'to'])
  })

  test('does not write through a link that is there before', async () => {
    const outside = place.path('outside')
    mkdirSync(outside)
    rmSync(join(home, 'projects'), { recursive: true })
    symlinkSync(outside, join(home, 'projects'))
    rmSync(join(home, 'todos'), { recursive: true })
    mkdirSync(join(home, 'todos'))
    symlinkSync(join(outside, 'made'), join(home, todoPath))
    const report = await restoreFiles(archive, { isOverwriting: true })
    expect(statuses(report)).toMatchObject({ [firstPath]: 'failed', [secondPath]: 'failed', [todoPath]: 'failed' })
    expect(readdirSync(outside)).toEqual([])
  })

  test('whose home is not a place of this machine needs another target', async () => {
    const evil = hostile([firstPath], 'not/absolute')
    expect(await restoreFiles(evil)).toMatchObject({ restored: 0, failed: 1 })
    expect(await restoreFiles(evil, { to: place.path('to') })).toMatchObject({ restored: 1 })
    expect(await restoreFiles(hostile(['x.jsonl'], archive.layout.packs))).toMatchObject({ restored: 0, failed: 1 })
  })
})

/** Counts the calls that change the disk; from the `last` on all fail, as if the process were gone. */
function dyingOps(last: number): { ops: WriteOps; calls: () => number } {
  let calls = 0
  const ops = Object.fromEntries(
    Object.entries(realOps).map(([name, act]: [string, (...values: never[]) => unknown]) => [
      name,
      (...values: never[]) => {
        calls++
        if (calls >= last) throw Object.assign(new Error('killed'), { code: 'KILLED' })
        return act(...values)
      },
    ]),
  ) as unknown as WriteOps
  return { ops, calls: () => calls }
}

describe('a kill', () => {
  test('at any call leaves each file whole or not there, and the next restore completes it', async () => {
    const before = imagesBelow(home)
    const target = place.path('target')
    const counted = dyingOps(Number.POSITIVE_INFINITY)
    await restoreFiles(new Archive(archive.layout.folder, { ops: counted.ops }), { to: target })
    expect(counted.calls()).toBeGreaterThan(40)
    for (let last = 1; last <= counted.calls(); last++) {
      rmSync(target, { recursive: true, force: true })
      const dying = new Archive(archive.layout.folder, { ops: dyingOps(last).ops })
      const report = await restoreFiles(dying, { to: target })
      for (const { path, status } of report.files) {
        const place = join(target, path)
        if (status === 'restored') expect(existsSync(place)).toBe(true)
        if (existsSync(place)) expect(readFileSync(place).equals(before.get(path)?.bytes ?? Buffer.of(0))).toBe(true)
      }
      const again = await restoreFiles(archive, { to: target })
      expect(again.restored + again.same).toBe(before.size)
    }
  })

  test('while a file is replaced leaves the old one, or the new one, with the old one archived', async () => {
    const expected = logText(first, 20)
    const pristine = place.path('pristine')
    cpSync(archive.layout.folder, pristine, { recursive: true })
    const run = async (ops: WriteOps, old: string) => {
      rmSync(archive.layout.folder, { recursive: true })
      cpSync(pristine, archive.layout.folder, { recursive: true })
      writeFileSync(join(home, firstPath), old)
      utimesSync(join(home, firstPath), 1_700_000_500, 1_700_000_500)
      archive.reload()
      const sessions = await sessionOf(first)
      const dying = new Archive(archive.layout.folder, { ops })
      await restoreFiles(dying, { sessions, generation: 1, isOverwriting: true })
      archive.reload()
      return text(firstPath)
    }
    const found = { old: 0, new: 0 }
    for (let last = 1; ; last++) {
      const old = `other log ${last}\n`
      const dying = dyingOps(last)
      const now = await run(dying.ops, old)
      if (now !== old) {
        expect(now).toBe(expected)
        expect(archive.manifest.catalog.liveFrames().has(hashOf(Buffer.from(old)))).toBe(true)
      }
      found[now === old ? 'old' : 'new']++
      if (dying.calls() < last) break
    }
    expect(found.old).toBeGreaterThan(20)
    expect(found.new).toBeGreaterThan(1)
  })

  test('leaves files behind that the next restore into the folder removes, if their process is gone', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    const folder = dirname(join(home, firstPath))
    rmSync(join(home, firstPath))
    const gone = `clew-restore.tmp-${pid}-00112233`
    const alive = `clew-restore.tmp-${process.ppid}-00112233`
    const foreign = `other.tmp-${pid}-00112233`
    for (const name of [gone, alive, foreign]) writeFileSync(join(folder, name), '')
    await restoreFiles(archive)
    expect(readdirSync(folder).filter(name => name.includes('.tmp-'))).toEqual([alive, foreign])
  })
})

describe('a file system without second names', () => {
  test('gets the files all the same, and still nothing is replaced', async () => {
    const link = () => {
      throw Object.assign(new Error('EPERM'), { code: 'EPERM' })
    }
    const odd = new Archive(archive.layout.folder, { ops: { ...realOps, link } })
    rmSync(join(home, resultPath))
    writeFileSync(join(home, todoPath), 'mine')
    const report = await restoreFiles(odd)
    expect(statuses(report)).toMatchObject({ [resultPath]: 'restored', [todoPath]: 'different' })
    expect(text(todoPath)).toBe('mine')
    expect(readdirSync(dirname(join(home, resultPath)))).toEqual(['toolu_01.txt'])
  })

  test('or with a file that appears in the last moment leaves that one alone', async () => {
    const target = join(home, resultPath)
    rmSync(target)
    const link = (from: string, to: string) => {
      writeFileSync(to, 'was faster')
      realOps.link(from, to)
    }
    const report = await restoreFiles(new Archive(archive.layout.folder, { ops: { ...realOps, link } }))
    expect(statuses(report)).toMatchObject({ [resultPath]: 'different' })
    expect(readFileSync(target, 'utf8')).toBe('was faster')
    expect(readdirSync(dirname(target))).toEqual(['toolu_01.txt'])
  })
})
