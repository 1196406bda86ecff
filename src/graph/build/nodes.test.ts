import { expect, test } from 'vitest'
import { Sketch } from '../testing.ts'

const codes = (graph: { findings: { code: string; event?: string }[] }) =>
  graph.findings.map(({ code, event }) => [code, event])
const node = (graph: ReturnType<Sketch['graph']>, id: string) => {
  const found = [...graph.nodes.values()].find(candidate => candidate.event.id === id)
  return found && { parent: found.parent, link: found.link, children: found.children }
}

test('every record with a uuid is a node, whatever its type', () => {
  const graph = new Sketch()
    .chain('progress', 'h', null, { data: { type: 'hook_progress', hookEvent: 'SessionStart' } })
    .user('u', 'h', 'Hello')
    .chain('attachment', 'x', 'u', { attachment: { type: 'skill_listing', content: '' } })
    .chain('from-the-future', 'f', 'x', { news: 1 })
    .answer('a', 'f', 'Hi')
    .side({ type: 'mode', mode: 'normal' })
    .graph()
  expect([...graph.nodes.keys()]).toEqual(['h', 'u', 'x', 'f', 'a'])
  expect(graph.roots).toEqual(['h'])
  expect(node(graph, 'f')).toEqual({ parent: 'x', link: 'stated', children: ['a'] })
})

test('a parent that is nowhere makes a root with a finding', () => {
  const graph = new Sketch().user('u', null, 'Hello').answer('a', 'gone', 'Hi').graph()
  expect(node(graph, 'a')).toEqual({ parent: null, link: 'orphan', children: [] })
  expect(codes(graph)).toEqual([['orphan-parent', 'a']])
  expect(graph.findings[0]).toMatchObject({ severity: 'info', line: 2, file: 's.jsonl' })
})

test('a parent that is later in the file is found', () => {
  const graph = new Sketch().answer('a', 'u', 'Hi').user('u', null, 'Hello').graph()
  expect(node(graph, 'a')?.parent).toBe('u')
  expect(graph.findings).toEqual([])
})

test('a repeated uuid is a copy of the first, with children on the first', () => {
  const graph = new Sketch().user('u', null, 'Hello').user('u', null, 'Hello').answer('a', 'u', 'Hi').graph()
  expect([...graph.nodes.keys()]).toEqual(['u', 'a'])
  expect(graph.events.map(({ id, flags }) => [id, flags])).toEqual([
    ['u', []],
    ['u~2', ['copy']],
    ['a', []],
  ])
  expect(codes(graph)).toEqual([['duplicate-uuid', 'u~2']])
})

test('over several files of a session the first file wins and later records are copies', () => {
  const first = new Sketch().user('u', null, 'Hello').answer('a', 'u', 'Hi')
  const second = new Sketch().user('u', null, 'Hello').answer('a', 'u', 'Hi').user('v', 'a', 'More').file({ path: '2' })
  const graph = first.graph(second)
  expect([...graph.nodes.keys()]).toEqual(['u', 'a', 'v'])
  expect(graph.events.filter(event => event.flags.includes('copy')).map(event => event.source.file)).toEqual(['2', '2'])
  expect(graph.threads[0]?.events).toEqual(['u', 'a', 'v'])
  expect(graph.findings).toEqual([])
})

test('records without uuids hang at their place, also when two files have some at the same offset', () => {
  const plain = (text: string) => ({ type: 'user', message: { role: 'user', content: text } })
  const graph = new Sketch()
    .side(plain('one'))
    .side(plain('two'))
    .graph(new Sketch().side(plain('three')).side(plain('four')).file({ path: '2' }))
  const ids = [...graph.nodes.keys()]
  expect(ids).toEqual(['s@0', ids[1], 's@0~2', ids[3]])
  expect(new Set(ids).size).toBe(4)
  expect([...graph.nodes.values()].map(({ parent, link }) => [parent, link])).toEqual([
    [null, 'root'],
    ['s@0', 'inferred'],
    [null, 'root'],
    ['s@0~2', 'inferred'],
  ])
})

test('a loop is cut once, at its first record in the file', () => {
  const graph = new Sketch().user('u', 'b', 'Hello').answer('a', 'u', 'Hi').answer('b', 'a', 'there').graph()
  expect(node(graph, 'u')).toEqual({ parent: null, link: 'loop', children: ['a'] })
  expect(node(graph, 'b')?.parent).toBe('a')
  expect(codes(graph)).toEqual([['parent-loop', 'u']])
})

test('a record that is its own parent becomes a root', () => {
  const graph = new Sketch().user('u', 'u', 'Hello').answer('a', 'u', 'Hi').graph()
  expect(node(graph, 'u')).toEqual({ parent: null, link: 'loop', children: ['a'] })
  expect(codes(graph)).toEqual([['parent-loop', 'u']])
})

test('a compaction boundary is joined to the window before it by its logical parent', () => {
  const graph = new Sketch()
    .user('u', null, 'Hello')
    .answer('a', 'u', 'Hi')
    .system('c', null, 'compact_boundary', { logicalParentUuid: 'a' })
    .graph()
  expect(node(graph, 'c')).toEqual({ parent: 'a', link: 'logical', children: [] })
  expect(graph.roots).toEqual(['u'])
})

test('a boundary whose logical parent was never written is joined by its place', () => {
  const graph = new Sketch()
    .user('u', null, 'Hello')
    .answer('a', 'u', 'Hi')
    .system('c', null, 'compact_boundary', { logicalParentUuid: 'never written' })
    .graph()
  expect(node(graph, 'c')).toEqual({ parent: 'a', link: 'inferred', children: [] })
  expect(graph.events.find(event => event.id === 'c')?.parent).toBeNull()
})

test('a boundary that is before its own descendants stays a root, without a finding', () => {
  const graph = new Sketch()
    .answer('a', 'c', 'after the summary')
    .system('c', null, 'compact_boundary', { logicalParentUuid: 'never written' })
    .graph()
  expect(node(graph, 'c')).toEqual({ parent: null, link: 'root', children: ['a'] })
  expect(graph.findings).toEqual([])
})

test('an orphan that keeps its logical parent is joined by it', () => {
  const graph = new Sketch().user('u', null, 'Hello').answer('a', 'removed', 'Hi', { logicalParentUuid: 'u' }).graph()
  expect(node(graph, 'a')).toEqual({ parent: 'u', link: 'logical', children: [] })
  expect(graph.findings).toMatchObject([{ code: 'orphan-parent', event: 'a', severity: 'info' }])
})

test('a null parent in the middle of a file is a second root', () => {
  const graph = new Sketch().user('u', null, 'Hello').answer('a', 'u', 'Hi').user('v', null, 'Anew').graph()
  expect(graph.roots).toEqual(['u', 'v'])
})
