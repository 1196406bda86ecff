// Records outside the uuid chain: progress aside, they are state, titles, links, the prompt queue and file checkpoints.
// Last-wins lines are written again and again; they say how things are, not that something happened.
//
//   {"type":"queue-operation","operation":"enqueue","timestamp":"…","sessionId":"…","content":"{\"task_id\":\"a7038ad\",…}"}
//   {"type":"summary","summary":"Fix cart rounding","leafUuid":"…"}      {"type":"mode","mode":"normal","sessionId":"…"}

import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from '../base/json.ts'
import type { QueuedTask } from '../model/detail.ts'
import { type Block, privateTypes } from '../model/event.ts'
import { decodeContent } from './blocks.ts'
import { type Draft, type DraftInput, ownFields } from './draft.ts'
import { meaningOfText } from './user.ts'

/** `{"type":"progress","toolUseID":"…","parentToolUseID":"toolu_…","data":{"type":"bash_progress",…}}`, 2.1.2 to 2.1.8x. */
export function decodeProgress(input: DraftInput): Draft {
  const { value } = input
  const data = asObject(value['data']) ?? {}
  const detail: Record<string, unknown> = { dataType: asString(data['type']) ?? '' }
  if (typeof value['toolUseID'] === 'string') detail['toolUseID'] = value['toolUseID']
  if (typeof value['parentToolUseID'] === 'string') detail['parentToolUseID'] = value['parentToolUseID']
  for (const key in data) if (!progressContent.has(key)) detail[key] = data[key]
  const output = asString(data['output'])
  const blocks: Block[] = output ? [{ type: 'text', text: output }] : []
  return { kind: 'progress', actor: 'client', blocks, detail }
}

/** The embedded line and its copies are on the subagent's own thread; output so far is in the result. */
const progressContent: ReadonlySet<string> = new Set([
  'type',
  'message',
  'normalizedMessages',
  'fullOutput',
  'output',
  '__proto__',
])

/** Replaced by attachment/hook_additional_context; `content` is a list of texts. */
export function decodeSavedHookContext(input: DraftInput): Draft {
  const { content, ...detail } = ownFields(input.value)
  return { kind: 'hook', actor: 'client', blocks: decodeContent(content, input.options), detail }
}

/** Content is a prompt, a slash command, a task as JSON, a notification as XML, or an array of blocks. */
export function decodeQueue(input: DraftInput): Draft {
  const { value } = input
  const detail: Record<string, unknown> = { operation: asString(value['operation']) ?? '' }
  const content = value['content']
  if (typeof content === 'string') {
    detail['content'] = content
    const task = content.startsWith('{') ? asObject(parseJson(content)) : undefined
    if (task && typeof task['task_id'] === 'string') detail['task'] = queuedTask(task)
    else Object.assign(detail, queuedNotification(content))
  }
  return { kind: 'queue', actor: 'client', blocks: decodeContent(content, input.options), detail }
}

function queuedNotification(content: string): Record<string, unknown> | undefined {
  const meaning = meaningOfText([content])
  return meaning?.kind === 'notification' ? meaning.detail : undefined
}

const taskFields = [
  ['id', 'task_id'],
  ['description', 'description'],
  ['type', 'task_type'],
  ['toolUseId', 'tool_use_id'],
] as const

/** What is no text in it is in the content. */
function queuedTask(task: JsonObject): QueuedTask {
  const found: QueuedTask = {}
  for (const [name, field] of taskFields) {
    const value = asString(task[field])
    if (value !== undefined) found[name] = value
  }
  return found
}

/** `file-history-snapshot` has a map of paths, `file-history-delta` (2.1.210) one path. */
export function decodeSnapshot(input: DraftInput): Draft {
  const { value } = input
  const snapshot = asObject(value['snapshot']) ?? {}
  const path = asString(value['trackingPath'])
  const files = path === undefined ? Object.keys(asObject(snapshot['trackedFileBackups']) ?? {}) : [path]
  const detail: Record<string, unknown> = { isUpdate: value['isSnapshotUpdate'] === true || path !== undefined, files }
  const messageId = asString(value['messageId']) ?? asString(snapshot['messageId'])
  if (messageId !== undefined) detail['messageId'] = messageId
  return { kind: 'snapshot', actor: 'client', blocks: [], detail }
}

const titleFields: Readonly<Record<string, readonly [field: string, titleFrom: string]>> = {
  summary: ['summary', 'summary'],
  'custom-title': ['customTitle', 'custom'],
  'ai-title': ['aiTitle', 'ai'],
  'agent-name': ['agentName', 'agent-name'],
}

export function decodeTitle(input: DraftInput): Draft {
  const { value } = input
  const [field, titleFrom] = titleFields[input.record.type ?? 'summary'] ?? ['summary', 'summary']
  const title = asString(value[field]) ?? ''
  const detail: Record<string, unknown> = { titleFrom, title }
  const leaf = asString(value['leafUuid'])
  if (leaf !== undefined) detail['leaf'] = leaf
  return { kind: 'title', actor: 'client', blocks: title === '' ? [] : [{ type: 'text', text: title }], detail }
}

export function decodeState(input: DraftInput): Draft {
  const type = input.record.type ?? ''
  if (privateTypes.has(type)) return { kind: 'state', actor: 'client', blocks: [], detail: { type } }
  if (type !== 'last-prompt') {
    return { kind: 'state', actor: 'client', blocks: [], detail: { type, ...ownFields(input.value) } }
  }
  const detail: Record<string, unknown> = { type }
  const lastPrompt = asString(input.value['lastPrompt'])
  const leaf = asString(input.value['leafUuid'])
  if (lastPrompt !== undefined) detail['lastPrompt'] = lastPrompt
  if (leaf !== undefined) detail['leaf'] = leaf
  return { kind: 'state', actor: 'client', blocks: [], detail }
}

export function decodeLink(input: DraftInput): Draft {
  return {
    kind: 'link',
    actor: 'client',
    blocks: [],
    detail: { type: input.record.type ?? '', ...ownFields(input.value) },
  }
}

/** A line of history.jsonl: `{"display":"/plugin ","pastedContents":{},"timestamp":1770654699405,"project":"/home/…"}`. */
export function decodeHistory(input: DraftInput): Draft {
  const { value } = input
  const display = asString(value['display']) ?? ''
  const detail: Record<string, unknown> = { pasted: pastedContents(value['pastedContents']) }
  if (typeof value['project'] === 'string') detail['project'] = value['project']
  return { kind: 'history', actor: 'human', blocks: [{ type: 'text', text: display }], detail }
}

function pastedContents(value: unknown): unknown[] {
  return isObject(value) ? Object.values(value) : [...asArray(value)]
}
