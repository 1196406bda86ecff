// What a machine may do to an index: calls that fail, disks that are full, broken or read-only, files that are damaged, of a
// newer form, or held by somebody else. Nothing that was archived is lost, and the next refresh or a rebuild makes all good.

import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FileError } from '../../src/files/error.ts'
import { acquireLock } from '../../src/files/lock.ts'
import type { WriteOps } from '../../src/files/ops.ts'
import { rebuildIndex, refreshIndex } from '../../src/index/refresh/refresh.ts'
import { parseQuery } from '../../src/index/search/query.ts'
import { search } from '../../src/index/search/search.ts'
import { noteClosed } from '../../src/index/store/closed.ts'
import { type DumpRow, dump, prepareDump } from '../../src/index/store/dump.ts'
import { currentPath, indexFolder, isCorrupt, openToRead, UnusableIndexError } from '../../src/index/store/open.ts'
import { Database, isSqliteError } from '../../src/index/store/port.ts'
import { NewerIndexError } from '../../src/index/store/schema.ts'
import { openSource } from '../../src/index/store/source.ts'
import { orphanLocks } from '../archive/faults.ts'
import { Dice, quickOps } from '../archive/fixture.ts'
import { harmless, watchedOps } from '../archive/operate.ts'
import { isDeep, sample, seedOr } from '../needs.ts'
import { reportSweep } from '../sweep.ts'
import { change, fill, type IndexCase, indexCases, PreparedIndex } from './fault-fixtures.ts'
import { IndexFixture, leftovers, mergeLog, proveIndex } from './index-fixture.ts'

let fixture: IndexFixture

beforeEach(() => {
  fixture = new IndexFixture()
})

afterEach(() => fixture.remove())

function isClear(error: unknown): boolean {
  if (error instanceof FileError || error instanceof UnusableIndexError) return true
  return error instanceof NewerIndexError || isSqliteError(error)
}

function contentOf(db: Database): DumpRow[] {
  prepareDump(db)
  return [...dump(db)]
}

/** The call of this number fails; `isLasting`: all after it, too. */
function failingOps(at: number, code: string, isLasting: boolean): WriteOps {
  let count = 0
  return watchedOps(quickOps, {
    before(call) {
      if (harmless.has(call)) return
      count++
      if (isLasting ? count < at : count !== at) return
      throw Object.assign(new Error(`${code}: ${call}`), { code, syscall: call })
    },
  })
}

async function callsOf(prepared: PreparedIndex): Promise<number> {
  let count = 0
  const ops = watchedOps(quickOps, { before: call => void (harmless.has(call) || count++) })
  prepared.reset()
  await work(prepared, ops)
  return count
}

async function work({ indexCase, options }: PreparedIndex, ops: WriteOps): Promise<void> {
  const report = await (indexCase.kind === 'rebuild' ? rebuildIndex : refreshIndex)({ ...options, ops })
  if (report.archived?.failure !== undefined) throw report.archived.failure
}

async function tryFailure(prepared: PreparedIndex, at: number): Promise<void> {
  prepared.reset()
  const code = ['EIO', 'ENOSPC', 'EROFS'][at % 3] ?? 'EIO'
  try {
    await work(prepared, failingOps(at, code, at % 4 === 0))
  } catch (error) {
    if (!isClear(error)) throw error
  }
  for (const folder of ['index', 'archive']) orphanLocks(join(prepared.fixture.home, folder))
  await refreshIndex(prepared.options)
  await proveIndex(prepared.options)
}

