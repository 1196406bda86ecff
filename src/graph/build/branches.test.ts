import { expect, test } from 'vitest'
import { graphOf, Sketch } from '../testing.ts'

const rows = (graph: ReturnType<Sketch['graph']>) =>
  graph.branches.map(({ leaf, isActive, forkedAt, eventCount }) => [leaf, isActive, forkedAt, eventCount])

const rewound = () =>
  new Sketch()
    .user('u', null, 'Hello')
    .answer('a', 'u', 'Hi')
    .user('v', 'a', 'Go left')
    .answer('b', 'v', 'Left')
    .user('w', 'a', 'Go right')
    .answer('c', 'w', 'Right')

test('a rewind makes a branch; the last leaf in file order is active', () => {
  expect(rows(rewound().graph())).toEqual([
    ['b', false, 'a', 4],
    ['c', true, undefined, 4],
  ])
})

test('the active path goes from the end of the active branch up to the root', () => {
  expect([...rewound().graph().activePath]).toEqual(['c', 'w', 'a', 'u'])
  expect([...graphOf([]).activePath]).toEqual([])
})

test('results on their own requests, progress, hooks and attachments are not branches', () => {
  const graph = new Sketch()
    .user('u', null, 'Go')
    .call('a1', 'u', 't1', 'Read', {}, { message: 'm' })
    .chain('progress', 'p', 'a1', { data: { type: 'hook_progress' }, toolUseID: 't1', parentToolUseID: 't1' })
    .result('r1', 'a1', 't1')
    .chain('attachment', 'x', 'r1', { attachment: { type: 'hook_success', toolUseID: 't1' } })
    .call('a2', 'a1', 't2', 'Read', {}, { message: 'm' })
    .result('r2', 'a2', 't2')
    .answer('b', 'r2', 'Done')
    .system('d', 'b', 'turn_duration', { durationMs: 5 })
    .graph()
  expect(rows(graph)).toEqual([['b', true, undefined, 9]])
})

test('a local command that brought no answer is not a branch', () => {
  const graph = new Sketch()
    .user('u', null, 'Hello')
    .answer('a', 'u', 'Hi')
    .user('x', 'a', '<command-name>/cost</command-name>')
    .user('y', 'x', '<local-command-stdout>$1</local-command-stdout>')
    .user('v', 'a', 'More')
    .answer('b', 'v', 'Done')
    .graph()
  expect(rows(graph)).toEqual([['b', true, undefined, 6]])
})

test('a second root that has a conversation is a branch, a stray notice is not', () => {
  const graph = new Sketch()
    .user('u', null, 'Hello')
    .answer('a', 'u', 'Hi')
    .system('n', null, 'informational')
    .user('v', null, 'Anew')
    .answer('b', 'v', 'Again')
    .graph()
  expect(rows(graph)).toEqual([
    ['a', false, undefined, 2],
    ['b', true, undefined, 2],
  ])
})

test('windows joined over a compaction are one branch', () => {
  const graph = new Sketch()
    .user('u', null, 'Hello')
    .answer('a', 'u', 'Hi')
    .system('c', null, 'compact_boundary', { logicalParentUuid: 'a' })
    .user('s', 'c', 'Summary', { isCompactSummary: true })
    .answer('b', 's', 'Going on')
    .graph()
  expect(rows(graph)).toEqual([['b', true, undefined, 5]])
})

test('the newest record below the last prompt’s leaf is active, if that leaf exists', () => {
  const old = rewound().side({ type: 'last-prompt', lastPrompt: 'x', leafUuid: 'v' }).graph()
  expect(rows(old).map(([leaf, isActive]) => [leaf, isActive])).toEqual([
    ['b', true],
    ['c', false],
  ])
  const zero = '00000000-0000-0000-0000-000000000000'
  const unknown = rewound()
    .side({ type: 'last-prompt', leafUuid: 'v' })
    .side({ type: 'last-prompt', leafUuid: zero })
    .graph()
  expect(unknown.branches.find(branch => branch.isActive)?.leaf).toBe('c')
})

