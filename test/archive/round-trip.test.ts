// What comes back is what was there: over the sample history and, where it is at hand, the corpus.

import { rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { capture } from '../../src/archive/capture/capture.ts'
import { verifyArchive } from '../../src/archive/maintain/verify.ts'
import { archivedGeneration, archiveSource } from '../../src/archive/read/source.ts'
import type { Archive } from '../../src/archive/store/archive.ts'
import { restoreFiles } from '../../src/archive/transfer/restore.ts'
import { samples } from '../home.ts'
import { clientHomes, corpusFolder, publicHome } from '../needs.ts'
import { type FileImage, Fixture, imagesBelow, randomOf } from './fixture.ts'

let place: Fixture

beforeEach(() => {
  place = new Fixture()
})

afterEach(() => {
  place.remove()
})

/** Files that the archive has of a home, as they were. */
function archivedOf(archive: Archive, before: Map<string, FileImage>): Map<string, FileImage> {
  const paths = new Set([...archive.manifest.catalog.generations.values()].map(generation => generation.path))
  return new Map([...before].filter(([path]) => paths.has(path)))
}

function expectEqual(after: Map<string, FileImage>, before: Map<string, FileImage>): void {
  expect([...after.keys()].sort()).toEqual([...before.keys()].sort())
  for (const [path, { bytes, mode }] of before) {
    const found = after.get(path)
    expect(found?.bytes.equals(bytes), path).toBe(true)
    expect(found?.mode, path).toBe(mode)
  }
}

async function expectRangesEqual(archive: Archive, before: Map<string, FileImage>, count: number): Promise<void> {
  const random = randomOf(2026)
  const source = archiveSource(archive)
  const generations = [...archive.manifest.catalog.generations.values()]
  for (let n = 0; n < count; n++) {
    const generation = generations[Math.floor(random() * generations.length)]
    if (generation === undefined) throw new Error('nothing was kept')
    const from = Math.floor(random() * (generation.size + 1))
    const to = from + Math.floor(random() ** 3 * (generation.size - from + 10))
    const chunks: Uint8Array[] = []
    const id = archivedGeneration(generation.id)
    if (n % 2 === 0) chunks.push(source.readSync(id, from, to))
    else for await (const chunk of source.read(id, from, to)) chunks.push(chunk)
    const expected = before.get(generation.path)?.bytes.subarray(from, to)
    expect(expected?.equals(Buffer.concat(chunks)), `${generation.path} ${from}-${to}`).toBe(true)
  }
}

/** Keeps a home, deletes it, and restores it twice: to its own place and into another folder. */
async function roundTrip(from: string, options: { isWhole: boolean }): Promise<void> {
  const { home } = place.copy(from)
  const before = imagesBelow(home)
  const archive = place.archive()
  const report = await capture(archive, { roots: [home] })
  expect(report.findings).toEqual([])
  const archived = archivedOf(archive, before)
  expect(report.files).toBe(archived.size)
  if (options.isWhole) expect([...archived.keys()].sort()).toEqual([...before.keys()].sort())
  rmSync(home, { recursive: true })

  await expectRangesEqual(archive, before, 500)

  const now = Date.now()
  const back = await restoreFiles(archive, { now })
  expect(back.files.filter(({ status }) => status !== 'restored')).toEqual([])
  const after = imagesBelow(home)
  expectEqual(after, archived)
  for (const { mtimeMs } of after.values()) expect(Math.abs(mtimeMs - now)).toBeLessThan(2)

  const to = place.path('elsewhere')
  const aside = await restoreFiles(archive, { to, keepsTimes: true })
  expect(aside.restored).toBe(archived.size)
  expect(aside.folders).toEqual([{ home, folder: to }])
  const copies = imagesBelow(to)
  expectEqual(copies, archived)
  for (const [path, { mtimeMs }] of copies) {
    expect(Math.abs(mtimeMs - (archived.get(path)?.mtimeMs ?? 0)), path).toBeLessThan(2)
  }
  expect((await verifyArchive(archive)).findings).toEqual([])
}

describe('a round trip', () => {
  test('brings every file of the sample history back', () => roundTrip(samples, { isWhole: true }))

  for (const from of [...clientHomes, publicHome, join(corpusFolder, 'resume')]) {
    test(`brings ${basename(from)} of the corpus back`, { tags: ['corpus', 'deep'], timeout: 120_000 }, () =>
      roundTrip(from, { isWhole: false }),
    )
  }
})
