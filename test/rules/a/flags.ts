// Fixtures of the rules about optional marks.

import type { Fixture } from '../fixture.ts'
import { clientLine, s0Line, userLine } from '../lines.ts'

const flag = (code: string, key: string): Fixture => ({
  code,
  follows: [userLine(1, 'hello'), userLine(2, 'x', { [key]: true }), userLine(3, 'x', { [key]: false })],
  breaks: [userLine(1, 'hello', { [key]: 'yes' })],
})

export const fixtures: Fixture[] = [
  flag('flag-is-meta', 'isMeta'),
  flag('flag-is-error', 'isError'),
  flag('flag-is-deleted', 'isDeleted'),
  flag('flag-is-aborted', 'isAborted'),
  flag('flag-is-active', 'is_active'),
  {
    code: 'flag-is-active',
    follows: [
      s0Line(1, 'human', 'hello'),
      s0Line(2, 'assistant', 'one', { is_active: false }),
      s0Line(3, 'assistant', 'two', { parentUuid: 'msg_1', is_active: true }),
      s0Line(4, 'human', 'look', { parentUuid: 'msg_1', is_active: true, isSidechain: true }),
    ],
    breaks: [
      s0Line(1, 'human', 'hello'),
      s0Line(2, 'assistant', 'one', { is_active: true }),
      s0Line(3, 'assistant', 'two', { parentUuid: 'msg_1', is_active: true }),
    ],
  },
  {
    code: 'flag-subtype',
    follows: [clientLine(1, 'system', { subtype: 'turn_duration' }), userLine(2, 'x')],
    breaks: [clientLine(1, 'system', { subtype: 9 })],
  },
  {
    code: 'flag-compact-summary',
    follows: [userLine(1, 'hello'), userLine(2, 'x', { isCompactSummary: true })],
    breaks: [userLine(1, 'hello', { isCompactSummary: false })],
  },
  {
    code: 'flag-transcript-only',
    follows: [userLine(1, 'x', { isCompactSummary: true, isVisibleInTranscriptOnly: true }), userLine(2, 'x')],
    breaks: [userLine(1, 'x', { isCompactSummary: true })],
  },
  {
    code: 'flag-compact-metadata',
    follows: [clientLine(1, 'system', { compactMetadata: { trigger: 'auto' } }), userLine(2, 'x')],
    breaks: [clientLine(1, 'system', { compactMetadata: 'auto' })],
  },
]