test('000 marks the active branch itself', () => {
  const line = (uuid: string, parentUuid: string | null, type: string, more = {}) => ({
    uuid,
    parentUuid,
    sessionId: 's',
    type,
    timestamp: 1738160130123,
    message: { type: 'message', content: uuid },
    ...more,
  })
  const graph = graphOf([
    line('u', null, 'human'),
    line('a', 'u', 'assistant', { is_active: true }),
    line('b', 'u', 'assistant', { is_active: false }),
    line('v', 'b', 'human'),
  ])
  expect(rows(graph)).toEqual([
    ['a', true, undefined, 2],
    ['v', false, 'u', 3],
  ])
})

test('several levels of branches part where they part from the active one', () => {
  const graph = rewound().user('x', 'b', 'Further').answer('y', 'x', 'Far').user('z', 'b', 'Or back').graph()
  expect(rows(graph)).toEqual([
    ['c', false, 'a', 4],
    ['y', false, 'b', 6],
    ['z', true, undefined, 5],
  ])
})

test('branches of a tree that was left behind part from each other', () => {
  const graph = rewound().user('n', null, 'Anew').answer('m', 'n', 'Fine').graph()
  expect(rows(graph)).toEqual([
    ['b', false, 'a', 4],
    ['c', false, undefined, 4],
    ['m', true, undefined, 2],
  ])
})

test('summaries give titles to the branches they name', () => {
  const summary = (title: string, leafUuid: string) => ({ type: 'summary', summary: title, leafUuid })
  const graph = rewound()
    .side(summary('Somewhere left', 'v'))
    .side(summary('Left', 'b'))
    .side(summary('Left, as seen earlier', 'v'))
    .side(summary('Right', 'c'))
    .side(summary('Of another session', 'q'))
    .graph()
  expect(graph.branches.map(branch => branch.title)).toEqual(['Left', 'Right'])
  expect(graph.summaries.map(({ leaf }) => leaf)).toEqual(['b', 'v', 'c', 'q'])
})

test('a session in which nothing was said has its last record as leaf, an empty one no branch', () => {
  const graph = new Sketch()
    .user('x', null, '<command-name>/cost</command-name>')
    .user('y', 'x', '<local-command-stdout>$1</local-command-stdout>')
    .graph()
  expect(rows(graph)).toEqual([['y', true, undefined, 2]])
  expect(new Sketch().graph().branches).toEqual([])
})

test('two answers to one prompt are two branches, the parts of one answer are not', () => {
  const retried = new Sketch().user('u', null, 'Hello').answer('a', 'u', 'Hi').answer('b', 'u', 'Hi there').graph()
  expect(retried.branches.map(branch => branch.leaf)).toEqual(['a', 'b'])
  const parts = new Sketch()
    .user('u', null, 'Hello')
    .call('a', 'u', 't1', 'Read', {}, { message: 'm' })
    .call('b', 'u', 't2', 'Read', {}, { message: 'm' })
    .graph()
  expect(parts.branches).toHaveLength(1)
})

test('003: a message kept over a compaction continues from it, whatever its old parent', () => {
  const line = (type: string, uuid: string, parentUuid: string, message: string, more = {}) => ({
    ...{ type, uuid, parentUuid, sessionId: 's', timestamp: '2026-01-05T10:00:00.000Z', message },
    ...more,
  })
  const graph = graphOf([
    line('user', 'u', 'earlier', 'Start', { userType: 'human' }),
    line('assistant', 'a', 'u', 'Working on it'),
    line('compact_system', 'c', 'a', 'conversation_compacted', {
      metadata: { preservedMessages: 1, totalMessages: 9 },
    }),
    line('user', 'v', 'removed', 'Go on', { logicalParentUuid: 'u', userType: 'human' }),
    line('assistant', 'b', 'v', 'Resuming'),
  ])
  expect(graph.nodes.get('v' as never)).toMatchObject({ parent: 'u', link: 'logical' })
  expect(rows(graph)).toEqual([['b', true, undefined, 5]])
})

