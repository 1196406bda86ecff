// Rules about the lines of Claude Code that are not plain messages: progress, system, queue, snapshot and summary lines, and
// the fields that only prompts carry.

import type { JsonObject } from '../../base/json.ts'
import { asObject, asString, isObject, parseJson } from '../../base/json.ts'
import type { RecordFacts, Rule } from '../rule.ts'
import { isIsoTime, quote, recordRule, textsOf } from '../wire.ts'

/** A rule about lines of one type. */
function lineRule(
  code: string,
  type: string,
  judge: (value: JsonObject, facts: RecordFacts) => string | undefined,
): Rule {
  return recordRule(code, (value, facts) => (value['type'] === type ? judge(value, facts) : undefined))
}

const promptRules: readonly Rule[] = [
  recordRule('user-thinking-metadata', value => {
    const metadata = value['thinkingMetadata']
    if (metadata === undefined || typeof asObject(metadata)?.['maxThinkingTokens'] === 'number') return undefined
    return `thinkingMetadata is ${quote(metadata)} without a number maxThinkingTokens.`
  }),
  recordRule('user-todos', value => {
    const todos = value['todos']
    return todos === undefined || Array.isArray(todos) ? undefined : `todos is ${quote(todos)}, not an array.`
  }),
  recordRule('user-permission-mode', value => notText(value, 'permissionMode')),
  recordRule('session-slug', value => notText(value, 'slug')),
  lineRule('command-message', 'user', value => {
    const text = textsOf(value).find(part => part.includes('<command-name>'))
    const absent = ['command-message', 'command-args'].find(tag => text !== undefined && !text.includes(`<${tag}>`))
    return absent === undefined ? undefined : `The command has no ${absent} tag.`
  }),
]

const progressRules: readonly Rule[] = [
  lineRule('progress-tool-use-id', 'progress', value => missingText(value, 'toolUseID')),
  lineRule('progress-parent-tool-use-id', 'progress', value => missingText(value, 'parentToolUseID')),
  lineRule('progress-data', 'progress', value => {
    const data = value['data']
    return typeof asObject(data)?.['type'] === 'string' ? undefined : `data is ${quote(data)}, without a type.`
  }),
  lineRule('progress-hook-fields', 'progress', value => {
    const data = asObject(value['data'])
    if (data?.['type'] !== 'hook_progress') return undefined
    const absent = ['hookEvent', 'hookName', 'command'].find(key => typeof data[key] !== 'string')
    return absent === undefined ? undefined : `The hook progress has no ${absent}.`
  }),
]

const systemRules: readonly Rule[] = [
  lineRule('system-subtype', 'system', (value, { profile }) => {
    const subtype = value['subtype']
    if (typeof subtype !== 'string') return `The subtype of a system line is ${quote(subtype)}, not a text.`
    if (profile !== 's2' || subtype === 'turn_duration' || subtype === 'compact_boundary') return undefined
    return `A system line has the subtype ${quote(subtype)}, neither turn_duration nor compact_boundary.`
  }),
  lineRule('turn-duration-ms', 'system', value => {
    if (value['subtype'] !== 'turn_duration' || typeof value['durationMs'] === 'number') return undefined
    return `durationMs of a turn_duration line is ${quote(value['durationMs'])}, not a number.`
  }),
  lineRule('turn-duration-meta-fields', 'system', value => {
    if (value['subtype'] !== 'turn_duration') return undefined
    if (typeof value['slug'] !== 'string') return 'A turn_duration line has no slug.'
    return typeof value['isMeta'] === 'boolean' ? undefined : 'A turn_duration line has no isMeta.'
  }),
]

const notification = '<task-notification>'

