// The flows and trees that the specifications draw mean, once written as lines, what the drawings say.

import { describe, expect, test } from 'vitest'
import { jsonText } from '../../src/base/json.ts'
import { decodeText } from '../../src/decode/decode.ts'
import { buildGraph } from '../../src/graph/graph.ts'
import { type EventId, eventId, sessionId } from '../../src/model/ids.ts'
import type { SessionGraph } from '../../src/model/session.ts'
import { callFacts, links, mainThread, type Read, readLines, subagents } from './expected.ts'
import { flows, relationsAgentFile } from './flows.ts'

const read = (place: keyof typeof flows): Read => readLines(flows[place])
const kinds = ({ graph }: Read) => graph.events.map(event => `${event.kind} ${event.actor}`)
const leaves = (graph: SessionGraph) => graph.branches.map(branch => branch.leaf)
const linkOf = (graph: SessionGraph, id: string) => graph.nodes.get(eventId(id))

describe('the flows of 000', () => {
  test('000 Message Flow Examples / Standard Development Flow #1', () => {
    const flow = read('000 Message Flow Examples / Standard Development Flow #1')
    expect(kinds(flow)).toEqual([
      'prompt human',
      'answer agent',
      'tool-results tool',
      'answer agent',
      'tool-results tool',
    ])
    expect(callFacts(flow.graph, 'id', 'name', 'outcome', 'pairing', 'resultEvent', 'durationMs')).toEqual([
      ['t1', 'Read', 'done', 'id', 'm3', 1000],
      ['t2', 'Edit', 'done', 'id', 'm5', 1000],
    ])
    expect(flow.graph.turns).toMatchObject([{ prompt: 'm1', toolCalls: ['t1', 't2'] }])
  })

  test('000 Message Flow Examples / Task Delegation Flow #1', () => {
    const flow = read('000 Message Flow Examples / Task Delegation Flow #1')
    expect(kinds(flow)).toEqual([
      'answer agent',
      'delegation agent',
      'answer agent',
      'tool-results tool',
      'answer agent',
      'tool-results tool',
    ])
    expect(subagents(flow.graph)).toMatchObject([
      { id: 'm2', call: 't1', agentType: 'bug-hunter', events: ['m2', 'm3', 'm4', 'm5'] },
    ])
    expect(mainThread(flow.graph)?.events).toEqual(['m1', 'm6'])
    expect(callFacts(flow.graph, 'id', 'outcome', 'thread', 'subagent')).toEqual([
      ['t1', 'done', 'flow', 'm2'],
      ['t2', 'done', 'm2', undefined],
    ])
  })
})

describe('the graph of 001', () => {
  test('001 Conversation Graph #1', () => {
    const { graph } = read('001 Conversation Graph #1')
    expect(links(graph)).toEqual([
      '- ← A (root)',
      'A ← B (stated)',
      'A ← C (stated)',
      'A ← D (stated)',
      'B ← E (stated)',
      'E ← F (stated)',
    ])
    // Progress next to the path is not a branch.
    expect(leaves(graph)).toEqual(['F'])
    expect(graph.turns.map(turn => turn.prompt)).toEqual(['A', 'E'])
  })
})

