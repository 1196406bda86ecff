// Lets every call that changes the disk fail, one at a time and from there on, with the errors of a disk that is broken or
// used up; and, where the machine can, reads of live files too. Nothing that was acknowledged may be lost by it.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Archive } from '../../src/archive/store/archive.ts'
import { isAside } from '../../src/files/durable.ts'
import { FileError } from '../../src/files/error.ts'
import { realOps, type WriteOps } from '../../src/files/ops.ts'
import { WriteError } from '../../src/write/wire/error.ts'
import { isDeep, sample } from '../needs.ts'
import { reportSweep } from '../sweep.ts'
import { type Course, courseOf, PreparedPlace, secret, triedCases } from './fault-cases.ts'
import { buildDriver, damageOf, fingerprint, holdsText, quickOps, runDriver, viewOf } from './faults.ts'
import { archivedPaths, Fixture, logBytes, sessionC } from './fixture.ts'
import { harmless, type Operation, operate, watchedOps } from './operate.ts'

let root: string

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'clew-io-')))
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

interface Failing {
  at: number
  code: string
  /** Half of a write is done before it fails. */
  isTorn?: boolean
  /** All that come after it fail, too. */
  isLasting?: boolean
}

function failingOps(failing: Failing): WriteOps {
  let count = 0
  return watchedOps(quickOps, {
    before(call, target, { bytes }) {
      if (harmless.has(call)) return
      count++
      if (failing.isLasting === true ? count < failing.at : count !== failing.at) return
      if (failing.isTorn === true && bytes !== undefined) {
        realOps.write(Number(target), bytes.subarray(0, Math.floor(bytes.length / 2)))
      }
      throw Object.assign(new Error(`${failing.code}: ${call}`), { code: failing.code, syscall: call })
    },
  })
}

/** Every call once, writes also half done and for want of space, and a sample of failures that last. */
function failuresOf({ calls }: Course): Failing[] {
  const all: Failing[] = []
  for (const [index, call] of calls.entries()) {
    const at = index + 1
    all.push({ at, code: 'EIO', ...(at % 2 === 0 && { isTorn: true }) })
    if (call === 'write')
      all.push({ at, code: at % 2 === 0 ? 'EDQUOT' : 'ENOSPC', ...(at % 2 === 1 && { isTorn: true }) })
    if (at % 5 === 0) all.push({ at, code: 'EIO', isLasting: true })
  }
  return all
}

const sentence = /^[^:].*(The disk reported an error|Your disk quota is used up|The disk is full)/

function checkError(error: unknown): void {
  // The lock of a log.
  if (error instanceof WriteError && error.message.startsWith('The session cannot be locked')) return
  if (!(error instanceof FileError)) throw new Error(`no clear error: ${String(error)}`)
  if (!sentence.test(` ${error.message}`)) throw new Error(`no clear sentence: ${error.message}`)
}

async function tryFailure(prepared: PreparedPlace, course: Course, failing: Failing): Promise<void> {
  prepared.reset()
  const { place, operation, faultCase } = prepared
  const before = faultCase.refill === undefined ? fingerprint(place.home) : ''
  let commits = 0
  try {
    await operate(operation, failingOps(failing), what => {
      if (what === 'commit') commits++
    })
  } catch (error) {
    checkError(error)
  }
  checkArchived(await viewOf(place.archiveFolder), course, commits, operation.kind === 'restore')
  expect(await damageOf(place.archiveFolder)).toEqual([])
  if (faultCase.refill !== undefined) checkTargets(prepared.targets(), course)

  prepared.orphanLocks()
  await operate(operation, quickOps)
  expect(await viewOf(place.archiveFolder), 'after another attempt').toEqual(course.views.at(-1))
  expect(await damageOf(place.archiveFolder), 'after another attempt').toEqual([])
  if (faultCase.refill !== undefined) expect(wholeFiles(prepared.targets())).toEqual(course.files.at(-1))
  else if (fingerprint(place.home) !== before) throw new Error('the home was changed')
  faultCase.check?.(place)
  if (operation.session === sessionC) expect(holdsText(place.archiveFolder, secret)).toBe(false)
}

