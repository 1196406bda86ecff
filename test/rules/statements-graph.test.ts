// Statements of the specifications that no file can break, shown by the graph that is built from their own examples.
// Which statement is shown by which test is listed in shown.ts.

import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import { decodeText } from '../../src/decode/decode.ts'
import { buildGraph, digestSession, linkSessions } from '../../src/graph/graph.ts'
import { sessionId } from '../../src/model/ids.ts'
import type { GraphFile, SessionGraph } from '../../src/model/session.ts'
import type { SessionDetail } from '../../src/schema/contract-shapes.ts'
import { sessionDetail } from '../../src/session/detail.ts'
import { defaultPath, defaultSession } from './fixture.ts'
import { answerLine, clientLine, s0Line, s3Line, text, toolResult, toolUse, userLine, uuid } from './lines.ts'

const write = (lines: readonly JsonObject[]) => `${lines.map(line => JSON.stringify(line)).join('\n')}\n`

function toFile(lines: readonly JsonObject[], session: string, path = defaultPath, agent?: string): GraphFile {
  const role = agent === undefined ? 'session' : 'agent'
  const named = agent === undefined ? {} : { agent }
  return { path, role, events: decodeText(write(lines), { file: path, session, role, ...named }).events, ...named }
}

function graphOf(lines: readonly JsonObject[], session = defaultSession): SessionGraph {
  return buildGraph(sessionId(session), [toFile(lines, session)])
}

function detailOf(graph: SessionGraph): SessionDetail {
  return sessionDetail(graph, { slug: '-home-dev-shop', files: [defaultPath], live: false, lineage: [] })
}

const nodeOf = (graph: SessionGraph, id: string) => [...graph.nodes.values()].find(node => node.event.id === id)
const threadsOf = (graph: SessionGraph) => graph.threads.map(({ kind, events }) => [kind, events.length])
const callsOf = (graph: SessionGraph) =>
  graph.toolCalls.map(({ name, outcome: status, pairing }) => [name, status, pairing])
const read = (id: string) => toolUse(id, 'Read', { file_path: '/auth.py' })

test('an orphan is the root of its descendants', () => {
  const graph = graphOf([
    s3Line(1, 'user', { message: 'Continue from before', parentUuid: 'msg-from-previous-session' }),
    s3Line(2, 'assistant', { message: 'Going on' }),
  ])
  expect(nodeOf(graph, 'msg-1')).toMatchObject({ link: 'orphan', parent: null, children: ['msg-2'] })
  expect(graph.roots).toEqual(['msg-1'])
  expect(nodeOf(graph, 'msg-1')?.event.parent).toBe('msg-from-previous-session')
})

test('children of one parent open branches, and parallel results do not', () => {
  const branched = graphOf([
    s3Line(1, 'user', { message: 'Hello' }),
    s3Line(2, 'assistant', { message: 'Hi there' }),
    s3Line(3, 'user', { message: 'Explain this' }),
    s3Line(4, 'assistant', { message: 'Let me explain' }),
    s3Line(5, 'user', { message: 'Write code', parentUuid: 'msg-2' }),
    s3Line(6, 'assistant', { message: "Here's the code" }),
  ])
  expect(branched.branches.map(({ leaf }) => leaf).sort()).toEqual(['msg-4', 'msg-6'])
  const parallel = graphOf([
    userLine(1, 'read both'),
    answerLine(2, [read('toolu_a')], { id: 'msg_x' }),
    answerLine(3, [read('toolu_b')], { id: 'msg_x' }),
    userLine(4, [toolResult('toolu_a', 'a')], { parentUuid: uuid(2) }),
    userLine(5, [toolResult('toolu_b', 'b')], { parentUuid: uuid(3) }),
    answerLine(6, [text('done')]),
  ])
  expect(parallel.branches).toHaveLength(1)
})

test('sessionId groups messages: all files of a session are one conversation', () => {
  const first = toFile([userLine(1, 'hello'), answerLine(2, [text('hi')])], defaultSession, '/p/a.jsonl')
  const second = toFile([userLine(3, 'and on'), answerLine(4, [text('yes')])], defaultSession, '/p/b.jsonl')
  const graph = buildGraph(sessionId(defaultSession), [first, second])
  expect(graph.events).toHaveLength(4)
  expect(graph.roots).toEqual([uuid(1)])
  expect(graph.turns).toHaveLength(2)
})