test('003: the line that answers the last call is the leaf', () => {
  const line = (type: string, uuid: string, parentUuid: string | undefined, more: Record<string, unknown>) => ({
    ...{ type, uuid, parentUuid, sessionId: 's', timestamp: '2026-01-05T10:00:00.000Z' },
    ...more,
  })
  const graph = graphOf([
    line('user', 'u', undefined, { message: 'Read it', userType: 'human' }),
    line('assistant', 'a', 'u', { subtype: 'tool_use', toolName: 'Read', toolArguments: {} }),
    line('system', 'r', 'a', { message: 'File read' }),
  ])
  expect(rows(graph)).toEqual([['r', true, undefined, 3]])
})

test('a last-prompt from before a compaction no longer says which branch is active', () => {
  const graph = rewound()
    .side({ type: 'last-prompt', lastPrompt: 'Go left', leafUuid: 'b' })
    .system('d', null, 'compact_boundary', { logicalParentUuid: 'c', compactMetadata: { trigger: 'manual' } })
    .user('e', 'd', 'Summary', { isCompactSummary: true })
    .user('x', 'e', 'Go on')
    .answer('y', 'x', 'Going')
    .graph()
  expect(rows(graph).map(([leaf, isActive]) => [leaf, isActive])).toEqual([
    ['b', false],
    ['y', true],
  ])
})

test('lines of one answer that hang side by side on the prompt are not branches', () => {
  const graph = new Sketch()
    .user('u1', null, 'Go')
    .call('a1', 'u1', 't1', 'Read', { file_path: '/a' }, { message: 'm' })
    .call('a2', 'u1', 't2', 'Read', { file_path: '/b' }, { message: 'm' })
    .result('r1', 'a1', 't1', 'a')
    .result('r2', 'a2', 't2', 'b')
    .answer('a3', 'r2', 'Done')
    .graph()
  expect(graph.branches.map(({ leaf, isActive }) => [leaf, isActive])).toEqual([['a3', true]])
})

test('what is on an abandoned branch only is known, with what hangs on it; a tree of its own is no branch', () => {
  const graph = new Sketch()
    .user('u', null, 'Hello')
    .user('v', 'u', 'Go left')
    .answer('b', 'v', 'Left')
    .system('d', 'b', 'turn_duration', { durationMs: 5 })
    .user('w', 'u', 'Go right')
    .user('x', 'gone', 'Somewhere else')
    .answer('y', 'x', 'Fresh start')
    .graph()
  expect([...graph.abandoned]).toEqual([
    ['v', 'b'],
    ['b', 'b'],
    ['d', 'b'],
  ])
})

test('what two abandoned branches share belongs to the first', () => {
  const graph = new Sketch()
    .user('u', null, 'Hello')
    .answer('a', 'u', 'One')
    .answer('b', 'a', 'Two')
    .answer('c', 'a', 'Three')
    .user('w', 'u', 'Again')
    .graph()
  expect([...graph.abandoned]).toEqual([
    ['a', 'b'],
    ['b', 'b'],
    ['c', 'c'],
  ])
})

test('lines without a uuid are no branch: the conversation goes on past them', () => {
  const line = (type: string, content: unknown, more: Record<string, unknown> = {}) => ({
    ...{ type, sessionId: 's', timestamp: '2026-01-05T10:00:00.000Z', message: { role: type, content } },
    ...more,
  })
  const graph = graphOf([
    line('user', 'Before', { parentUuid: null }),
    line('user', 'Hello', { uuid: 'u', parentUuid: null }),
    line('assistant', [{ type: 'text', text: 'Hi' }], { uuid: 'a', parentUuid: 'u' }),
    line('user', 'No name'),
    line('user', 'No name either'),
    line('user', 'A parent, no name', { parentUuid: 'u' }),
    line('user', 'Next', { uuid: 'v', parentUuid: 'a' }),
  ])
  expect(graph.branches.map(({ leaf, isActive }) => [leaf, isActive])).toEqual([['v', true]])
  expect(graph.abandoned.size).toBe(0)
})
