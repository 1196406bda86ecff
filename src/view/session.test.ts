import { expect, test } from 'vitest'
import { graphFile, graphOf, Sketch } from '../graph/testing.ts'
import { eventId } from '../model/ids.ts'
import { allText, badgeTexts, itemsOf } from './testing.ts'
import { viewItems, viewSession } from './thread.ts'
import type { ViewItem } from './view.ts'

const names = (items: readonly ViewItem[]) => items.map(item => item.headline)

/** Two calls in one message, the first result written between them. */
function parallel(): Sketch {
  const message = { message: 'm1' }
  return new Sketch()
    .user('u1', null, 'Go')
    .blocks('t1', 'u1', [{ type: 'text', text: 'Both.' }], 'm1')
    .call('a1', 't1', 'c1', 'Read', { file_path: '/one' }, message)
    .result('r1', 'a1', 'c1', 'first')
    .system('n1', 'r1', 'informational', { content: 'between' })
    .call('a2', 'a1', 'c2', 'Read', { file_path: '/two' }, message)
    .result('r2', 'a2', 'c2', 'second')
    .answer('t2', 'r2', 'Done')
}

test('blocks of one message follow each other, and each call has its own result', () => {
  const items = viewSession(parallel().graph())
  expect(names(items)).toEqual(['Prompt', 'Answer', 'Read  /one', 'Read  /two', 'Notice  between', 'Answer'])
  expect(allText(items[2])).toBe('first')
  expect(allText(items[3])).toBe('second')
  expect(items.every(item => item.turn === 0)).toBe(true)
})

test('a message id that comes again after a prompt is not moved before it', () => {
  const graph = new Sketch()
    .user('u1', null, 'One')
    .blocks('a1', 'u1', [{ type: 'text', text: 'first' }], 'same')
    .user('u2', 'a1', 'Two')
    .blocks('a2', 'u2', [{ type: 'text', text: 'second' }], 'same')
    .graph()
  expect(viewSession(graph).map(allText)).toEqual(['One', 'first', 'Two', 'second'])
})

test('items come one by one', () => {
  const items = viewItems(parallel().graph())
  expect(items.next().value?.headline).toBe('Prompt')
  expect(items.next().value?.headline).toBe('Answer')
})

test('a result before its call, and one without a call', () => {
  const graph = new Sketch()
    .user('u1', null, 'Go')
    .result('r1', 'a1', 'c1', 'early')
    .call('a1', 'u1', 'c1', 'Read', { file_path: '/one' })
    .result('r9', 'a1', 'gone', 'lost words', { is_error: true })
    .graph()
  const items = viewSession(graph)
  expect(items.map(item => [item.kind, item.headline, allText(item)])).toEqual([
    ['prompt', 'Prompt', 'Go'],
    ['call', 'Read  /one', 'early'],
    ['result', 'Result without its call', 'lost words'],
  ])
  expect(items[2]).toMatchObject({ status: 'failed', body: [{ tone: 'bad' }] })
})

test('a second result of one call is not lost', () => {
  const graph = new Sketch()
    .user('u1', null, 'Go')
    .call('a1', 'u1', 'c1', 'Read', { file_path: '/one' })
    .result('r1', 'a1', 'c1', 'one')
    .result('r2', 'r1', 'c1', 'two')
    .graph()
  expect(viewSession(graph).map(item => item.kind)).toEqual(['prompt', 'call', 'result'])
})

test('a request that is written twice is one call', () => {
  const message = { message: 'm1' }
  const graph = new Sketch()
    .user('u1', null, 'Go')
    .call('a1', 'u1', 'c1', 'Read', { file_path: '/one' }, message)
    .call('a2', 'a1', 'c1', 'Read', { file_path: '/one' }, message)
    .result('r1', 'a2', 'c1', 'one')
    .graph()
  expect(names(viewSession(graph))).toEqual(['Prompt', 'Read  /one', 'Request repeated  Read'])
})

test('calls of 003 say that they were paired by their place', () => {
  const line = (uuid: string, fields: object) => ({
    uuid,
    sessionId: 's',
    timestamp: '2026-01-05T10:00:00Z',
    ...fields,
  })
  const graph = graphOf([
    line('m1', { type: 'user', userType: 'human', message: 'Go' }),
    line('m2', {
      type: 'assistant',
      parentUuid: 'm1',
      subtype: 'tool_use',
      toolName: 'Read',
      toolArguments: { file_path: '/a' },
    }),
    line('m3', { type: 'system', parentUuid: 'm2', message: 'File read' }),
    line('m4', { type: 'system', parentUuid: 'm3', message: 'Just a notice' }),
  ])
  const [, call, notice] = itemsOf(graph)
  expect(call).toMatchObject({ kind: 'call', headline: 'Read  /a', status: 'done' })
  expect(badgeTexts(call)).toContain('paired by place')
  expect(allText(call)).toBe('File read')
  expect(notice?.headline).toContain('Just a notice')
  expect(itemsOf(graph)).toHaveLength(3)
})