const queueRules: readonly Rule[] = [
  queueRule('queue-operation-value', value => {
    const operation = value['operation']
    if (operation === 'enqueue' || operation === 'dequeue') return undefined
    return `operation is ${quote(operation)}, neither enqueue nor dequeue.`
  }),
  queueRule('queue-fields', value => missingText(value, 'timestamp') ?? missingText(value, 'sessionId')),
  queueRule('queue-dequeue-no-content', value => {
    const content = value['content']
    if (value['operation'] !== 'dequeue' || content === undefined || content === null) return undefined
    return `The content of a dequeue line is ${quote(content)}.`
  }),
  queueRule('queue-enqueue-content', (value, { profile }) => {
    if (value['operation'] !== 'enqueue') return undefined
    const content = value['content']
    if (typeof content !== 'string') return `The content of an enqueue line is ${quote(content)}, not a text.`
    if (profile !== 's2' || content.includes(notification) || taskOf(value) !== undefined) return undefined
    return `The content ${quote(content)} is neither a task nor a notification.`
  }),
  queueRule('queue-task-json', value => {
    const task = taskOf(value)
    const absent = ['task_id', 'description', 'task_type'].find(
      key => task !== undefined && typeof task[key] !== 'string',
    )
    return absent === undefined ? undefined : `The queued task has no ${absent}.`
  }),
  queueRule('queue-task-type', value => {
    const type = asString(taskOf(value)?.['task_type'])
    return type === undefined || type === 'local_agent'
      ? undefined
      : `The task_type is ${quote(type)}, not "local_agent".`
  }),
  queueRule('queue-task-notification', value => {
    const content = asString(value['content'])
    if (content === undefined || !content.includes(notification)) return undefined
    const absent = ['task-id', 'status'].find(tag => !content.includes(`<${tag}>`))
    return absent === undefined ? undefined : `The task notification has no ${absent} tag.`
  }),
]

const snapshotRules: readonly Rule[] = [
  snapshotRule('snapshot-standalone', value => {
    const key = ['uuid', 'parentUuid'].find(name => value[name] !== undefined && value[name] !== null)
    return key === undefined ? undefined : `A snapshot line has ${key}.`
  }),
  snapshotRule('snapshot-tracked-backups', value => {
    const backups = asObject(value['snapshot'])?.['trackedFileBackups']
    return isObject(backups) ? undefined : `snapshot.trackedFileBackups is ${quote(backups)}, not an object.`
  }),
  snapshotRule('snapshot-timestamp', value => {
    const time = asObject(value['snapshot'])?.['timestamp']
    return isIsoTime(time) ? undefined : `snapshot.timestamp is ${quote(time)}, not an ISO 8601 time.`
  }),
  snapshotRule('snapshot-update-flag', value => {
    const flag = value['isSnapshotUpdate']
    return typeof flag === 'boolean' ? undefined : `isSnapshotUpdate is ${quote(flag)}, not a boolean.`
  }),
]

export const specialLineRules: readonly Rule[] = [
  ...promptRules,
  ...progressRules,
  ...systemRules,
  ...queueRules,
  ...snapshotRules,
  lineRule('summary-fields', 'summary', value => missingText(value, 'summary') ?? missingText(value, 'leafUuid')),
]

function queueRule(code: string, judge: (value: JsonObject, facts: RecordFacts) => string | undefined): Rule {
  return lineRule(code, 'queue-operation', judge)
}

function snapshotRule(code: string, judge: (value: JsonObject) => string | undefined): Rule {
  return lineRule(code, 'file-history-snapshot', judge)
}

function notText(value: JsonObject, key: string): string | undefined {
  const found = value[key]
  return found === undefined || typeof found === 'string' ? undefined : `${key} is ${quote(found)}, not a text.`
}

function missingText(value: JsonObject, key: string): string | undefined {
  return typeof value[key] === 'string' ? undefined : `${key} is ${quote(value[key])}, not a text.`
}

/** The task that an enqueue line has as JSON text. */
function taskOf(value: JsonObject): JsonObject | undefined {
  const content = value['operation'] === 'enqueue' ? asString(value['content'])?.trim() : undefined
  return content?.startsWith('{') ? asObject(parseJson(content)) : undefined
}
