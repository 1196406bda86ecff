import { expect, test } from 'vitest'
import { graphOf, Sketch } from '../../graph/testing.ts'
import { allText, badgeTexts, itemsOf } from '../testing.ts'

test('a compaction is a border with the sizes before and after and the number of the new window', () => {
  const compactMetadata = {
    trigger: 'auto',
    preTokens: 167_710,
    postTokens: 21_000,
    preservedMessages: { anchorUuid: 'k1', uuids: ['a1'], allUuids: ['a1'] },
  }
  const graph = new Sketch()
    .user('u1', null, 'Go')
    .answer('a1', 'u1', 'Yes')
    .system('b1', null, 'compact_boundary', {
      content: 'Conversation compacted',
      logicalParentUuid: 'a1',
      compactMetadata,
    })
    .user('k1', 'b1', 'This session is **continued**', { isCompactSummary: true })
    .user('u2', 'k1', 'On')
    .graph()
  const items = itemsOf(graph)
  expect(items.map(item => item.kind)).toEqual(['prompt', 'answer', 'compaction', 'summary', 'prompt'])
  expect(items[2]?.headline).toBe('Compaction  auto, 167,710 tokens → 21,000')
  expect(badgeTexts(items[2])).toEqual(['window 2'])
  expect(allText(items[2])).toBe('kept: 1 message')
  expect(items[3]).toMatchObject({ isQuiet: true, body: [{ type: 'markdown', text: 'This session is **continued**' }] })
})

test('clearing old output is a quiet notice', () => {
  const graph = new Sketch()
    .user('u1', null, 'Go')
    .system('b1', 'u1', 'microcompact_boundary', {
      microcompactMetadata: { trigger: 'auto', preTokens: 90_000, tokensSaved: 40_000 },
    })
    .graph()
  const [, item] = itemsOf(graph)
  expect(item).toMatchObject({
    kind: 'notice',
    isQuiet: true,
    headline: 'Old tool output cleared  40,000 tokens saved',
  })
})

test('the three lines of 003 are one border', () => {
  const line = (uuid: string, parentUuid: string | undefined, fields: object) => ({
    uuid,
    ...(parentUuid === undefined ? {} : { parentUuid }),
    sessionId: 's',
    timestamp: '2026-01-05T10:00:00Z',
    ...fields,
  })
  const graph = graphOf([
    line('m1', undefined, { type: 'user', userType: 'human', message: 'Go' }),
    line('k1', 'm1', { type: 'compact_system', message: 'conversation_compacting' }),
    line('k2', 'k1', {
      type: 'compact_system',
      message: 'conversation_compacted',
      metadata: { preservedMessages: 5, totalMessages: 40 },
    }),
    line('k3', 'k2', { type: 'compact_system', message: 'conversation_restored' }),
  ])
  const items = itemsOf(graph)
  expect(items.map(item => [item.kind, item.headline])).toEqual([
    ['prompt', 'Prompt'],
    ['notice', 'Compaction begins'],
    ['compaction', 'Compaction'],
    ['notice', 'Conversation restored'],
  ])
  expect(allText(items[2])).toBe('kept: 5 messages\nof: 40 messages')
})

test('what 000 carries over a compaction is behind a border', () => {
  const line = (uuid: string, parentUuid: string | null, type: string, content: string) => ({
    uuid,
    parentUuid,
    sessionId: 's',
    type,
    timestamp: 1738160130123,
    message: { type: 'message', content },
  })
  const items = itemsOf(
    graphOf([
      line('h1', null, 'human', 'Go'),
      line('p1', 'h1', 'compact_prelude', 'Kept words'),
      line('r1', 'p1', 'compact_recap', 'In short'),
    ]),
  )
  expect(items.map(item => [item.kind, allText(item)])).toEqual([
    ['prompt', 'Go'],
    ['compaction', 'kept: 1 message'],
    ['summary', 'Kept words'],
    ['summary', 'In short'],
  ])
})
