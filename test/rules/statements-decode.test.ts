// Statements of the specifications that no file can break, shown by what decoding, discovery and the checker make of lines.
// Which statement is shown by which test is listed in shown.ts.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { textToBytes } from '../../src/base/bytes.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { decodeText, RecordDecoder } from '../../src/decode/decode.ts'
import { discover } from '../../src/disk/discover/discover.ts'
import { detailFields } from '../../src/model/detail.ts'
import type { SessionEvent } from '../../src/model/event.ts'
import { defaultSession, runCase } from './fixture.ts'
import {
  answerLine,
  clientLine,
  historyLine,
  s0Line,
  s3Line,
  text,
  toolResult,
  toolUse,
  userLine,
  uuid,
} from './lines.ts'
import { ownSessions } from './own.ts'

const write = (lines: readonly JsonObject[]) => `${lines.map(line => JSON.stringify(line)).join('\n')}\n`
const events = (...lines: JsonObject[]): readonly SessionEvent[] => decodeText(write(lines)).events
const kinds = (...lines: JsonObject[]) => events(...lines).map(({ kind }) => kind)

async function inHome<T>(files: Record<string, JsonObject[]>, look: (root: string) => Promise<T>): Promise<T> {
  const root = mkdtempSync(path.join(tmpdir(), 'clew-statements-'))
  try {
    for (const [name, lines] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
      writeFileSync(path.join(root, name), write(lines))
    }
    return await look(root)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

test('records come before the file ends, and chunks of any size give the same ones', () => {
  const bytes = textToBytes(write([userLine(1, 'hello'), answerLine(2, [text('hi')])]))
  const whole = new RecordDecoder('x')
  const atOnce = [...whole.push(bytes), ...whole.end()]
  const slow = new RecordDecoder('x')
  const early = [...bytes.subarray(0, -1)].flatMap(byte => slow.push(Uint8Array.of(byte)))
  expect(early).toHaveLength(1)
  expect([...early, ...slow.push(bytes.subarray(-1)), ...slow.end()]).toEqual(atOnce)
})

test('a project folder has any number of sessions', async () => {
  const files = [1, 2, 3].map(n => [
    `projects/-home-dev-shop/${uuid(n)}.jsonl`,
    [userLine(1, 'hello', { sessionId: uuid(n) })],
  ])
  const found = await inHome(Object.fromEntries(files), discover)
  expect(found.sessions).toHaveLength(3)
  expect(new Set(found.sessions.map(({ slug }) => slug))).toEqual(new Set(['-home-dev-shop']))
})

test('the prompt history is next to projects and each of its lines is one input', async () => {
  const lines = [historyLine(), historyLine({ display: '/plugin ' })]
  const found = await inHome({ 'history.jsonl': lines, [`projects/-w/${uuid(1)}.jsonl`]: [] }, discover)
  expect(found.histories).toHaveLength(1)
  const read = decodeText(write(lines), { file: 'history.jsonl', role: 'history' }).events
  expect(read.map(({ kind, dialect }) => [kind, dialect])).toEqual([
    ['history', 'history'],
    ['history', 'history'],
  ])
  expect(read[1]?.detail).toMatchObject({ project: '/home/dev/shop' })
})

test('a file of versions that a specification does not know is read all the same', async () => {
  const lines = [userLine(1, 'hello', { version: '0.2.126' }), userLine(2, 'x', { version: '9.9.9' })]
  expect((await runCase(lines, 's2')).counts.known).toBe(2)
  expect(events(...lines).map(({ version }) => version)).toEqual(['0.2.126', '9.9.9'])
})

test('human and user lines are prompts of a person', () => {
  const [human, user, typed] = [
    events(s0Line(1, 'human', 'hello'))[0],
    events(userLine(1, 'hello'))[0],
    events(s3Line(1, 'user', { message: 'hello', userType: 'human' }))[0],
  ]
  for (const event of [human, user, typed])
    expect(event).toMatchObject({ kind: 'prompt', actor: 'human', blocks: [text('hello')] })
  expect([human?.dialect, user?.dialect, typed?.dialect]).toEqual(['s0', 'client', 's3'])
})

test('a user line with results is a delivery and no prompt', () => {
  const line = userLine(1, [toolResult('toolu_1', 'ok')])
  expect(events(line)[0]).toMatchObject({ kind: 'tool-results', actor: 'tool' })
  expect(kinds(userLine(1, 'hello'), line)).toEqual(['prompt', 'tool-results'])
})

test('assistant lines are answers, whatever dialect', () => {
  for (const line of [
    s0Line(1, 'assistant', [text('hi')]),
    answerLine(1, [text('hi')]),
    s3Line(1, 'assistant', { message: 'hi' }),
  ])
    expect(events(line)[0]).toMatchObject({ kind: 'answer', actor: 'agent', blocks: [text('hi')] })
})

test('an assistant line may mix text, thinking and calls, and keeps their order', () => {
  const blocks = [{ type: 'thinking', thinking: 'hm' }, text('I look'), toolUse('toolu_1', 'Read', { file_path: '/a' })]
  expect(events(answerLine(1, blocks))[0]?.blocks.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool-call'])
})

test('progress lines are links of the chain that tell what they are about', () => {
  const progress = (data: JsonObject) =>
    clientLine(2, 'progress', { toolUseID: 'bash-progress-1', parentToolUseID: 'toolu_1', data })
  const agent = events(progress({ type: 'agent_progress', agentId: 'a1', prompt: 'look', message: {} }))[0]
  expect(agent).toMatchObject({ kind: 'progress', id: uuid(2), parent: uuid(1) })
  expect(agent?.detail).toMatchObject({ dataType: 'agent_progress', agentId: 'a1', parentToolUseID: 'toolu_1' })
  expect(agent?.message).toBeUndefined()
  const bash = events(progress({ type: 'bash_progress', output: 'line 1' }))[0]
  expect(bash?.detail).toMatchObject({ dataType: 'bash_progress', parentToolUseID: 'toolu_1' })
  expect(bash?.record.value).toMatchObject({ data: { output: 'line 1' } })
  const waiting = events(progress({ type: 'waiting_for_task', taskDescription: 'look' }))[0]
  expect(waiting?.detail).toMatchObject({ dataType: 'waiting_for_task' })
  expect(waiting?.record.value).toMatchObject({ data: { taskDescription: 'look' } })
})

test('system lines are notices of Claude Code, or results where a text answers a call', () => {
  expect(events(clientLine(1, 'system', { subtype: 'turn_duration', durationMs: 5 }))[0]).toMatchObject({
    kind: 'notice',
    detail: { subtype: 'turn_duration', durationMs: 5 },
  })
  const [, call, result] = events(
    s3Line(1, 'user', { message: 'hello' }),
    s3Line(2, 'assistant', { subtype: 'tool_use', toolName: 'Read', toolArguments: { file_path: '/a' } }),
    s3Line(3, 'system', { message: 'File read successfully' }),
  )
  expect(call?.blocks[0]).toMatchObject({ type: 'tool-call', name: 'Read', callId: 's3:msg-2' })
  expect(result).toMatchObject({ kind: 'tool-results', actor: 'tool' })
  expect(result?.blocks[0]).toMatchObject({ type: 'tool-result', callId: 's3:msg-2' })
  expect(result?.flags).toContain('inferred')
})

test('a summary line is a title and no message', () => {
  const [title] = events({ type: 'summary', summary: 'Cart', leafUuid: uuid(1) })
  expect(title).toMatchObject({ kind: 'title', detail: { titleFrom: 'summary', title: 'Cart' } })
  expect(title?.message).toBeUndefined()
})

test('queue lines tell their operation and what was queued', () => {
  const task = { task_id: 'a7038ad', description: 'Explore', task_type: 'local_agent' }
  const [queued, free] = events(
    { type: 'queue-operation', operation: 'enqueue', content: JSON.stringify(task), sessionId: defaultSession },
    { type: 'queue-operation', operation: 'dequeue', sessionId: defaultSession },
  )
  expect(queued).toMatchObject({ kind: 'queue', detail: { operation: 'enqueue', task: { id: 'a7038ad' } } })
  expect(free).toMatchObject({ kind: 'queue', detail: { operation: 'dequeue' } })
})

test('a snapshot line names its message and stands outside the chain', () => {
  const snapshot = { messageId: uuid(1), trackedFileBackups: { '/a': {} }, timestamp: '2026-02-17T23:21:59.415Z' }
  const [, event] = events(userLine(1, 'hello'), {
    type: 'file-history-snapshot',
    messageId: uuid(1),
    snapshot,
    isSnapshotUpdate: false,
  })
  expect(event).toMatchObject({ kind: 'snapshot', parent: null, detail: { messageId: uuid(1), isUpdate: false } })
})

test('compact_system lines are the phases of a compaction', () => {
  const phases = ['conversation_compacting', 'conversation_compacted', 'conversation_restored']
  const read = events(...phases.map((message, i) => s3Line(i + 1, 'compact_system', { message })))
  expect(read.map(event => [event.kind, detailFields(event)['phase']])).toEqual([
    ['compaction', 'start'],
    ['compaction', 'done'],
    ['compaction', 'restored'],
  ])
})

test('preservedMessages is read as the number of 003 and as the list of Claude Code', () => {
  const metadata = { preservedMessages: 10, totalMessages: 100 }
  expect(events(s3Line(1, 'compact_system', { message: 'conversation_compacted', metadata }))[0]?.detail).toMatchObject(
    metadata,
  )
  const compactMetadata = {
    trigger: 'auto',
    preTokens: 5,
    preservedMessages: { uuids: [uuid(1)], anchorUuid: uuid(2) },
  }
  const boundary = clientLine(3, 'system', { subtype: 'compact_boundary', parentUuid: null, compactMetadata })
  expect(events(boundary)[0]?.detail).toMatchObject({ trigger: 'auto', preTokens: 5, preserved: { uuids: [uuid(1)] } })
})

test('a type from the future stops nothing and stays in the chain', async () => {
  const lines = [userLine(1, 'hello'), clientLine(2, 'hologram', { beam: 1 }), answerLine(3, [text('hi')])]
  const { records } = decodeText(write(lines))
  expect(records.map(({ status }) => status)).toEqual(['known', 'unknown', 'known'])
  expect(events(...lines)[1]).toMatchObject({ kind: 'other', id: uuid(2), parent: uuid(1) })
  const { findings } = await runCase(lines, 's1')
  const about = findings.filter(({ message }) => message.includes('hologram'))
  expect(new Set(about.map(({ severity }) => severity))).toEqual(new Set(['info']))
})

test('ids of any form are kept as they are', () => {
  const ids = ['msg_abc123', 'msg-001', '東京', 'a b/c', uuid(7)]
  expect(events(...ids.map(id => s0Line(1, 'human', 'x', { uuid: id }))).map(({ id }) => id)).toEqual(ids)
})

test('version is the release of Claude Code: the dialect comes from the shape of the line', () => {
  const version = '1.0.128'
  const read = events(s0Line(1, 'human', 'x', { version }), userLine(1, 'x', { version }))
  expect(read.map(({ dialect }) => dialect)).toEqual(['s0', 'client'])
  expect(read.map(event => event.version)).toEqual([version, version])
})

test('one canonical event for all versions of a tool call and its result', () => {
  const call = [toolUse('toolu_1', 'Read', { file_path: '/a' })]
  const result = [toolResult('toolu_1', 'x')]
  const old = events(s0Line(1, 'assistant', call), s0Line(2, 'tool_result', result))
  const now = events(answerLine(1, call), userLine(2, result))
  const shape = (list: readonly SessionEvent[]) => list.map(({ kind, actor, blocks }) => ({ kind, actor, blocks }))
  expect(shape(old)).toEqual(shape(now))
})

test('the working directory is that of the message', () => {
  const read = events(userLine(1, 'a'), userLine(2, 'b', { cwd: '/home/dev/other' }))
  expect(read.map(({ cwd }) => cwd)).toEqual(['/home/dev/shop', '/home/dev/other'])
})

test('the caveat about local commands is marked as meta and is not a prompt', () => {
  const caveat = userLine(1, 'Caveat: The messages below were generated by the user', { isMeta: true })
  expect(events(caveat)[0]).toMatchObject({ kind: 'meta', actor: 'client', flags: ['meta'] })
})

test('the output of a local command is command output and no prompt', () => {
  const [command, output] = events(
    userLine(
      1,
      '<command-name>login</command-name>\n<command-message>login</command-message>\n<command-args></command-args>',
    ),
    userLine(2, '<local-command-stdout>Login successful</local-command-stdout>'),
  )
  expect(command).toMatchObject({ kind: 'command', actor: 'human' })
  expect(output).toMatchObject({ kind: 'command-output', actor: 'client' })
})

test('fields that no one knows are kept and the record is still known', () => {
  const { records, events: read } = decodeText(write([userLine(1, 'hello', { tomorrow: { a: [1] } })]))
  expect(records[0]?.status).toBe('known')
  expect(read[0]?.record.value).toMatchObject({ tomorrow: { a: [1] } })
})

test('a record with a type alone is read, and what it lacks is empty', async () => {
  for (const type of ['user', 'assistant', 'system', 'progress', 'attachment', 'human', 'compact_system', 'summary']) {
    expect(events({ type })[0]).toMatchObject({ wireType: type, at: null })
    expect((await runCase([{ type }], 'real')).records).toBe(1)
  }
})

test('an agent file is read line by line like a session file', () => {
  const agent = { isSidechain: true, agentId: 'a7038ad' }
  const lines = [userLine(1, 'Explore', agent), answerLine(2, [text('done')], {}, agent)]
  const read = decodeText(write(lines), { role: 'agent', agent: 'a7038ad' }).events
  expect(read.map(({ kind, thread }) => [kind, thread])).toEqual([
    ['delegation', 'a7038ad'],
    ['answer', 'a7038ad'],
  ])
})

test('in a sidechain the user side is the delegating agent', () => {
  const side = { isSidechain: true, userType: 'external' }
  for (const line of [
    s0Line(1, 'human', 'look', side),
    userLine(1, 'look', side),
    s3Line(1, 'user', { message: 'look', ...side }),
  ])
    expect(events(line)[0]).toMatchObject({ kind: 'delegation', actor: 'agent' })
})

test('check counts the records of each type', async () => {
  const report = await runCase(ownSessions.s2, 's2')
  expect(report.byType).toMatchObject({ assistant: 7, user: 5, 'progress/hook_progress': 1, 'queue-operation': 2 })
})

test('check counts orphans', async () => {
  const report = await runCase(ownSessions.s3, 's3')
  expect(report.counts).toMatchObject({ orphans: 1, orphansWithLogicalParent: 1 })
})
