// What the JSON examples of specification 002 mean.

import { expect } from 'vitest'
import { call, type ExpectedByPlace, is, result, text } from './expected.ts'

const session = '443661e2-...'
const sessionFacts = { session, thread: session }

const messages: ExpectedByPlace = {
  '002 4. Message Type: user / User Prompt #1': {
    events: [
      {
        ...is.client.prompt,
        ...sessionFacts,
        id: '9137913e-...',
        parent: 'b182467d-...',
        at: '2026-02-17T23:21:59.414Z',
        cwd: '/Users/alice/src/myapp',
        version: '2.1.45',
        gitBranch: 'main',
        blocks: [text('check the clickhouse does has data?')],
      },
    ],
    graph: graph => expect(graph.turns).toMatchObject([{ prompt: '9137913e-...' }]),
  },
  '002 4. Message Type: user / User Tool Result Delivery #1': {
    // "It is not a human prompt."
    events: [
      {
        ...is.client.results,
        id: '2d5a4b0e-...',
        parent: '18c6c4c5-...',
        blocks: [result('toolu_01T5rS5nnjdsUHUaWHf1b2XU', 'otel_events\t0\nsession_logs\t56374')],
      },
    ],
    graph: graph => expect(graph.turns).toEqual([]),
  },
  '002 4. Message Type: user / Compact Summary (Context Continuation) #1': {
    events: [
      {
        ...is.client.by('compact-summary'),
        parent: '1d1bd0c0-...',
        flags: ['transcript-only'],
        blocks: [text('This session is being continued from a previous conversation...')],
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
        id: '3f4df04b-...',
        parent: '9137913e-...',
        at: '2026-02-17T23:22:01.687Z',
        blocks: [],
        message: {
          id: 'msg_01UsSJ1owCZbDq86XPLRa519',
          requestId: 'req_011CYEVyzbRUQoa2gQ3xzPp8',
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
    events: [{ ...is.client.answer, blocks: [text('Here is my response...')] }],
  },
  '002 6. Content Block Types / thinking #1': {
    events: [
      {
        ...is.client.answer,
        blocks: [{ type: 'thinking', text: 'The user wants to check if ClickHouse has data...', logged: true }],
      },
    ],
  },
  '002 6. Content Block Types / tool_use #1': {
    events: [
      {
        ...is.client.answer,
        blocks: [
          call('toolu_01T5rS5nnjdsUHUaWHf1b2XU', 'Bash', {
            command: 'docker compose exec clickhouse clickhouse-client ...',
            description: 'Check ClickHouse tables',
          }),
        ],
      },
    ],
  },
  '002 6. Content Block Types / tool_result #1': {
    events: [{ ...is.client.results, blocks: [result('toolu_01T5rS5nnjdsUHUaWHf1b2XU', 'output text here...')] }],
  },
}

const events: ExpectedByPlace = {
  '002 8. Message Type: progress #1': {
    events: [
      {
        ...is.client.by('progress'),
        ...sessionFacts,
        id: 'b182467d-...',
        parent: null,
        at: '2026-02-17T23:21:45.192Z',
        flags: [],
        detail: {
          dataType: 'hook_progress',
          toolUseID: '758bd8b6-...',
          parentToolUseID: '758bd8b6-...',
          hookEvent: 'SessionStart',
          hookName: 'SessionStart:startup',
          command: 'hooks/session-start.sh',
        },
      },
    ],
  },
  '002 9. Message Type: system / Subtype: turn_duration #1': {
    events: [
      {
        ...is.client.by('notice'),
        at: '2026-02-17T23:24:28.943Z',
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
        logicalParent: '3215a7aa-...',
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
        at: '2026-02-17T23:25:14.532Z',
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
        at: '2026-02-17T23:28:25.706Z',
        detail: {
          operation: 'enqueue',
          task: { id: 'a7038ad', description: 'Explore current ClickHouse schema', type: 'local_agent' },
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
            outputFile: '/private/tmp/.../tasks/b38ec1b.output',
            status: 'completed',
            summary: 'Background command "Find Maven binary location" completed (exit code 0)',
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
        at: '2026-02-17T23:21:59.415Z',
        detail: { messageId: '9137913e-...', isUpdate: false, files: [] },
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
        session: '54794f8a-...',
        at: '2026-02-09T16:31:39.405Z',
        blocks: [text('/plugin ')],
        detail: { project: '/Users/alice/src/myapp', pasted: [] },
      },
    ],
  },
}

export const expected002: ExpectedByPlace = { ...messages, ...blocks, ...events, ...sideRecords }
