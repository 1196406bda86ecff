// Kills refreshes and rebuilds before every system call of ours and every statement that changes something, and from outside
// while threads read. The next refresh must succeed, and the index be what a new one would be. A deep run
// tries every statement, not a sample.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rebuildIndex, refreshIndex } from '../../src/index/refresh/refresh.ts'
import { type DumpRow, dump, prepareDump } from '../../src/index/store/dump.ts'
import { openToRead } from '../../src/index/store/open.ts'
import { Dice } from '../archive/fixture.ts'
import { isDeep, seedOr } from '../needs.ts'
import { reportSweep } from '../sweep.ts'
import { indexCases, PreparedIndex } from './fault-fixtures.ts'
import { differencesToNew, leftovers, proveIndex, withIndexFixture } from './index-fixture.ts'
import { buildIndexDriver, runIndexDriver } from './run-driver.ts'
import { talkBytes } from './talk.ts'

/** Children at a time; each lane has a fixture of its own. */
const lanes = 3
/** Points of each case where not all are tried. */
const sampleSize = 4
/** A rebuild after one point in this many must leave nothing behind. */
const rebuildStep = 6

let root: string
let driver: string
let points = 0

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'clew-index-kill-')))
  driver = await buildIndexDriver(root)
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

/** All calls and borders of transactions, and of other statements as many as there is time for. */
function chosen(steps: readonly string[]): number[] {
  const all = steps.map((_, index) => index + 1)
  if (isDeep) return all
  const isBorder = (at: number) =>
    /^(ops|BEGIN|COMMIT|PRAGMA wal_checkpoint|DELETE FROM meta)/.test(steps[at - 1] ?? '')
  const [borders, others] = [all.filter(isBorder), all.filter(at => !isBorder(at))]
  const spread = (list: number[], count: number) =>
    list.filter(
      (_, index) => Math.floor((index * count) / list.length) !== Math.floor(((index - 1) * count) / list.length),
    )
  const most = Math.min(borders.length, Math.ceil(sampleSize * 0.8))
  return [...spread(borders, most), ...spread(others, Math.min(others.length, sampleSize - most))].sort((a, b) => a - b)
}

function contentOf(home: string): DumpRow[] {
  const db = openToRead(home)
  if (db === null) return []
  try {
    prepareDump(db)
    return [...dump(db)]
  } finally {
    db.close()
  }
}

async function tryPoint(prepared: PreparedIndex, at: number, name: string | undefined): Promise<void> {
  prepared.reset()
  const { fixture, options, task } = prepared
  const before = task.kind === 'rebuild' ? contentOf(fixture.home) : []
  const ended = await runIndexDriver(driver, task, { kill: { at } })
  // There may be a file less to remove than when steps were counted: SQLite keeps some next to its own, and removes them in its time.
  const isOneLess = name === 'ops unlink' && ended.failed === undefined
  if (ended.isKilled) points++
  else if (!isOneLess) throw new Error(`it was not killed: ${ended.complaint} ${JSON.stringify(ended.failed)}`)
  if (task.kind === 'rebuild') expect(contentOf(fixture.home)).toEqual(before)
  prepared.ageLocks()
  await refreshIndex(options)
  if (at % 2 === 0) await proveIndex(options)
  else expect(await differencesToNew(options)).toEqual([])
  if (at % rebuildStep !== 0) return
  await rebuildIndex(options)
  expect(leftovers(fixture.home)).toEqual([])
}

async function tryAll(places: readonly PreparedIndex[], all: readonly number[], names: readonly string[]) {
  const failures: string[] = []
  let next = 0
  const work = async (prepared: PreparedIndex) => {
    for (let at = all[next++]; at !== undefined; at = all[next++]) {
      try {
        await tryPoint(prepared, at, names[at - 1])
      } catch (error) {
        failures.push(`before step ${at} (${names[at - 1]}): ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  }
  await Promise.all(places.map(work))
  return failures
}

describe('killed at any point, the next refresh gives what a new index would be:', () => {
  for (const indexCase of indexCases) {
    test(indexCase.name, { timeout: isDeep ? 3_600_000 : 120_000 }, async () => {
      const places: PreparedIndex[] = []
      try {
        for (let lane = 0; lane < lanes; lane++) places.push(await PreparedIndex.make(indexCase))
        const [first] = places
        if (first === undefined) throw new Error('no lane')
        first.reset()
        const { steps, failed } = await runIndexDriver(driver, { ...first.task, isCounting: true })
        expect(failed).toBeUndefined()
        const before = points
        const failures = await tryAll(places, chosen(steps), steps)
        reportSweep('kill of the index: refresh, rebuild', points - before, failures.length)
        expect(failures).toEqual([])
      } finally {
        for (const place of places) place.remove()
      }
    })
  }

  test('while threads read, from outside and again and again', { timeout: 180_000, tags: 'deep' }, async () => {
    const kills = isDeep ? 40 : 1
    const before = points
    const dice = new Dice(seedOr(1))
    await withIndexFixture(async fixture => {
      for (let n = 1; n <= 4; n++) {
        const session = `${n}${n}${n}${n}${n}${n}${n}${n}-1111-4111-8111-111111111111`
        fixture.one.write(`projects/-p/${session}.jsonl`, talkBytes({ session, seed: n, turns: 3000, long: 500_000 }))
      }
      const { ops: _ops, ...options } = fixture.options()
      for (let n = 0; n < kills; n++) {
        const kind = n % 3 === 2 ? 'rebuild' : 'refresh'
        const ms = 250 + dice.below(1200)
        const ended = await runIndexDriver(
          driver,
          { kind, options },
          { onStart: child => void setTimeout(() => child.kill('SIGKILL'), ms) },
        )
        if (ended.isKilled) points++
        else expect(ended).toMatchObject({ done: [{ isStopped: false }], complaint: '' })
      }
      const last = await runIndexDriver(driver, { kind: 'refresh', options: { ...options, waitMs: 8000 } })
      expect(last).toMatchObject({ signal: null, done: [{ isStopped: false }], complaint: '' })
      await proveIndex(fixture.options())
      await rebuildIndex(fixture.options())
      expect(leftovers(fixture.home)).toEqual([])
      reportSweep('kill of the index: refresh, rebuild', points - before, 0)
    })
  })

  test('at many points', () => {
    expect(points).toBeGreaterThanOrEqual(isDeep ? 300 : 20)
  })
})
