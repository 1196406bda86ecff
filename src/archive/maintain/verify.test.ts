import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Fixture, logText } from '../../../test/archive/fixture.ts'
import { capture } from '../capture/capture.ts'
import { segmentBytes } from '../format/lines.ts'
import { writeBase } from '../format/manifest.ts'
import { Archive } from '../store/archive.ts'
import { verifyArchive } from './verify.ts'

const first = '11111111-1111-4111-8111-111111111111'
const second = '22222222-2222-4222-8222-222222222222'
const firstPath = `projects/-home-mira-boat/${first}.jsonl`
const secondPath = `projects/-home-mira-boat/${second}.jsonl`

let place: Fixture
let home: string
let archive: Archive

beforeEach(async () => {
  place = new Fixture()
  home = place.fill({ [firstPath]: logText(first, 20), [secondPath]: logText(second, 30) }).home
  archive = place.archive({ now: () => Date.now() + 60_000 })
  await capture(archive, { roots: [home] })
})

afterEach(() => {
  place.remove()
})

function onlyIn(folder: string): string {
  const [name = '', ...rest] = readdirSync(folder)
  expect(rest).toEqual([])
  return join(folder, name)
}

function change(file: string, at: number, byte: number): void {
  const bytes = readFileSync(file)
  bytes[at] = (bytes[at] ?? 0) ^ byte
  writeFileSync(file, bytes)
}

const codes = (report: { findings: { code: string }[] }) => report.findings.map(({ code }) => code)

describe('an archive', () => {
  test('that is as it was written is intact, and its counts are reported', async () => {
    let read = 0
    const report = await verifyArchive(archive, {
      progress: bytes => {
        read += bytes
      },
    })
    const pack = readFileSync(onlyIn(archive.layout.packs)).length
    const manifest = readFileSync(onlyIn(archive.layout.manifest)).length
    const bytes = readFileSync(join(home, firstPath)).length + readFileSync(join(home, secondPath)).length
    expect(report).toEqual({
      isIntact: true,
      segments: 1,
      packs: 1,
      frames: 2,
      generations: 2,
      bytes,
      stored: pack + manifest,
      findings: [],
      damaged: [],
      mayLackMore: false,
    })
    expect(read).toBe(pack)
  })

  test('that never archived anything is intact', async () => {
    expect(await verifyArchive(new Archive(place.path('none')))).toMatchObject({
      isIntact: true,
      findings: [],
    })
  })
})

describe('a damaged pack', () => {
  test('names the session, the file and the bytes that suffer', async () => {
    const frame = [...archive.manifest.catalog.generations.values()].find(({ path }) => path === firstPath)?.frames[0]
    const stored = archive.manifest.catalog.frames.get(frame ?? '')
    change(onlyIn(archive.layout.packs), (stored?.at ?? 0) + 200, 4)
    const report = await verifyArchive(archive)
    expect(report).toMatchObject({ isIntact: false, findings: [{ code: 'damaged-pack', severity: 'error' }] })
    expect(report.damaged).toEqual([
      {
        session: first,
        home,
        path: firstPath,
        generation: 1,
        from: 0,
        bytes: readFileSync(join(home, firstPath)).length,
        reason: expect.stringContaining('at byte'),
      },
    ])
    expect(await verifyArchive(archive, { isQuick: true })).toMatchObject({ isIntact: true })
  })

  test('that is cut is found by a quick look too', async () => {
    const pack = onlyIn(archive.layout.packs)
    truncateSync(pack, readFileSync(pack).length - 1)
    for (const isQuick of [true, false]) {
      const report = await verifyArchive(archive, { isQuick })
      expect(report.isIntact).toBe(false)
      expect(report.damaged).toHaveLength(1)
    }
  })

  test('that is missing costs all that it held', async () => {
    unlinkSync(onlyIn(archive.layout.packs))
    for (const isQuick of [true, false]) {
      const report = await verifyArchive(archive, { isQuick })
      expect(codes(report)).toEqual(['missing-pack'])
      expect(report.damaged.map(({ session }) => session).sort()).toEqual([first, second])
    }
  })

  test('with a flip where nothing needs the bytes is damaged, but no session suffers', async () => {
    rmSync(join(home, firstPath))
    writeFileSync(join(home, firstPath), `${logText(first, 3)}other\n`)
    const { catalog } = archive.manifest
    const [generation] = catalog.of(home, firstPath)
    const at = catalog.frames.get(generation?.frames[0] ?? '')?.at ?? 0
    await archive.change('test', async manifest => {
      manifest.catalog.drop(generation?.id ?? '')
      writeBase(archive.ops, archive.layout, manifest)
    })
    change(onlyIn(archive.layout.packs), at + 20, 1)
    archive.reload()
    const report = await verifyArchive(archive)
    expect(report).toMatchObject({ isIntact: false, damaged: [] })
    expect(codes(report)).toContain('damaged-pack')
  })
})

