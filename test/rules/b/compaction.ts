// Fixtures of the rules of kind compaction, in the vocabularies of Claude Code, of 000 and of 003.

import type { JsonObject } from '../../../src/base/json.ts'
import type { Fixture } from '../fixture.ts'
import { answer, boundary, compactSummary, id, s0, s3, user } from './make.ts'

const start = [user(1, null), answer(2, 1)]
const compacted = [...start, boundary(3, 2), compactSummary(4, 3), user(5, 4)]
const broken = (extra: JsonObject) => [...start, boundary(3, 2, extra), compactSummary(4, 3)]

const boundaryFixtures: Fixture[] = [
  { code: 'compact-boundary-form', follows: compacted, breaks: broken({ content: null }) },
  {
    code: 'compact-boundary-form',
    only: ['s2'],
    follows: compacted,
    breaks: broken({ content: 'Conversation was compacted' }),
  },
  { code: 'compact-boundary-parent-null', follows: compacted, breaks: broken({ parentUuid: id(2) }) },
  { code: 'compact-boundary-logical-parent', follows: compacted, breaks: broken({ logicalParentUuid: null }) },
  { code: 'compact-trigger', follows: compacted, breaks: broken({ compactMetadata: { preTokens: 5 } }) },
  { code: 'compact-trigger', follows: compacted, breaks: broken({ compactMetadata: null }) },
  {
    code: 'compact-pre-tokens',
    follows: compacted,
    breaks: broken({ compactMetadata: { trigger: 'auto', preTokens: '5' } }),
  },
  {
    code: 'compact-summary-user',
    follows: compacted,
    breaks: [...start, boundary(3, 2), user(4, 3, 'Go on'), compactSummary(5, 4)],
  },
  { code: 'compact-summary-user', follows: compacted, breaks: [...start, boundary(3, 2)] },
  {
    code: 'compact-summary-text',
    follows: compacted,
    breaks: [...start, boundary(3, 2), compactSummary(4, 3, 'We talked about carts.')],
  },
]

const recapFixtures: Fixture[] = [
  {
    code: 'compact-prelude',
    follows: [s0(1, null, 'compact_prelude', 'Earlier words')],
    breaks: [s0(1, null, 'human', 'Hello'), s0(2, 1, 'compact_prelude', 'Earlier words')],
  },
  {
    code: 'compact-prelude',
    follows: [s0(1, null, 'compact_prelude', [{ type: 'text', text: 'Earlier words' }])],
    breaks: [s0(1, null, 'compact_prelude', '')],
  },
  {
    code: 'compact-recap',
    follows: [s0(1, null, 'compact_prelude', 'Earlier words'), s0(2, 1, 'compact_recap', 'A summary')],
    breaks: [s0(1, null, 'human', 'Hello'), s0(2, 1, 'compact_recap', 'A summary')],
  },
]

const opened = [s3(1, null, 'user', 'Hi'), s3(2, 1, 'compact_system', 'conversation_compacting')]
const done = (extra: JsonObject = {}) => [...opened, s3(3, 2, 'compact_system', 'conversation_compacted', extra)]

const phaseFixtures: Fixture[] = [
  {
    code: 'compact-message-values',
    follows: [...done(), s3(4, 3, 'compact_system', 'conversation_restored')],
    breaks: [...opened, s3(3, 2, 'compact_system', 'conversation_lost')],
  },
  {
    code: 'compact-phase-order',
    follows: [...done(), s3(4, 3, 'compact_system', 'conversation_restored')],
    breaks: [s3(1, null, 'user', 'Hi'), s3(2, 1, 'compact_system', 'conversation_compacted')],
  },
  {
    code: 'compact-phase-order',
    follows: done(),
    breaks: [s3(1, null, 'user', 'Hi'), s3(2, 1, 'compact_system', 'conversation_restored')],
  },
  {
    code: 'compact-metadata-counts',
    follows: done({ metadata: { preservedMessages: 10, totalMessages: 100 } }),
    breaks: done({ metadata: { preservedMessages: 100, totalMessages: 10 } }),
  },
  {
    code: 'compact-metadata-counts',
    follows: done(),
    breaks: done({ metadata: { preservedMessages: 'some', totalMessages: 100 } }),
  },
  {
    code: 'compact-system-in-chain',
    follows: done(),
    breaks: [s3(1, null, 'compact_system', 'conversation_compacting')],
  },
  {
    code: 'logical-parent-on-message',
    follows: [...done(), s3(5, 99, 'user', 'Go on', { logicalParentUuid: 'msg-1' })],
    breaks: [...done(), s3(5, 99, 'user', 'Go on')],
  },
]

export const fixtures: Fixture[] = [...boundaryFixtures, ...recapFixtures, ...phaseFixtures]
