// A session written as each specification says, throughout, has no finding above info in that specification's own profile.

import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/base/json.ts'
import type { Profile } from '../../../src/model/finding.ts'
import { type Case, defaultSession, runCase } from '../fixture.ts'
import { historyLine, s0Line, s3Line, time, usage, uuid } from '../lines.ts'

const side = { isSidechain: true, userType: 'external' }

function s0Home(): Case {
  const use = (id: string, name: string, input: JsonObject) => [
    { type: 'text', text: 'On it' },
    { type: 'tool_use', id, name, input },
  ]
  const result = (id: string, content: string, is_error = false) => [
    { type: 'tool_result', tool_use_id: id, content, is_error },
  ]
  const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUgAA' }
  return {
    home: {
      'conversations/_home_dev_shop/2025-01-29_141530.jsonl': [
        s0Line(1, 'human', 'Fix the bug in auth.py'),
        s0Line(2, 'assistant', use('toolu_01', 'Read', { file_path: '/auth.py' })),
        s0Line(3, 'tool_result', result('toolu_01', 'File contents')),
        s0Line(4, 'assistant', use('toolu_02', 'Task', { subagent_type: 'bug-hunter', prompt: 'Find bugs' })),
        s0Line(5, 'human', 'Find bugs', side),
        s0Line(6, 'assistant', use('toolu_03', 'Read', { file_path: '/auth.py' }), { isSidechain: true }),
        s0Line(7, 'tool_result', result('toolu_03', 'no such file', true), { isSidechain: true, isError: true }),
        s0Line(8, 'assistant', [{ type: 'text', text: 'Found 3 issues' }], { isSidechain: true }),
        s0Line(9, 'tool_result', result('toolu_02', 'Found 3 issues'), { parentUuid: 'msg_4' }),
        s0Line(10, 'assistant', 'Done', { is_active: true }),
        s0Line(
          11,
          'human',
          [
            { type: 'text', text: 'Like this' },
            { type: 'image', source },
          ],
          { parentUuid: 'msg_3' },
        ),
        s0Line(12, 'compact_prelude', 'Previous message content', { parentUuid: null }),
        s0Line(13, 'compact_recap', 'Summary of compacted conversation'),
        s0Line(14, 'human', 'Never mind', { isAborted: true, isDeleted: true }),
      ],
    },
  }
}

function client(n: number, parent: number | null, type: string, fields: JsonObject): JsonObject {
  return {
    parentUuid: parent === null ? null : uuid(parent),
    isSidechain: false,
    userType: 'external',
    cwd: '/home/dev/shop',
    sessionId: defaultSession,
    version: '2.1.20',
    gitBranch: '',
    type,
    uuid: uuid(n),
    timestamp: time(n),
    ...fields,
  }
}

const userSays = (content: unknown) => ({ message: { role: 'user', content } })
const toolUse = (id: string, name: string, input: JsonObject) => ({ type: 'tool_use', id, name, input })
const toolResult = (id: string, content: unknown) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  is_error: false,
})
const modelSays = (n: number, content: readonly JsonObject[], stop: string | null = 'end_turn') => ({
  message: {
    role: 'assistant',
    type: 'message',
    model: 'claude-opus-4-5-20251101',
    id: `msg_bdrk_${n}`,
    content,
    stop_reason: stop,
    stop_sequence: null,
    usage,
  },
})

function s1File(): Case {
  const hidden = { uuid: null, timestamp: null, parentUuid: null }
  return [
    client(1, null, 'file-history-snapshot', { ...hidden, messageId: uuid(2), snapshot: {} }),
    client(2, null, 'user', userSays('Why does it fail?')),
    client(
      3,
      2,
      'assistant',
      modelSays(3, [{ type: 'thinking', thinking: 'Hm' }, toolUse('toolu_1', 'Read', { file_path: '/a' })]),
    ),
    client(4, 2, 'progress', { data: { type: 'bash_progress' } }),
    client(5, 3, 'user', userSays([toolResult('toolu_1', 'text')])),
    client(6, 5, 'assistant', modelSays(6, [{ type: 'text', text: 'Because of this.' }])),
    client(7, 6, 'system', { content: 'Turn over' }),
    client(8, 6, 'user', { ...userSays('Look closer'), isSidechain: true, agentId: 'a1' }),
    client(9, null, 'summary', { ...hidden, summary: 'A failure', leafUuid: uuid(6) }),
  ]
}

const agent = { isSidechain: true, agentId: 'a7038ad' }
const more = { version: '2.1.45', gitBranch: 'main' }
const line = (n: number, parent: number | null, type: string, fields: JsonObject) =>
  client(n, parent, type, { ...more, ...fields })