test('isSidechain true is a subagent, false the main conversation', () => {
  const graph = graphOf([
    userLine(1, 'hello'),
    userLine(2, 'look', { isSidechain: true, parentUuid: null }),
    answerLine(3, [text('seen')], {}, { isSidechain: true }),
    answerLine(4, [text('hi')], {}, { parentUuid: uuid(1) }),
  ])
  expect(threadsOf(graph).sort()).toEqual([
    ['main', 2],
    ['subagent', 2],
  ])
  expect(graph.turns).toHaveLength(1)
})

test('a result belongs to the call with its id, wherever it is', () => {
  const graph = graphOf([
    userLine(1, 'hello'),
    answerLine(2, [read('toolu_a')]),
    answerLine(3, [read('toolu_b')]),
    userLine(4, [toolResult('toolu_b', 'b')]),
    userLine(5, [toolResult('toolu_a', 'a')]),
  ])
  expect(graph.toolCalls.map(({ id, requestEvent, resultEvent }) => [id, requestEvent, resultEvent])).toEqual([
    ['toolu_a', uuid(2), uuid(5)],
    ['toolu_b', uuid(3), uuid(4)],
  ])
})

test('a tool turn is one turn: text, thinking, call, progress, result, text', () => {
  const bash = toolUse('toolu_1', 'Bash', { command: 'ls' })
  const lines = [
    userLine(1, 'what is here?'),
    answerLine(2, [text('Let me check...')], { id: 'msg_a' }),
    answerLine(3, [{ type: 'thinking', thinking: '...' }], { id: 'msg_a' }),
    answerLine(4, [bash], { id: 'msg_a' }),
    clientLine(5, 'progress', {
      toolUseID: 'bash-progress-0',
      parentToolUseID: 'toolu_1',
      data: { type: 'bash_progress' },
    }),
    userLine(6, [toolResult('toolu_1', 'a')], { parentUuid: uuid(4) }),
    answerLine(7, [text('The output shows...')]),
  ]
  const graph = graphOf(lines)
  expect(graph.turns).toHaveLength(1)
  expect(graph.turns[0]).toMatchObject({ events: [1, 2, 3, 4, 5, 6, 7].map(uuid), toolCalls: ['toolu_1'] })
  expect(graph.toolCalls[0]).toMatchObject({ outcome: 'done', progress: [uuid(5)] })
  expect(graph.messages.find(({ id }) => id === 'msg_a')?.blocks.map(({ type }) => type)).toEqual([
    'text',
    'thinking',
    'tool-call',
  ])
})

test('progress lines between call and result may be absent', () => {
  const graph = graphOf([userLine(1, 'x'), answerLine(2, [read('toolu_1')]), userLine(3, [toolResult('toolu_1', 'a')])])
  expect(graph.toolCalls[0]).toMatchObject({ outcome: 'done', progress: [] })
})

test('the development flow of 000 has two calls, both done', () => {
  const edit = toolUse('toolu_2', 'Edit', { file_path: '/auth.py', old_string: 'a', new_string: 'b' })
  const graph = graphOf([
    s0Line(1, 'human', 'Fix the bug in auth.py'),
    s0Line(2, 'assistant', [text("I'll examine the file"), read('toolu_1')]),
    s0Line(3, 'tool_result', [toolResult('toolu_1', 'File contents')]),
    s0Line(4, 'assistant', [text('Found the issue'), edit]),
    s0Line(5, 'tool_result', [toolResult('toolu_2', 'File updated successfully')]),
  ])
  expect(callsOf(graph)).toEqual([
    ['Read', 'done', 'id'],
    ['Edit', 'done', 'id'],
  ])
  expect(graph.turns).toHaveLength(1)
})

test('the development flow of 003 has two calls whose results are inferred', () => {
  const call = (n: number, toolName: string) =>
    s3Line(n, 'assistant', { subtype: 'tool_use', toolName, toolArguments: { file_path: '/auth.py' } })
  const graph = graphOf([
    s3Line(1, 'user', { message: 'Fix the bug in auth.py' }),
    s3Line(2, 'assistant', { message: "I'll examine the file", subtype: 'response' }),
    call(3, 'Read'),
    s3Line(4, 'system', { message: '[File contents]' }),
    s3Line(5, 'assistant', { message: 'Found the issue', subtype: 'response' }),
    call(6, 'Edit'),
    s3Line(7, 'system', { message: 'File edited successfully' }),
  ])
  expect(callsOf(graph)).toEqual([
    ['Read', 'done', 'inferred'],
    ['Edit', 'done', 'inferred'],
  ])
})

