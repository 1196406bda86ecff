// Kills every operation before calls that change the disk, by a hook in those calls and, where the machine has it, by
// strace at the system calls themselves. What was acknowledged must be there afterwards, and the next attempt must succeed.
// A deep run kills before every call, in the middle of every write and at every system call; else a sample is enough.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isAside } from '../../src/files/durable.ts'
import { isDeep, sample } from '../needs.ts'
import { reportSweep, type Sweep } from '../sweep.ts'
import type { Fault } from './driver.ts'
import { type Course, courseOf, PreparedPlace, secret, triedCases } from './fault-cases.ts'
import {
  buildDriver,
  damageOf,
  type Ended,
  fingerprint,
  holdsText,
  isRoot,
  quickOps,
  runDriver,
  viewOf,
} from './faults.ts'
import { sessionC } from './fixture.ts'
import { type Operation, operate } from './operate.ts'

/** This many children at a time; each lane has a home and an archive of its own. */
const lanes = 3
/** Kills of each operation where not all are tried: before calls, in the middle of writes, at system calls. */
const sizes = { calls: 6, writes: 2, system: 1 }

const tracedCalls =
  'creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,unlink,unlinkat,rmdir,write,pwrite64,writev,pwritev,fsync,fdatasync,ftruncate,fchmod,fchmodat,chmod,utimensat,symlinkat'

let root: string
let driver: string
const points = { hook: 0, strace: 0 }

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'clew-kill-')))
  driver = await buildDriver(root)
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Where to die: a call of ours, or a system call. */
type Point = { fault: Fault } | { call: string; when: number }

function textOf(point: Point): string {
  if ('call' in point) return `before ${point.call} number ${point.when}`
  return `${point.fault.isTorn ? 'in' : 'before'} operation ${point.fault.at}`
}

function hookPoints({ calls }: Course): Point[] {
  const before = calls.map((_, index) => ({ fault: { at: index + 1 } }))
  const writes = sample(
    before.filter((_, index) => calls[index] === 'write'),
    sizes.writes,
  )
  return [...sample(before, sizes.calls), ...writes.map(({ fault }) => ({ fault: { ...fault, isTorn: true } }))]
}

let straceWorks: boolean | undefined

function hasStrace(): boolean {
  if (straceWorks !== undefined) return straceWorks
  try {
    straceWorks = isRoot && execFileSync('strace', ['-f', '-qq', '-e', 'trace=none', 'true']).length === 0
  } catch {
    straceWorks = false
  }
  return straceWorks
}