describe('whatever call fails, the error is clear and the next refresh gives what a new index would be:', () => {
  const chosen: IndexCase[] = [indexCases[1], indexCases[4]].filter(each => each !== undefined)
  for (const indexCase of chosen) {
    test(indexCase.name, { timeout: isDeep ? 3_600_000 : 120_000 }, async () => {
      const prepared = await PreparedIndex.make(indexCase)
      try {
        const failures: string[] = []
        const calls = Array.from({ length: await callsOf(prepared) }, (_, at) => at + 1)
        const all = sample(calls, 12)
        for (const at of all) {
          await tryFailure(prepared, at).catch(error => failures.push(`call ${at}: ${String(error)}`))
        }
        reportSweep('failing or full disk in the index, every call', all.length, failures.length)
        expect(failures).toEqual([])
      } finally {
        prepared.remove()
      }
    })
  }
})

describe('an index that somebody else has', () => {
  test('is not written, and can be read', async () => {
    fill(fixture)
    await fixture.refresh()
    const lock = await acquireLock(quickOps, indexFolder(fixture.home), { what: 'index', waitMs: 0 })
    change(fixture)
    await expect(fixture.refresh()).rejects.toMatchObject({ name: 'FileError', code: 'locked' })
    const db = openToRead(fixture.home)
    expect(db?.prepare('SELECT count(*) FROM session').get()?.[0]).toBeGreaterThan(3)
    db?.close()
    lock.release()
    await fixture.refresh()
    await proveIndex(fixture.options())
  })

  test('keeps answering a reader as before when a new one takes its place', async () => {
    fill(fixture)
    await fixture.refresh()
    const reader = openToRead(fixture.home)
    if (reader === null) throw new Error('there is no index')
    const before = contentOf(reader)
    change(fixture)
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM event').get()
    await fixture.refresh()
    await rebuildIndex(fixture.options())
    expect(contentOf(reader)).toEqual(before)
    reader.close()
    await proveIndex(fixture.options())
    await rebuildIndex(fixture.options())
    expect(leftovers(fixture.home)).toEqual([])
  })
})

describe('an index of a newer form', () => {
  test('is refused in words and left as it is', async () => {
    fill(fixture)
    await fixture.refresh()
    const path = currentPath(fixture.home) ?? ''
    const db = new Database(path)
    db.exec('PRAGMA user_version = 29991231')
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    db.close()
    const bytes = readFileSync(path)
    change(fixture)
    await expect(fixture.refresh()).rejects.toThrow(/newer Clew/)
    expect(() => openToRead(fixture.home)).toThrow(/newer Clew/)
    expect(readFileSync(path).equals(bytes)).toBe(true)
    expect(currentPath(fixture.home)).toBe(path)
    // Who asks for a new one gets it.
    await rebuildIndex(fixture.options())
    await proveIndex(fixture.options())
  })
})

/** Ways to spoil a database file; each gets the file and numbers that look random. */
const spoilers: Readonly<Record<string, (path: string, dice: Dice) => void>> = {
  'a few flipped bytes': (path, dice) => {
    const bytes = readFileSync(path)
    for (let n = 0; n < 1 + dice.below(20); n++) {
      const at = dice.below(bytes.length)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << dice.below(8))
    }
    writeFileSync(path, bytes)
  },
  'a flipped byte in its head': (path, dice) => {
    const bytes = readFileSync(path)
    const at = dice.below(100)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << dice.below(8))
    writeFileSync(path, bytes)
  },
  'a page of zeros': (path, dice) => {
    const bytes = readFileSync(path)
    const at = dice.below(Math.floor(bytes.length / 4096)) * 4096
    writeFileSync(path, bytes.fill(0, at, at + 4096))
  },
  'a page of another place': (path, dice) => {
    const bytes = readFileSync(path)
    const pages = Math.floor(bytes.length / 8192)
    const [from, to] = [dice.below(pages) * 8192, dice.below(pages) * 8192]
    bytes.copyWithin(to, from, from + 8192)
    writeFileSync(path, bytes)
  },
  'its end missing': (path, dice) => truncateSync(path, dice.below(readFileSync(path).length)),
  'nothing in it': path => truncateSync(path, 0),
  'something else in it': path => writeFileSync(path, 'no database\n'.repeat(1000)),
  'its name naming nothing': path => writeFileSync(join(path, '..', 'current'), '0123456789ab.sqlite\n'),
  'its name being nonsense': path => writeFileSync(join(path, '..', 'current'), '../../etc/passwd\0'),
  'its file being gone': path => rmSync(path),
  'its tables gone': path => {
    const db = new Database(path)
    for (const table of ['session', 'event', 'meta']) db.exec(`DROP TABLE ${table}`)
    db.close()
  },
  'its form forgotten': path => {
    const db = new Database(path)
    db.exec('PRAGMA user_version = 0')
    db.close()
  },
  'nonsense in its cells': path => {
    const db = new Database(path)
    db.exec("UPDATE session SET files = '{', facts = 'x', fingerprint = ''")
    db.exec("INSERT OR REPLACE INTO meta VALUES ('untitled', '{')")
    db.close()
  },
  'rows that must not be there': path => {
    const db = new Database(path)
    db.exec('UPDATE file SET indexed = 0, covered = 0, events = 0, tail = 0, lines = 0')
    db.exec('DELETE FROM checkpoint')
    db.close()
  },
}