const side = { isSidechain: true, userType: 'external' }

test('a delegation of 000 is a thread of its own, and its outcome is in the main thread', () => {
  const graph = graphOf([
    s0Line(1, 'human', 'Any bugs?'),
    s0Line(2, 'assistant', [toolUse('toolu_1', 'Task', { subagent_type: 'x', prompt: 'Find bugs in auth module' })]),
    s0Line(3, 'human', 'Find bugs in auth module', side),
    s0Line(4, 'assistant', [read('toolu_2')], side),
    s0Line(5, 'tool_result', [toolResult('toolu_2', 'File contents')], side),
    s0Line(6, 'assistant', [text('Found 3 issues...')], side),
    s0Line(7, 'tool_result', [toolResult('toolu_1', 'Found 3 issues...')], { parentUuid: 'msg_2' }),
  ])
  const [main, agent] = graph.threads
  expect(main).toMatchObject({ kind: 'main', events: ['msg_1', 'msg_2', 'msg_7'] })
  expect(agent).toMatchObject({ kind: 'subagent', call: 'toolu_1', events: ['msg_3', 'msg_4', 'msg_5', 'msg_6'] })
  expect(graph.toolCalls.find(({ id }) => id === 'toolu_1')).toMatchObject({ outcome: 'done', resultEvent: 'msg_7' })
})

test('a sidechain of several exchanges is one thread, and the main thread may continue from its last message', () => {
  const graph = graphOf(
    [
      s3Line(1, 'user', { message: 'Analyze my project' }),
      s3Line(2, 'assistant', { message: "I'll analyze using a specialist" }),
      s3Line(3, 'user', { message: 'Analyze codebase', ...side }),
      s3Line(4, 'assistant', { message: 'Analyzing...', isSidechain: true }),
      s3Line(5, 'user', { message: 'Focus on performance', ...side }),
      s3Line(6, 'assistant', { message: 'Performance analysis...', isSidechain: true }),
      s3Line(7, 'assistant', { message: 'Based on analysis...' }),
    ],
    'session-123',
  )
  const main = graph.threads.find(({ kind }) => kind === 'main')
  const agents = graph.threads.filter(({ kind }) => kind === 'subagent')
  expect(main?.events).toEqual(['msg-1', 'msg-2', 'msg-7'])
  expect(agents.map(({ events }) => events)).toEqual([['msg-3', 'msg-4', 'msg-5', 'msg-6']])
  expect(graph.turns).toHaveLength(1)
})

test('compactions of a session may be many; each begins one more context window', () => {
  const boundary = (n: number) =>
    clientLine(n, 'system', {
      subtype: 'compact_boundary',
      parentUuid: null,
      logicalParentUuid: uuid(n - 1),
      compactMetadata: { trigger: 'auto', preTokens: 167710 },
    })
  const graph = graphOf([
    userLine(1, 'hello'),
    answerLine(2, [text('hi')]),
    boundary(3),
    userLine(4, 'This session is being continued', { isCompactSummary: true }),
    answerLine(5, [text('on')]),
    boundary(6),
    userLine(7, 'This session is being continued', { isCompactSummary: true }),
  ])
  expect(graph.compactions).toHaveLength(2)
  expect(graph.compactions[0]).toMatchObject({
    event: uuid(3),
    trigger: 'auto',
    preTokens: 167710,
    summaryEvent: uuid(4),
  })
  expect(graph.windows).toHaveLength(3)
})

test('messages that a compaction cut off are joined again by their logical parent', () => {
  const graph = graphOf(
    [
      s3Line(1, 'user', { message: 'Start of conversation' }),
      s3Line(2, 'assistant', { message: 'Working on it' }),
      s3Line(3, 'compact_system', { message: 'conversation_compacting' }),
      s3Line(4, 'compact_system', {
        message: 'conversation_compacted',
        metadata: { preservedMessages: 1, totalMessages: 5 },
      }),
      s3Line(5, 'user', { message: 'Continue the work', parentUuid: 'msg-gone', logicalParentUuid: 'msg-1' }),
      s3Line(6, 'assistant', { message: 'Resuming from before' }),
    ],
    'session-123',
  )
  expect(nodeOf(graph, 'msg-5')?.event).toMatchObject({ parent: 'msg-gone', logicalParent: 'msg-1' })
  expect(graph.nodes.has(nodeOf(graph, 'msg-6')?.parent ?? ('' as never))).toBe(true)
  expect(graph.compactions).toHaveLength(1)
  expect(graph.compactions[0]).toMatchObject({ preservedMessages: 1, totalMessages: 5 })
})

