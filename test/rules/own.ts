// One session per specification, written as that document says throughout, with every kind of line it describes.
// Checked in its own profile, such a file has nothing to report above info.

import type { JsonObject } from '../../src/base/json.ts'
import type { Profile } from '../../src/model/finding.ts'
import type { Case } from './fixture.ts'
import { defaultSession } from './fixture.ts'
import {
  answerLine,
  clientLine,
  s0Line,
  s3Line,
  text,
  time,
  toolResult,
  toolUse,
  usage,
  userLine,
  uuid,
} from './lines.ts'

const s0: Case = {
  home: {
    'conversations/_home_dev_shop/2025-01-29T14-15-30.jsonl': [
      s0Line(1, 'human', 'Fix the bug in auth.py', { cwd: '/home/dev/shop' }),
      s0Line(2, 'assistant', [text('I look at it'), toolUse('toolu_1', 'Read', { file_path: '/auth.py' })]),
      s0Line(3, 'tool_result', [toolResult('toolu_1', 'def login(): ...')]),
      s0Line(4, 'assistant', [
        text('Found it'),
        toolUse('toolu_2', 'Task', { subagent_type: 'x', prompt: 'Find bugs' }),
      ]),
      s0Line(5, 'human', 'Find bugs', { isSidechain: true, userType: 'external' }),
      s0Line(6, 'assistant', [toolUse('toolu_3', 'Bash', { command: 'ls' })], { isSidechain: true }),
      s0Line(7, 'tool_result', [toolResult('toolu_3', 'auth.py', { is_error: false })], { isSidechain: true }),
      s0Line(8, 'assistant', [text('Found 3 issues')], { isSidechain: true }),
      s0Line(9, 'tool_result', [toolResult('toolu_2', 'Found 3 issues')], { parentUuid: 'msg_4' }),
      s0Line(10, 'human', [
        text('See'),
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
      ]),
      s0Line(11, 'compact_prelude', 'Previous message content...', { parentUuid: null, compactMetadata: {} }),
      s0Line(12, 'compact_recap', 'Summary of compacted conversation...'),
      s0Line(13, 'assistant', 'one', { is_active: false, isMeta: false, isError: false, subtype: 'x' }),
      s0Line(14, 'assistant', 'two', { parentUuid: 'msg_12', is_active: true, isDeleted: false, isAborted: false }),
    ],
  },
}

const answer1 = (n: number, content: unknown, stop: string): JsonObject =>
  answerLine(n, content, { stop_reason: stop }, { version: '2.1.20' })
const tool1 = (n: number, id: string, content: string): JsonObject =>
  userLine(n, [{ type: 'tool_result', tool_use_id: id, content }], { version: '2.1.20' })

const s1: Case = [
  userLine(1, 'Your question', { version: '2.1.20' }),
  answer1(
    2,
    [{ type: 'thinking', thinking: '...' }, text('...'), toolUse('toolu_1', 'Read', { file_path: '/a' })],
    'tool_use',
  ),
  clientLine(3, 'progress', {
    version: '2.1.20',
    parentUuid: uuid(1),
    toolUseID: 'toolu_1',
    data: { type: 'hook_progress' },
  }),
  { ...tool1(4, 'toolu_1', 'Tool output text'), parentUuid: uuid(2) },
  answer1(5, [text('done')], 'end_turn'),
  clientLine(6, 'system', { version: '2.1.20', content: 'note' }),
  clientLine(7, 'summary', { parentUuid: null, version: '2.1.20', summary: 'Cart', leafUuid: uuid(5) }),
  clientLine(8, 'file-history-snapshot', {
    parentUuid: null,
    uuid: null,
    timestamp: null,
    version: '2.1.20',
    snapshot: {},
  }),
]

const answer2 = (n: number, message: string, block: JsonObject, fields: JsonObject = {}): JsonObject =>
  answerLine(n, [block], { model: 'claude-opus-4-6', id: message }, { requestId: `req_${message}`, ...fields })
