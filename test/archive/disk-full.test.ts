// A disk that is really full: a small file system in memory with less and less space, down to none at all.

import { execFileSync } from 'node:child_process'
import { randomFillSync } from 'node:crypto'
import { closeSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { capture } from '../../src/archive/capture/capture.ts'
import { Archive } from '../../src/archive/store/archive.ts'
import { restoreFiles } from '../../src/archive/transfer/restore.ts'
import { FileError } from '../../src/files/error.ts'
import { isDeep } from '../needs.ts'
import { reportSweep } from '../sweep.ts'
import { damageOf, viewOf } from './faults.ts'
import { Fixture, imagesBelow, logBytes } from './fixture.ts'
import { steppingClock } from './operate.ts'

const KiB = 1024
let mounted = ''

beforeAll(() => {
  mounted = realpathSync(mkdtempSync(join(tmpdir(), 'clew-full-')))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m,nr_inodes=2000', 'tmpfs', mounted], { stdio: 'pipe' })
})

afterAll(() => {
  execFileSync('umount', [mounted])
  rmSync(mounted, { recursive: true, force: true })
})

/** The folder on the small disk, emptied. */
function smallDisk(): string {
  rmSync(join(mounted, 'work'), { recursive: true, force: true })
  rmSync(join(mounted, 'ballast'), { force: true })
  mkdirSync(join(mounted, 'work'))
  return join(mounted, 'work')
}

/** Fills the small disk but for this many bytes; frees the space when called. */
function fillBut(free: number): () => void {
  const path = join(mounted, 'ballast')
  const file = openSync(path, 'w')
  const block = Buffer.alloc(4 * KiB)
  for (let left = freeBytes() - free; left >= block.length; left -= block.length) writeSync(file, block)
  closeSync(file)
  return () => rmSync(path)
}

function freeBytes(): number {
  const { bavail, bsize } = statfsSync(mounted)
  return bavail * bsize
}

/** What does not get smaller when it is compressed. */
function noise(bytes: number): Buffer {
  return randomFillSync(Buffer.alloc(bytes))
}

/** Why a run ended early; null where it did not. */
async function failureOf(folder: string, home: string): Promise<FileError | null> {
  try {
    const { failure } = await capture(new Archive(folder, { now: steppingClock() }), { roots: [home] })
    return failure ?? null
  } catch (error) {
    // Not even the lock could be taken.
    if (error instanceof FileError) return error
    throw error
  }
}

function expectFull(error: FileError | null): void {
  expect(error).toMatchObject({ code: 'ENOSPC' })
  expect(error?.message).toMatch(/^The disk is full: .* could not be written\. What was written before is untouched\.$/)
}

/** Two files are archived, six more are to be. */
async function startedFixture(folder: string): Promise<Fixture> {
  const fixture = new Fixture()
  for (const n of [1, 2]) fixture.write(`projects/-p/old-${n}.jsonl`, logBytes(n, 20_000))
  expect(await failureOf(folder, fixture.home)).toBeNull()
  fixture.append('projects/-p/old-1.jsonl', logBytes(3, 9000))
  for (const n of [1, 2, 3, 4, 5, 6]) fixture.write(`projects/-p/new-${n}.jsonl`, noise(20_000 * n))
  return fixture
}

describe('a disk that is full', { tags: 'mount' }, () => {
  test('ends a run with a clear error, whenever it comes, and costs nothing that was kept', {
    timeout: isDeep ? 3_600_000 : 120_000,
  }, async () => {
    const work = smallDisk()
    let full = 0
    const sizes = Array.from({ length: 44 }, (_, n) => (n < 20 ? n * 4 : 80 + (n - 20) * 18) * KiB)
    for (const size of sizes) {
      const folder = join(work, `archive-${size}`)
      const fixture = await startedFixture(folder)
      try {
        const before = await viewOf(folder)
        const giveBack = fillBut(size)
        const failure = await failureOf(folder, fixture.home)
        if (failure !== null) {
          full++
          expectFull(failure)
          const after = await viewOf(folder)
          // The first file may have grown; its beginning is then in what it grew to.
          for (const line of before.slice(1)) expect(after).toContain(line)
          expect(await damageOf(folder)).toEqual([])
        }
        giveBack()
        expect(await failureOf(folder, fixture.home)).toBeNull()
        expect(await damageOf(folder)).toEqual([])
        await expectExact(folder, fixture)
      } finally {
        fixture.remove()
        rmSync(folder, { recursive: true, force: true })
      }
    }
    reportSweep('file system with no space left, archive', full, 0)
    // Some sizes are enough for all of it: the border was met.
    expect(full).toBeGreaterThanOrEqual(25)
    expect(full).toBeLessThan(sizes.length)
  })

  test('without room for one more file, a run says so', async () => {
    const work = smallDisk()
    const folder = join(work, 'archive')
    const fixture = await startedFixture(folder)
    const made: string[] = []
    try {
      const before = await viewOf(folder)
      const path = (n: number) => join(mounted, `empty-${n}`)
      for (let left = statfsSync(mounted).ffree; left > 0; left--) {
        closeSync(openSync(path(left), 'w'))
        made.push(path(left))
      }
      expectFull(await failureOf(folder, fixture.home))
      expect(await viewOf(folder)).toEqual(before)
      for (const one of made.splice(0)) rmSync(one)
      expect(await failureOf(folder, fixture.home)).toBeNull()
      await expectExact(folder, fixture)
    } finally {
      for (const one of made) rmSync(one)
      fixture.remove()
    }
  })

  test('ends a restore without a partial file', { timeout: 60_000 }, async () => {
    const work = smallDisk()
    const fixture = new Fixture()
    try {
      for (const n of [1, 2, 3, 4, 5]) fixture.write(`projects/-p/s-${n}.jsonl`, logBytes(n, 30_000 * n))
      expect(await failureOf(fixture.archiveFolder, fixture.home)).toBeNull()
      const expected = imagesBelow(fixture.home)
      let full = 0
      for (let size = 0; size < 520 * KiB; size += 24 * KiB) {
        const to = join(work, `restored-${size}`)
        const giveBack = fillBut(size)
        const first = await restoreFiles(fixture.archive(), { to })
        for (const { status, reason: why } of first.files) {
          if (status !== 'restored') expect(why).toContain('The disk is full')
        }
        if (first.failed > 0) full++
        const found = first.restored + first.failed > 0 && first.restored > 0 ? [...imagesBelow(to)] : []
        expect(found).toHaveLength(first.restored)
        for (const [path, { bytes }] of found) expect(expected.get(path)?.bytes.equals(bytes)).toBe(true)
        giveBack()
        expect(await restoreFiles(fixture.archive(), { to })).toMatchObject({ failed: 0, same: first.restored })
        expect(imagesBelow(to).size).toBe(expected.size)
        rmSync(to, { recursive: true })
      }
      reportSweep('file system with no space left, archive', full, 0)
      expect(full).toBeGreaterThan(10)
    } finally {
      fixture.remove()
    }
  })
})

/** The current generation of every file is what the file is. */
async function expectExact(folder: string, fixture: Fixture): Promise<void> {
  const to = join(fixture.folder, 'back')
  const report = await restoreFiles(new Archive(folder), { to })
  expect(report).toMatchObject({ failed: 0, different: 0 })
  const back = imagesBelow(to)
  const live = imagesBelow(fixture.home)
  expect([...back.keys()].sort()).toEqual([...live.keys()].sort())
  for (const [path, { bytes }] of live) expect(back.get(path)?.bytes.equals(bytes)).toBe(true)
  rmSync(to, { recursive: true })
}
