import { describe, expect, test } from 'vitest'
import { Sketch } from '../graph/testing.ts'
import type { SessionGraph } from '../model/session.ts'
import { StatsTally, spreadOf } from './stats.ts'

function statsOf(graphs: readonly SessionGraph[]) {
  const tally = new StatsTally()
  for (const graph of graphs) tally.add(graph)
  return tally.report()
}

const counted = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 100, cache_creation_input_tokens: 1 }

function answered(session: string, parts = 1): Sketch {
  const sketch = new Sketch(session).user('u1', null, 'go')
  for (let i = 0; i < parts; i++) {
    const message = {
      id: 'msg_1',
      role: 'assistant',
      model: 'claude-x',
      content: [{ type: 'text', text: `part ${i}` }],
      stop_reason: 'end_turn',
      usage: counted,
    }
    sketch.chain('assistant', `a${i}`, i === 0 ? 'u1' : `a${i - 1}`, { requestId: 'req_1', message })
  }
  return sketch
}

describe('tokens', () => {
  test('are counted once per message, whatever the number of its records', () => {
    const { tokens, models } = statsOf([answered('s', 4).graph()])
    expect(tokens).toMatchObject({
      messages: 1,
      inputTokens: 10,
      outputTokens: 5,
      cacheReadTokens: 100,
      outputFinal: true,
    })
    expect(models).toMatchObject([{ model: 'claude-x', messages: 1, usage: { outputTokens: 5 } }])
  })

  test('of an answer that a fork copied are counted once over both sessions', () => {
    const tally = new StatsTally()
    tally.add(answered('s').graph())
    tally.add(answered('fork').graph())
    expect(tally.report()).toMatchObject({ sessions: 2, tokens: { messages: 1, inputTokens: 10 } })
  })

  test('are a lower bound where a message has only a placeholder', () => {
    const sketch = new Sketch().user('u', null, 'go')
    const message = { id: 'm', role: 'assistant', model: 'x', content: [], stop_reason: null, usage: counted }
    sketch.chain('assistant', 'a', 'u', { message, version: '2.1.45' })
    expect(statsOf([sketch.graph()]).tokens).toMatchObject({ messagesWithPartialOutput: 1, outputFinal: false })
  })
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
