// A first index that somebody stops while it is made, after some or most of it: what is done stays done, and the next refresh
// continues to what a new one would be.

import { describe, expect, it } from 'vitest'
import { proveIndex, withIndexFixture } from './index-fixture.ts'
import { talkBytes } from './talk.ts'

/** More than what words are gathered for, in several logs. */
const logs = 5

describe('a first index that is stopped', () => {
  for (const after of [2, 5, 8, 11]) {
    it(`when ${after} batches are written`, { timeout: 120_000 }, async () => {
      await withIndexFixture(async fixture => {
        for (let n = 0; n < logs; n++) {
          const session = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
          fixture.one.write(
            `projects/-p/${session}.jsonl`,
            talkBytes({ session, seed: n, turns: 200, long: 3_000_000 }),
          )
        }
        let asked = 0
        const report = await fixture.refresh(fixture.options('auto', { isStopped: () => ++asked > after }))
        expect(report).toMatchObject({ isStopped: true, findings: [] })
        expect(await fixture.refresh()).toMatchObject({ isStopped: false, findings: [] })
        await proveIndex(fixture.options())
      })
    })
  }
})
