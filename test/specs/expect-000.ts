// What the JSON examples of specification 000 mean.

import { expect } from 'vitest'
import { call, callFacts, type ExpectedByPlace, is, result, subagents, text } from './expected.ts'

const base = {
  id: 'msg_abc123def456',
  parent: 'msg_parent789',
  session: 'session_xyz',
  thread: 'session_xyz',
  at: '2025-01-29T14:15:30.123Z',
  version: '1.0.128',
  blocks: [text('content')],
}
const write = call('toolu_01abc123', 'Write', {
  file_path: '/parse_json.py',
  content: 'import json\n\ndef parse_json(file_path):\n    ...',
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
        id: 'msg_user_001',
        parent: 'msg_assistant_000',
        session: 'session_123',
        thread: 'session_123',
        at: '2025-01-29T14:15:30.123Z',
        version: '1.0.128',
        blocks: [text('Create a Python script to parse JSON files')],
      },
    ],
    graph: graph => expect(graph.turns).toHaveLength(1),
  },
  '000 Message Types / Assistant Message #1': {
    events: [
      {
        ...is.s0.answer,
        id: 'msg_assistant_002',
        parent: 'msg_user_001',
        at: '2025-01-29T14:15:35.456Z',
        blocks: [text("I'll create a Python script to parse JSON files."), write],
      },
    ],
    graph: graph => expect(callFacts(graph, 'id', 'name', 'status')).toEqual([['toolu_01abc123', 'Write', 'missing']]),
  },
  '000 Message Types / Tool Result Message #1': {
    events: [
      {
        ...is.s0.results,
        wireType: 'tool_result',
        id: 'msg_result_003',
        parent: 'msg_assistant_002',
        blocks: [result('toolu_01abc123', 'File created successfully')],
      },
    ],
  },
}

const contents: ExpectedByPlace = {
  '000 Message Content Structures / Text Content #1': {
    events: [{ ...is.s0.prompt, blocks: [text('This is a text message')] }],
  },
  '000 Message Content Structures / Mixed Content Array #1': {
    events: [
      {
        ...is.s0.answer,
        blocks: [text("Here's the analysis:"), call('toolu_xyz789', 'Read', { file_path: '/config.json' })],
      },
    ],
  },
  '000 Message Content Structures / Tool Invocation #1': {
    events: [
      {
        ...is.s0.answer,
        blocks: [call('toolu_unique_id', 'ToolName', { param1: 'value1', param2: 'value2' })],
      },
    ],
  },
  '000 Message Content Structures / Tool Result #1': {
    events: [{ ...is.s0.results, blocks: [result('toolu_unique_id', 'Tool execution result')] }],
  },
  '000 Message Content Structures / Image Content #1': {
    events: [{ ...is.s0.prompt, blocks: [{ type: 'image', mediaType: 'image/png', bytes: expect.any(Number) }] }],
  },
  '000 Tool Correlation #1': { events: [{ ...is.s0.answer, blocks: [call('toolu_01xyz', 'Read')] }] },
  '000 Tool Correlation #2': { events: [{ ...is.s0.results, blocks: [result('toolu_01xyz', '...')] }] },
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
        id: 'msg_sidechain_001',
        thread: 'msg_sidechain_001',
        parent: 'msg_task_invocation',
        session: 'session_123',
        blocks: [text('Analyze this codebase for potential improvements')],
      },
    ],
    graph: graph => {
      expect(subagents(graph)).toMatchObject([{ id: 'msg_sidechain_001', events: ['msg_sidechain_001'] }])
      expect(graph.turns).toEqual([])
    },
  },
  '000 Special Message Patterns / Compact Messages #1': {
    events: [
      {
        dialect: 's0',
        kind: 'preserved',
        actor: 'client',
        id: 'msg_compact_001',
        parent: null,
        at: '2025-01-29T14:15:50.000Z',
        blocks: [text('Previous message content...')],
      },
    ],
    graph: graph =>
      expect(graph.compactions).toMatchObject([{ event: 'msg_compact_001', preservedEvents: ['msg_compact_001'] }]),
  },
  '000 Special Message Patterns / Compact Messages #2': {
    events: [
      {
        dialect: 's0',
        kind: 'compact-summary',
        actor: 'client',
        id: 'msg_recap_001',
        parent: 'msg_compact_001',
        blocks: [text('Summary of compacted conversation...')],
      },
    ],
    graph: graph => expect(graph.compactions).toMatchObject([{ summaryEvent: 'msg_recap_001' }]),
  },
}

export const expected000: ExpectedByPlace = { ...messageTypes, ...contents, ...patterns }