/** A search, and every row of every table: damage may show, but as such. */
function readAll(home: string): void {
  try {
    const db = openToRead(home)
    if (db === null) return
    try {
      const query = parseQuery('harbour OR lorem', { now: 0, timezone: 'UTC' })
      search(db, openSource(home), query, { limit: 20, isGrouped: true, now: 0 })
      contentOf(db)
    } finally {
      db.close()
    }
  } catch (error) {
    if (!isClear(error)) throw error
  }
}

describe('a damaged index', () => {
  const tries = isDeep ? 12 : 1
  const seed = seedOr(1)

  for (const [how, spoil] of Object.entries(spoilers)) {
    test(`with ${how} is rebuilt or reports what is wrong`, { timeout: 120_000 }, async () => {
      fill(fixture)
      await fixture.refresh()
      mergeLog(fixture.home)
      const folder = indexFolder(fixture.home)
      const names = readdirSync(folder).filter(name => !/-(wal|shm)$/.test(name))
      const saved = new Map(names.map(name => [name, readFileSync(join(folder, name))]))
      change(fixture)
      for (let n = 0; n < tries; n++) {
        for (const name of readdirSync(folder)) rmSync(join(folder, name))
        for (const [name, bytes] of saved) writeFileSync(join(folder, name), bytes)
        spoil(currentPath(fixture.home) ?? '', new Dice(seed * 1000 + n))
        readAll(fixture.home)
        const report = await fixture.refresh().catch(error => {
          if (!(error instanceof NewerIndexError)) throw error
          return undefined
        })
        if (report?.isRebuilt === true) await proveIndex(fixture.options())
        readAll(fixture.home)
        await rebuildIndex(fixture.options())
        await proveIndex(fixture.options())
        expect(leftovers(fixture.home)).toEqual([])
      }
    })
  }

  test('that makes no sense in the middle of a refresh is rebuilt', async () => {
    fill(fixture)
    await fixture.refresh()
    const path = currentPath(fixture.home) ?? ''
    const db = new Database(path)
    db.exec("UPDATE session SET files = '{', fingerprint = ''")
    db.close()
    noteClosed(path)
    expect(await fixture.refresh()).toMatchObject({ isUnchanged: true })
    change(fixture)
    expect(await fixture.refresh()).toMatchObject({ isRebuilt: true })
    await proveIndex(fixture.options())
  })
})

describe('what makes no sense', () => {
  test('is reported from what the machine says', () => {
    const error = (errcode: number) => Object.assign(new Error('x'), { errcode })
    expect([1, 11, 19, 26, 267].every(code => isCorrupt(error(code)))).toBe(true)
    expect([5, 8, 10, 13, 14, 522].some(code => isCorrupt(error(code)))).toBe(false)
    expect(existsSync(fixture.home)).toBe(false)
  })
})
