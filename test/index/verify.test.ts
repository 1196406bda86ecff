// `index verify` compares two indexes of one moment: what logs get meanwhile is in neither of them.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { noteClosed } from '../../src/index/store/closed.ts'
import { currentPath } from '../../src/index/store/open.ts'
import { Database } from '../../src/index/store/port.ts'
import { verifyIndex } from '../../src/index/store/verify.ts'
import { sessionA, sessionB } from '../archive/fixture.ts'
import { IndexFixture } from './index-fixture.ts'
import { talkBytes } from './talk.ts'

let fixture: IndexFixture

beforeEach(() => {
  fixture = new IndexFixture()
  fixture.one.write(`projects/-a/${sessionA}.jsonl`, talkBytes({ session: sessionA, seed: 1, turns: 20 }))
  fixture.one.write(`projects/-b/${sessionB}.jsonl`, talkBytes({ session: sessionB, seed: 2, turns: 20 }))
})

afterEach(() => fixture.remove())

for (const mode of ['auto', 'off'] as const) {
  for (const pieces of ['whole lines', 'parts of lines'] as const) {
    test(`no false alarm while logs grow by ${pieces}, archive ${mode}`, async () => {
      await fixture.refresh(fixture.options(mode))
      const text = talkBytes({ session: sessionA, seed: 3, turns: 200 })
      let at = 0
      let steps = 0
      const grow = () => {
        if (steps++ % 3 > 0) return
        const end = pieces === 'whole lines' ? text.indexOf(10, at) + 1 : at + 97
        if (end <= at || end > text.length) return
        fixture.one.append(`projects/-a/${sessionA}.jsonl`, text.subarray(at, end))
        fixture.one.append('history.jsonl', '{"display":"and more","timestamp":1772323200000,"project":"/a"}\n')
        at = end
      }
      for (let round = 0; round < 3; round++) {
        const before = at
        const verdict = await verifyIndex({ ...fixture.options(mode), onStep: grow })
        expect(at).toBeGreaterThan(before)
        expect(verdict).toMatchObject({ equal: true, differences: [] })
      }
    })
  }
}

test('a row that is wrong is found while logs grow', async () => {
  await fixture.refresh(fixture.options('off'))
  const path = currentPath(fixture.home) ?? ''
  const db = new Database(path)
  db.exec('UPDATE event SET line = line + 1 WHERE id = (SELECT max(id) FROM event)')
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  noteClosed(path)
  const onStep = () => fixture.one.append(`projects/-a/${sessionA}.jsonl`, '\n')
  const verdict = await verifyIndex({ ...fixture.options('off'), onStep })
  expect(verdict?.differences.map(({ table }) => table)).toContain('event')
})