const model = (n: number, parent: number, of: number, block: JsonObject) =>
  line(n, parent, 'assistant', { requestId: `req_${of}`, ...modelSays(of, [block], null) })
const call = (id: string, name: string, input: JsonObject) => ({
  ...toolUse(id, name, input),
  caller: { type: 'direct' },
})
const task = JSON.stringify({ task_id: 'a7038ad', description: 'Explore', task_type: 'local_agent' })
const hook = {
  type: 'hook_progress',
  hookEvent: 'SessionStart',
  hookName: 'SessionStart:startup',
  command: 'start.sh',
}
const prompt = { thinkingMetadata: { maxThinkingTokens: 31999 }, todos: [], permissionMode: 'default' }
const snapshot = { messageId: uuid(2), trackedFileBackups: {}, timestamp: time(1) }
const progress = { toolUseID: 'agent_msg_1', parentToolUseID: 'toolu_T' }
const metadata = { trigger: 'auto', preTokens: 167710 }
const summary = 'This session is being continued from a previous conversation...'

function s2Main(): JsonObject[] {
  return [
    line(1, null, 'progress', { toolUseID: '758bd8b6', parentToolUseID: '758bd8b6', data: hook }),
    { type: 'file-history-snapshot', messageId: uuid(2), snapshot, isSnapshotUpdate: false },
    line(2, 1, 'user', { ...userSays('check the data'), ...prompt, slug: 'graceful-knitting-garden' }),
    model(3, 2, 3, { type: 'text', text: 'Let me check' }),
    model(4, 3, 3, { type: 'thinking', thinking: 'Hm', signature: 'Ep0C' }),
    model(5, 4, 3, call('toolu_A', 'Bash', { command: 'ls', description: 'List', timeout: 1000 })),
    line(6, 5, 'progress', {
      toolUseID: 'toolu_A',
      parentToolUseID: 'toolu_A',
      data: { type: 'bash_progress', output: '' },
    }),
    line(7, 5, 'user', { ...userSays([toolResult('toolu_A', 'a.txt')]), sourceToolAssistantUUID: uuid(5) }),
    model(8, 7, 8, call('toolu_T', 'Task', { prompt: 'Explore', description: 'Explore', subagent_type: 'Explore' })),
    { type: 'queue-operation', operation: 'enqueue', timestamp: time(8), sessionId: defaultSession, content: task },
    line(9, 8, 'progress', { ...progress, data: { type: 'agent_progress', agentId: 'a7038ad' } }),
    { type: 'queue-operation', operation: 'dequeue', timestamp: time(9), sessionId: defaultSession },
    line(20, 8, 'user', {
      ...userSays([toolResult('toolu_T', [{ type: 'text', text: 'Two tables' }])]),
      sourceToolAssistantUUID: uuid(8),
      toolUseResult: { agentId: 'a7038ad', status: 'completed' },
    }),
    model(21, 20, 21, { type: 'text', text: 'The output shows two tables' }),
    line(22, 21, 'system', {
      subtype: 'turn_duration',
      durationMs: 62243,
      slug: 'graceful-knitting-garden',
      isMeta: false,
    }),
    line(23, null, 'system', {
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      logicalParentUuid: uuid(21),
      compactMetadata: metadata,
    }),
    line(24, 23, 'user', { ...userSays(summary), isCompactSummary: true, isVisibleInTranscriptOnly: true }),
    line(25, 24, 'user', userSays('Go on')),
  ]
}

function s2Home(): Case {
  const folder = `projects/-home-dev-shop/${defaultSession}`
  return {
    home: {
      'history.jsonl': [historyLine()],
      [`${folder}.jsonl`]: s2Main(),
      [`${folder}/subagents/agent-a7038ad.jsonl`]: [
        line(10, null, 'user', { ...userSays('Explore'), ...agent }),
        { ...model(11, 10, 11, { type: 'text', text: 'Two tables' }), ...agent },
      ],
      [`${folder}/tool-results/b485b41.txt`]: 'output',
      [`${folder}/tool-results/mcp-shopdb-report-1794725407044.txt`]: 'output',
    },
  }
}

