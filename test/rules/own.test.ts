// Each specification against itself: a file written as one of them says is fine by it.

import { expect, test } from 'vitest'
import { runCase } from './fixture.ts'
import { ownSessions } from './own.ts'

test.each(['s0', 's1', 's2', 's3', 's4'] as const)(
  'a session written throughout as %s says has nothing to report above info in its own profile',
  async profile => {
    const { findings, counts } = await runCase(ownSessions[profile], profile)
    expect(findings.filter(({ severity }) => severity !== 'info')).toEqual([])
    expect(counts).toMatchObject({ unknown: 0, malformed: 0, torn: 0 })
  },
)
