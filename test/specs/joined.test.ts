// Examples of a specification that belong together, read as one file: calls meet their results, borders their summaries.

import { describe, expect, test } from 'vitest'
import type { SessionGraph } from '../../src/model/session.ts'
import { callFacts, linesAt, links, mainThread, readLines, subagents, wrappedCall } from './expected.ts'

const request = (id: string) => ({
  type: 'assistant',
  message: { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Bash', input: {} }] },
})

/** Lines that no example shows are before those at the places. */
function join(places: readonly string[], before: readonly object[] = []): SessionGraph {
  return readLines([...before, ...linesAt(...places)]).graph
}

const pairs: [string, string, string][] = [
  ['000 Message Types / Assistant Message #1', '000 Message Types / Tool Result Message #1', 'toolu_prices1'],
  [
    '000 Message Content Structures / Tool Invocation #1',
    '000 Message Content Structures / Tool Result #1',
    'toolu_scale1',
  ],
  ['000 Tool Correlation #1', '000 Tool Correlation #2', 'toolu_read1'],
  [
    '001 Content Structure / Assistant Message Content #1',
    '001 Content Structure / User Message Content #2',
    'toolu_rye1',
  ],
  ['001 Content Block Types / Tool Use Block #1', '001 Content Block Types / Tool Result Block #1', 'toolu_weigh1'],
  ['002 6. Content Block Types / tool_use #1', '002 6. Content Block Types / tool_result #1', 'toolu_till1'],
  [
    '002 6. Content Block Types / tool_use #1',
    '002 4. Message Type: user / User Tool Result Delivery #1',
    'toolu_till1',
  ],
]

describe('a call and its result', () => {
  test.each(pairs)('%s is answered by %s', (asked, answered, id) => {
    expect(callFacts(join([asked, answered]), 'id', 'outcome', 'pairing')).toEqual([[id, 'done', 'id']])
  })

  test.each([
    ['004 Error Handling and Edge Cases / Error Messages #1', 'toolu_order1', 'failed'],
    ['004 Error Handling and Edge Cases / Interrupted Operations #1', wrappedCall, 'interrupted'],
    ['004 Tool Integration Patterns / Tool Result Examples / Command Execution #1', wrappedCall, 'done'],
    ['004 Tool Integration Patterns / Tool Result Examples / File Operation #1', wrappedCall, 'done'],
    ['004 Tool Integration Patterns / Tool Result Examples / Todo Management #1', wrappedCall, 'done'],
  ])('%s leaves its call %s %s', (place, id, status) => {
    expect(callFacts(join([place], [request(id)]), 'id', 'outcome')).toEqual([[id, status]])
  })

  test('the messages of 000 are one turn with one call', () => {
    const types = ['Human Message', 'Assistant Message', 'Tool Result Message']
    const graph = join(types.map(type => `000 Message Types / ${type} #1`))
    expect(graph.turns).toMatchObject([{ prompt: 'msg_asks_1', toolCalls: ['toolu_prices1'] }])
    expect(graph.toolCalls).toMatchObject([{ resultEvent: 'msg_result_3', durationMs: 1333 }])
  })
})

describe('a compaction and what belongs to it', () => {
  test("000's prelude is preserved and its recap sums it up", () => {
    const place = '000 Special Message Patterns / Compact Messages'
    const graph = join([`${place} #1`, `${place} #2`])
    expect(graph.compactions).toMatchObject([
      { event: 'msg_prelude_1', preservedEvents: ['msg_prelude_1'], summaryEvent: 'msg_recap_1' },
    ])
    expect(graph.compactions).toHaveLength(1)
  })

  test("002's boundary is followed by its summary", () => {
    const graph = join([
      '002 9. Message Type: system / Subtype: compact_boundary #1',
      '002 4. Message Type: user / Compact Summary (Context Continuation) #1',
    ])
    expect(graph.compactions).toMatchObject([{ event: graph.events[0]?.id, summaryEvent: graph.events[1]?.id }])
    expect(graph.compactions).toHaveLength(1)
  })

  test("003's message whose parent is gone hangs on its logical parent", () => {
    const [, border, after] = linesAt('003 Special Patterns / Logical Parent UUID Pattern #1')
    const original = { type: 'user', uuid: 'msg-000', message: 'Where it began' }
    const { graph } = readLines([original, border ?? {}, after ?? {}])
    expect(links(graph).at(-1)).toBe('msg-000 ← msg-002 (logical)')
    expect(graph.roots).toEqual(['msg-000'])
  })
})

describe('lines of one conversation', () => {
  test("002's progress, prompt and answer are one chain, with the snapshot next to it", () => {
    const graph = join([
      '002 8. Message Type: progress #1',
      '002 11. Message Type: file-history-snapshot #1',
      '002 4. Message Type: user / User Prompt #1',
      '002 5. Message Type: assistant #1',
      '002 9. Message Type: system / Subtype: turn_duration #1',
    ])
    expect(links(graph).slice(0, 3)).toEqual([
      '- ← b182aaaa-0002 (root)',
      'b182aaaa-0002 ← 9137aaaa-0001 (stated)',
      '9137aaaa-0001 ← 3f4daaaa-0007 (stated)',
    ])
    // Claude Code's own measure of the turn.
    expect(graph.turns).toMatchObject([{ prompt: '9137aaaa-0001', durationMs: 62243 }])
  })

  test("003's message types are one session: a sidechain next to the main thread, a call with its result, a compaction", () => {
    const types = ['User', 'Assistant', 'Sidechain', 'Tool Use', 'System', 'Compact System']
    const graph = join(types.map(type => `003 Message Type Structures / ${type} Message #1`))
    expect(subagents(graph)).toMatchObject([{ id: 'msg-003', linkedBy: 'parent', events: ['msg-003'] }])
    expect(mainThread(graph)?.events).toEqual(['msg-001', 'msg-002', 'msg-004', 'msg-005', 'msg-006'])
    expect(graph.events[4]).toMatchObject({ kind: 'tool-results', actor: 'tool', flags: ['inferred'] })
    expect(callFacts(graph, 'id', 'name', 'outcome', 'pairing', 'resultEvent', 'durationMs')).toEqual([
      ['s3:msg-004', 'Read', 'done', 'inferred', 'msg-005', 5000],
    ])
    expect(graph.compactions).toMatchObject([{ event: 'msg-006', preservedMessages: 10, totalMessages: 100 }])
  })

  test("004's command and its output are not turns", () => {
    const place = '004 User Messages / Special User Message Types /'
    const graph = join([
      `${place} Meta Messages #1`,
      `${place} Command Messages #1`,
      `${place} Command Output Messages #1`,
    ])
    expect(graph.events.map(event => event.kind)).toEqual(['meta', 'command', 'command-output'])
    expect(graph.turns).toEqual([])
  })

  test("004's summary titles the branch whose leaf it names", () => {
    const uuid = '0a0b0c0d-4444-4444-8444-000000000004'
    const leaf = { type: 'user', uuid, parentUuid: null, message: { role: 'user', content: 'Start faster' } }
    const { graph } = readLines([...linesAt('004 Summary Entries / Example #1'), leaf])
    expect(graph.branches).toMatchObject([{ leaf: uuid, title: 'Bake rolls before the shop opens' }])
  })
})

describe('sidechains as 004 reads them', () => {
  test('without anything that delegates, a sidechain is another branch of the same conversation', () => {
    const line = (uuid: string, parentUuid: string | null, type: string, content: string, isSidechain = false) => ({
      type,
      uuid,
      parentUuid,
      isSidechain,
      message: { role: type, content },
    })
    const { graph } = readLines([
      line('u1', null, 'user', 'How shall we start?'),
      line('a1', 'u1', 'assistant', 'In one of two ways'),
      line('u2', 'a1', 'user', 'The first'),
      line('u3', 'a1', 'user', 'What about the second?', true),
    ])
    expect(subagents(graph)).toEqual([])
    expect(graph.branches.map(branch => branch.leaf)).toEqual(['u2', 'u3'])
    expect(graph.events[3]).toMatchObject({ kind: 'prompt', actor: 'human', flags: ['sidechain'] })
  })
})
