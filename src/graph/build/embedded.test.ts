// Subagents whose lines are in progress records of the log that started them, with a log of their own and without.

import { describe, expect, it } from 'vitest'
import type { SessionGraph } from '../../model/session.ts'
import { buildContext } from '../graph.ts'
import { graphFile, Sketch, type Wire } from '../testing.ts'

/** What the agent did: a task, a call, its result, an answer. */
function agentLines(): Wire[] {
  const agent = new Sketch()
  agent.user('t1', null, 'Look at the cart.')
  agent.call('t2', 't1', 'toolu_in', 'Read', { file_path: '/p/cart.js' }).result('t3', 't2', 'toolu_in', 'the cart')
  agent.answer('t4', 't3', 'It rounds.')
  return agent.records
}

function session(carried: readonly Wire[] = agentLines()): Sketch {
  const sketch = new Sketch().user('u1', null, 'Check the cart.')
  sketch.call('a1', 'u1', 'toolu_out', 'Task', { description: 'Cart', prompt: 'Look at the cart.' })
  let last = 'a1'
  for (const [at, line] of carried.entries()) {
    const { type, message, uuid, timestamp } = line
    const data = { type: 'agent_progress', agentId: 'ag', message: { type, message, uuid, timestamp } }
    sketch.chain('progress', `p${at}`, last, { data, toolUseID: `agent_${at}`, parentToolUseID: 'toolu_out' })
    last = `p${at}`
  }
  return sketch.result('r1', last, 'toolu_out', 'It rounds.').answer('a2', 'r1', 'Done.')
}

function ownLog(lines: readonly Wire[]) {
  const text = lines.map(line => `${JSON.stringify({ ...line, isSidechain: true, agentId: 'ag' })}\n`).join('')
  return graphFile(text, { session: 's', path: 'agent-ag.jsonl', role: 'agent', agent: 'ag' })
}

function agentOf(graph: SessionGraph) {
  const thread = graph.threads.find(({ id }) => (id as string) === 'ag')
  const calls = graph.toolCalls.filter(call => (call.thread as string) === 'ag')
  return { thread, calls: calls.map(({ id, outcome: status }) => `${id} ${status}`) }
}

describe('a subagent without a log of its own', () => {
  it('has the thread that progress records tell of, linked to the call that started it', () => {
    const { thread, calls } = agentOf(session().graph())
    expect(thread).toMatchObject({ kind: 'subagent', call: 'toolu_out', description: 'Cart' })
    expect(thread?.events).toEqual(['t1', 't2', 't3', 't4'])
    expect(calls).toEqual(['toolu_in done'])
  })

  it('counts once where its log has the same lines, or some of them', () => {
    const whole = agentOf(session().graph(ownLog(agentLines())))
    const [first, second, third, last] = agentLines()
    for (const lines of [
      [first, second],
      [third, last],
      [second, last],
      [first, last],
    ] as Wire[][]) {
      expect(agentOf(session().graph(ownLog(lines)))).toEqual(whole)
    }
    expect(whole.thread?.events).toEqual(['t1', 't2', 't3', 't4'])
    expect(
      session()
        .graph(ownLog(agentLines()))
        .events.filter(({ id }) => (id as string) === 't2'),
    ).toHaveLength(1)
  })

  it('is not sent on resume, like any subagent', () => {
    const without = session([]).graph()
    const sent = (graph: SessionGraph) => buildContext(graph).messages.map(({ blocks }) => blocks)
    expect(sent(session().graph())).toEqual(sent(without))
  })

  it('gets ids from the records that carry its lines where those have none', () => {
    const lines = agentLines().map(({ uuid: _, ...line }) => line)
    const ids = session(lines)
      .file()
      .events.filter(({ thread }) => (thread as string) === 'ag')
    expect(ids.map(({ id }) => id)).toEqual(['p0~agent', 'p1~agent', 'p2~agent', 'p3~agent'])
  })
})
