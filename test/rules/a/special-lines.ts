// Fixtures of the rules about progress, system, queue, snapshot and summary lines, and about the fields of prompts.

import type { JsonObject } from '../../../src/base/json.ts'
import type { Fixture } from '../fixture.ts'
import { defaultSession } from '../fixture.ts'
import { clientLine, time, userLine } from '../lines.ts'

const field = (code: string, key: string, good: unknown, bad: unknown): Fixture => ({
  code,
  follows: [userLine(1, 'hello'), userLine(2, 'x', { [key]: good })],
  breaks: [userLine(1, 'hello', { [key]: bad })],
})

const prompts: Fixture[] = [
  field('user-thinking-metadata', 'thinkingMetadata', { maxThinkingTokens: 31999 }, { level: 'high' }),
  field('user-todos', 'todos', [], {}),
  field('user-permission-mode', 'permissionMode', 'default', null),
  field('session-slug', 'slug', 'graceful-knitting-garden', 5),
  {
    code: 'command-message',
    follows: [
      userLine(1, 'hello'),
      userLine(
        2,
        '<command-name>login</command-name>\n<command-message>login</command-message>\n<command-args></command-args>',
      ),
    ],
    breaks: [userLine(1, '<command-name>login</command-name>\n<command-message>login</command-message>')],
  },
]

const hook = { type: 'hook_progress', hookEvent: 'SessionStart', hookName: 'SessionStart:startup', command: 'start.sh' }
const progress = (fields: JsonObject) =>
  clientLine(1, 'progress', { toolUseID: 'toolu_1', parentToolUseID: 'toolu_1', data: hook, ...fields })

const progressLines: Fixture[] = [
  {
    code: 'progress-tool-use-id',
    follows: [progress({}), userLine(2, 'x')],
    breaks: [progress({ toolUseID: undefined })],
  },
  { code: 'progress-parent-tool-use-id', follows: [progress({})], breaks: [progress({ parentToolUseID: 4 })] },
  { code: 'progress-data', follows: [progress({})], breaks: [progress({ data: undefined })] },
  { code: 'progress-data', follows: [progress({})], breaks: [progress({ data: { command: 'x' } })] },
  {
    code: 'progress-hook-fields',
    follows: [progress({}), progress({ data: { type: 'bash_progress' } })],
    breaks: [progress({ data: { ...hook, hookName: undefined } })],
  },
]

const system = (fields: JsonObject) => clientLine(1, 'system', fields)
const turn = { subtype: 'turn_duration', durationMs: 62243, slug: 'graceful-knitting-garden', isMeta: false }

const systemLines: Fixture[] = [
  {
    code: 'system-subtype',
    follows: [system(turn), system({ subtype: 'compact_boundary' })],
    breaks: [system({ content: 'note' })],
  },
  { code: 'system-subtype', only: ['s2'], follows: [system(turn)], breaks: [system({ subtype: 'api_error' })] },
  {
    code: 'system-subtype',
    only: ['real'],
    follows: [system({ subtype: 'api_error' })],
    breaks: [system({ subtype: 1 })],
  },
  { code: 'turn-duration-ms', follows: [system(turn)], breaks: [system({ ...turn, durationMs: '62 s' })] },
  { code: 'turn-duration-meta-fields', follows: [system(turn)], breaks: [system({ ...turn, slug: undefined })] },
  { code: 'turn-duration-meta-fields', follows: [system(turn)], breaks: [system({ ...turn, isMeta: undefined })] },
]

const queue = (operation: string, fields: JsonObject = {}): JsonObject => ({
  type: 'queue-operation',
  operation,
  timestamp: time(1),
  sessionId: defaultSession,
  ...fields,
})
const task = { task_id: 'a7038ad', description: 'Explore', task_type: 'local_agent' }
const enqueue = (content: unknown) => queue('enqueue', { content })
const notification = (...tags: string[]) =>
  `<task-notification>\n${tags.map(tag => `<${tag}>x</${tag}>`).join('\n')}\n</task-notification>`
const queued = [
  queue('dequeue'),
  enqueue(JSON.stringify(task)),
  enqueue(notification('task-id', 'output-file', 'status', 'summary')),
]

const queueLines: Fixture[] = [
  { code: 'queue-operation-value', follows: queued, breaks: [queue('shuffle')] },
  { code: 'queue-operation-value', follows: queued, breaks: [queue('enqueue', { operation: undefined })] },
  { code: 'queue-fields', follows: queued, breaks: [queue('dequeue', { timestamp: 5 })] },
  { code: 'queue-fields', follows: queued, breaks: [queue('dequeue', { sessionId: undefined })] },
  { code: 'queue-dequeue-no-content', follows: queued, breaks: [queue('dequeue', { content: 'x' })] },
  { code: 'queue-enqueue-content', follows: queued, breaks: [queue('enqueue')] },
  { code: 'queue-enqueue-content', only: ['s2'], follows: queued, breaks: [enqueue('please stop')] },
  { code: 'queue-enqueue-content', only: ['real'], follows: [enqueue('please stop')], breaks: [enqueue([])] },
  {
    code: 'queue-task-json',
    follows: [...queued, enqueue('{ not json'), enqueue('please stop')],
    breaks: [enqueue(JSON.stringify({ ...task, description: undefined }))],
  },
  { code: 'queue-task-type', follows: queued, breaks: [enqueue(JSON.stringify({ ...task, task_type: 'remote' }))] },
  { code: 'queue-task-notification', follows: queued, breaks: [enqueue(notification('status'))] },
  { code: 'queue-task-notification', follows: queued, breaks: [enqueue(notification('task-id'))] },
]

const snapshot = (fields: JsonObject, inner: JsonObject = {}): JsonObject => ({
  type: 'file-history-snapshot',
  messageId: 'm',
  snapshot: { messageId: 'm', trackedFileBackups: {}, timestamp: time(1), ...inner },
  isSnapshotUpdate: false,
  ...fields,
})

const snapshotLines: Fixture[] = [
  { code: 'snapshot-standalone', follows: [snapshot({})], breaks: [snapshot({ uuid: 'u' })] },
  { code: 'snapshot-standalone', follows: [snapshot({})], breaks: [snapshot({ parentUuid: 'u' })] },
  { code: 'snapshot-tracked-backups', follows: [snapshot({})], breaks: [snapshot({}, { trackedFileBackups: [] })] },
  { code: 'snapshot-tracked-backups', follows: [snapshot({})], breaks: [snapshot({ snapshot: null })] },
  { code: 'snapshot-timestamp', follows: [snapshot({})], breaks: [snapshot({}, { timestamp: 1770654699405 })] },
  { code: 'snapshot-timestamp', follows: [snapshot({})], breaks: [snapshot({}, { timestamp: '2026-02-17' })] },
  { code: 'snapshot-update-flag', follows: [snapshot({})], breaks: [snapshot({ isSnapshotUpdate: undefined })] },
]

const summaries: Fixture[] = [
  {
    code: 'summary-fields',
    follows: [{ type: 'summary', summary: 'Cart', leafUuid: 'x' }],
    breaks: [{ type: 'summary', summary: 'Cart' }],
  },
  {
    code: 'summary-fields',
    follows: [{ type: 'summary', summary: '', leafUuid: '' }],
    breaks: [{ type: 'summary', leafUuid: 'x' }],
  },
]

export const fixtures: Fixture[] = [
  ...prompts,
  ...progressLines,
  ...systemLines,
  ...queueLines,
  ...snapshotLines,
  ...summaries,
]