test('a result that is before its call in 003 is shown inside it', () => {
  const line = (uuid: string, fields: object) => ({
    uuid,
    sessionId: 's',
    timestamp: '2026-01-05T10:00:00Z',
    ...fields,
  })
  const graph = graphOf([
    line('m1', { type: 'user', userType: 'human', message: 'Go' }),
    line('m3', { type: 'system', parentUuid: 'm2', message: 'File read' }),
    line('m2', {
      type: 'assistant',
      parentUuid: 'm1',
      subtype: 'tool_use',
      toolName: 'Read',
      toolArguments: { file_path: '/a' },
    }),
  ])
  expect(itemsOf(graph).map(item => [item.kind, allText(item)])).toEqual([
    ['prompt', 'Go'],
    ['call', 'File read'],
  ])
})

/** A1 is answered twice: P2 is the way not taken. */
function rewound(): Sketch {
  return new Sketch()
    .user('p1', null, 'One')
    .answer('a1', 'p1', 'Yes')
    .user('p2', 'a1', 'Old way')
    .call('a2', 'p2', 'c2', 'Read', { file_path: '/old' })
    .result('r2', 'a2', 'c2', 'old')
    .answer('a2b', 'r2', 'Old end')
    .user('p3', 'a1', 'New way')
    .call('a3', 'p3', 'c3', 'Read', { file_path: '/x' })
    .call('a4', 'a3', 'c4', 'Read', { file_path: '/y' })
    .result('r3', 'a3', 'c3', 'x')
    .result('r4', 'a4', 'c4', 'y')
    .answer('a5', 'r4', 'New end')
}

test('a branch shows the way to its leaf with all that hangs on it, and no other', () => {
  const graph = rewound().graph()
  const old = viewSession(graph, { branch: eventId('a2b') })
  expect(names(old)).toEqual(['Prompt', 'Answer', 'Prompt', 'Read  /old', 'Answer'])
  const current = viewSession(graph, { branch: eventId('a5') })
  expect(names(current)).toEqual(['Prompt', 'Answer', 'Prompt', 'Read  /x', 'Read  /y', 'Answer'])
  expect(current.map(allText)).toEqual(['One', 'Yes', 'New way', 'x', 'y', 'New end'])
  const all = ['Prompt', 'Answer', 'Earlier branch  Old way', 'Prompt', 'Read  /x', 'Read  /y', 'Answer']
  expect(names(viewSession(graph))).toEqual(all)
})

test('turns show themselves alone', () => {
  const graph = rewound().graph()
  expect(viewSession(graph, { turns: [1, 1] }).map(allText)).toEqual(['Old way', 'old', 'Old end'])
  expect(viewSession(graph, { turns: [0, 1] }).map(allText)).toEqual(['One', 'Yes', 'Old way', 'old', 'Old end'])
  expect(viewSession(graph, { turns: [98, 99] })).toEqual([])
})

test('what is new since a time includes calls that have just ended', () => {
  const graph = parallel().graph()
  const [first, second] = [graph.toolCalls[0], graph.toolCalls[1]]
  expect([first?.id, second?.id]).toEqual(['c1', 'c2'])
  expect(names(viewSession(graph, { since: '2026-01-05T10:03:00.000Z' }))).toEqual([
    'Read  /one',
    'Read  /two',
    'Notice  between',
    'Answer',
  ])
  expect(names(viewSession(graph, { since: '2026-01-05T10:07:00Z' }))).toEqual(['Answer'])
  expect(viewSession(graph, { since: null })).toHaveLength(6)
})

test('threads that name each other in a circle are shown, each once', () => {
  const agent = (id: string, parent: string) =>
    graphFile(new Sketch().user(`${id}-u`, null, `A task\n\nI am ${id}`, { isSidechain: true, agentId: id }).text(), {
      session: 's',
      path: `agent-${id}.jsonl`,
      role: 'agent',
      agent: id,
      meta: { parentAgentId: parent },
    })
  const items = viewSession(new Sketch().user('u1', null, 'Go').graph(agent('x', 'y'), agent('y', 'x')))
  const text = items.map(allText).join('\n')
  expect(text.split('I am x')).toHaveLength(2)
  expect(text.split('I am y')).toHaveLength(2)
})

test('a session without events shows nothing', () => {
  expect(viewSession(new Sketch().graph())).toEqual([])
})

test('a call whose result was deleted is marked as removed', () => {
  const message = (content: unknown) => ({
    sessionId: 's',
    timestamp: 1738160130123,
    message: { type: 'message', content },
  })
  const graph = graphOf([
    { type: 'human', uuid: 'h1', parentUuid: null, ...message('Go') },
    {
      type: 'assistant',
      uuid: 'a1',
      parentUuid: 'h1',
      ...message([{ type: 'tool_use', id: 'c1', name: 'LS', input: { path: '/' } }]),
    },
    {
      type: 'tool_result',
      uuid: 'r1',
      parentUuid: 'a1',
      isDeleted: true,
      ...message([{ type: 'tool_result', tool_use_id: 'c1', content: '' }]),
    },
  ])
  const [call] = itemsOf(graph, 'call')
  expect(call?.isRemoved).toBe(true)
  expect(badgeTexts(call).filter(text => text === 'removed')).toHaveLength(1)
})
