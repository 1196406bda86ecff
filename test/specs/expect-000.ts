// What the JSON examples of specification 000 mean.

import { expect } from 'vitest'
import { call, callFacts, type ExpectedByPlace, is, result, subagents, text } from './expected.ts'

const base = {
  id: 'msg_loaf01',
  parent: 'msg_oven00',
  session: 'session_mill',
  thread: 'session_mill',
  at: '2026-03-02T05:10:30.123Z',
  version: '1.0.128',
  blocks: [text('flour')],
}
const write = call('toolu_prices1', 'Write', {
  file_path: '/prices.py',
  content: 'import csv\n\ndef prices(path):\n    return path',
})

const messageTypes: ExpectedByPlace = {
  '000 Core Message Structure / Base Message Schema #1': {
    events: [
      { ...is.s0.prompt, wireType: 'human', ...base },
      { ...is.s0.answer, wireType: 'assistant', ...base },
      // Expectation: 000's `tool_result` is system-generated, so never a human's prompt, even where its content names no call.
      { ...is.s0.results, wireType: 'tool_result', ...base },
    ],
    graph: graph => expect([...graph.nodes.values()]).toMatchObject([{ parent: null, link: 'orphan' }]),
  },
  '000 Message Types / Human Message #1': {
    events: [
      {
        ...is.s0.prompt,
        id: 'msg_asks_1',
        parent: 'msg_greets_0',
        session: 'session_bakery',
        thread: 'session_bakery',
        at: '2026-03-02T05:10:30.123Z',
        version: '1.0.128',
        blocks: [text('Write a script that reads the price list')],
      },
    ],
    graph: graph => expect(graph.turns).toHaveLength(1),
  },
  '000 Message Types / Assistant Message #1': {
    events: [
      {
        ...is.s0.answer,
        id: 'msg_writes_2',
        parent: 'msg_asks_1',
        at: '2026-03-02T05:10:35.456Z',
        blocks: [text('Here is a script that reads it.'), write],
      },
    ],
    graph: graph => expect(callFacts(graph, 'id', 'name', 'outcome')).toEqual([['toolu_prices1', 'Write', 'missing']]),
  },
  '000 Message Types / Tool Result Message #1': {
    events: [
      {
        ...is.s0.results,
        wireType: 'tool_result',
        id: 'msg_result_3',
        parent: 'msg_writes_2',
        blocks: [result('toolu_prices1', 'prices.py is written')],
      },
    ],
  },
}

const contents: ExpectedByPlace = {
  '000 Message Content Structures / Text Content #1': {
    events: [{ ...is.s0.prompt, blocks: [text('Is the oven warm?')] }],
  },
  '000 Message Content Structures / Mixed Content Array #1': {
    events: [
      {
        ...is.s0.answer,
        blocks: [text('The recipe says:'), call('toolu_recipe1', 'Read', { file_path: '/recipe.json' })],
      },
    ],
  },
  '000 Message Content Structures / Tool Invocation #1': {
    events: [
      {
        ...is.s0.answer,
        blocks: [call('toolu_scale1', 'Weigh', { param1: 'rye', param2: 'wheat' })],
      },
    ],
  },
  '000 Message Content Structures / Tool Result #1': {
    events: [{ ...is.s0.results, blocks: [result('toolu_scale1', '500 g of rye')] }],
  },
  '000 Message Content Structures / Image Content #1': {
    events: [{ ...is.s0.prompt, blocks: [{ type: 'image', mediaType: 'image/png', bytes: expect.any(Number) }] }],
  },
  '000 Tool Correlation #1': { events: [{ ...is.s0.answer, blocks: [call('toolu_read1', 'Read')] }] },
  '000 Tool Correlation #2': { events: [{ ...is.s0.results, blocks: [result('toolu_read1', '...')] }] },
}

const patterns: ExpectedByPlace = {
  '000 Special Message Patterns / Sidechain Messages #1': {
    // Role reversal: the one who writes as "human" in a sidechain is the delegating agent.
    events: [
      {
        dialect: 's0',
        kind: 'delegation',
        actor: 'agent',
        wireType: 'human',
        flags: ['sidechain'],
        id: 'msg_helper_1',
        thread: 'msg_helper_1',
        parent: 'msg_task_1',
        session: 'session_bakery',
        blocks: [text('Look for recipes without salt')],
      },
    ],
    graph: graph => {
      expect(subagents(graph)).toMatchObject([{ id: 'msg_helper_1', events: ['msg_helper_1'] }])
      expect(graph.turns).toEqual([])
    },
  },
  '000 Special Message Patterns / Compact Messages #1': {
    events: [
      {
        dialect: 's0',
        kind: 'preserved',
        actor: 'client',
        id: 'msg_prelude_1',
        parent: null,
        at: '2026-03-02T05:10:50.000Z',
        blocks: [text('What was said of the dough')],
      },
    ],
    graph: graph =>
      expect(graph.compactions).toMatchObject([{ event: 'msg_prelude_1', preservedEvents: ['msg_prelude_1'] }]),
  },
  '000 Special Message Patterns / Compact Messages #2': {
    events: [
      {
        dialect: 's0',
        kind: 'compact-summary',
        actor: 'client',
        id: 'msg_recap_1',
        parent: 'msg_prelude_1',
        blocks: [text('The dough rests until six')],
      },
    ],
    graph: graph => expect(graph.compactions).toMatchObject([{ summaryEvent: 'msg_recap_1' }]),
  },
}

export const expected000: ExpectedByPlace = { ...messageTypes, ...contents, ...patterns }