const results2 = (n: number, blocks: JsonObject[], fields: JsonObject = {}): JsonObject =>
  userLine(n, blocks, { sourceToolAssistantUUID: uuid(n - 1), ...fields })
const agent = { isSidechain: true, agentId: 'a7038ad' }
const slug = 'graceful-knitting-garden'
const queue = (operation: string, n: number, fields: JsonObject = {}): JsonObject => ({
  type: 'queue-operation',
  operation,
  timestamp: time(n),
  sessionId: defaultSession,
  ...fields,
})

const session2: JsonObject[] = [
  clientLine(1, 'progress', {
    toolUseID: 'hook',
    parentToolUseID: 'hook',
    data: { type: 'hook_progress', hookEvent: 'SessionStart', hookName: 'SessionStart:startup', command: 'start.sh' },
  }),
  userLine(2, 'is there data?', {
    thinkingMetadata: { maxThinkingTokens: 31999 },
    todos: [],
    permissionMode: 'default',
    slug,
  }),
  {
    type: 'file-history-snapshot',
    messageId: uuid(2),
    snapshot: { messageId: uuid(2), trackedFileBackups: {}, timestamp: time(2) },
    isSnapshotUpdate: false,
  },
  answer2(3, 'msg_a', text('Let me check...')),
  answer2(4, 'msg_a', { type: 'thinking', thinking: '...', signature: 'Ep0C' }),
  answer2(5, 'msg_a', toolUse('toolu_1', 'Task', { prompt: 'Explore', description: 'x', subagent_type: 'Explore' })),
  queue('enqueue', 5, {
    content: JSON.stringify({ task_id: 'a7038ad', description: 'Explore', task_type: 'local_agent' }),
  }),
  clientLine(6, 'progress', { toolUseID: 'toolu_1', parentToolUseID: 'toolu_1', data: { type: 'agent_progress' } }),
  results2(7, [toolResult('toolu_1', [text('The schema has two tables.')])], {
    parentUuid: uuid(5),
    sourceToolAssistantUUID: uuid(5),
  }),
  queue('dequeue', 7),
  answer2(8, 'msg_b', text('It has data.')),
  clientLine(9, 'system', { subtype: 'turn_duration', durationMs: 62243, slug, isMeta: false }),
  clientLine(10, 'system', {
    subtype: 'compact_boundary',
    content: 'Conversation compacted',
    parentUuid: null,
    logicalParentUuid: uuid(9),
    compactMetadata: { trigger: 'auto', preTokens: 167710 },
  }),
  userLine(11, 'This session is being continued from a previous conversation...', {
    isCompactSummary: true,
    isVisibleInTranscriptOnly: true,
  }),
  answer2(12, 'msg_c', toolUse('toolu_a', 'Read', { file_path: '/a' })),
  answer2(13, 'msg_c', toolUse('toolu_b', 'Grep', { pattern: 'x' })),
  results2(14, [toolResult('toolu_a', 'a'), toolResult('toolu_b', 'b', { is_error: null })]),
]

const s2: Case = {
  home: {
    'history.jsonl': [
      {
        display: '/plugin ',
        pastedContents: {},
        timestamp: 1770654699405,
        project: '/home/dev/shop',
        sessionId: defaultSession,
      },
    ],
    [`projects/-home-dev-shop/${defaultSession}.jsonl`]: session2,
    [`projects/-home-dev-shop/${defaultSession}/subagents/agent-a7038ad.jsonl`]: [
      userLine(20, 'Explore', { ...agent, parentUuid: null }),
      answer2(21, 'msg_s', text('The schema has two tables.'), agent),
    ],
    [`projects/-home-dev-shop/${defaultSession}/tool-results/b38ec1b.txt`]: 'output',
    [`projects/-home-dev-shop/${defaultSession}/tool-results/mcp-plugin-find-1770654699405.txt`]: 'output',
  },
}

