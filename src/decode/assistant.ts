// `assistant` records and their token counts: one block of an API message per line since 1.0.17, the whole message before.
// Joining the lines of one message is the graph's work.

import { asNumber, asObject, asString, isObject, type JsonObject } from '../base/json.ts'
import type { MessageFacts, Usage } from '../model/event.ts'
import { believableCount } from '../model/usage.ts'
import { decodeContent } from './blocks.ts'
import type { Draft, DraftInput } from './draft.ts'

export function decodeAssistant(input: DraftInput): Draft {
  const { value } = input
  const message = asObject(value['message']) ?? {}
  const draft: Draft = { kind: 'answer', actor: 'agent', blocks: decodeContent(message['content'], input.options) }
  const facts = messageFacts(input, message)
  if (facts) draft.message = facts
  if (value['isApiErrorMessage'] === true) {
    draft.kind = 'api-error'
    draft.actor = 'client'
    draft.flags = ['synthetic', 'error']
    draft.detail = apiErrorDetail(value)
  } else if (message['model'] === '<synthetic>') {
    draft.flags = ['synthetic']
  }
  return draft
}

/** Facts about the API message; a message without id that has any counts as one of its own. */
export function messageFacts(
  input: Pick<DraftInput, 'value' | 'id' | 'hasFinalOutput'>,
  message: JsonObject,
): MessageFacts | undefined {
  const { value } = input
  const id = asString(message['id'])
  const usage = decodeUsage(message['usage'], isOutputFinal(value, message, input.hasFinalOutput))
  const model = asString(message['model'])
  if (id === undefined && usage === undefined && model === undefined) return undefined
  const facts: MessageFacts = { id: id ?? input.id }
  const requestId = asString(value['requestId'])
  const stopReason = asString(message['stop_reason'])
  const costUSD = asNumber(value['costUSD'])
  const durationMs = asNumber(value['durationMs'])
  if (requestId !== undefined) facts.requestId = requestId
  if (model !== undefined) facts.model = model
  if (stopReason !== undefined) facts.stopReason = stopReason
  if (usage !== undefined) facts.usage = usage
  if (costUSD !== undefined) facts.costUSD = costUSD
  if (durationMs !== undefined) facts.durationMs = durationMs
  return facts
}

function apiErrorDetail(value: JsonObject): Record<string, unknown> {
  const detail: Record<string, unknown> = {}
  for (const key of ['error', 'apiErrorStatus']) if (value[key] !== undefined) detail[key] = value[key]
  return detail
}

/** Versions before this one mostly log a streaming placeholder for the output. */
const finalSince = [2, 1, 97] as const

/**
 * `{"input_tokens":3,"output_tokens":11,"cache_creation_input_tokens":3332,"cache_read_input_tokens":29818,"cache_creation":{…}}`.
 * A cache total of 0 with parts above 0 was a mistake of Claude Code: the larger of total and sum of parts is taken.
 */
export function decodeUsage(value: unknown, isFinal: boolean): Usage | undefined {
  if (!isObject(value)) return undefined
  const parts = asObject(value['cache_creation'])
  const short = count(parts?.['ephemeral_5m_input_tokens'])
  const long = count(parts?.['ephemeral_1h_input_tokens'])
  const usage: Usage = {
    inputTokens: count(value['input_tokens']),
    outputTokens: count(value['output_tokens']),
    cacheCreationTokens: Math.max(count(value['cache_creation_input_tokens']), short + long),
    cacheReadTokens: count(value['cache_read_input_tokens']),
    outputFinal: isFinal,
  }
  if (parts) {
    usage.cacheCreation5mTokens = short
    usage.cacheCreation1hTokens = long
  }
  const searches = count(asObject(value['server_tool_use'])?.['web_search_requests'])
  if (searches > 0) usage.webSearches = searches
  if (typeof value['service_tier'] === 'string') usage.serviceTier = value['service_tier']
  if (typeof value['inference_geo'] === 'string') usage.inferenceGeo = value['inference_geo']
  if (typeof value['speed'] === 'string') usage.speed = value['speed']
  return usage
}

function count(value: unknown): number {
  return believableCount(value) ?? 0
}

/** Whether `output_tokens` is the final number: the answer has a stop reason or a cost, or Claude Code writes it on every line. */
export function isOutputFinal(value: JsonObject, message: JsonObject, hasFinalOutput: boolean): boolean {
  if (typeof message['stop_reason'] === 'string' || typeof value['costUSD'] === 'number') return true
  return hasFinalOutput || message['model'] === '<synthetic>'
}

/** Whether a version of Claude Code writes the final number on every line of an answer. */
export function writesFinalOutput(version: string): boolean {
  if (version !== lastVersion) {
    lastVersion = version
    isLastFinal = isAtLeast(version, finalSince)
  }
  return isLastFinal
}

/** Neighbours mostly have the same version. */
let lastVersion = ''
let isLastFinal = false

function isAtLeast(version: string, least: readonly number[]): boolean {
  const numbers = /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number)
  if (!numbers) return false
  for (let i = 0; i < least.length; i++) {
    const difference = (numbers[i] ?? 0) - (least[i] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return true
}
