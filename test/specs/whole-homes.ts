// One small session per specification, written throughout as that specification says: folders, names, envelope and order.
// Ids and times increase with the number of the line.

import type { JsonObject } from '../../src/base/json.ts'
import type { Home } from './home.ts'

const sessionUuid = '7d3f2a1c-5b8e-4c6d-9a0f-1e2d3c4b5a69'
const cwd = '/home/mara/bakery'
const base = Date.parse('2026-02-17T09:00:00.000Z')

const uuid = (n: number): string => `${n.toString(16).padStart(8, '0')}-3c4d-4e5f-8a6b-0c1d2e3f4a5b`
const time = (n: number): string => new Date(base + n * 1250).toISOString()

const text = (words: string): JsonObject => ({ type: 'text', text: words })
const use = (id: string, name: string, input: JsonObject): JsonObject => ({ type: 'tool_use', id, name, input })
const answer = (id: string, content: unknown, is_error = false): JsonObject => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  is_error,
})

function line000(n: number, type: string, content: unknown, more: JsonObject = {}): JsonObject {
  return {
    uuid: `msg_${n}`,
    parentUuid: n === 1 ? null : `msg_${n - 1}`,
    sessionId: 'session_bakery',
    type,
    timestamp: base + n * 1250,
    version: '1.0.128',
    message: { type: 'message', content },
    ...more,
  }
}

/** The envelope of 001, 002 and 004; a parent of 0 is none. */
function clientLine(version: string, n: number, parent: number, type: string, more: JsonObject): JsonObject {
  return {
    parentUuid: parent === 0 ? null : uuid(parent),
    isSidechain: false,
    userType: 'external',
    cwd,
    sessionId: sessionUuid,
    version,
    gitBranch: 'main',
    type,
    uuid: uuid(n),
    timestamp: time(n),
    ...more,
  }
}

const userMessage = (content: unknown): JsonObject => ({ message: { role: 'user', content } })

const usage: JsonObject = {
  input_tokens: 12,
  output_tokens: 240,
  cache_creation_input_tokens: 900,
  cache_read_input_tokens: 18000,
  cache_creation: { ephemeral_5m_input_tokens: 900, ephemeral_1h_input_tokens: 0 },
  service_tier: 'standard',
  inference_geo: 'not_available',
}

function modelMessage(
  id: string,
  model: string,
  content: readonly JsonObject[],
  stop_reason: string | null,
): JsonObject {
  return {
    message: { id, type: 'message', role: 'assistant', model, content, stop_reason, stop_sequence: null, usage },
  }
}

/** A line of 003; the one before it is its parent unless `more` says otherwise. */
function line003(n: number, type: string, more: JsonObject): JsonObject {
  return {
    type,
    uuid: `msg-${n}`,
    ...(n === 1 ? {} : { parentUuid: `msg-${n - 1}` }),
    timestamp: time(n),
    sessionId: 'session-bakery',
    ...more,
  }
}

const side = { isSidechain: true }
const delegated = { isSidechain: true, userType: 'external' }
const projectFolder = 'projects/-home-mara-bakery'

function tools000(): JsonObject[] {
  const todos = [{ content: 'Round prices', status: 'pending' }]
  return [
    line000(1, 'human', 'Prices in the till are rounded wrongly'),
    line000(2, 'assistant', [text("I'll look"), use('toolu_1', 'Grep', { pattern: 'round', path: '/src' })]),
    line000(3, 'tool_result', [answer('toolu_1', 'till.py:12')]),
    line000(4, 'assistant', [use('toolu_2', 'Read', { file_path: '/src/till.py', limit: 50, offset: 0 })]),
    line000(5, 'tool_result', [answer('toolu_2', 'def total(): ...')]),
    line000(6, 'assistant', [use('toolu_3', 'TodoWrite', { todos })]),
    line000(7, 'tool_result', [answer('toolu_3', 'Todos noted')]),
    line000(8, 'assistant', [
      text('Two edits and a test run'),
      use('toolu_4', 'Edit', { file_path: '/src/till.py', old_string: 'int', new_string: 'round' }),
      use('toolu_5', 'Bash', { command: 'pytest', timeout: 60000 }),
    ]),
    line000(9, 'tool_result', [answer('toolu_4', 'File updated'), answer('toolu_5', 'exit code 1', true)]),
  ]
}

