// Recognises by name the logs of other tools that look like ours. They are kept and named, never decoded.

import { asObject, asString, isObject, type JsonObject } from '../base/json.ts'

/** The tool that wrote the line, or undefined where nothing says that another one did. */
export function foreignTool(value: JsonObject): string | undefined {
  const type = asString(value['type'])
  if (typeof value['v'] === 'number' && 'agent' in value && !('uuid' in value)) return 'entire'
  if (type !== undefined && 'payload' in value && codexTypes.has(type)) return 'codex'
  if (type !== undefined && copilotType.test(type) && isObject(value['data'])) return 'copilot'
  if (isOpencode(value)) return 'opencode'
  if (isQwen(value)) return 'qwen'
  if (type === 'gemini' || type === 'model_turn') return 'gemini'
  if (typeof value['session_id'] === 'string' && !('sessionId' in value) && !('parentUuid' in value))
    return 'sdk-stream'
  if (type === 'stream_event' && isObject(value['event'])) return 'sdk-stream'
  return undefined
}

const codexTypes: ReadonlySet<string> = new Set([
  'session_meta',
  'response_item',
  'event_msg',
  'turn_context',
  'compacted',
])
const copilotType = /^(session|user|assistant|tool|hook|subagent|system)\.[a-z_.]+$/

function isOpencode(value: JsonObject): boolean {
  const info = asObject(value['info'])
  const ids = [info?.['id'], info?.['sessionID'], value['sessionID']]
  return ids.some(id => typeof id === 'string' && id.startsWith('ses_'))
}

/** Qwen Code and iFlow write the same envelope, but the message has `parts`. */
function isQwen(value: JsonObject): boolean {
  const message = asObject(value['message'])
  if (message && Array.isArray(message['parts']) && !('content' in message)) return true
  return 'systemPayload' in value && 'parentUuid' in value
}
