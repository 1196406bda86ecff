import { describe, expect, test } from 'vitest'
import { Sketch } from '../graph/testing.ts'
import type { SessionGraph } from '../model/session.ts'
import type { UsageCell } from '../model/usage.ts'
import { StatsTally, spreadOf } from './stats.ts'

function statsOf(graphs: readonly SessionGraph[]) {
  const tally = new StatsTally()
  for (const graph of graphs) tally.add(graph)
  return tally.report([])
}

test('tokens are those of the cells: what sessions sent themselves', () => {
  const amounts = {
    inputTokens: 10,
    outputTokens: 5,
    cacheCreationTokens: 3,
    cacheCreation1hTokens: 1,
    cacheReadTokens: 100,
  }
  const cell = (more: Partial<UsageCell>) => ({ ...amounts, messages: 2, partial: 0, ...more }) as UsageCell
  const cells = [
    cell({ model: 'claude-x' }),
    cell({ model: 'claude-x', messages: 1, partial: 1 }),
    cell({ model: 'claude-y' }),
    cell({ model: 'claude-y', isError: true }),
  ]
  const { tokens, models } = new StatsTally().report(cells)
  expect(tokens).toMatchObject({
    messages: 5,
    messagesWithPartialOutput: 1,
    inputTokens: 30,
    cacheCreation5mTokens: 6,
    cacheCreation1hTokens: 3,
    outputFinal: false,
  })
  expect(models.map(({ model, messages }) => [model, messages])).toEqual([
    ['claude-x', 3],
    ['claude-y', 2],
  ])
})

describe('order', () => {
  test('reports how often the parent is the record before, and how often time runs backward', () => {
    const sketch = new Sketch()
      .user('a', null, 'one')
      .user('b', 'a', 'two')
      .user('c', 'a', 'three')
      .user('d', 'c', 'four', { timestamp: '2020-01-01T00:00:00.000Z' })
    const { order } = statsOf([sketch.graph()])
    expect(order.parentIsPrevious).toEqual({ count: 2, of: 3, share: 2 / 3 })
    expect(order.backwardTimestamps).toMatchObject({ count: 1, of: 3 })
    expect(order.earlierThanParent).toMatchObject({ count: 1, of: 3 })
  })
})

test('results are counted by how their content is written', () => {
  const result = (content: unknown) => [{ type: 'tool_result', tool_use_id: 'x', content }]
  const sketch = new Sketch()
    .user('a', null, result('text'), { toolUseResult: { stdout: '' } })
    .user('b', 'a', result([{ type: 'text', text: 'block' }]), { toolUseResult: 'Error: no' })
    .user('c', 'b', result([]), { toolUseResult: [] })
  expect(statsOf([sketch.graph()]).results).toEqual({
    text: 1,
    blocks: 2,
    structured: { array: 1, object: 1, string: 1 },
  })
})

test('no sessions at all are numbers too', () => {
  const stats = statsOf([])
  expect(stats).toMatchObject({ sessions: 0, bytes: 0, tools: [], orphans: { all: { count: 0, of: 0, share: 0 } } })
  expect(JSON.stringify(stats)).not.toContain('null,"max"')
})

test('a spread has the smallest, median and largest value and their mean', () => {
  expect(spreadOf([4, 1, 3, 2])).toEqual({ count: 4, sum: 10, min: 1, p50: 2, p90: 4, max: 4, mean: 2.5 })
  expect(spreadOf([7])).toMatchObject({ min: 7, p50: 7, p90: 7, max: 7 })
})
