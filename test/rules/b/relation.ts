// Fixtures of the rules of kind relation: what one record says of another.

import { defaultSession, type Fixture } from '../fixture.ts'
import { historyLine, without } from '../lines.ts'
import { answer, boundary, call, compactSummary, enqueue, id, progress, result, s3, side, user } from './make.ts'

const main = `${defaultSession}.jsonl`
const start = [user(1, null), answer(2, 1)]
const calling = [user(1, null), answer(2, 1, [call('toolu_1')])]
const paired = [...calling, user(3, 2, [result('toolu_1')])]
const snapshot = (outer: string, inner: string) => ({
  type: 'file-history-snapshot',
  messageId: outer,
  snapshot: { messageId: inner, trackedFileBackups: {}, timestamp: '2026-02-17T23:21:59.415Z' },
  isSnapshotUpdate: false,
})
const agentLines = [user(11, null, 'Look around', { ...side, agentId: 'a7038ad' })]
const agentFile = { name: `${defaultSession}/subagents/agent-a7038ad.jsonl`, lines: agentLines }
const queued = [...start, enqueue(3, 'a7038ad')]
/** A file of the project, as a path below the home. */
const project = (name: string) => `projects/-home-dev-shop/${name}`

const parentFixtures: Fixture[] = [
  {
    code: 'root-null-parent',
    follows: {
      files: [
        { name: main, lines: start },
        { name: 'part-2.jsonl', lines: [user(3, 2), answer(4, 3)] },
      ],
    },
    breaks: [user(1, 99), answer(2, 1)],
  },
  {
    code: 'null-parent-mid-file',
    follows: [
      ...start,
      boundary(3, 2),
      compactSummary(4, 3),
      user(5, null, 'Look', side),
      answer(6, 5, undefined, side),
    ],
    breaks: [...start, user(3, null, 'Where was I?')],
  },
  {
    code: 'null-parent-mid-file',
    follows: [...start, user(3, null, 'This session is being continued from a previous conversation.')],
    breaks: [...start, answer(3, null)],
  },
  {
    code: 'null-parent-mid-file',
    follows: [answer(2, 1), user(1, null), user(3, 2)],
    breaks: [answer(2, 99), user(1, null), user(3, 2)],
  },
  {
    code: 'null-parent-mid-file',
    follows: [...start, { ...user(3, null), timestamp: start[0]?.['timestamp'] }, answer(4, 3)],
    breaks: [...start, { ...user(3, null), timestamp: start[1]?.['timestamp'] }, answer(4, 3)],
  },
  {
    code: 'is-sidechain-alternate-branch',
    follows: [...start, user(3, 2, 'What if?', side), answer(4, 3, undefined, side)],
    breaks: [...start, user(3, null, 'What if?', side)],
  },
  {
    code: 'progress-session-start-root',
    follows: [progress(1, null, 'hook-1', 'hook_progress'), user(2, 1)],
    breaks: [answer(1, null), user(2, 1)],
  },
  {
    code: 'progress-parent-user-s1',
    follows: [...calling, progress(3, 1, 'toolu_1')],
    breaks: [...calling, progress(3, 2, 'toolu_1')],
  },
  { code: 'logical-parent-exists', follows: [...start, boundary(3, 2)], breaks: [...start, boundary(3, 99)] },
  { code: 'logical-parent-exists', follows: [...start, boundary(3, 2)], breaks: [...start, boundary(3, 1)] },
]