function delegation000(): JsonObject[] {
  const prompt = 'Find out why the test fails'
  const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUgAA' }
  return [
    line000(10, 'assistant', [use('toolu_6', 'Task', { subagent_type: 'bug-hunter', prompt })]),
    line000(11, 'human', prompt, delegated),
    line000(12, 'assistant', [text('Analyzing'), use('toolu_7', 'Read', { file_path: '/test_till.py' })], side),
    line000(13, 'tool_result', [answer('toolu_7', 'assert total() == 3')], side),
    line000(14, 'assistant', [text('The test expects cents')], side),
    line000(15, 'tool_result', [answer('toolu_6', 'The test expects cents')], { parentUuid: 'msg_10' }),
    line000(16, 'assistant', 'The test was wrong, not the till', { is_active: true }),
    line000(17, 'human', [text('It looks like this'), { type: 'image', source }], { is_active: true }),
    line000(18, 'human', 'Try it without the test', { parentUuid: 'msg_16', is_active: false, isAborted: true }),
    line000(19, 'human', 'Removed', { parentUuid: 'msg_17', isDeleted: true }),
  ]
}

/** 000: `conversations`, slashes as underscores, files named by time, compaction as prelude and recap. */
export function home000(): Home {
  const { version: _, ...prelude } = line000(20, 'compact_prelude', 'Prices in the till', { parentUuid: null })
  const other = { sessionId: 'session_oven' }
  return {
    'conversations/_home_mara_bakery/2026-02-17_090000.jsonl': [
      ...tools000(),
      ...delegation000(),
      prelude,
      line000(21, 'compact_recap', 'Rounding was mended, the test corrected'),
      line000(22, 'human', 'Now the receipts'),
      line000(23, 'assistant', [text('Which ones?')]),
    ],
    'conversations/_home_mara_bakery/2026-02-18_071500.jsonl': [
      line000(1, 'human', 'Is the oven timer ready?', other),
      line000(2, 'assistant', [text('Yes, since yesterday.')], other),
    ],
  }
}

const opus = 'claude-opus-4-5-20251101'

/** 001: eleven fields on every line, whole messages, agent ids since 2.1.17. It says nothing of folders. */
export function home001(): Home {
  const line = (n: number, parent: number, type: string, more: JsonObject) =>
    clientLine('2.1.20', n, parent, type, more)
  const model = (n: number, parent: number, content: readonly JsonObject[], stop: string) =>
    line(n, parent, 'assistant', modelMessage(`msg_bdrk_${n}`, opus, content, stop))
  const sided = { uuid: null, timestamp: null, parentUuid: null }
  const agent = { isSidechain: true, agentId: 'a4f19c2' }
  const read = use('toolu_1', 'Read', { file_path: '/home/mara/bakery/till.py' })
  return {
    [`${projectFolder}/${sessionUuid}.jsonl`]: [
      line(1, 0, 'file-history-snapshot', { ...sided, messageId: uuid(2), snapshot: { trackedFileBackups: {} } }),
      line(2, 0, 'user', userMessage('Why are prices rounded?')),
      model(3, 2, [{ type: 'thinking', thinking: 'The till', signature: 'c2ln' }, text('I look'), read], 'tool_use'),
      line(4, 2, 'progress', { data: { type: 'bash_progress' } }),
      line(5, 2, 'progress', { data: { type: 'hook_progress', hookEvent: 'PostToolUse' } }),
      line(6, 3, 'user', userMessage([answer('toolu_1', 'def total(): ...')])),
      model(7, 6, [use('toolu_2', 'Task', { prompt: 'Look for others', description: 'Look' })], 'tool_use'),
      line(8, 7, 'user', { ...userMessage('Look for others'), ...agent }),
      { ...model(9, 8, [text('There are none')], 'end_turn'), ...agent },
      line(10, 7, 'user', userMessage([answer('toolu_2', 'There are none')])),
      model(11, 10, [text('Because of int().')], 'end_turn'),
      line(12, 11, 'system', { content: 'Turn over' }),
      line(13, 11, 'user', userMessage('Thanks')),
      { ...model(14, 13, [text('Gladly.')], 'end_turn'), gitBranch: '' },
      line(15, 0, 'summary', { ...sided, summary: 'Rounding in the till', leafUuid: uuid(14) }),
    ],
  }
}