const s3: Case = {
  home: {
    'projects/-home-dev-shop/2025-01-27T10-00-00.jsonl': [
      s3Line(1, 'user', { message: 'Create a Python script', userType: 'human', cwd: '/home/dev/shop' }),
      s3Line(2, 'assistant', { message: "I'll delegate to analyzer: 'Review this code'", subtype: 'response' }),
      s3Line(3, 'user', { message: 'Review this code', isSidechain: true, userType: 'external' }),
      s3Line(4, 'assistant', {
        isSidechain: true,
        subtype: 'tool_use',
        toolName: 'Read',
        toolArguments: { file_path: '/path/to/file.py' },
      }),
      s3Line(5, 'system', { isSidechain: true, message: 'File read successfully' }),
      s3Line(6, 'assistant', { isSidechain: true, message: 'Analysis complete' }),
      s3Line(7, 'assistant', { message: 'Based on analysis...', subtype: 'response' }),
      s3Line(8, 'compact_system', { message: 'conversation_compacting' }),
      s3Line(9, 'compact_system', {
        message: 'conversation_compacted',
        metadata: { preservedMessages: 10, totalMessages: 100 },
      }),
      s3Line(10, 'user', { message: 'Continue', parentUuid: 'msg-gone', logicalParentUuid: 'msg-1' }),
      s3Line(11, 'compact_system', { message: 'conversation_restored' }),
      s3Line(12, 'assistant', {
        subtype: 'tool_use',
        toolName: 'Bash',
        isAborted: true,
        message: 'Operation cancelled by user',
      }),
      s3Line(13, 'user', { isDeleted: true, message: '[Content removed]', isMeta: true }),
    ],
  },
}

const base4 = (line: JsonObject): JsonObject => ({ ...line, version: '1.0.3' })
const answer4 = (n: number, content: unknown, stop: string): JsonObject => {
  const { cache_creation, inference_geo, ...usage4 } = usage
  const message = { model: 'claude-opus-4-20250514', stop_reason: stop, usage: usage4 }
  return base4(answerLine(n, content, message, { costUSD: 0.01, durationMs: 1500 }))
}
const result4 = (n: number, id: string, content: unknown, toolUseResult: JsonObject): JsonObject =>
  base4(userLine(n, [{ tool_use_id: id, type: 'tool_result', content }], { toolUseResult }))

const s4: Case = {
  home: {
    [`projects/-home-dev-shop/${defaultSession}.jsonl`]: [
      { type: 'summary', summary: 'Optimize Local Dev Servers', leafUuid: uuid(12) },
      base4(userLine(1, 'Caveat: The messages below were generated by the user', { isMeta: true })),
      base4(
        userLine(
          2,
          '<command-name>login</command-name>\n<command-message>login</command-message>\n<command-args></command-args>',
        ),
      ),
      base4(userLine(3, '<local-command-stdout>Login successful</local-command-stdout>')),
      base4(userLine(4, 'speed it up')),
      answer4(5, [text('I look'), toolUse('toolu_1', 'Bash', { command: 'ls' })], 'tool_use'),
      result4(6, 'toolu_1', 'a', { stdout: 'a', stderr: '', interrupted: false, isImage: false, sandbox: false }),
      answer4(7, [toolUse('toolu_2', 'Read', { file_path: '/a' })], 'tool_use'),
      result4(8, 'toolu_2', [text('a')], { type: 'text', file: { filePath: '/a', content: 'a' } }),
      answer4(9, [toolUse('toolu_3', 'TodoWrite', { todos: [] })], 'tool_use'),
      result4(10, 'toolu_3', 'ok', {
        oldTodos: [],
        newTodos: [{ content: 'Task description', status: 'pending', priority: 'high', id: '1' }],
      }),
      answer4(11, [text('one')], 'end_turn'),
      base4(userLine(12, 'thanks')),
      base4(userLine(13, 'another way', { parentUuid: uuid(11), isSidechain: true })),
    ],
  },
}

export const ownSessions: Readonly<Record<Exclude<Profile, 'real'>, Case>> = { s0, s1, s2, s3, s4 }