const pairFixtures: Fixture[] = [
  { code: 'tool-result-without-call', follows: paired, breaks: [...start, user(3, 2, [result('toolu_9')])] },
  {
    code: 'tool-result-parent-is-call',
    follows: paired,
    breaks: [...calling, answer(3, 2, [{ type: 'text', text: 'Wait' }]), user(4, 3, [result('toolu_1')])],
  },
  {
    code: 'source-tool-assistant-uuid',
    follows: [...calling, user(3, 2, [result('toolu_1')], { sourceToolAssistantUUID: id(2) })],
    breaks: [...calling, user(3, 2, [result('toolu_1')], { sourceToolAssistantUUID: id(1) })],
    in: { real: { breaks: [...calling, user(3, 1, [result('toolu_1')], { sourceToolAssistantUUID: id(1) })] } },
  },
  {
    code: 'parallel-results-one-line',
    follows: [
      user(1, null),
      answer(2, 1, [call('toolu_1'), call('toolu_2')]),
      user(3, 2, [result('toolu_1'), result('toolu_2')]),
    ],
    breaks: [
      user(1, null),
      answer(2, 1, [call('toolu_1'), call('toolu_2')]),
      user(3, 2, [result('toolu_1')]),
      user(4, 2, [result('toolu_2')]),
    ],
  },
  {
    code: 'parallel-calls-one-line-each',
    follows: [user(1, null), answer(2, 1, [call('toolu_1')]), answer(3, 2, [call('toolu_2')], {}, { id: 'msg_2' })],
    breaks: [user(1, null), answer(2, 1, [call('toolu_1'), call('toolu_2')])],
  },
  {
    code: 'progress-tool-exists',
    follows: [progress(1, null, 'hook-1', 'hook_progress'), ...calling, progress(3, 2, 'toolu_1')],
    breaks: [...calling, progress(3, 2, 'toolu_9')],
  },
  {
    code: 'block-lines-share-message-id',
    follows: [
      user(1, null),
      answer(2, 1, undefined, {}, { usage: { input_tokens: 3, output_tokens: 5 } }),
      answer(3, 2, [call('toolu_1')], {}, { id: 'msg_2', usage: { output_tokens: 5, input_tokens: 3 } }),
    ],
    breaks: [
      user(1, null),
      answer(2, 1, undefined, {}, { usage: { input_tokens: 3, output_tokens: 5 } }),
      answer(3, 2, [call('toolu_1')], {}, { id: 'msg_2', usage: { input_tokens: 3, output_tokens: 80 } }),
    ],
  },
  {
    code: 'block-lines-share-message-id',
    follows: [user(1, null), answer(2, 1), answer(3, 2)],
    breaks: [
      user(1, null),
      answer(2, 1, undefined, {}, { usage: { input_tokens: 3, output_tokens: 5 } }),
      answer(3, 2, [call('toolu_1')], {}, { id: 'msg_2' }),
    ],
  },
  {
    code: 'block-lines-share-message-id',
    follows: [user(1, null), answer(2, 1), answer(3, 2, undefined, {}, { id: 'msg_2' })],
    breaks: [user(1, null), answer(2, 1), answer(3, 2, undefined, { uuid: id(2) }, { id: 'msg_2' })],
  },
]

const deleted = { isDeleted: true }
const aborted = { subtype: 'tool_use', toolName: 'Bash', isAborted: true }