const line002 = (n: number, parent: number, type: string, more: JsonObject) =>
  clientLine('2.1.45', n, parent, type, more)
const model002 = (n: number, parent: number, of: number, block: JsonObject) =>
  line002(n, parent, 'assistant', {
    requestId: `req_011C${of}`,
    ...modelMessage(`msg_01${of}`, 'claude-opus-4-6', [block], null),
  })
const call002 = (id: string, name: string, input: JsonObject) => ({
  ...use(id, name, input),
  caller: { type: 'direct' },
})
const results002 = (n: number, parent: number, blocks: readonly JsonObject[]) =>
  line002(n, parent, 'user', { ...userMessage(blocks), sourceToolAssistantUUID: uuid(parent) })
const progress002 = (n: number, parent: number, tool: string, data: JsonObject) =>
  line002(n, parent, 'progress', { toolUseID: tool, parentToolUseID: tool, data })
const queue002 = (n: number, operation: string, content?: string) => ({
  type: 'queue-operation',
  operation,
  timestamp: time(n),
  sessionId: sessionUuid,
  ...(content === undefined ? {} : { content }),
})
const prompt002 = (n: number, parent: number, words: string) =>
  line002(n, parent, 'user', {
    ...userMessage(words),
    thinkingMetadata: { maxThinkingTokens: 31999 },
    todos: [],
    permissionMode: 'default',
    slug: 'warm-rising-dough',
  })

function firstTurn002(): JsonObject[] {
  const snapshot = { messageId: uuid(2), trackedFileBackups: {}, timestamp: time(2) }
  const hook = { hookEvent: 'SessionStart', hookName: 'SessionStart:startup', command: 'hooks/session-start.sh' }
  return [
    progress002(1, 0, '758bd8b6-0f5e-4c1b-9a55-3d2f4b7c8e90', { type: 'hook_progress', ...hook }),
    prompt002(2, 1, 'Where are prices rounded?'),
    { type: 'file-history-snapshot', messageId: uuid(2), snapshot, isSnapshotUpdate: false },
    model002(3, 2, 3, text('Let me check')),
    model002(4, 3, 3, { type: 'thinking', thinking: 'Search first', signature: 'Ep0CCkYI' }),
    model002(5, 4, 3, call002('toolu_01A', 'Bash', { command: 'ls', description: 'List', timeout: 5000 })),
    progress002(6, 5, 'toolu_01A', { type: 'bash_progress', output: 'till.py' }),
    results002(7, 5, [answer('toolu_01A', 'till.py')]),
    model002(8, 7, 8, call002('toolu_01B', 'Read', { file_path: '/home/mara/bakery/till.py', offset: 0, limit: 9 })),
    model002(
      9,
      8,
      8,
      call002('toolu_01C', 'Grep', { pattern: 'int', path: '.', glob: '*.py', output_mode: 'content' }),
    ),
    results002(10, 9, [answer('toolu_01B', 'def total(): ...'), answer('toolu_01C', 'no match', true)]),
    model002(11, 10, 11, text('In total()')),
    line002(12, 11, 'system', {
      subtype: 'turn_duration',
      durationMs: 13750,
      slug: 'warm-rising-dough',
      isMeta: false,
    }),
  ]
}

