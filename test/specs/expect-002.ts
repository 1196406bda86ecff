// What the JSON examples of specification 002 mean.

import { expect } from 'vitest'
import { call, type ExpectedByPlace, is, result, text } from './expected.ts'

const session = '4436aaaa-0003'
const sessionFacts = { session, thread: session }

const messages: ExpectedByPlace = {
  '002 4. Message Type: user / User Prompt #1': {
    events: [
      {
        ...is.client.prompt,
        ...sessionFacts,
        id: '9137aaaa-0001',
        parent: 'b182aaaa-0002',
        at: '2026-03-05T04:21:59.414Z',
        cwd: '/home/mara/till',
        version: '2.1.45',
        gitBranch: 'main',
        blocks: [text('does the till have any prices?')],
      },
    ],
    graph: graph => expect(graph.turns).toMatchObject([{ prompt: '9137aaaa-0001' }]),
  },
  '002 4. Message Type: user / User Tool Result Delivery #1': {
    // "It is not a human prompt."
    events: [
      {
        ...is.client.results,
        id: '2d5aaaaa-0004',
        parent: '18c6aaaa-0005',
        blocks: [result('toolu_till1', 'rolls\t0\nloaves\t24')],
      },
    ],
    graph: graph => expect(graph.turns).toEqual([]),
  },
  '002 4. Message Type: user / Compact Summary (Context Continuation) #1': {
    events: [
      {
        ...is.client.by('compact-summary'),
        parent: '1d1baaaa-0006',
        flags: ['transcript-only'],
        blocks: [text('This session goes on from one that became too long.')],
      },
    ],
    graph: graph => {
      expect(graph.turns).toEqual([])
      expect(graph.compactions).toMatchObject([{ summaryEvent: graph.events[0]?.id }])
    },
  },
  '002 5. Message Type: assistant #1': {
    events: [
      {
        ...is.client.answer,
        ...sessionFacts,
        id: '3f4daaaa-0007',
        parent: '9137aaaa-0001',
        at: '2026-03-05T04:22:01.687Z',
        blocks: [],
        message: {
          id: 'msg_till1',
          requestId: 'req_till1',
          model: 'claude-opus-4-6',
        },
      },
    ],
    // "Always null in JSONL logs": there is no stop reason to tell.
    graph: graph => expect(graph.messages[0]).not.toHaveProperty('stopReason'),
  },
  '002 5. Message Type: assistant / Usage Object #1': {
    events: [
      {
        ...is.client.answer,
        message: {
          usage: {
            inputTokens: 3,
            outputTokens: 11,
            cacheCreationTokens: 3332,
            cacheReadTokens: 29818,
            cacheCreation5mTokens: 0,
            cacheCreation1hTokens: 3332,
            outputFinal: false,
          },
        },
      },
    ],
  },
}

const blocks: ExpectedByPlace = {
  '002 6. Content Block Types / text #1': {
    events: [{ ...is.client.answer, blocks: [text('It has two.')] }],
  },
  '002 6. Content Block Types / thinking #1': {
    events: [
      {
        ...is.client.answer,
        blocks: [{ type: 'thinking', text: 'The till keeps its prices in a table', logged: true }],
      },
    ],
  },
  '002 6. Content Block Types / tool_use #1': {
    events: [
      {
        ...is.client.answer,
        blocks: [
          call('toolu_till1', 'Bash', {
            command: 'sqlite3 till.db .tables',
            description: 'List the tables of the till',
          }),
        ],
      },
    ],
  },
  '002 6. Content Block Types / tool_result #1': {
    events: [{ ...is.client.results, blocks: [result('toolu_till1', 'rolls loaves')] }],
  },
}

const events: ExpectedByPlace = {
  '002 8. Message Type: progress #1': {
    events: [
      {
        ...is.client.by('progress'),
        ...sessionFacts,
        id: 'b182aaaa-0002',
        parent: null,
        at: '2026-03-05T04:21:45.192Z',
        flags: [],
        detail: {
          dataType: 'hook_progress',
          toolUseID: '758baaaa-0008',
          parentToolUseID: '758baaaa-0008',
          hookEvent: 'SessionStart',
          hookName: 'SessionStart:startup',
          command: 'hooks/open-shop.sh',
        },
      },
    ],
  },
  '002 9. Message Type: system / Subtype: turn_duration #1': {
    events: [
      {
        ...is.client.by('notice'),
        at: '2026-03-05T04:24:28.943Z',
        flags: [],
        detail: { subtype: 'turn_duration', durationMs: 62243 },
      },
    ],
  },
  '002 9. Message Type: system / Subtype: compact_boundary #1': {
    events: [
      {
        ...is.client.by('compaction'),
        parent: null,
        logicalParent: '3215aaaa-0009',
        blocks: [text('Conversation compacted')],
        detail: { phase: 'done', trigger: 'auto', preTokens: 167710 },
      },
    ],
    graph: graph =>
      expect(graph.compactions).toMatchObject([{ event: graph.events[0]?.id, trigger: 'auto', preTokens: 167710 }]),
  },
}

const sideRecords: ExpectedByPlace = {
  '002 10. Message Type: queue-operation / Operation: dequeue #1': {
    events: [
      {
        ...is.client.by('queue'),
        session,
        parent: null,
        at: '2026-03-05T04:25:14.532Z',
        blocks: [],
        detail: { operation: 'dequeue' },
      },
    ],
  },
  '002 10. Message Type: queue-operation / Operation: enqueue #1': {
    events: [
      {
        ...is.client.by('queue'),
        session,
        at: '2026-03-05T04:28:25.706Z',
        detail: {
          operation: 'enqueue',
          task: { id: 'a7038ad', description: 'Count the tables of the till', type: 'local_agent' },
        },
      },
    ],
  },
  '002 10. Message Type: queue-operation / Operation: enqueue #2': {
    events: [
      {
        ...is.client.by('queue'),
        session,
        detail: {
          operation: 'enqueue',
          notification: {
            taskId: 'b38ec1b',
            outputFile: '/home/mara/tasks/b38ec1b.output',
            status: 'completed',
            summary: 'Background command "Warm the oven" completed (exit code 0)',
          },
        },
      },
    ],
  },
  '002 11. Message Type: file-history-snapshot #1': {
    events: [
      {
        ...is.client.by('snapshot'),
        parent: null,
        at: '2026-03-05T04:21:59.415Z',
        detail: { messageId: '9137aaaa-0001', isUpdate: false, files: [] },
      },
    ],
    // Standalone: no link of the chain.
    graph: graph => expect(graph.nodes.size).toBe(0),
  },
  '002 12. history.jsonl (Global History) #1': {
    events: [
      {
        dialect: 'history',
        kind: 'history',
        actor: 'human',
        session: '5479aaaa-0010',
        at: '2026-03-06T09:31:39.405Z',
        blocks: [text('/plugin ')],
        detail: { project: '/home/mara/till', pasted: [] },
      },
    ],
  },
}

export const expected002: ExpectedByPlace = { ...messages, ...blocks, ...events, ...sideRecords }
