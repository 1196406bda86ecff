// Fixtures of the rules about the fields that every message repeats.

import type { Fixture } from '../fixture.ts'
import { answerLine, clientLine, s0Line, s3Line, text, userLine, without } from '../lines.ts'

const hello = userLine(1, 'hello')
const snapshot = { type: 'file-history-snapshot', messageId: 'x', snapshot: {}, isSnapshotUpdate: false }
const summary = { type: 'summary', summary: 'Cart', leafUuid: 'x' }
const queued = { type: 'queue-operation', operation: 'dequeue', timestamp: '2026-02-17T23:25:14.532Z', sessionId: 's' }

const identity: Fixture[] = [
  {
    code: 'envelope-on-every-line',
    follows: [hello, clientLine(2, 'file-history-snapshot', { uuid: null, timestamp: null })],
    breaks: [hello, without(answerLine(2, [text('hi')]), 'userType')],
  },
  { code: 'uuid-missing', follows: [hello], breaks: [without(hello, 'uuid')] },
  {
    code: 'uuid-missing',
    only: ['s1', 's2'],
    follows: [hello, snapshot],
    breaks: [userLine(1, 'hello', { uuid: null })],
  },
  {
    code: 'uuid-missing',
    follows: [hello, queued, snapshot],
    breaks: [hello, clientLine(2, 'progress', { uuid: 5 })],
    only: ['s2', 'real'],
  },
  { code: 'uuid-missing', only: ['s1', 's4'], follows: [summary, hello], breaks: [hello, queued] },
  { code: 'uuid-missing', only: ['s0', 's3', 's4'], follows: [hello], breaks: [hello, snapshot] },
  {
    code: 'uuid-missing',
    only: ['real'],
    follows: [hello, summary, { type: 'custom-title', customTitle: 'Cart', sessionId: 's' }],
    breaks: [without(clientLine(1, 'attachment', { attachment: { type: 'file' } }), 'uuid')],
  },
  {
    code: 'parent-missing-key',
    follows: [hello, answerLine(2, [text('hi')]), snapshot],
    breaks: [without(hello, 'parentUuid')],
  },
  { code: 'parent-wrong-type', follows: [hello, answerLine(2, [])], breaks: [userLine(1, 'hello', { parentUuid: 3 })] },
  {
    code: 'logical-parent-type',
    follows: [clientLine(1, 'system', { subtype: 'compact_boundary', logicalParentUuid: 'x' })],
    breaks: [clientLine(1, 'system', { subtype: 'compact_boundary', logicalParentUuid: 4 })],
  },
  {
    code: 'session-id-missing',
    follows: [summary, snapshot, hello],
    breaks: [without(hello, 'sessionId')],
  },
  {
    code: 'session-id-not-uuid',
    follows: [hello],
    breaks: [userLine(1, 'hello', { sessionId: 'session_123' })],
  },
]

const times: Fixture[] = [
  { code: 'timestamp-missing', follows: [hello], breaks: [without(hello, 'timestamp')] },
  {
    code: 'timestamp-missing',
    only: ['s1', 's2', 'real'],
    follows: [hello, snapshot],
    breaks: [hello, userLine(2, 'again', { timestamp: null })],
  },
  { code: 'timestamp-missing', only: ['s4'], follows: [summary, hello], breaks: [hello, snapshot] },
  { code: 'timestamp-missing', only: ['s0', 's3'], follows: [hello], breaks: [hello, summary] },
  { code: 'timestamp-not-ms-number', follows: [s0Line(1, 'human', 'hello')], breaks: [hello] },
  {
    code: 'timestamp-not-ms-number',
    follows: [s0Line(1, 'human', 'hello')],
    breaks: [s0Line(1, 'human', 'hello', { timestamp: 1738160130 })],
  },
  {
    code: 'timestamp-not-utc',
    follows: [hello],
    breaks: [userLine(1, 'hello', { timestamp: '2026-02-17T23:21:59.414+01:00' })],
  },
  {
    code: 'timestamp-not-utc',
    follows: [userLine(1, 'hello', { timestamp: 'yesterday' })],
    breaks: [userLine(1, 'hello', { timestamp: '2026-02-17T23:21:59.414' })],
  },
  {
    code: 'timestamp-no-milliseconds',
    follows: [hello],
    breaks: [s3Line(1, 'user', { message: 'hello', timestamp: '2025-01-27T10:00:00Z' })],
  },
]

const context: Fixture[] = [
  { code: 'version-missing', follows: [hello, snapshot], breaks: [without(hello, 'version')] },
  {
    code: 'version-missing',
    only: ['s0'],
    follows: [
      without(s0Line(1, 'compact_prelude', 'kept'), 'version'),
      without(s0Line(2, 'compact_recap', 'summary'), 'version'),
      without(s0Line(3, 'human', 'look', { isSidechain: true }), 'version'),
    ],
    breaks: [without(s0Line(1, 'human', 'hello'), 'version')],
  },
  {
    code: 'version-not-semver',
    follows: [hello, userLine(2, 'x', { version: '2.1.45-beta.1' })],
    breaks: [userLine(1, 'hello', { version: '2.1' })],
  },
  {
    code: 'version-not-semver',
    follows: [userLine(1, 'hello', { version: '2.1.45+build.7' })],
    breaks: [userLine(1, 'hello', { version: '2.1.45b' })],
  },
  { code: 'cwd-missing', follows: [hello, summary], breaks: [without(hello, 'cwd')] },
  {
    code: 'cwd-not-absolute',
    follows: [hello, userLine(2, 'x', { cwd: 'C:\\work\\shop' }), userLine(3, 'x', { cwd: '\\\\server\\shop' })],
    breaks: [userLine(1, 'hello', { cwd: 'work/shop' })],
  },
  {
    code: 'git-branch-type',
    follows: [hello, userLine(2, 'x', { gitBranch: '' }), without(userLine(3, 'x'), 'gitBranch')],
    breaks: [userLine(1, 'hello', { gitBranch: null })],
  },
  { code: 'is-sidechain-missing', follows: [hello, snapshot], breaks: [without(hello, 'isSidechain')] },
  {
    code: 'is-sidechain-not-boolean',
    follows: [hello, without(userLine(2, 'x'), 'isSidechain')],
    breaks: [userLine(1, 'hello', { isSidechain: 'no' })],
  },
  { code: 'user-type-missing', follows: [hello, snapshot], breaks: [without(hello, 'userType')] },
  {
    code: 'user-type-not-external',
    follows: [hello, without(userLine(2, 'x'), 'userType')],
    breaks: [userLine(1, 'hello', { userType: 'internal' })],
  },
  { code: 'user-type-not-external', follows: [hello], breaks: [userLine(1, 'hello', { userType: null })] },
  {
    code: 'user-type-value-s3',
    follows: [
      s3Line(1, 'user', { message: 'hello', userType: 'human' }),
      s3Line(2, 'assistant', { message: 'hi' }),
      s3Line(3, 'user', { message: 'look', userType: 'external', isSidechain: true }),
    ],
    breaks: [s3Line(1, 'user', { message: 'hello', userType: 'robot' })],
  },
]

export const fixtures: Fixture[] = [...identity, ...times, ...context]
