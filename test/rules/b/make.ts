// Records for the fixtures of this folder, as short as they can be read: ids and times by number. It has no fixture.

import type { JsonObject } from '../../../src/base/json.ts'
import { defaultSession } from '../fixture.ts'
import { clientLine, s0Line, s3Line, time, toolResult, toolUse, uuid } from '../lines.ts'

/** The uuid of record number n. */
export const id = uuid
/** The time of record number n, a second after that of the one before. */
export const at = time

function envelope(n: number, parent: number | null, type: string): JsonObject {
  return clientLine(n, type, { parentUuid: parent === null ? null : id(parent) })
}

/** A user record of Claude Code; `content` is a text or blocks. */
export function user(
  n: number,
  parent: number | null,
  content: unknown = `Prompt ${n}`,
  extra: JsonObject = {},
): JsonObject {
  return { ...envelope(n, parent, 'user'), message: { role: 'user', content }, ...extra }
}

/** An assistant record of Claude Code, of API message `msg_n` unless `message` says otherwise. */
export function answer(
  n: number,
  parent: number | null,
  content?: unknown,
  extra: JsonObject = {},
  message: JsonObject = {},
): JsonObject {
  const facts = { id: `msg_${n}`, type: 'message', role: 'assistant', model: 'claude-opus-4-6', stop_reason: null }
  const blocks = content ?? [{ type: 'text', text: `Answer ${n}` }]
  return { ...envelope(n, parent, 'assistant'), message: { ...facts, content: blocks, ...message }, ...extra }
}

export function system(n: number, parent: number | null, subtype: string, extra: JsonObject = {}): JsonObject {
  return { ...envelope(n, parent, 'system'), subtype, content: 'Done', isMeta: false, ...extra }
}

export function progress(n: number, parent: number | null, toolUseID: string, dataType = 'bash_progress'): JsonObject {
  const ids = { toolUseID, parentToolUseID: toolUseID }
  return { ...envelope(n, parent, 'progress'), ...ids, data: { type: dataType, output: '.' } }
}

/** A boundary as Claude Code writes it. */
export function boundary(n: number, logicalParent: number, extra: JsonObject = {}): JsonObject {
  const compactMetadata = { trigger: 'auto', preTokens: 167710 }
  const fields = { content: 'Conversation compacted', logicalParentUuid: id(logicalParent), compactMetadata }
  return system(n, null, 'compact_boundary', { ...fields, ...extra })
}

export function compactSummary(
  n: number,
  parent: number,
  text = 'This session is being continued from an earlier one.',
): JsonObject {
  return user(n, parent, text, { isCompactSummary: true, isVisibleInTranscriptOnly: true })
}

export function call(callId: string, name = 'Bash', input: JsonObject = { command: 'ls' }): JsonObject {
  return toolUse(callId, name, input)
}

export function result(callId: string, content: unknown = 'ok'): JsonObject {
  return toolResult(callId, content)
}

/** A queue operation that describes a subagent's task. */
export function enqueue(n: number, taskId: string): JsonObject {
  const content = JSON.stringify({ task_id: taskId, description: 'Look around', task_type: 'local_agent' })
  return { type: 'queue-operation', operation: 'enqueue', timestamp: at(n), sessionId: defaultSession, content }
}

/** Marks a record as one of a subagent. */
export const side: JsonObject = { isSidechain: true }

/** A record of specification 000. */
export function s0(
  n: number,
  parent: number | null,
  type: string,
  content: unknown,
  extra: JsonObject = {},
): JsonObject {
  return s0Line(n, type, content, { parentUuid: parent === null ? null : `msg_${parent}`, ...extra })
}

/** A record of specification 003; no parent where `parent` is null. */
export function s3(
  n: number,
  parent: number | null,
  type: string,
  message: string,
  extra: JsonObject = {},
): JsonObject {
  const { parentUuid: _, ...line } = s3Line(n, type, { message })
  return { ...line, ...(parent === null ? {} : { parentUuid: `msg-${parent}` }), ...extra }
}
