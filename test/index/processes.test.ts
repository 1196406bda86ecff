// Several processes at one index at once: some refresh it, one rebuilds it, others read, while logs only grow. Readers never
// see half of a change, nor less than before.

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Dice, sessionA, sessionB } from '../archive/fixture.ts'
import { isDeep } from '../needs.ts'
import { reportSweep } from '../sweep.ts'
import { fill } from './fault-fixtures.ts'
import type { IndexTask } from './index-driver.ts'
import { type IndexFixture, leftovers, proveIndex, withIndexFixture } from './index-fixture.ts'
import { buildIndexDriver, runIndexDriver } from './run-driver.ts'
import { talkBytes } from './talk.ts'

const workMs = isDeep ? 60_000 : 2000
/** All of them at the one index and archive. */
const kinds: IndexTask['kind'][] = isDeep
  ? ['refresh', 'refresh', 'refresh', 'rebuild', 'rebuild', 'read', 'read', 'read']
  : ['refresh', 'refresh', 'rebuild', 'read', 'read']
const logs = [
  `projects/-home-mira-boat/${sessionA}.jsonl`,
  `projects/-home-mira-boat/${sessionB}.jsonl`,
  'history.jsonl',
]

let root: string
let driver: string

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'clew-processes-')))
  driver = await buildIndexDriver(root)
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Appends pieces that end anywhere, and new files now and then. */
async function grow(fixture: IndexFixture, ms: number): Promise<void> {
  const dice = new Dice(9)
  const end = Date.now() + ms
  for (let seed = 100; Date.now() < end; seed++) {
    const path =
      dice.below(8) === 0 ? `projects/-home-mira-boat/log-${seed}.jsonl` : (logs[dice.below(logs.length)] ?? '')
    const session = path.includes(sessionB) ? sessionB : path.includes(sessionA) ? sessionA : `session-${seed}`
    const bytes = talkBytes({ session, seed, turns: 1 + dice.below(4) })
    const cut = dice.below(bytes.length)
    // A log that turns out to be of another session with the same id is read again: then readers see less for a moment.
    const isOfOne = path.includes(sessionB)
    const home = dice.below(4) === 0 && !isOfOne ? fixture.two : fixture.one
    // The flag of an append makes the file where there is none.
    mkdirSync(dirname(home.at(path)), { recursive: true })
    home.append(path, bytes.subarray(0, cut))
    await pause(dice.below(25))
    home.append(path, bytes.subarray(cut))
    await pause(dice.below(40))
  }
}

describe('several processes at once', () => {
  test('write one after the other, and readers always see a whole', { timeout: 300_000 }, async () => {
    await withIndexFixture(async fixture => {
      fill(fixture)
      const { home, roots } = fixture
      await fixture.refresh()
      const options = { home, roots, isScoped: false, archiveRoots: roots, waitMs: 60_000 }
      const [ends] = await Promise.all([
        Promise.all(kinds.map(kind => runIndexDriver(driver, { kind, options, forMs: workMs }))),
        grow(fixture, workMs),
      ])
      const complaints = ends.map(({ failed, complaint }) => failed?.message ?? complaint)
      // Of many writers on a slow machine, one may wait longer for the archive than it waits: it says so.
      const isLate = (text: string) => isDeep && /^FileError: The archive is locked by process \d+ /.test(text)
      expect(complaints.filter(text => text !== '' && !isLate(text))).toEqual([])
      const readers = ends.filter((_, at) => kinds[at] === 'read')
      for (const { seen } of readers) {
        expect(seen?.problems).toEqual([])
        expect(seen?.looks).toBeGreaterThan(3)
        expect(seen?.changes).toBeGreaterThan(1)
      }
      await fixture.refresh()
      await proveIndex(fixture.options())
      expect(leftovers(home)).toEqual([])
      const works = ends.map(({ done, seen }) => done.length + (seen?.looks ?? 0))
      if (isDeep)
        reportSweep(
          '8 processes at one index and archive',
          works.reduce((sum, count) => sum + count),
          0,
        )
    })
  })
})