test('a summary is the title of the branch whose leaf it names, and several are all kept', () => {
  const graph = graphOf([
    { type: 'summary', summary: 'Optimize dev servers', leafUuid: uuid(2) },
    { type: 'summary', summary: 'Faster start', leafUuid: uuid(3) },
    userLine(1, 'hello'),
    answerLine(2, [text('one')]),
    answerLine(3, [text('two')], {}, { parentUuid: uuid(1) }),
  ])
  expect(graph.summaries).toEqual([
    { leaf: uuid(2), title: 'Optimize dev servers' },
    { leaf: uuid(3), title: 'Faster start' },
  ])
  expect(detailOf(graph)).toMatchObject({ title: 'Faster start', titleFrom: 'summary' })
})

test('a failed run is a result with is_error, an interrupted one keeps its output so far', () => {
  const bash = (id: string) => toolUse(id, 'Bash', { command: 'sleep 9' })
  const graph = graphOf([
    userLine(1, 'run'),
    answerLine(2, [bash('toolu_1')]),
    userLine(3, [toolResult('toolu_1', 'Error message', { is_error: true })]),
    answerLine(4, [bash('toolu_2')]),
    userLine(5, [toolResult('toolu_2', 'partial output')], {
      toolUseResult: { interrupted: true, stdout: 'partial output', stderr: '' },
    }),
  ])
  expect(graph.toolCalls.map(({ outcome: status }) => status)).toEqual(['failed', 'interrupted'])
  const partial = nodeOf(graph, uuid(5))?.event.blocks[0]
  expect(partial).toMatchObject({ structured: { stdout: 'partial output' } })
})

test('a tool run has request, result and duration, and the answer continues in the same turn', () => {
  const graph = graphOf([
    userLine(1, 'run'),
    answerLine(2, [read('toolu_1')]),
    userLine(3, [toolResult('toolu_1', 'a')], { toolUseResult: { type: 'text' } }),
    answerLine(4, [text('so')]),
  ])
  expect(graph.toolCalls[0]).toMatchObject({ requestEvent: uuid(2), resultEvent: uuid(3), durationMs: 1000 })
  expect(graph.turns[0]?.events).toEqual([1, 2, 3, 4].map(uuid))
})

test('a tool that no list names is kept with its name and input', () => {
  const graph = graphOf([userLine(1, 'x'), answerLine(2, [toolUse('toolu_1', 'Teleport', { to: ['moon'] })])])
  expect(graph.toolCalls[0]).toMatchObject({ name: 'Teleport', input: { to: ['moon'] } })
})

test('a parent chain may be thousands of messages deep', () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => s3Line(i + 1, 'user', { message: 'x' }))
  const graph = graphOf(lines, 'session-123')
  expect(graph.roots).toEqual(['msg-1'])
  expect(graph.nodes.size).toBe(20_000)
})

test('every model that answered is listed', () => {
  const models = ['claude-opus-4-6', 'claude-opus-4-20250514']
  const graph = graphOf([userLine(1, 'x'), ...models.map((model, i) => answerLine(i + 2, [text('hi')], { model }))])
  expect(detailOf(graph).models.sort()).toEqual([...models].sort())
})

test('usage is counted once per message, with all cache variants', () => {
  const graph = graphOf([
    userLine(1, 'x'),
    answerLine(2, [text('a')], { id: 'msg_a' }),
    answerLine(3, [text('b')], { id: 'msg_a' }),
  ])
  expect(detailOf(graph).usage).toMatchObject({
    inputTokens: 3,
    outputTokens: 11,
    cacheCreationTokens: 3332,
    cacheReadTokens: 29818,
  })
})

test('an orphan whose parent is in another session links the two', () => {
  const before = graphOf(
    [userLine(1, 'hello', { sessionId: 'a' }), answerLine(2, [text('hi')], {}, { sessionId: 'a' })],
    'a',
  )
  const after = graphOf([userLine(3, 'on', { sessionId: 'b', parentUuid: uuid(2) })], 'b')
  const links = linkSessions([digestSession(before), digestSession(after)])
  expect(links.get(sessionId('b'))).toMatchObject([{ session: 'a' }])
})
