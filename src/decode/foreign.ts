// Recognises by name the logs of other tools that look like ours. They are kept and named, never decoded.

import { asObject, isObject, type JsonObject } from '../base/json.ts'

/** The tool that wrote the line, or undefined where nothing says that another one did. */
export function foreignTool(value: JsonObject, type: string | null): string | undefined {
  if (isQwen(value)) return 'qwen'
  const hasSession = typeof value['sessionId'] === 'string'
  // Only Qwen Code copies Claude Code's envelope.
  if (hasSession && 'parentUuid' in value) return undefined
  if (typeof value['v'] === 'number' && 'agent' in value && !('uuid' in value)) return 'entire'
  if (type !== null && 'payload' in value && codexTypes.has(type)) return 'codex'
  if (type !== null && copilotType.test(type) && !('uuid' in value)) return 'copilot'
  if (isOpencode(value)) return 'opencode'
  if (type === 'gemini' || type === 'model_turn') return 'gemini'
  return isStreamFrame(value, type, hasSession) ? 'sdk-stream' : undefined
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

/**
 * Qwen Code and iFlow write the same envelope, but the message has `parts`, or the version is 0.x and no user type is
 * external. Claude Code's own 0.2 says `userType` on every line.
 */
function isQwen(value: JsonObject): boolean {
  const message = value['message']
  if (isObject(message) && Array.isArray(message['parts']) && !('content' in message)) return true
  const version = value['version']
  const isOtherTool = typeof version === 'string' && version.startsWith('0.') && !('userType' in value)
  return (isOtherTool || 'systemPayload' in value) && 'parentUuid' in value
}

/** What `--output-format stream-json` prints and `--input-format stream-json` takes. */
function isStreamFrame(value: JsonObject, type: string | null, hasSession: boolean): boolean {
  if (type === 'stream_event' && isObject(value['event'])) return true
  if (hasSession || 'parentUuid' in value) return false
  return typeof value['session_id'] === 'string' || 'parent_tool_use_id' in value || isControlFrame(type)
}

function isControlFrame(type: string | null): boolean {
  return type === 'control_request' || type === 'control_response' || type === 'control_cancel_request'
}