describe('a damaged manifest', () => {
  test('in which one bit of a line was flipped names the session of that line and no other', async () => {
    const segment = onlyIn(archive.layout.manifest)
    const at = readFileSync(segment, 'latin1').indexOf(
      '"kept"',
      readFileSync(segment, 'latin1').indexOf(`${second}.jsonl`),
    )
    change(segment, at + 10, 1)
    const report = await verifyArchive(archive, { isQuick: true })
    expect(codes(report)).toEqual(['damaged-segment'])
    expect(report.damaged).toMatchObject([{ session: second, path: secondPath }])
    expect(archive.manifest.catalog.of(home, secondPath)).toHaveLength(0)
    expect(archive.manifest.catalog.of(home, firstPath)).toHaveLength(1)
  })

  test('reports what parts of a damaged line still show', async () => {
    const segment = onlyIn(archive.layout.manifest)
    const at = readFileSync(segment, 'latin1').indexOf(`${second}.jsonl`)
    change(segment, at + 60, 0xff)
    change(segment, at + 90, 0xff)
    const report = await verifyArchive(archive)
    expect(report.isIntact).toBe(false)
    expect(report.damaged).toMatchObject([{ session: second, path: secondPath }])
  })

  test('names the bytes that only a lost line described', async () => {
    const before = readFileSync(join(home, firstPath)).length
    appendFileSync(join(home, firstPath), logText(first, 7))
    await capture(archive, { roots: [home] })
    const last = join(archive.layout.manifest, archive.lastSegment())
    const archived = readFileSync(last, 'latin1').indexOf('"kept"')
    for (const at of [9, 10, 11]) change(last, archived + at, 2)
    const after = readFileSync(join(home, firstPath)).length
    expect((await verifyArchive(archive)).damaged).toMatchObject([
      { session: first, path: firstPath, from: before, bytes: after - before },
    ])
  })

  test('whose middle segment is gone has a broken chain', async () => {
    for (const lines of [9, 2]) {
      appendFileSync(join(home, firstPath), logText(first, lines))
      await capture(archive, { roots: [home] })
    }
    unlinkSync(join(archive.layout.manifest, '00000002.jsonl'))
    const report = await verifyArchive(archive)
    expect(codes(report)).toContain('broken-chain')
    expect(report.damaged).toMatchObject([{ session: first, path: firstPath }])
  })

  test('whose last segment is gone is found by what the last run saw', async () => {
    appendFileSync(join(home, firstPath), logText(first, 5))
    await capture(archive, { roots: [home] })
    unlinkSync(join(archive.layout.manifest, archive.lastSegment()))
    expect(codes(await verifyArchive(archive))).toEqual(['missing-segment', 'unnamed-pack'])
  })

  test('that is gone altogether is reported', async () => {
    rmSync(archive.layout.manifest, { recursive: true })
    const report = await verifyArchive(archive)
    expect(report.isIntact).toBe(false)
    expect(codes(report)).toEqual(['missing-manifest'])
  })

  test('that names a pack elsewhere leads nowhere', async () => {
    const frame = 'a'.repeat(64)
    const lines = [
      { clew: 'archive', format: 1, segment: 1, previous: '' },
      { frame, pack: '../README.txt', at: 0, stored: 10, bytes: 10 },
      { generation: 'x', home, path: firstPath, size: 10, from: 0, frames: [frame] },
    ]
    writeFileSync(onlyIn(archive.layout.manifest), segmentBytes(lines))
    const report = await verifyArchive(archive)
    expect(codes(report)).toEqual(['unneeded-pack', 'missing-pack'])
    expect(report.damaged).toHaveLength(1)
  })
})

describe('files next to packs and manifest', () => {
  test('that changed are reported and are not loss', async () => {
    change(archive.layout.readme, 5, 1)
    change(archive.layout.seen, 100, 1)
    const report = await verifyArchive(archive)
    expect(report).toMatchObject({ isIntact: false, damaged: [] })
    expect(codes(report)).toEqual(['changed-readme', 'damaged-seen'])
    expect(report.findings.every(({ severity }) => severity === 'warning')).toBe(true)
  })

  test('that do not belong there are named, and the archive is intact', async () => {
    writeFileSync(join(archive.layout.folder, 'notes.txt'), '', { mode: 0o600 })
    mkdirSync(join(archive.layout.packs, 'odd'), { mode: 0o700 })
    writeFileSync(join(archive.layout.packs, 'pack.tmp-12-0011aabb'), '', { mode: 0o600 })
    const report = await verifyArchive(archive)
    expect(report.isIntact).toBe(true)
    expect(report.findings.map(({ code, file }) => [code, file?.slice(archive.layout.folder.length + 1)])).toEqual([
      ['unknown-file', 'notes.txt'],
      ['unknown-file', join('packs', 'odd')],
      ['leftover', join('packs', 'pack.tmp-12-0011aabb')],
    ])
  })

  test('that others may read are reported once', { tags: 'posix' }, async () => {
    chmodSync(archive.layout.seen, 0o644)
    chmodSync(archive.layout.packs, 0o750)
    const report = await verifyArchive(archive)
    expect(report.isIntact).toBe(true)
    expect(codes(report)).toEqual(['open-to-others'])
    expect(report.findings[0]?.message).toContain('1 more')
  })
})