/** What is archived is what it was after some commit; a restore continues with other files after one that failed. */
function checkArchived(view: readonly string[], { views }: Course, commits: number, isRestore: boolean): void {
  const found = JSON.stringify(view)
  const reached = views.findLastIndex(step => JSON.stringify(step) === found)
  const [first = []] = views
  const isPart = first.every(line => view.includes(line)) && view.every(line => views.at(-1)?.includes(line))
  if (isRestore && isPart && view.length >= first.length + commits) return
  if (reached < commits) throw new Error(`${commits} commits, but what is archived is that of ${reached}`)
}

/** Every file is as it was, or as it should be. */
function checkTargets(now: ReadonlyMap<string, Buffer>, course: Course): void {
  for (const [path, bytes] of writtenFiles(now)) {
    const isKnown = [course.files[0], course.files.at(-1)].some(files => files?.get(path)?.equals(bytes) === true)
    if (!isKnown) throw new Error(`${path} has a content that nobody wrote`)
  }
}

/** Without those that were being written: they stay where not even removing them works. */
function wholeFiles(files: ReadonlyMap<string, Buffer>): Map<string, Buffer> {
  return new Map([...files].filter(([path]) => !basename(path).startsWith('clew-restore.tmp-')))
}

/** Without any that is being written. */
function writtenFiles(files: ReadonlyMap<string, Buffer>): Map<string, Buffer> {
  return new Map([...files].filter(([path]) => !isAside(path)))
}

describe('whatever call fails, nothing acknowledged is lost and the next attempt succeeds:', () => {
  for (const [index, faultCase] of triedCases.entries()) {
    test(faultCase.name, { timeout: isDeep ? 3_600_000 : 600_000 }, async () => {
      const prepared = await PreparedPlace.make(join(root, `case-${index}`), faultCase)
      const course = await courseOf(prepared)
      const failures: string[] = []
      const all = sample(failuresOf(course), 8)
      for (const failing of all) {
        try {
          await tryFailure(prepared, course, failing)
        } catch (error) {
          const call = `${JSON.stringify(failing)} (${course.calls[failing.at - 1]})`
          failures.push(`${call}: ${error instanceof Error ? error.message : String(error)}`)
        }
      }
      const isRepair = prepared.operation.kind === 'repair'
      const sweep = `failing or full disk in ${isRepair ? 'a repair' : 'the archive'}, every call` as const
      reportSweep(sweep, all.length, failures.length)
      expect(failures).toEqual([])
    })
  }
})

describe('errors of the system itself', { tags: 'strace' }, () => {
  test('a live file that cannot be read is left out, and all others are kept', async () => {
    const driver = await buildDriver(root)
    const fixture = new Fixture()
    try {
      for (const name of ['good', 'bad', 'fine'])
        fixture.write(`projects/-p/${name}.jsonl`, logBytes(name.length, 3000))
      const bad = fixture.at('projects/-p/bad.jsonl')
      const operation: Operation = { kind: 'run', archive: fixture.archiveFolder, roots: [fixture.home] }
      const inject = ['-P', bad, '-e', 'trace=read,pread64', '-e', 'inject=read,pread64:error=EIO', '-o', '/dev/null']
      const ended = await runDriver(driver, operation, undefined, inject)
      expect(ended).toMatchObject({ isDone: true, complaint: '' })
      expect(ended.findings).toEqual([`unreadable-file ${bad}`])
      expect(archivedPaths(new Archive(fixture.archiveFolder))).toEqual([
        'projects/-p/fine.jsonl',
        'projects/-p/good.jsonl',
      ])
      expect(await damageOf(fixture.archiveFolder)).toEqual([])

      await operate(operation, quickOps)
      expect(archivedPaths(new Archive(fixture.archiveFolder))).toHaveLength(3)
    } finally {
      fixture.remove()
    }
  })

  test('calls that are interrupted are made again', async () => {
    const driver = await buildDriver(root)
    const fixture = new Fixture()
    try {
      for (const name of ['one', 'two']) fixture.write(`projects/-p/${name}.jsonl`, logBytes(name.length, 300_000))
      const operation: Operation = { kind: 'run', archive: fixture.archiveFolder, roots: [fixture.home] }
      const inject = ['-e', 'trace=write,fsync', '-e', 'inject=write,fsync:error=EINTR:when=2+2', '-o', '/dev/null']
      expect(await runDriver(driver, operation, undefined, inject)).toMatchObject({ isDone: true, complaint: '' })
      expect(await damageOf(fixture.archiveFolder)).toEqual([])
      expect(archivedPaths(new Archive(fixture.archiveFolder))).toHaveLength(2)
    } finally {
      fixture.remove()
    }
  })
})
