import { expect, test } from 'vitest'
import { graphOf, Sketch } from '../graph/testing.ts'
import { eventId } from '../model/ids.ts'
import { allText, badgeTexts, partsOf } from './testing.ts'
import { viewSession } from './thread.ts'
import type { ViewItem } from './view.ts'

const outline = (items: readonly ViewItem[]) =>
  items.map(item => (item.kind === 'branch' ? [item.headline, ...textsIn(item)] : allText(item) || item.headline))

function textsIn(branch: ViewItem): string[] {
  return partsOf(branch, 'branch').flatMap(({ items }) => items.map(item => allText(item) || item.headline))
}

const rewound = () =>
  new Sketch()
    .user('u1', null, 'Hello')
    .answer('a1', 'u1', 'Hi')
    .user('u2', 'a1', 'Go left')
    .side({ type: 'file-history-snapshot', messageId: 'u2', snapshot: { trackedFileBackups: { 'a.ts': {} } } })
    .call('a2', 'u2', 'c1', 'Read', { file_path: '/left' })
    .result('r2', 'a2', 'c1', 'left text')
    .side({ type: 'file-history-snapshot', messageId: 'u3', snapshot: { trackedFileBackups: { 'b.ts': {} } } })
    .user('u3', 'a1', 'Go right')
    .answer('a3', 'u3', 'Right')

test('turns that a rewind abandoned are one item where they begin, with side records that belong to them', () => {
  const items = viewSession(rewound().graph())
  expect(outline(items)).toEqual([
    'Hello',
    'Hi',
    ['Earlier branch  Go left', 'Go left', 'a.ts', 'left text'],
    'b.ts',
    'Go right',
    'Right',
  ])
  const [part] = partsOf(items[2], 'branch')
  expect([part?.leaf, part?.items[0]?.turn, badgeTexts(items[2])]).toEqual(['r2', 1, ['3 items']])
})

test('a branch or turn that was asked for is shown as it is; its prompt is marked', () => {
  const graph = rewound().graph()
  const turn = viewSession(graph, { turns: [1, 1] })
  expect(turn.map(item => item.kind)).toEqual(['prompt', 'notice', 'call'])
  expect(badgeTexts(turn[0])).toEqual(['earlier branch'])
  const branch = viewSession(graph, { branch: eventId('r2') })
  expect(branch.filter(item => item.kind === 'branch')).toEqual([])
  expect(branch.map(allText)).toContain('left text')
})

test('000: other answers to one prompt are folded as is_active says', () => {
  const line = (uuid: string, parentUuid: string | null, type: string, content: string, isActive?: boolean) => ({
    ...{ uuid, parentUuid, sessionId: 's', type, timestamp: 1738160130123, version: '1.0.128' },
    message: { type: 'message', content: type === 'human' ? content : [{ type: 'text', text: content }] },
    ...(isActive !== undefined && { is_active: isActive }),
  })
  const items = viewSession(
    graphOf([
      line('u1', null, 'human', 'A poem'),
      line('a1', 'u1', 'assistant', 'Roses', true),
      line('b1', 'u1', 'assistant', 'Violets', false),
      line('b2', 'b1', 'human', 'Longer', false),
      line('u2', 'a1', 'human', 'Thanks', true),
    ]),
  )
  expect(outline(items)).toEqual(['A poem', 'Roses', ['Earlier branch  Violets', 'Violets', 'Longer'], 'Thanks'])
})

test('a new beginning in the middle of a file is not folded', () => {
  const items = viewSession(new Sketch().user('u1', null, 'One').user('u2', 'gone', 'Two').graph())
  expect(items.map(item => item.kind)).toEqual(['prompt', 'prompt'])
})

test('003: a sidechain without a call is shown after its parent, named by its task', () => {
  const line = (
    uuid: string | undefined,
    parentUuid: string | undefined,
    type: string,
    message: string,
    more = {},
  ) => ({
    ...{ type, uuid, parentUuid, timestamp: '2025-01-27T10:00:00.000Z', sessionId: 's', message },
    ...more,
  })
  const side = { isSidechain: true }
  const items = viewSession(
    graphOf([
      line('m1', undefined, 'user', 'Analyze my project', { userType: 'human' }),
      line('m2', 'm1', 'assistant', 'I delegate'),
      line('m3', 'm2', 'user', 'Analyze the codebase', { ...side, userType: 'external' }),
      line('m4', 'm3', 'assistant', 'Analyzing', side),
      line('m5', 'm4', 'assistant', 'Based on that, do X'),
      line(undefined, undefined, 'user', 'Initial task', { ...side, userType: 'external' }),
      line(undefined, undefined, 'assistant', 'Working on it', side),
      line('m6', 'm5', 'user', 'Next', { userType: 'human' }),
    ]),
  )
  expect(items.map(item => (item.kind === 'notice' ? item.headline : allText(item)))).toEqual([
    'Analyze my project',
    'I delegate',
    'Subagent  Analyze the codebase',
    'Based on that, do X',
    'Subagent  Initial task',
    'Next',
  ])
  expect(items.map(item => item.turn)).toEqual([0, 0, 0, 0, 0, 1])
  expect(partsOf(items[2], 'thread')[0]?.items.map(allText)).toEqual(['Analyze the codebase', 'Analyzing'])
  expect(partsOf(items[4], 'thread')[0]?.items.map(allText)).toEqual(['Initial task', 'Working on it'])
})

test('subagents without a call are in the order in which they began, not in that of their file names', () => {
  const agent = (name: string, hour: number) => {
    const fields = { timestamp: `2026-01-05T${hour}:00:00.000Z`, isSidechain: true, agentId: name }
    const sketch = new Sketch().user(`u-${name}`, null, `Task of ${name}`, fields)
    return sketch.file({ path: `agent-${name}.jsonl`, role: 'agent', agent: name })
  }
  const graph = new Sketch().user('u1', null, 'Go').graph(agent('a', 13), agent('b', 11), agent('c', 12))
  const items = viewSession(graph).filter(item => item.kind === 'notice')
  expect(items.map(item => item.headline)).toEqual(['b', 'c', 'a'].map(name => `Subagent  Task of ${name}`))
})
