// Content of a message → blocks. A block that is not known is kept whole; nothing is dropped.

import { base64Size, textToBytes } from '../base/bytes.ts'
import { asObject, asString, isObject, type JsonObject } from '../base/json.ts'
import type { Block, MediaBlock, ToolCallBlock, ToolResultBlock } from '../model/event.ts'
import { callId } from '../model/ids.ts'

export interface BlockOptions {
  /** Keep base64 data of images and documents. */
  data?: boolean
}

/** `message.content`: a string is one text block, an array its blocks in order, anything else one `other` block. */
export function decodeContent(content: unknown, options: BlockOptions): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (Array.isArray(content)) return content.map(block => decodeBlock(block, options))
  if (content === undefined || content === null) return []
  return [{ type: 'other', wireType: typeof content, raw: content }]
}

function decodeBlock(block: unknown, options: BlockOptions): Block {
  if (typeof block === 'string') return { type: 'text', text: block }
  if (!isObject(block)) return { type: 'other', wireType: block === null ? 'null' : typeof block, raw: block }
  const type = asString(block['type']) ?? ''
  if (type === 'text' && typeof block['text'] === 'string') return { type: 'text', text: block['text'] }
  if (type === 'thinking') {
    const text = asString(block['thinking']) ?? ''
    return { type: 'thinking', text, logged: text !== '' }
  }
  if (type === 'redacted_thinking') return { type: 'thinking', text: '', logged: false, redacted: true }
  if (type.endsWith('tool_use')) return decodeToolUse(block, type)
  if (type.endsWith('tool_result')) return decodeToolResult(block, type, options)
  if (type === 'image' || type === 'document') return decodeMedia(block, type, options)
  return { type: 'other', wireType: type, raw: block }
}

/** `tool_use`, and the API's own `server_tool_use` and `mcp_tool_use`. */
function decodeToolUse(block: JsonObject, type: string): Block {
  const id = asString(block['id'])
  if (id === undefined) return { type: 'other', wireType: type, raw: block }
  const name = asString(block['name']) ?? ''
  const call: ToolCallBlock = { type: 'tool-call', callId: callId(id), name, input: block['input'] }
  if (block['caller'] !== undefined) call.caller = block['caller']
  return call
}

/** `tool_result`, and the API's own `web_search_tool_result`, `mcp_tool_result`, … whose content may be one object. */
function decodeToolResult(block: JsonObject, type: string, options: BlockOptions): Block {
  const id = asString(block['tool_use_id'])
  if (id === undefined) return { type: 'other', wireType: type, raw: block }
  const inner = block['content']
  const content = isObject(inner) ? [decodeInner(inner, options)] : innerContent(inner, options)
  const isError = block['is_error'] === true || /error$/.test(asString(asObject(inner)?.['type']) ?? '')
  const result: ToolResultBlock = { type: 'tool-result', callId: callId(id), isError, content }
  const spillFile = spillPath(inner)
  if (spillFile !== undefined) result.spillFile = spillFile
  return result
}

function innerContent(inner: unknown, options: BlockOptions): Block[] {
  if (!Array.isArray(inner)) return decodeContent(inner, options)
  return inner.map(block => decodeInner(block, options))
}

/** Results hold no calls or results: what looks like one is kept as it is, so that depth stays bounded. */
function decodeInner(block: unknown, options: BlockOptions): Block {
  const type = isObject(block) ? asString(block['type']) : undefined
  if (type !== undefined && /tool_(use|result)$/.test(type)) return { type: 'other', wireType: type, raw: block }
  return decodeBlock(block, options)
}

const savedTo = /<persisted-output>[\s\S]{0,200}?saved to: ([^\n]+)/

/** The path in `<persisted-output>…Full output saved to: PATH`. */
function spillPath(content: unknown): string | undefined {
  const first = Array.isArray(content) ? asObject(content[0])?.['text'] : content
  if (typeof first !== 'string' || !first.startsWith('<persisted-output>')) return undefined
  return savedTo.exec(first)?.[1]?.trim()
}

function decodeMedia(block: JsonObject, type: 'image' | 'document', options: BlockOptions): Block {
  const source = asObject(block['source'])
  if (!source) return { type: 'other', wireType: type, raw: block }
  const data = asString(source['data'])
  const isText = source['type'] === 'text'
  const media: MediaBlock = {
    type,
    mediaType: asString(source['media_type']) ?? asString(source['type']) ?? 'unknown',
    bytes: data === undefined ? 0 : isText ? textToBytes(data).length : base64Size(data),
  }
  if (options.data && data !== undefined) media.data = data
  return media
}
