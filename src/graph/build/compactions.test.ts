import { expect, test } from 'vitest'
import { graphOf, Sketch } from '../testing.ts'

test('the client’s boundary takes the summary after it and what it preserved', () => {
  const compactMetadata = {
    trigger: 'auto',
    preTokens: 167000,
    preservedMessages: { anchorUuid: 's1', uuids: ['b', 'gone'] },
  }
  const graph = new Sketch()
    .user('u', null, 'Go')
    .answer('a', 'u', 'One')
    .answer('b', 'a', 'Two')
    .system('c', null, 'compact_boundary', { logicalParentUuid: 'b', compactMetadata })
    .user('s1', 'c', 'This session is being continued', { isCompactSummary: true })
    .answer('d', 's1', 'Three')
    .graph()
  expect(graph.compactions).toEqual([
    {
      event: 'c',
      thread: 's',
      at: '2026-01-05T10:03:00.000Z',
      trigger: 'auto',
      preTokens: 167000,
      summaryEvent: 's1',
      preservedEvents: ['b'],
      preservedMessages: 2,
    },
  ])
  expect(graph.windows.map(({ index, compaction, events }) => [index, compaction, events])).toEqual([
    [0, undefined, ['u', 'a', 'b']],
    [1, 'c', ['c', 's1', 'd']],
  ])
})

test('a preserved segment is the path from its head to its tail', () => {
  const compactMetadata = { trigger: 'manual', preservedSegment: { headUuid: 'a', tailUuid: 'b', anchorUuid: 's1' } }
  const graph = new Sketch()
    .user('u', null, 'Go')
    .answer('a', 'u', 'One')
    .answer('b', 'a', 'Two')
    .system('c', null, 'compact_boundary', { compactMetadata })
    .graph()
  expect(graph.compactions).toMatchObject([{ trigger: 'manual', preservedEvents: ['a', 'b'] }])
})

test('a micro-compaction is not a border', () => {
  const graph = new Sketch().user('u', null, 'Go').system('c', 'u', 'microcompact_boundary').graph()
  expect(graph.compactions).toEqual([])
  expect(graph.windows).toHaveLength(1)
})

test('several compactions give one more window each', () => {
  const sketch = new Sketch().user('u', null, 'Go')
  for (const id of ['1', '2', '3']) {
    sketch.system(`c${id}`, null, 'compact_boundary').user(`s${id}`, `c${id}`, 'So far', { isCompactSummary: true })
  }
  const graph = sketch.graph()
  expect(graph.compactions.map(({ event, summaryEvent }) => [event, summaryEvent])).toEqual([
    ['c1', 's1'],
    ['c2', 's2'],
    ['c3', 's3'],
  ])
  expect(graph.windows.map(window => window.index)).toEqual([0, 1, 2, 3])
})

test('a summary whose boundary is lost is itself the border', () => {
  const graph = new Sketch().user('u', null, 'Go').user('s1', null, 'So far', { isCompactSummary: true }).graph()
  expect(graph.compactions).toMatchObject([{ event: 's1', summaryEvent: 's1' }])
})

test('a subagent’s compaction divides its own thread only', () => {
  const side = { isSidechain: true, agentId: 'ag' }
  const agent = new Sketch().user('x', null, 'Do', side).system('c', null, 'compact_boundary', side)
  const graph = new Sketch()
    .user('u', null, 'Go')
    .graph(agent.file({ path: 'agent-ag.jsonl', role: 'agent', agent: 'ag' }))
  expect(graph.windows.map(({ thread, index }) => [thread, index])).toEqual([
    ['s', 0],
    ['ag', 0],
    ['ag', 1],
  ])
})

test('000: preludes and recap are one compaction, and one branch with what came before', () => {
  const line = (uuid: string, parentUuid: string | null, type: string) => ({
    uuid,
    parentUuid,
    sessionId: 's',
    type,
    timestamp: 1738160150000,
    message: { type: 'message', content: uuid },
  })
  const graph = graphOf([
    line('u', null, 'human'),
    line('a', 'u', 'assistant'),
    line('p1', null, 'compact_prelude'),
    line('p2', null, 'compact_prelude'),
    line('k', 'p1', 'compact_recap'),
    line('v', 'k', 'human'),
    line('p3', null, 'compact_prelude'),
    line('k3', 'p3', 'compact_recap'),
  ])
  expect(graph.compactions).toMatchObject([
    { event: 'p1', summaryEvent: 'k', preservedEvents: ['p1', 'p2'] },
    { event: 'p3', summaryEvent: 'k3', preservedEvents: ['p3'] },
  ])
  expect(graph.branches).toHaveLength(1)
  expect(graph.windows).toHaveLength(3)
})

test('003: the three phases are one compaction with the counts of the middle one', () => {
  const line = (uuid: string, parentUuid: string, type: string, message: string, more = {}) => ({
    type,
    uuid,
    parentUuid,
    sessionId: 's',
    timestamp: '2025-01-27T10:00:25.000Z',
    message,
    ...more,
  })
  const metadata = { preservedMessages: 10, totalMessages: 100 }
  const graph = graphOf([
    line('m1', 'm0', 'user', 'Start', { userType: 'human' }),
    line('c1', 'm1', 'compact_system', 'conversation_compacting'),
    line('c2', 'c1', 'compact_system', 'conversation_compacted', { metadata }),
    line('c3', 'c2', 'compact_system', 'conversation_restored'),
    line('m2', 'gone', 'user', 'Continue', { logicalParentUuid: 'm1' }),
    line('c4', 'm2', 'compact_system', 'conversation_compacting'),
  ])
  expect(graph.compactions).toEqual([
    { event: 'c2', thread: 's', at: '2025-01-27T10:00:25.000Z', preservedMessages: 10, totalMessages: 100 },
  ])
  expect(graph.nodes.get('m2' as never)).toMatchObject({ parent: 'm1', link: 'logical' })
})

test('a summary after the conversation continued is not that of a border without one', () => {
  const graph = new Sketch()
    .user('u', null, 'Hello')
    .system('c', null, 'compact_boundary', { logicalParentUuid: 'u', compactMetadata: { trigger: 'auto' } })
    .user('v', 'c', 'On')
    .answer('a', 'v', 'Going')
    .user('s', null, 'Summary of all that', { isCompactSummary: true })
    .graph()
  expect(graph.compactions.map(({ event, summaryEvent }) => [event, summaryEvent])).toEqual([
    ['c', undefined],
    ['s', 's'],
  ])
})