describe('the flows of 002', () => {
  test('002 3. Common Fields / UUID Chain (Message Tree) #1', () => {
    const { graph } = read('002 3. Common Fields / UUID Chain (Message Tree) #1')
    expect(graph.roots).toEqual(['p'])
    expect([...graph.nodes.values()].slice(1).every(node => node.link === 'stated')).toBe(true)
    expect([...graph.nodes.values()].map(node => node.children.length)).toEqual([1, 1, 1, 1, 1, 1, 0])
    expect(graph.messages.map(message => message.events)).toEqual([['a1', 'a2', 'a3'], ['a4']])
    expect(graph.branches).toMatchObject([{ leaf: 'a4', isActive: true, eventCount: 7 }])
  })

  test('002 13. Conversation Flow Diagram #1', () => {
    const { graph } = read('002 13. Conversation Flow Diagram #1')
    const [first, second] = graph.messages
    expect(first).toMatchObject({ id: 'msg_1', events: ['l1', 'l2', 'l3'] })
    expect(first?.blocks.map(block => block.type)).toEqual(['text', 'thinking', 'tool-call'])
    // Three lines repeat one usage: it counts once.
    expect(first?.usage).toMatchObject({
      inputTokens: 3,
      outputTokens: 11,
      cacheCreationTokens: 20,
      cacheReadTokens: 400,
    })
    expect(second?.events).toEqual(['l6'])
    expect(callFacts(graph, 'id', 'outcome', 'pairing', 'requestEvent', 'resultEvent', 'progress')).toEqual([
      ['toolu_01X', 'done', 'id', 'l3', 'l5', ['l4']],
    ])
  })

  test('002 13. Conversation Flow Diagram / Multi-tool Calls #1', () => {
    const { graph } = read('002 13. Conversation Flow Diagram / Multi-tool Calls #1')
    expect(callFacts(graph, 'id', 'name', 'outcome', 'resultEvent', 'messageId')).toEqual([
      ['toolu_A', 'Read', 'done', 'n2', 'msg_1'],
      ['toolu_B', 'Grep', 'done', 'n2', 'msg_1'],
    ])
    expect(graph.branches).toHaveLength(1)
  })

  test('002 15. Key Relationships #1', () => {
    const main = read('002 15. Key Relationships #1')
    const path = 'flow/subagents/agent-a7038ad.jsonl'
    const lines = relationsAgentFile.map(line => `${jsonText(line)}\n`).join('')
    const { events } = decodeText(lines, { file: path, role: 'agent', agent: 'a7038ad', session: 'flow' })
    const graph = buildGraph(sessionId('flow'), [
      { path: 'flow.jsonl', role: 'session', events: main.events },
      { path, role: 'agent', agent: 'a7038ad', events },
    ])
    expect(subagents(graph)).toMatchObject([
      { id: 'a7038ad', call: 't1', linkedBy: 'queue', parentThread: 'flow', events: ['s1', 's2'] },
    ])
    expect(events.map(event => event.kind)).toEqual(['delegation', 'answer'])
    expect(callFacts(graph, 'id', 'outcome', 'subagent', 'resultEvent', 'progress')).toEqual([
      ['t1', 'done', 'a7038ad', 'u2', ['p1']],
    ])
    expect(linkOf(graph, 'c1')).toMatchObject({ parent: 'a2', link: 'logical' })
    expect(graph.compactions).toMatchObject([{ event: 'c1', trigger: 'auto', preTokens: 167710, summaryEvent: 'u3' }])
    expect(main.events[1]?.detail).toMatchObject({ messageId: 'u1' })
  })
})

describe('the trees of 003', () => {
  test('003 Data Relationships / Message DAG Structure #1', () => {
    const { graph } = read('003 Data Relationships / Message DAG Structure #1')
    expect(leaves(graph)).toEqual(['msg-004', 'msg-006'])
    expect(graph.branches.map(branch => branch.eventCount)).toEqual([4, 4])
    expect(graph.branches.filter(branch => branch.isActive)).toHaveLength(1)
    expect(graph.branches.find(branch => !branch.isActive)?.forkedAt).toBe('msg-002')
    expect(linkOf(graph, 'msg-002')?.children).toEqual(['msg-003', 'msg-005'])
    expect(graph.turns.map(turn => turn.prompt)).toEqual(['msg-001', 'msg-003', 'msg-005'])
  })

  test('003 Data Relationships / Sidechain Relationships #1', () => {
    const flow = read('003 Data Relationships / Sidechain Relationships #1')
    const { graph } = flow
    expect(kinds(flow)).toEqual([
      'prompt human',
      'answer agent',
      'delegation agent',
      'answer agent',
      'delegation agent',
      'answer agent',
      'answer agent',
    ])
    expect(subagents(graph)).toMatchObject([
      { id: 'msg-003', parentThread: 'flow', events: ['msg-003', 'msg-004', 'msg-005', 'msg-006'] },
    ])
    // The main thread continues although its parent is in the sidechain.
    expect(mainThread(graph)?.events).toEqual(['msg-001', 'msg-002', 'msg-007'])
    expect(graph.events[6]).toMatchObject({ parent: 'msg-006', thread: 'flow' })
    expect(leaves(graph)).toEqual(['msg-007'])
    expect(graph.turns).toMatchObject([{ prompt: 'msg-001' }])
  })
})

describe('the tree of 004', () => {
  test('004 Message Threading and Relationships / Conversation Flow #1', () => {
    const { graph } = read('004 Message Threading and Relationships / Conversation Flow #1')
    expect(graph.branches.map(({ leaf, eventCount }) => [leaf, eventCount])).toEqual([
      ['a1a', 4],
      ['a1b', 4],
      ['a2', 3],
    ])
    expect(graph.branches.map(branch => branch.title)).toEqual(['The first way', 'The second way', undefined])
    expect(graph.roots).toEqual(['root'])
    const children = (id: string): readonly EventId[] | undefined => linkOf(graph, id)?.children
    expect([children('root'), children('a1')]).toEqual([
      ['a1', 'u2'],
      ['u1a', 'u1b'],
    ])
  })
})
