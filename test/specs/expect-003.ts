// What the JSON examples of specification 003 mean: single lines. Its examples of several lines stand in expect-003-flows.

import { expect } from 'vitest'
import { call, callFacts, type ExpectedByPlace, type Facts, is, subagents, text } from './expected.ts'

const required = {
  id: 'unique-message-id',
  parent: null,
  session: 'session-identifier',
  at: '2025-01-27T10:15:30.123Z',
  blocks: [],
}
const optional: Facts = {
  id: 'message-id',
  parent: 'parent-message-id',
  logicalParent: 'original-parent-before-compact',
  thread: 'message-id',
  flags: ['meta', 'sidechain', 'deleted', 'aborted'],
}
const read = (id: string, path: string) => ({
  ...call(`s3:${id}`, 'Read', { file_path: path }),
  inferredId: true,
})
const session = { session: 'session-123', thread: 'session-123' }

const fields: ExpectedByPlace = {
  '003 Core Message Structure / Required Fields #1': {
    // Nothing in the first three says which specification wrote them.
    events: [
      { kind: 'prompt', actor: 'human', wireType: 'user', ...required },
      { kind: 'answer', actor: 'agent', wireType: 'assistant', ...required },
      { kind: 'notice', actor: 'client', wireType: 'system', ...required },
      { ...is.s3.compaction, wireType: 'compact_system', ...required },
    ],
  },
  '003 Core Message Structure / Common Optional Fields #1': {
    events: [
      {
        ...is.s3.answer,
        ...optional,
        blocks: [text('Message content'), read('message-id', '/path/to/file')],
        detail: { subtype: 'tool_use' },
      },
      { dialect: 's3', kind: 'meta', actor: 'client', ...optional, blocks: [text('Message content')] },
      { ...is.s3.answer, ...optional, detail: { subtype: 'response' } },
    ],
    graph: graph => {
      expect(callFacts(graph, 'name', 'status', 'isRemoved')).toEqual([['Read', 'interrupted', true]])
      expect(subagents(graph)).toHaveLength(1)
    },
  },
}

const lines: ExpectedByPlace = {
  '003 Message Type Structures / User Message #1': {
    events: [
      {
        ...is.s3.prompt,
        ...session,
        id: 'msg-001',
        parent: 'msg-000',
        at: '2025-01-27T10:00:00.000Z',
        flags: [],
        blocks: [text('Create a Python script')],
      },
    ],
  },
  '003 Message Type Structures / Assistant Message #1': {
    events: [
      {
        ...is.s3.answer,
        ...session,
        id: 'msg-002',
        parent: 'msg-001',
        flags: [],
        blocks: [text("I'll create a Python script for you.")],
        detail: { subtype: 'response' },
      },
    ],
  },
  '003 Message Type Structures / Sidechain Message #1': {
    events: [
      {
        ...is.s3.delegation,
        session: 'session-123',
        thread: 'msg-003',
        id: 'msg-003',
        parent: 'msg-002',
        flags: ['sidechain'],
        blocks: [text('Analyze this codebase for potential improvements')],
      },
    ],
    graph: graph => expect(subagents(graph)).toMatchObject([{ id: 'msg-003', events: ['msg-003'] }]),
  },
  '003 Message Type Structures / Tool Use Message #1': {
    events: [
      {
        ...is.s3.answer,
        ...session,
        id: 'msg-004',
        parent: 'msg-003',
        flags: [],
        blocks: [read('msg-004', '/path/to/file.py')],
        detail: { subtype: 'tool_use' },
      },
    ],
    graph: graph => expect(callFacts(graph, 'id', 'name', 'status')).toEqual([['s3:msg-004', 'Read', 'missing']]),
  },
  '003 Message Type Structures / System Message #1': {
    // Alone it answers no call that is known: a notice. Joined with its call it is the result.
    events: [
      {
        dialect: 's3',
        kind: 'notice',
        actor: 'client',
        id: 'msg-005',
        parent: 'msg-004',
        blocks: [text('File read successfully')],
      },
    ],
  },
  '003 Message Type Structures / Compact System Message #1': {
    events: [
      {
        ...is.s3.compaction,
        ...session,
        id: 'msg-006',
        parent: 'msg-005',
        at: '2025-01-27T10:00:25.000Z',
        detail: { phase: 'done', preservedMessages: 10, totalMessages: 100 },
      },
    ],
    graph: graph =>
      expect(graph.compactions).toMatchObject([{ event: 'msg-006', preservedMessages: 10, totalMessages: 100 }]),
  },
}

const marks: ExpectedByPlace = {
  '003 Special Patterns / Orphaned Messages #1': {
    events: [
      {
        ...is.s3.prompt,
        id: 'msg-100',
        parent: 'msg-from-previous-session',
        flags: [],
        blocks: [text('Continue from before')],
      },
    ],
    // "Treated as conversation roots, not errors."
    graph: graph => {
      expect(graph.roots).toEqual(['msg-100'])
      expect([...graph.nodes.values()]).toMatchObject([{ parent: null, link: 'orphan' }])
      expect(graph.findings.filter(finding => finding.severity === 'error')).toEqual([])
      expect(graph.branches).toMatchObject([{ leaf: 'msg-100', isActive: true }])
    },
  },
  '003 Special Patterns / Aborted Operations #1': {
    events: [
      {
        ...is.s3.answer,
        id: 'msg-100',
        parent: 'msg-099',
        flags: ['aborted'],
        blocks: [text('Operation cancelled by user'), call('s3:msg-100', 'Bash')],
      },
    ],
    graph: graph => expect(callFacts(graph, 'name', 'status')).toEqual([['Bash', 'interrupted']]),
  },
  '003 Special Patterns / Deleted Messages #1': {
    events: [
      { ...is.s3.prompt, id: 'msg-200', parent: 'msg-199', flags: ['deleted'], blocks: [text('[Content removed]')] },
    ],
    // Its place stays.
    graph: graph => expect(graph.nodes.size).toBe(1),
  },
}

export const expected003: ExpectedByPlace = { ...fields, ...lines, ...marks }
