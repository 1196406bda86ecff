// Puts an example into the smallest lines that can hold it, in its specification's own form: a block into a message, a
// message into a record. Records stay as they are written; a field that they lack is not made up.

import { asArray, asObject, asString, isObject, type JsonObject } from '../../src/base/json.ts'
import type { SpecId } from './extract.ts'

/** Call that a lone `toolUseResult` belongs to. */
export const wrappedCall = 'toolu_wrapped'

/** The lines that an example stands for. */
export function toLines(spec: SpecId, example: unknown): JsonObject[] {
  const parts = Array.isArray(example) ? example : [example]
  return parts.filter(isObject).map(part => toLine(spec, part))
}

function toLine(spec: SpecId, part: JsonObject): JsonObject {
  if ('toolUseResult' in part && !('message' in part)) return withResult(part)
  if ('input_tokens' in part) return message('assistant', { content: [], usage: part })
  if (isObject(part['usage'])) return message('assistant', { content: [], usage: part['usage'] })
  if (spec === '000' && isEmpty(part['message'])) return { ...part, message: { type: 'message', content: 'content' } }
  if (isBlock(part)) return spec === '000' ? block000(part) : clientBlock(part)
  if (isObject(part['message']) && !('type' in part)) return { type: typeOf(spec, part['message']), ...part }
  if (spec === '003' && !('type' in part) && 'subtype' in part) return optionalFields003(part)
  return part
}

/** 000 writes a comment where its later examples all have the content. */
function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0
}

const blockTypes = ['text', 'thinking', 'tool_use', 'tool_result', 'image']

function isBlock(part: JsonObject): boolean {
  return blockTypes.includes(asString(part['type']) ?? '') && !('uuid' in part) && !('message' in part)
}

function message(role: 'user' | 'assistant', fields: JsonObject): JsonObject {
  return { type: role, message: { role, ...fields } }
}

function clientBlock(block: JsonObject): JsonObject {
  return message(block['type'] === 'tool_result' ? 'user' : 'assistant', { content: [block] })
}

function block000(block: JsonObject): JsonObject {
  const message = { type: 'message', content: [block] }
  return { type: typeOf('000', message), message }
}

/** Who writes such a message: by role, and in 000, which has none, by its blocks. */
function typeOf(spec: SpecId, message: JsonObject): string {
  const role = asString(message['role'])
  if (role !== undefined) return role
  const blocks = asArray(message['content']).map(block => asObject(block)?.['type'])
  if (blocks.includes('tool_use')) return 'assistant'
  if (blocks.includes('tool_result')) return spec === '000' ? 'tool_result' : 'user'
  return spec === '000' ? 'human' : 'user'
}

function withResult(part: JsonObject): JsonObject {
  const result = { type: 'tool_result', tool_use_id: wrappedCall, content: 'text' }
  return { ...message('user', { content: [result] }), ...part }
}

/** 003 shows its optional fields without the required ones; its subtype tells who writes such a line. */
function optionalFields003(part: JsonObject): JsonObject {
  const type = part['subtype'] === 'command' ? 'user' : 'assistant'
  return { type, uuid: 'message-id', timestamp: '2025-01-27T10:15:30.123Z', sessionId: 'session-identifier', ...part }
}