const messageFixtures: Fixture[] = [
  {
    code: 'deleted-keeps-structure',
    follows: [s3(1, null, 'user', 'Hi'), s3(2, 1, 'assistant', '[Content removed]', deleted), s3(3, 2, 'user', 'On')],
    breaks: [s3(1, null, 'user', 'Hi'), s3(2, 1, 'assistant', '[Content removed]', deleted), s3(3, 1, 'user', 'On')],
  },
  {
    code: 'deleted-keeps-structure',
    follows: [
      s3(1, null, 'user', 'Hi'),
      s3(2, 1, 'assistant', '[Content removed]', deleted),
      s3(3, 1, 'assistant', 'Another branch'),
    ],
    breaks: [{ type: 'user', uuid: 'msg-1', sessionId: 's', message: '[Content removed]', ...deleted }],
  },
  {
    code: 'deleted-keeps-structure',
    follows: [
      s3(1, null, 'user', 'Hi'),
      s3(2, 1, 'assistant', '[deleted]', { ...deleted, subtype: 'response' }),
      s3(3, 1, 'assistant', 'Another branch', { subtype: 'response' }),
    ],
    breaks: [
      s3(1, null, 'user', 'Hi'),
      s3(2, 1, 'assistant', '[Content removed]', { ...deleted, subtype: 'response' }),
      s3(3, 1, 'assistant', 'Reading', { subtype: 'tool_use', toolName: 'Read', toolArguments: { file_path: '/a' } }),
    ],
  },
  {
    code: 'deleted-keeps-structure',
    follows: [s3(1, null, 'user', '[Content removed]', deleted), s3(2, 1, 'assistant', 'Hi')],
    breaks: [s3(1, null, 'user', 'Hi'), without(s3(2, 1, 'assistant', '[Content removed]', deleted), 'parentUuid')],
  },
  {
    code: 'deleted-keeps-structure',
    follows: [s3(1, null, 'user', 'Hi'), s3(2, 1, 'assistant', '', deleted)],
    breaks: [
      s3(1, null, 'user', 'Hi'),
      s3(2, 1, 'assistant', 'The password is hunter2', deleted),
      s3(3, 2, 'user', 'On'),
    ],
  },
  {
    code: 'aborted-operation',
    follows: [s3(1, null, 'user', 'Go'), s3(2, 1, 'assistant', 'Cancelled', aborted), s3(3, 2, 'user', 'Never mind')],
    breaks: [s3(1, null, 'user', 'Go'), s3(2, 1, 'assistant', 'Cancelled', aborted), s3(3, 2, 'system', 'All done')],
  },
  {
    code: 'snapshot-message-id',
    follows: [snapshot(id(1), id(1)), ...start],
    breaks: [snapshot(id(99), id(99)), ...start],
  },
  {
    code: 'snapshot-message-id-equal',
    follows: [snapshot(id(1), id(1)), ...start],
    breaks: [snapshot(id(1), id(2)), ...start],
  },
  {
    code: 'summary-leaf-is-last',
    follows: [{ type: 'summary', summary: 'Cart', leafUuid: id(2) }, ...start, user(3, 2, 'What if?', side)],
    breaks: [{ type: 'summary', summary: 'Cart', leafUuid: id(1) }, ...start],
    in: { real: { breaks: [{ type: 'summary', summary: 'Cart', leafUuid: id(99) }, ...start] } },
  },
  {
    code: 'queue-task-subagent-file',
    follows: { files: [{ name: main, lines: [...start, enqueue(3, 'a7038ad')] }, agentFile] },
    breaks: { files: [{ name: main, lines: [...start, enqueue(3, 'bbbbbbb')] }, agentFile] },
  },
  {
    code: 'queue-task-subagent-file',
    // The file is not read when the main file is given by itself, but it is there.
    follows: {
      home: { [project(main)]: queued, [project(`${defaultSession}/subagents/agent-a7038ad.jsonl`)]: agentLines },
      given: project(main),
    },
    breaks: { home: { [project(main)]: queued }, given: project(main) },
    in: {
      s2: { breaks: { home: { [project(main)]: queued, [project('agent-a7038ad.jsonl')]: agentLines } } },
      real: { follows: { home: { [project(main)]: queued, [project('agent-a7038ad.jsonl')]: agentLines } } },
    },
  },
  {
    code: 'history-session-exists',
    follows: { home: { 'history.jsonl': [historyLine()], [`projects/-home-dev-shop/${main}`]: start } },
    breaks: {
      home: {
        'history.jsonl': [historyLine({ sessionId: '9d1bd0c0-1111-4222-8333-444455556666' })],
        [`projects/-home-dev-shop/${main}`]: start,
      },
    },
  },
]

export const fixtures: Fixture[] = [...parentFixtures, ...pairFixtures, ...messageFixtures]
