// An archive that an older version wrote (format 1: gzip frames, known.json, marks for a second compression) stays readable,
// verifiable, restorable, forgettable and extensible. The sessions are invented.

import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { capture } from '../../src/archive/capture/capture.ts'
import { hashOf, readSegment, segmentBytes } from '../../src/archive/format/lines.ts'
import { forget } from '../../src/archive/maintain/forget.ts'
import { mendArchive } from '../../src/archive/maintain/mend.ts'
import { verifyArchive } from '../../src/archive/maintain/verify.ts'
import { archivedHomes } from '../../src/archive/read/sessions.ts'
import type { Archive } from '../../src/archive/store/archive.ts'
import { restoreFiles } from '../../src/archive/transfer/restore.ts'
import { archivedBytes, copyFormat1, Fixture, imagesBelow } from './fixture.ts'

const orchard = 'projects/-home-mira-orchard'
const first = 'aaaaaaaa-1111-4111-8111-111111111111'
const second = 'bbbbbbbb-2222-4222-8222-222222222222'

/** SHA-256 of the current generation of each file, as the files were when the archive was written. */
const contents: Readonly<Record<string, string>> = {
  'history.jsonl': 'c5924e444efceade9b4ebca2295f5151e35fd474d173626eca731e2bbe2f10ef',
  'projects/-home-mira-orchard/aaaaaaaa-1111-4111-8111-111111111111.jsonl':
    '370cb419aaf78e98be98d0d816e16a317cff6eca7195729fbaa905b83d4a378a',
  'projects/-home-mira-orchard/aaaaaaaa-1111-4111-8111-111111111111/subagents/agent-1.jsonl':
    '702a2564c6dd443b0564311a6ab6343578bb52f7456de47e889667906c401e22',
  'projects/-home-mira-orchard/bbbbbbbb-2222-4222-8222-222222222222.jsonl':
    '8baeb2f7b63ca9d347be0edf0a0704c43d6e7d123d14a3a732d1b6a815256e43',
  'projects/-home-mira-orchard/cccccccc-3333-4333-8333-333333333333.jsonl':
    '0ee87ed9f13e4c292d2452c6d9cb0dca0ef1250021eef6946c974280ffac3a6b',
}

let place: Fixture
let archive: Archive

beforeEach(() => {
  place = new Fixture()
  archive = place.archive()
  copyFormat1(archive.layout.folder)
})

afterEach(() => place.remove())

const packs = () => readdirSync(archive.layout.packs)

/** The hash of every file below a folder. */
function hashesBelow(folder: string): Record<string, string> {
  return Object.fromEntries([...imagesBelow(folder)].map(([path, { bytes }]) => [path, hashOf(bytes)]))
}

/** Says that the files belong to another home, in the same format. */
function moveTo(home: string): void {
  let previous = ''
  for (const name of readdirSync(archive.layout.manifest).sort()) {
    const path = join(archive.layout.manifest, name)
    const values = readSegment(readFileSync(path)).values.map(({ check: _check, ...value }) => {
      if ('clew' in value) return { ...value, previous }
      return 'home' in value ? { ...value, home } : value
    })
    const bytes = segmentBytes(values)
    writeFileSync(path, bytes)
    previous = hashOf(bytes)
  }
  archive.reload()
}

describe('an archive of format 1', () => {
  test('is intact', async () => {
    expect(await verifyArchive(archive)).toMatchObject({
      isIntact: true,
      packs: 2,
      generations: 6,
      findings: [],
      damaged: [],
    })
  })

  test('gives every generation back', async () => {
    const generations = [...archive.manifest.catalog.generations.values()]
    for (const { id, size } of generations) expect((await archivedBytes(archive, id)).length).toBe(size)
    expect(generations.filter(({ path }) => path.includes(second)).map(({ number }) => number)).toEqual([1, 2])
    const sessions = (await archivedHomes(archive)).flatMap(home => home.sessions.map(({ id }) => id as string))
    expect(sessions.sort()).toEqual([first, second, 'cccccccc-3333-4333-8333-333333333333'])
  })

  test('is restored byte for byte', async () => {
    const report = await restoreFiles(archive, { to: place.path('restored') })
    expect(report).toMatchObject({ restored: 5, failed: 0 })
    expect(hashesBelow(place.path('restored'))).toEqual(contents)
  })

  test('forgets a session with all of its bytes, and keeps the others', async () => {
    await forget(archive, first)
    expect(packs().every(name => name.endsWith('.br'))).toBe(true)
    expect(existsSync(archive.layout.known)).toBe(false)
    // Of the prompt history nothing is left either: its only line was of this session, and the home is gone.
    expect(await verifyArchive(archive)).toMatchObject({ isIntact: true, generations: 3, findings: [] })
    await restoreFiles(archive, { to: place.path('restored') })
    const left = Object.entries(contents).filter(([path]) => !path.includes(first) && path !== 'history.jsonl')
    expect(hashesBelow(place.path('restored'))).toEqual(Object.fromEntries(left))
  })

  test('is extended: a file that grew continues its generation, across both encodings', async () => {
    const { home } = place
    moveTo(home)
    await restoreFiles(archive, {})
    const log = join(home, orchard, `${first}.jsonl`)
    appendFileSync(log, '{"type":"user"}\n')
    const report = await capture(archive, { roots: [home] })
    expect(report).toMatchObject({ grown: 1, added: 0, rewritten: 0, bytes: 16, findings: [] })
    archive.reload()
    const [generation] = archive.manifest.catalog.of(home, `${orchard}/${first}.jsonl`)
    expect((await archivedBytes(archive, generation?.id ?? '')).equals(readFileSync(log))).toBe(true)
    expect(packs().filter(name => name.endsWith('.br'))).toHaveLength(1)
    expect(packs().filter(name => name.endsWith('.gz'))).toHaveLength(2)
    expect(await verifyArchive(archive)).toMatchObject({ isIntact: true, generations: 6, findings: [] })
    expect(existsSync(archive.layout.known)).toBe(false)
    expect(await capture(archive, { roots: [home] })).toMatchObject({ grown: 0, bytes: 0 })
  })

  test('is repaired from live files where a gzip pack is damaged', async () => {
    const { home } = place
    moveTo(home)
    await restoreFiles(archive, {})
    const [name = ''] = packs()
    const path = join(archive.layout.packs, name)
    const bytes = readFileSync(path)
    bytes[bytes.length - 300] = (bytes[bytes.length - 300] ?? 0) ^ 4
    writeFileSync(path, bytes)
    expect(await verifyArchive(archive)).toMatchObject({ isIntact: false })
    expect(await mendArchive(archive)).toMatchObject({ frames: 1, lost: 0, packs: 1 })
    expect(await verifyArchive(archive)).toMatchObject({ isIntact: true, damaged: [] })
  })
})