/** One for each system call of the main thread, which is where all changes are made. */
async function stracePoints(prepared: PreparedPlace): Promise<Point[]> {
  const log = join(prepared.place.folder, 'strace.log')
  prepared.reset()
  const ended = await runDriver(driver, prepared.operation, undefined, ['-e', `trace=${tracedCalls}`, '-o', log])
  if (!ended.isDone) throw new Error(`strace: ${ended.complaint}`)
  const lines = readFileSync(log, 'utf8').split('\n')
  const main = lines[0]?.split(' ')[0] ?? ''
  const counts = new Map<string, number>()
  const found: Point[] = []
  for (const line of lines) {
    const call = /^(\d+) +(\w+)\(/.exec(line)
    if (call?.[1] !== main || call[2] === undefined) continue
    const when = (counts.get(call[2]) ?? 0) + 1
    counts.set(call[2], when)
    found.push({ call: call[2], when })
  }
  return sample(found, sizes.system)
}

function kill(prepared: PreparedPlace, point: Point): Promise<Ended> {
  if ('fault' in point) return runDriver(driver, prepared.operation, point.fault)
  const { call, when } = point
  const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:signal=KILL:when=${when}`, '-o', '/dev/null']
  return runDriver(driver, prepared.operation, undefined, inject)
}

/** Throws unless what the kill left is as good as it must be. */
async function tryPoint(prepared: PreparedPlace, course: Course, point: Point): Promise<void> {
  prepared.reset()
  const { place, operation, faultCase } = prepared
  const before = faultCase.refill === undefined ? fingerprint(place.home) : ''
  const ended = await kill(prepared, point)
  // Node wakes its own threads by writes, now more, now fewer: a system call of a high number may not come.
  if (!ended.isKilled && 'call' in point && ended.isDone) return
  if (!ended.isKilled) throw new Error(`it was not killed: ${ended.complaint}`)
  points['fault' in point ? 'hook' : 'strace']++

  const found = JSON.stringify(await viewOf(place.archiveFolder))
  const reached = course.views.findLastIndex(view => JSON.stringify(view) === found)
  if (reached < ended.commits) throw new Error(`${ended.commits} commits, but what is archived is that of ${reached}`)
  expect(await damageOf(place.archiveFolder)).toEqual([])
  if (faultCase.refill !== undefined) checkTargets(prepared, course, ended.files)

  const isUnwritten = prepared.ageLocks()
  await operate(operation, quickOps)
  expect(await damageOf(place.archiveFolder), `after another attempt${isUnwritten ? ' (unwritten lock)' : ''}`).toEqual(
    [],
  )
  expect(await viewOf(place.archiveFolder)).toEqual(course.views.at(-1))
  if (faultCase.refill !== undefined) expect(wholeFiles(prepared.targets())).toEqual(course.files.at(-1))
  else if (fingerprint(place.home) !== before) throw new Error('the home was changed')
  faultCase.check?.(place)
  if (operation.session === sessionC) expect(holdsText(place.archiveFolder, secret)).toBe(false)
}

/** Every file is as it was or as it should be, and those that were dealt with are as they should be. */
function checkTargets(prepared: PreparedPlace, course: Course, dealtWith: number): void {
  const [first = new Map<string, Buffer>()] = course.files
  const sure = course.files[dealtWith] ?? first
  const last = course.files.at(-1) ?? first
  const now = writtenFiles(prepared.targets())
  for (const [path, bytes] of now) {
    const isOld = first.get(path)?.equals(bytes) === true
    const isNew = last.get(path)?.equals(bytes) === true
    if (!isOld && !isNew) throw new Error(`${path} has a content that nobody wrote`)
  }
  for (const [path, bytes] of sure) {
    const isReached = now.get(path)?.equals(bytes) === true || last.get(path)?.equals(now.get(path) ?? bytes) === true
    if (!isReached || !now.has(path)) throw new Error(`${path} was acknowledged and is not there`)
  }
}

/** Without those that were being written; a second name of a whole file may stay. */
function wholeFiles(files: ReadonlyMap<string, Buffer>): Map<string, Buffer> {
  return new Map([...files].filter(([path]) => !basename(path).startsWith('clew-restore.tmp-')))
}

/** Without any that is being written. */
function writtenFiles(files: ReadonlyMap<string, Buffer>): Map<string, Buffer> {
  return new Map([...files].filter(([path]) => !isAside(path)))
}

async function tryAll(places: readonly PreparedPlace[], course: Course, all: readonly Point[]): Promise<string[]> {
  const failures: string[] = []
  let next = 0
  const work = async (prepared: PreparedPlace) => {
    for (let point = all[next++]; point !== undefined; point = all[next++]) {
      try {
        await tryPoint(prepared, course, point)
      } catch (error) {
        failures.push(`${textOf(point)}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  }
  await Promise.all(places.map(work))
  return failures
}

function sweepOf(kind: Operation['kind']): Sweep {
  if (kind === 'forget') return 'kill of `clew forget`'
  return kind === 'repair' ? 'kill of `clew repair --in-place`' : 'kill of the archive: run, restore, prune'
}

describe('killed at any point, nothing acknowledged is lost and the next attempt succeeds:', () => {
  for (const [index, faultCase] of triedCases.entries()) {
    test(faultCase.name, { timeout: isDeep ? 3_600_000 : 120_000 }, async () => {
      const places: PreparedPlace[] = []
      for (let lane = 0; lane < lanes; lane++) {
        places.push(await PreparedPlace.make(join(root, `case-${index}-${lane}`), faultCase))
      }
      const [first] = places
      if (first === undefined) throw new Error('no lane')
      const course = await courseOf(first)
      const all = hookPoints(course)
      if (hasStrace()) all.push(...(await stracePoints(first)))
      const before = points.hook + points.strace
      const failures = await tryAll(places, course, all)
      reportSweep(sweepOf(first.operation.kind), points.hook + points.strace - before, failures.length)
      expect(failures).toEqual([])
    })
  }

  test('at many points', () => {
    expect(points.hook + points.strace).toBeGreaterThanOrEqual(isDeep ? 300 : 60)
  })
})
