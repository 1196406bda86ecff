// Blocks → content as the API writes it; the inverse of decode/blocks.ts. A block that was read is written as it was.

import { asArray, asObject, asString, isObject, type JsonObject } from '../../base/json.ts'
import type { Block } from '../../model/event.ts'
import type { NewBlock, NewEvent } from './new-event.ts'

/** The content of a message: a lone text as a string where `isPlain`, else a list. */
export function wireContent(event: NewEvent, { isPlain = false } = {}): string | unknown[] {
  const raw = rawContent(event)
  if (typeof raw === 'string' && isPlain) return raw
  const blocks = event.blocks ?? []
  const [only] = blocks
  if (isPlain && blocks.length === 1 && only?.type === 'text' && !Array.isArray(raw)) return only.text
  return wireBlocks(event)
}

/** One block after the other, each as it was read where it was. */
export function wireBlocks(event: NewEvent): unknown[] {
  const raw = rawContent(event)
  const blocks = event.blocks ?? []
  const known = Array.isArray(raw) && raw.length === blocks.length ? raw : []
  return blocks.map((block, at) => (isObject(known[at]) ? known[at] : wireBlock(block)))
}

function rawContent({ raw }: NewEvent): unknown {
  const attachment = asObject(raw?.['attachment'])
  return attachment === undefined ? (asObject(raw?.['message'])?.['content'] ?? raw?.['content']) : attachment['prompt']
}

export function wireBlock(block: NewBlock): unknown {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'thinking':
      if (block.redacted) return { type: 'redacted_thinking', data: signatureOf(block) }
      return { type: 'thinking', thinking: block.text, signature: signatureOf(block) }
    case 'tool-call':
      return {
        type: 'tool_use',
        id: block.callId,
        name: block.name,
        input: block.input ?? {},
        ...(block.caller !== undefined && { caller: block.caller }),
      }
    case 'tool-result':
      return {
        tool_use_id: block.callId,
        type: 'tool_result',
        content: resultContent(block.content),
        is_error: block.isError,
      }
    case 'image':
    case 'document':
      return { type: block.type, source: { type: 'base64', media_type: block.mediaType, data: block.data ?? '' } }
    case 'other':
      return block.raw
  }
}

function signatureOf(block: NewBlock): string {
  return asString((block as { signature?: unknown }).signature) ?? ''
}

/** A lone text is a string, as most tools answer. */
export function resultContent(content: readonly Block[]): string | unknown[] {
  const [only] = content
  if (content.length === 0) return ''
  if (content.length === 1 && only?.type === 'text') return only.text
  return content.map(wireBlock)
}

/** All that a block says in words, for dialects that have nothing but text; undefined where it has none. */
export function plainText(block: NewBlock): string | undefined {
  if (block.type === 'text' || block.type === 'thinking') return block.text
  if (block.type !== 'tool-result') return undefined
  const texts = block.content.map(plainText)
  return texts.some(text => text !== undefined) ? texts.map(text => text ?? '').join('\n') : ''
}

/** The `usage` of a message as the API names it; as it was read where it was, with what the form needs. */
export function wireUsage(event: NewEvent, { needsCacheSplit }: { needsCacheSplit: boolean }): JsonObject {
  const usage = event.message?.usage
  const tier = { service_tier: usage?.serviceTier ?? 'standard' }
  const split = {
    cache_creation: {
      ephemeral_1h_input_tokens: usage?.cacheCreation1hTokens ?? 0,
      ephemeral_5m_input_tokens: usage?.cacheCreation5mTokens ?? usage?.cacheCreationTokens ?? 0,
    },
  }
  const raw = asObject(asObject(event.raw?.['message'])?.['usage'])
  if (raw !== undefined)
    return {
      ...raw,
      ...(typeof raw['service_tier'] !== 'string' && tier),
      ...(needsCacheSplit && !isSplit(asObject(raw['cache_creation'])) && split),
    }
  return {
    input_tokens: usage?.inputTokens ?? 0,
    cache_creation_input_tokens: usage?.cacheCreationTokens ?? 0,
    cache_read_input_tokens: usage?.cacheReadTokens ?? 0,
    output_tokens: usage?.outputTokens ?? 0,
    ...(usage?.webSearches !== undefined && { server_tool_use: { web_search_requests: usage.webSearches } }),
    ...tier,
    ...split,
    ...(usage?.inferenceGeo !== undefined && { inference_geo: usage.inferenceGeo }),
    ...(usage?.speed !== undefined && { speed: usage.speed }),
  }
}

function isSplit(created: JsonObject | undefined): boolean {
  return ['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens'].every(key => typeof created?.[key] === 'number')
}

/** Ids of the calls that it makes, or of those that it answers. */
export function callIdsIn(event: Pick<NewEvent, 'blocks'>, type: 'tool-call' | 'tool-result'): string[] {
  return (event.blocks ?? []).flatMap(block => (block.type === type ? [block.callId as string] : []))
}

/** The texts of an event, joined by line ends. */
export function textOf(event: Pick<NewEvent, 'blocks'>): string {
  return asArray(event.blocks)
    .map(block => plainText(block as NewBlock))
    .filter(text => text !== undefined)
    .join('\n')
}

/** `/compact now` as Claude Code tags it. */
export function withCommandText(event: NewEvent): NewEvent {
  if ((event.blocks ?? []).length > 0 || event.kind !== 'command') return event
  const command = asString(event.detail?.['command']) ?? ''
  const name = command.replace(/^\//, '')
  const text =
    event.detail?.['mode'] === 'bash'
      ? `<bash-input>${command}</bash-input>`
      : `<command-name>/${name}</command-name>\n<command-message>${name}</command-message>\n<command-args>${asString(event.detail?.['args']) ?? ''}</command-args>`
  return { ...event, blocks: [{ type: 'text', text }] }
}
