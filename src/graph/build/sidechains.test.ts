import { expect, test } from 'vitest'
import { eventById, graphOf, Sketch } from '../testing.ts'

const side = { isSidechain: true }
const threadOf = (graph: ReturnType<typeof graphOf>, id: string) => eventById(graph, id)?.thread

test('a sidechain with a root of its own is a subagent, whatever the order of its lines', () => {
  const graph = new Sketch()
    .call('a', null, 't1', 'Task', { prompt: 'Count' })
    .answer('s2', 's1', 'One', side)
    .user('s1', null, 'Count', side)
    .result('r', 'a', 't1')
    .graph()
  expect(threadOf(graph, 's1')).toBe('s2')
  expect(threadOf(graph, 's2')).toBe('s2')
  expect(eventById(graph, 's1')).toMatchObject({ kind: 'delegation', actor: 'agent' })
  expect(threadOf(graph, 'r')).toBe('s')
})

test('a sidechain on a delegating answer is a subagent', () => {
  const graph = new Sketch()
    .user('u', null, 'Go')
    .call('a', 'u', 't1', 'Task', { prompt: 'Look' })
    .result('r', 'a', 't1')
    .user('s1', 'a', 'Have a look', side)
    .graph()
  expect(threadOf(graph, 's1')).toBe('s1')
})

test('a sidechain that nothing makes a subagent is a branch of the main thread', () => {
  const graph = new Sketch()
    .user('u', null, 'Go')
    .answer('a', 'u', 'Done')
    .user('v', 'a', 'More')
    .answer('b', 'v', 'Done again')
    .user('s1', 'a', 'Or this instead', side)
    .answer('s2', 's1', 'Also done', side)
    .graph()
  expect(threadOf(graph, 's1')).toBe('s')
  expect(eventById(graph, 's1')).toMatchObject({ kind: 'prompt', actor: 'human' })
  expect(graph.threads).toHaveLength(1)
  expect(graph.branches.map(branch => branch.leaf)).toEqual(['b', 's2'])
})

test('such a branch is found although its lines precede the main thread in the file', () => {
  const graph = new Sketch()
    .answer('s2', 's1', 'Also done', side)
    .user('s1', 'a', 'Or this instead', side)
    .user('u', null, 'Go')
    .answer('a', 'u', 'Done')
    .graph()
  expect(threadOf(graph, 's2')).toBe('s')
  expect(graph.threads).toHaveLength(1)
})

const s3 = (uuid: string, parentUuid: string | undefined, type: string, fields: Record<string, unknown>) => ({
  type,
  uuid,
  ...(parentUuid === undefined ? {} : { parentUuid }),
  timestamp: '2025-01-27T10:00:00.000Z',
  sessionId: 's',
  ...fields,
})

test('in 003 the main thread continues from a sidechain: it hangs on the delegating record', () => {
  const agent = { isSidechain: true, userType: 'external' }
  const graph = graphOf([
    s3('m1', undefined, 'user', { message: 'Analyze my project', userType: 'human' }),
    s3('m2', 'm1', 'assistant', { message: 'I will use a specialist' }),
    s3('m3', 'm2', 'user', { message: 'Analyze codebase', ...agent }),
    s3('m4', 'm3', 'assistant', { message: 'Analyzing', isSidechain: true }),
    s3('m5', 'm4', 'user', { message: 'Focus on performance', ...agent }),
    s3('m6', 'm5', 'assistant', { message: 'Fast', isSidechain: true }),
    s3('m7', 'm6', 'assistant', { message: 'Based on analysis' }),
  ])
  expect(graph.nodes.get(eventById(graph, 'm7')?.id as never)).toMatchObject({ parent: 'm2', link: 'inferred' })
  expect(eventById(graph, 'm7')?.parent).toBe('m6')
  expect(graph.threads.map(({ id, parentThread, linkedBy }) => [id, parentThread, linkedBy])).toEqual([
    ['s', undefined, undefined],
    ['m3', 's', 'parent'],
  ])
  expect(graph.threads.map(thread => thread.events.length)).toEqual([3, 4])
  expect(graph.branches).toHaveLength(1)
  expect(graph.branches[0]).toMatchObject({ leaf: 'm7', isActive: true, eventCount: 3 })
})

test('in 003 lines of a sidechain that state no parent continue where it ended', () => {
  const graph = graphOf([
    s3('m1', undefined, 'assistant', { message: 'Delegating to analyzer' }),
    s3('m2', 'm1', 'user', { message: 'Analyze', isSidechain: true, userType: 'external' }),
    s3('m3', undefined, 'assistant', { isSidechain: true, subtype: 'tool_use', toolName: 'Grep', toolArguments: {} }),
    s3('m4', undefined, 'system', { isSidechain: true, message: '[Search results]' }),
    s3('m5', 'm1', 'assistant', { message: 'Based on analysis' }),
  ])
  expect(graph.threads.map(thread => thread.events)).toEqual([
    ['m1', 'm5'],
    ['m2', 'm3', 'm4'],
  ])
  expect(graph.toolCalls).toMatchObject([{ name: 'Grep', thread: 'm2', outcome: 'done', resultEvent: 'm4' }])
})

test('a result in 003 that lacks the sidechain mark stays with the subagent that called', () => {
  const graph = graphOf([
    s3('m1', undefined, 'assistant', { message: 'Delegating' }),
    s3('m2', 'm1', 'user', { message: 'Analyze', isSidechain: true, userType: 'external' }),
    s3('m3', 'm2', 'assistant', { isSidechain: true, subtype: 'tool_use', toolName: 'Read', toolArguments: {} }),
    s3('m4', 'm3', 'system', { message: '[File]' }),
    s3('m5', 'm4', 'assistant', { message: 'Main again' }),
  ])
  expect(threadOf(graph, 'm4')).toBe('m2')
  expect(graph.nodes.get('m5' as never)?.parent).toBe('m1')
  expect(graph.toolCalls).toMatchObject([{ outcome: 'done', resultEvent: 'm4', pairing: 'inferred' }])
})
