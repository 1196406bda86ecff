import { expect, test } from 'vitest'
import { graphFile, Sketch } from '../../graph/testing.ts'
import { planView } from '../../view/plan.ts'
import { netDiff } from './net-diff.ts'

const file_path = '/s/cart.ts'
const changes = () =>
  new Sketch()
    .user('u', null, 'Go')
    .call('a', 'u', 't1', 'Edit', { file_path, old_string: 'two', new_string: '2' })
    .result('ra', 'a', 't1', 'ok', { toolUseResult: { filePath: file_path, originalFile: 'one\ntwo\nthree\n' } })
    .call('b', 'ra', 't2', 'Edit', { file_path, old_string: '2', new_string: 'zwei' })

test('all changes to a file are one diff, from its first state to its last', () => {
  const sketch = changes().result('rb', 'b', 't2', 'ok', { toolUseResult: { filePath: file_path } })
  expect(netDiff(planView(sketch.graph()), file_path)).toEqual({
    type: 'diff',
    path: file_path,
    added: 1,
    removed: 1,
    hunks: [
      {
        oldStart: 1,
        newStart: 1,
        lines: [
          { sign: ' ', text: 'one' },
          { sign: '-', text: 'two' },
          { sign: '+', text: 'zwei' },
          { sign: ' ', text: 'three' },
        ],
      },
    ],
  })
})

test('a change that failed is no part of it', () => {
  const sketch = changes().result('rb', 'b', 't2', 'String not found', { is_error: true })
  const lines = netDiff(planView(sketch.graph()), file_path)?.hunks[0]?.lines
  expect(lines?.find(({ sign }) => sign === '+')?.text).toBe('2')
})

test('there is none where the log does not contain the file', () => {
  const sketch = new Sketch()
    .user('u', null, 'Go')
    .call('a', 'u', 't1', 'Edit', { file_path, old_string: 'two', new_string: '2' })
    .result('ra', 'a', 't1', 'ok')
  expect(netDiff(planView(sketch.graph()), file_path)).toBeNull()
  expect(netDiff(planView(sketch.graph()), '/other')).toBeNull()
})

test('changes of several agents follow each other as they were made', () => {
  const side = { isSidechain: true, agentId: 'x1', timestamp: '2026-01-05T09:00:00Z' }
  const agent = new Sketch()
    .call('x1-a', null, 'x1-t', 'Write', { file_path, content: 'two\n' }, side)
    .result('x1-r', 'x1-a', 'x1-t', 'ok', { ...side, toolUseResult: { type: 'create', content: 'two\n' } })
  const main = new Sketch()
    .user('u', null, 'Go')
    .call('a', 'u', 't1', 'Edit', { file_path, old_string: 'two', new_string: '2' })
    .result('ra', 'a', 't1', 'ok')
  const graph = main.graph(
    graphFile(agent.text(), { session: 's', path: 'agent-x1.jsonl', role: 'agent', agent: 'x1' }),
  )
  const lines = netDiff(planView(graph), file_path)?.hunks[0]?.lines
  expect(lines).toEqual([{ sign: '+', text: '2' }])
})
