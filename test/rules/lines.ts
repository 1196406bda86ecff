// Valid lines of each dialect, small enough to read: a fixture takes one and changes the one field it is about.
// Line n has the id of n and is the child of line n - 1; line 1 is a root.

import type { JsonObject } from '../../src/base/json.ts'
import { defaultSession } from './fixture.ts'

/** A UUID of version 4 that contains its number. */
export function uuid(n: number): string {
  return `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`
}

/** The time of line n, one second after that of line n - 1. */
export function time(n: number): string {
  return new Date(Date.UTC(2026, 1, 17, 23, 21, 59, 414) + n * 1000).toISOString()
}

/** The line without some of its fields. */
export function without(line: JsonObject, ...keys: string[]): JsonObject {
  return Object.fromEntries(Object.entries(line).filter(([key]) => !keys.includes(key)))
}

/** A chain line as Claude Code writes it (001, 002, 004). */
export function clientLine(n: number, type: string, fields: JsonObject = {}): JsonObject {
  return {
    parentUuid: n === 1 ? null : uuid(n - 1),
    isSidechain: false,
    userType: 'external',
    cwd: '/home/dev/shop',
    sessionId: defaultSession,
    version: '2.1.45',
    gitBranch: 'main',
    type,
    uuid: uuid(n),
    timestamp: time(n),
    ...fields,
  }
}

/** A prompt, or a line with results when the content is an array. */
export function userLine(n: number, content: unknown, fields: JsonObject = {}): JsonObject {
  return clientLine(n, 'user', { message: { role: 'user', content }, ...fields })
}

export const usage: JsonObject = {
  input_tokens: 3,
  output_tokens: 11,
  cache_creation_input_tokens: 3332,
  cache_read_input_tokens: 29818,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 3332 },
  service_tier: 'standard',
  inference_geo: 'not_available',
}

/** An answer; `message` changes fields of the API message, `fields` those of the line. */
export function answerLine(n: number, content: unknown, message: JsonObject = {}, fields: JsonObject = {}): JsonObject {
  return clientLine(n, 'assistant', {
    // The lines of one answer come from one request.
    requestId: `req_${message['id'] ?? `msg_${n}`}`,
    message: {
      model: 'claude-opus-4-5-20251101',
      id: `msg_${n}`,
      type: 'message',
      role: 'assistant',
      content,
      stop_reason: null,
      stop_sequence: null,
      usage,
      ...message,
    },
    ...fields,
  })
}

export const text = (words: string): JsonObject => ({ type: 'text', text: words })

export function toolUse(id: string, name: string, input: unknown, fields: JsonObject = {}): JsonObject {
  return { type: 'tool_use', id, name, input, caller: { type: 'direct' }, ...fields }
}

export function toolResult(id: string, content: unknown, fields: JsonObject = {}): JsonObject {
  return { type: 'tool_result', tool_use_id: id, content, is_error: false, ...fields }
}

/** A line of 000: ids of its own form, time as a number, a message without role. */
export function s0Line(n: number, type: string, content: unknown, fields: JsonObject = {}): JsonObject {
  return {
    uuid: `msg_${n}`,
    parentUuid: n === 1 ? null : `msg_${n - 1}`,
    sessionId: 'session_123',
    type,
    timestamp: 1738160130123 + n * 1000,
    version: '1.0.128',
    message: { type: 'message', content },
    ...fields,
  }
}

/** A line of 003: the text is the message, a root has no parentUuid. */
export function s3Line(n: number, type: string, fields: JsonObject = {}): JsonObject {
  return {
    type,
    uuid: `msg-${n}`,
    ...(n === 1 ? {} : { parentUuid: `msg-${n - 1}` }),
    timestamp: time(n),
    sessionId: 'session-123',
    ...fields,
  }
}

/** A line of history.jsonl. */
export function historyLine(fields: JsonObject = {}): JsonObject {
  return {
    display: 'add a cart page',
    pastedContents: {},
    timestamp: 1770654699405,
    project: '/home/dev/shop',
    sessionId: defaultSession,
    ...fields,
  }
}
