// Disks that are really full, broken and read-only: a small file system in memory, and system calls of a child process that
// are made to fail.

import { execFileSync } from 'node:child_process'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { currentPath } from '../../src/index/store/open.ts'
import { orphanLocks } from '../archive/faults.ts'
import { sessionA } from '../archive/fixture.ts'
import { isDeep, sample } from '../needs.ts'
import { reportSweep } from '../sweep.ts'
import { change, fill } from './fault-fixtures.ts'
import type { IndexTask } from './index-driver.ts'
import { IndexFixture, proveIndex } from './index-fixture.ts'
import { buildIndexDriver, type Ended, runIndexDriver } from './run-driver.ts'
import { talkBytes } from './talk.ts'

const KiB = 1024
const longest = isDeep ? 3_600_000 : 180_000
let root: string
let driver: string
let mounted: string | null = null
let fixture: IndexFixture | undefined

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'clew-disks-')))
  driver = await buildIndexDriver(join(root, 'driver'))
})

afterEach(() => {
  fixture?.remove()
  fixture = undefined
  unmount()
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

/** What this process had open counts as closed only when its memory is cleared up, and takes space until then. */
function unmount(): void {
  if (mounted !== null) execFileSync('umount', ['-l', mounted])
  mounted = null
}

function mountSmall(): string {
  if (mounted !== null) return mounted
  const folder = mkdtempSync(join(root, 'small-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,nr_inodes=2000', 'tmpfs', folder], { stdio: 'pipe' })
  mounted = folder
  return folder
}

/** A fixture whose Clew is on a small disk of its own. */
function smallFixture(): IndexFixture {
  unmount()
  const mounted = mountSmall()
  fixture = new IndexFixture(join(mounted, 'clew'))
  fill(fixture)
  return fixture
}

/** Fills the small disk but for this many bytes; frees the space when called. */
function fillBut(free: number): () => void {
  const path = join(mounted ?? '', 'ballast')
  const file = openSync(path, 'w')
  const { bavail, bsize } = statfsSync(mounted ?? '')
  const block = Buffer.alloc(4 * KiB)
  for (let left = bavail * bsize - free; left >= block.length; left -= block.length) writeSync(file, block)
  closeSync(file)
  return () => rmSync(path)
}

function taskOf({ home, roots }: IndexFixture, kind: IndexTask['kind'] = 'refresh'): IndexTask {
  return { kind, options: { home, roots, isScoped: false, archiveRoots: roots } }
}

/** It ended by itself, well or with a word about what went wrong. */
function expectClear(ended: Ended, when: string): void {
  expect(ended.signal, when).toBeNull()
  expect(ended.failed?.isClear ?? true, `${when}: ${ended.failed?.message} ${ended.complaint}`).toBe(true)
  expect(ended.done.length + Number(ended.failed !== undefined), `${when}: ${ended.complaint}`).toBe(1)
}

async function expectGood(place: IndexFixture): Promise<void> {
  for (const folder of ['index', 'archive']) orphanLocks(join(place.home, folder))
  const ended = await runIndexDriver(driver, taskOf(place))
  expect(ended.failed).toBeUndefined()
  await proveIndex(place.options())
}

describe('a disk that is full', { tags: 'mount' }, () => {
  const sizes = sample([0, 4, 12, 24, 40, 64, 100, 180, 300, 600, 1200], 3).map(size => size * KiB)

  test('stops a first refresh with a clear word, and the next one gives all', { timeout: longest }, async () => {
    let failures = 0
    for (const free of sizes) {
      const place = smallFixture()
      const giveBack = fillBut(free)
      const ended = await runIndexDriver(driver, taskOf(place))
      giveBack()
      expectClear(ended, `${free} bytes free`)
      failures += Number(ended.failed !== undefined)
      await expectGood(place)
      place.remove()
    }
    reportSweep('file system with no space left, index', sizes.length, 0)
    expect(failures).toBeGreaterThan(1)
  })

  test('stops a further refresh and a rebuild likewise, and the index can be read', { timeout: longest }, async () => {
    for (const [index, free] of sizes.entries()) {
      const place = smallFixture()
      await runIndexDriver(driver, taskOf(place))
      change(place)
      const giveBack = fillBut(free)
      const kind = index % 2 === 0 ? 'refresh' : 'rebuild'
      expectClear(await runIndexDriver(driver, taskOf(place, kind)), `${kind}, ${free} bytes free`)
      giveBack()
      await expectGood(place)
      place.remove()
    }
    reportSweep('file system with no space left, index', sizes.length, 0)
  })

  test('that is read-only is reported, and nothing is changed', { timeout: 60_000 }, async () => {
    const place = smallFixture()
    await runIndexDriver(driver, taskOf(place))
    change(place)
    execFileSync('mount', ['-o', 'remount,ro', mountSmall()])
    const ended = await runIndexDriver(driver, taskOf(place))
    execFileSync('mount', ['-o', 'remount,rw', mountSmall()])
    expectClear(ended, 'read-only')
    expect(ended.failed?.message).toMatch(/read-?only/)
    await expectGood(place)
  })
})

describe('a disk that is broken', { tags: 'strace' }, () => {
  const faults = [
    ...[
      'pwrite64:error=EIO:when=1+',
      'pwrite64:error=EIO:when=3',
      'pwrite64:error=EIO:when=40',
      'pwrite64:error=EIO:when=90+',
    ],
    ...['pwrite64:error=ENOSPC:when=25+', 'fdatasync:error=EIO:when=1+', 'fdatasync:error=EIO:when=2'],
    ...[
      'fsync:error=EIO:when=1+',
      'fsync:error=EIO:when=4',
      'ftruncate:error=EIO:when=1+',
      'pread64:error=EIO:when=20+',
    ],
  ]

  test('stops a refresh with a clear word, and the next one gives all', { timeout: longest }, async () => {
    for (const [index, fault] of sample(faults, 6).entries()) {
      const place = new IndexFixture()
      try {
        fill(place)
        if (index % 2 === 1) {
          await runIndexDriver(driver, taskOf(place))
          change(place)
        }
        const [call = ''] = fault.split(':')
        const strace = ['-e', `trace=${call}`, '-e', `inject=${fault}`, '-o', '/dev/null']
        expectClear(
          await runIndexDriver(driver, taskOf(place, index % 3 === 2 ? 'rebuild' : 'refresh'), { strace }),
          fault,
        )
        await expectGood(place)
      } finally {
        place.remove()
      }
    }
  })
})

describe('an index whose log of changes was deleted', () => {
  test('continues from what it had before', { timeout: 60_000 }, async () => {
    fixture = new IndexFixture()
    fill(fixture)
    await runIndexDriver(driver, taskOf(fixture))
    const path = currentPath(fixture.home) ?? ''
    const before = readFileSync(path)
    change(fixture)
    fixture.one.append(
      `projects/-home-mira-boat/${sessionA}.jsonl`,
      talkBytes({ session: sessionA, seed: 30, turns: 3 }),
    )
    await runIndexDriver(driver, taskOf(fixture))
    writeFileSync(path, before)
    for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true })
    await expectGood(fixture)
  })
})