function secondTurn002(): JsonObject[] {
  const task = { task_id: 'a7038ad', description: 'Find other places', task_type: 'local_agent' }
  const asked = { prompt: 'Find other places', description: task.description, subagent_type: 'Explore' }
  const tags = ['<task-id>b38ec1b</task-id>', '<output-file>/tmp/tasks/b38ec1b.output</output-file>']
  const ended = [...tags, '<status>completed</status>', '<summary>Tests done</summary>'].join('\n')
  return [
    prompt002(13, 12, 'And elsewhere?'),
    model002(14, 13, 14, call002('toolu_01T', 'Task', asked)),
    queue002(14, 'enqueue', JSON.stringify(task)),
    progress002(15, 14, 'toolu_01T', { type: 'agent_progress', agentId: 'a7038ad' }),
    queue002(15, 'dequeue'),
    results002(20, 14, [answer('toolu_01T', [text('Only there')])]),
    model002(21, 20, 21, call002('toolu_01M', 'mcp__plugin_shop_shop__report', { day: 'today' })),
    results002(22, 21, [answer('toolu_01M', '42 loaves')]),
    model002(23, 22, 23, text('Only in the till.')),
    queue002(23, 'enqueue', `<task-notification>\n${ended}\n</task-notification>`),
    line002(24, 0, 'system', {
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      logicalParentUuid: uuid(23),
      compactMetadata: { trigger: 'auto', preTokens: 167710 },
    }),
    line002(25, 24, 'user', {
      ...userMessage('This session is being continued from a previous conversation...'),
      isCompactSummary: true,
      isVisibleInTranscriptOnly: true,
    }),
    prompt002(26, 25, 'Mend it then'),
    model002(27, 26, 27, text('It is mended.')),
  ]
}

/** 002: session folder with subagents and tool results, one block per line, the global history. */
export function home002(): Home {
  const agent = { isSidechain: true, agentId: 'a7038ad' }
  const folder = `${projectFolder}/${sessionUuid}`
  const input = (n: number, display: string) => ({
    display,
    pastedContents: {},
    timestamp: Date.parse(time(n)),
    project: cwd,
    sessionId: sessionUuid,
  })
  return {
    'history.jsonl': [input(2, 'Where are prices rounded?'), input(13, 'And elsewhere?'), input(26, 'Mend it then')],
    [`${folder}.jsonl`]: [...firstTurn002(), ...secondTurn002()],
    [`${folder}/subagents/agent-a7038ad.jsonl`]: [
      { ...line002(16, 0, 'user', userMessage('Find other places')), ...agent },
      { ...model002(17, 16, 17, call002('toolu_01S', 'Glob', { pattern: '*.py', path: '.' })), ...agent },
      { ...results002(18, 17, [answer('toolu_01S', 'till.py')]), ...agent },
      { ...model002(19, 18, 19, text('Only there')), ...agent },
    ],
    [`${folder}/tool-results/b485b41.txt`]: 'till.py\n',
    [`${folder}/tool-results/mcp-shop-report-1771318800000.txt`]: '42 loaves\n',
  }
}

const tool003 = (toolName: string, toolArguments: JsonObject) => ({ subtype: 'tool_use', toolName, toolArguments })
const compact003 = (n: number, message: string, more: JsonObject = {}) =>
  line003(n, 'compact_system', { message, ...more })

/** 003: plain texts, a call and its output on lines of their own, three lines for a compaction. */
export function home003(): Home {
  return {
    [`${projectFolder}/2026-02-17T09-00-00.jsonl`]: [
      line003(1, 'user', { message: 'Prices are rounded wrongly', userType: 'human' }),
      line003(2, 'assistant', { message: 'They come from the till', subtype: 'thinking' }),
      line003(3, 'assistant', { message: "I'll look", subtype: 'response' }),
      line003(4, 'assistant', tool003('Read', { file_path: '/till.py' })),
      line003(5, 'system', { message: '[File contents]' }),
      line003(6, 'user', { message: '/status', subtype: 'command' }),
      line003(7, 'assistant', { message: "I'll delegate to analyzer: 'Find int()'", subtype: 'response' }),
      line003(8, 'user', { message: 'Find int()', ...delegated }),
      line003(9, 'assistant', { ...tool003('Grep', { pattern: 'int' }), ...side }),
      line003(10, 'system', { message: '[Search results]', ...side }),
      line003(11, 'user', { message: 'Only in the till', ...delegated, parentUuid: 'msg-10' }),
      line003(12, 'assistant', { message: 'Once, in total()', ...side }),
      line003(13, 'assistant', { message: 'It is in total()', parentUuid: 'msg-7' }),
      line003(14, 'assistant', {
        ...tool003('Bash', { command: 'pytest' }),
        isAborted: true,
        message: 'Operation cancelled by user',
      }),
      line003(15, 'user', { message: '[Content removed]', isDeleted: true }),
      line003(16, 'user', { message: 'Mend it', parentUuid: 'msg-14', userType: 'human' }),
      line003(17, 'assistant', tool003('Edit', { file_path: '/till.py', old_string: 'int', new_string: 'round' })),
      line003(18, 'system', { message: 'File edited successfully' }),
      compact003(19, 'conversation_compacting'),
      compact003(20, 'conversation_compacted', { metadata: { preservedMessages: 2, totalMessages: 18 } }),
      line003(21, 'user', { message: 'Go on', parentUuid: 'msg-gone', logicalParentUuid: 'msg-18' }),
      line003(22, 'assistant', { message: 'All is mended', subtype: 'response' }),
      compact003(23, 'conversation_restored'),
      line003(24, 'user', { message: 'Continue from before', parentUuid: 'msg-from-previous-session' }),
    ],
  }
}

