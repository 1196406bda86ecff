// Invented lines in each specification's own envelope, for whole files. Ids and times rise with the line's number.

import type { JsonObject } from '../../src/base/json.ts'

export const sessionUuid = '7d3f2a1c-5b8e-4c6d-9a0f-1e2d3c4b5a69'
export const cwd = '/home/mara/bakery'
const base = Date.parse('2026-02-17T09:00:00.000Z')

export const uuid = (n: number): string => `${n.toString(16).padStart(8, '0')}-3c4d-4e5f-8a6b-0c1d2e3f4a5b`
export const time = (n: number): string => new Date(base + n * 1250).toISOString()

export const text = (words: string): JsonObject => ({ type: 'text', text: words })
export const use = (id: string, name: string, input: JsonObject): JsonObject => ({ type: 'tool_use', id, name, input })
export const answer = (id: string, content: unknown, is_error = false): JsonObject => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  is_error,
})

export function line000(n: number, type: string, content: unknown, more: JsonObject = {}): JsonObject {
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
export function clientLine(version: string, n: number, parent: number, type: string, more: JsonObject): JsonObject {
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

export const userMessage = (content: unknown): JsonObject => ({ message: { role: 'user', content } })

export const usage: JsonObject = {
  input_tokens: 12,
  output_tokens: 240,
  cache_creation_input_tokens: 900,
  cache_read_input_tokens: 18000,
  cache_creation: { ephemeral_5m_input_tokens: 900, ephemeral_1h_input_tokens: 0 },
  service_tier: 'standard',
  inference_geo: 'not_available',
}

export function modelMessage(
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
export function line003(n: number, type: string, more: JsonObject): JsonObject {
  return {
    type,
    uuid: `msg-${n}`,
    ...(n === 1 ? {} : { parentUuid: `msg-${n - 1}` }),
    timestamp: time(n),
    sessionId: 'session-bakery',
    ...more,
  }
}