function s3Home(): Case {
  const toolLine = (name: string, args: JsonObject) => ({ subtype: 'tool_use', toolName: name, toolArguments: args })
  const compact = (n: number, message: string, fields: JsonObject = {}) =>
    s3Line(n, 'compact_system', { message, ...fields })
  return {
    home: {
      'projects/-home-dev-shop/2025-01-27T10-00-00.jsonl': [
        s3Line(1, 'user', { message: 'Fix the bug in auth.py', userType: 'human' }),
        s3Line(2, 'assistant', { message: "I'll examine the file", subtype: 'response' }),
        s3Line(3, 'assistant', toolLine('Read', { file_path: '/auth.py' })),
        s3Line(4, 'system', { message: '[File contents]' }),
        s3Line(5, 'assistant', { message: "Delegating to analyzer: 'Find TODOs'" }),
        s3Line(6, 'user', { message: 'Find TODOs', ...side }),
        s3Line(7, 'assistant', { ...toolLine('Grep', { pattern: 'TODO' }), isSidechain: true }),
        s3Line(8, 'system', { message: '[Search results]', isSidechain: true }),
        s3Line(9, 'assistant', { message: '5 TODOs found', isSidechain: true }),
        s3Line(10, 'assistant', { message: 'There are 5 TODOs to address', parentUuid: 'msg-5' }),
        s3Line(11, 'user', { message: '[Content removed]', isDeleted: true }),
        s3Line(12, 'assistant', {
          ...toolLine('Bash', { command: 'rm' }),
          isAborted: true,
          message: 'Operation cancelled',
        }),
        compact(13, 'conversation_compacting'),
        compact(14, 'conversation_compacted', { metadata: { preservedMessages: 10, totalMessages: 100 } }),
        s3Line(15, 'user', { message: 'Continue', parentUuid: 'msg-gone', logicalParentUuid: 'msg-12' }),
        compact(16, 'conversation_restored'),
        s3Line(17, 'user', { message: 'Continue from before', parentUuid: 'msg-from-previous-session' }),
      ],
    },
  }
}

function s4Home(): Case {
  const line = (n: number, parent: number | null, type: string, fields: JsonObject): JsonObject => {
    const { gitBranch: _, ...rest } = client(n, parent, type, { ...fields, version: '1.0.3' })
    return rest
  }
  const model = (n: number, parent: number, content: readonly JsonObject[], stop = 'end_turn') =>
    line(n, parent, 'assistant', { ...modelSays(n, content, stop), costUSD: 0.01, durationMs: 1200 })
  const results = { stdout: 'a.txt', stderr: '', interrupted: false, isImage: false, sandbox: false }
  const file = `projects/-home-dev-shop/${defaultSession}.jsonl`
  return {
    home: {
      [file]: [
        { type: 'summary', summary: 'Optimize Local Dev Servers', leafUuid: uuid(8) },
        { type: 'summary', summary: 'Another topic', leafUuid: uuid(9) },
        line(1, null, 'user', { ...userSays('Caveat: The messages below were generated by the user.'), isMeta: true }),
        line(2, 1, 'user', userSays('<command-name>login</command-name>')),
        line(3, 2, 'user', userSays('<local-command-stdout>Login successful</local-command-stdout>')),
        line(4, 3, 'user', userSays('Start it')),
        model(5, 4, [{ type: 'text', text: 'Listing' }, toolUse('toolu_1', 'Bash', { command: 'ls' })], 'tool_use'),
        line(6, 5, 'user', { ...userSays([toolResult('toolu_1', 'a.txt')]), toolUseResult: results }),
        model(7, 6, [{ type: 'text', text: 'It starts' }]),
        line(8, 7, 'user', userSays('Thanks')),
        line(9, 7, 'user', { ...userSays('What if?'), isSidechain: true }),
      ],
    },
  }
}

const sessions: [Profile, Case][] = [
  ['s0', s0Home()],
  ['s1', s1File()],
  ['s2', s2Home()],
  ['s3', s3Home()],
  ['s4', s4Home()],
]

describe('a session that follows its specification', () => {
  test.each(sessions)('has no finding above info in profile %s', async (profile, shape) => {
    const { findings } = await runCase(shape, profile)
    const severe = findings.filter(finding => finding.severity !== 'info')
    expect(severe.map(({ code, line, message }) => `${code} ${line}: ${message}`)).toEqual([])
  })

  test.each(sessions)('is read without an exception in every profile: %s', async (_own, shape) => {
    for (const profile of ['s0', 's1', 's2', 's3', 's4', 'real'] as const) {
      expect((await runCase(shape, profile)).files).toBeGreaterThan(0)
    }
  })
})

test('001 has arrays of tool results only as content of a user line', async () => {
  const content = [{ type: 'text', text: 'Hello' }]
  const { findings } = await runCase([client(1, null, 'user', { message: { role: 'user', content } })], 's1')
  expect(findings.map(({ code }) => code)).toContain('user-content-blocks-s4')
})