/** 004: summaries first, whole messages with cost and duration, results with their details. */
export function home004(): Home {
  const bare = (n: number, parent: number, type: string, more: JsonObject): JsonObject => {
    const { gitBranch: _, ...line } = clientLine('1.0.3', n, parent, type, more)
    return line
  }
  const { cache_creation: _, inference_geo: __, ...plainUsage } = usage
  const model = (n: number, parent: number, content: readonly JsonObject[], stop: string) => {
    const { message } = modelMessage(`msg_01${n}`, 'claude-opus-4-20250514', content, stop)
    const priced = { ...(message as JsonObject), usage: plainUsage }
    return bare(n, parent, 'assistant', { message: priced, costUSD: 0.0423, durationMs: 3150 })
  }
  const results = (n: number, parent: number, block: JsonObject, toolUseResult: JsonObject) =>
    bare(n, parent, 'user', { ...userMessage([block]), toolUseResult })
  const ran = { stdout: 'ok', stderr: '', interrupted: false, isImage: false, sandbox: false }
  const todo = { content: 'Round prices', status: 'pending', priority: 'high', id: '1' }
  const command = [
    '<command-name>login</command-name>',
    '<command-message>login</command-message>',
    '<command-args></command-args>',
  ]
  return {
    [`${projectFolder}/${sessionUuid}.jsonl`]: [
      { type: 'summary', summary: 'Mend the rounding', leafUuid: uuid(14) },
      { type: 'summary', summary: 'Another till', leafUuid: uuid(16) },
      bare(1, 0, 'user', { ...userMessage('Caveat: The messages below were generated by the user.'), isMeta: true }),
      bare(2, 1, 'user', userMessage(command.join('\n'))),
      bare(3, 2, 'user', userMessage('<local-command-stdout>Login successful</local-command-stdout>')),
      bare(4, 3, 'user', userMessage('Prices are rounded wrongly')),
      model(5, 4, [text('I look'), use('toolu_1', 'Read', { file_path: '/till.py' })], 'tool_use'),
      results(6, 5, answer('toolu_1', 'def total()'), { type: 'text', file: { filePath: '/till.py', content: 'def' } }),
      model(7, 6, [use('toolu_2', 'TodoWrite', { todos: [todo] })], 'tool_use'),
      results(8, 7, answer('toolu_2', 'noted'), { oldTodos: [], newTodos: [todo] }),
      model(9, 8, [use('toolu_3', 'Bash', { command: 'pytest' })], 'tool_use'),
      results(10, 9, answer('toolu_3', [text('1 failed')], true), { ...ran, stdout: '1 failed' }),
      model(11, 10, [use('toolu_4', 'Bash', { command: 'sleep 100' })], 'tool_use'),
      results(12, 11, answer('toolu_4', 'partial output'), { ...ran, interrupted: true, stdout: 'partial output' }),
      model(13, 12, [text('The test is wrong.')], 'end_turn'),
      bare(14, 13, 'user', userMessage('Then mend the test')),
      bare(15, 13, 'user', { ...userMessage('What of the other till?'), isSidechain: true }),
      { ...model(16, 15, [text('It is fine.')], 'end_turn'), isSidechain: true },
    ],
  }
}
