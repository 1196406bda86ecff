// Token counts of an answer. It reads numbers as they stand; joining the lines of one message is the graph's work.

import { asNumber, asObject, isObject, type JsonObject } from '../base/json.ts'
import type { Usage } from '../model/event.ts'

/** Versions before this one mostly log a streaming placeholder for the output. */
const finalSince = [2, 1, 97] as const

/**
 * `{"input_tokens":3,"output_tokens":11,"cache_creation_input_tokens":3332,"cache_read_input_tokens":29818,"cache_creation":{…}}`.
 * A cache total of 0 beside parts that are not was a client's mistake: the larger of total and sum of parts is taken.
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

/** Tokens are whole: a fraction is cut off. */
export function count(value: unknown): number {
  const number = asNumber(value)
  return number === undefined || number < 0 ? 0 : Math.min(Math.trunc(number), Number.MAX_SAFE_INTEGER)
}

/** Whether `output_tokens` is the final number: the answer has a stop reason or a cost, or the client writes it on every line. */
export function isOutputFinal(value: JsonObject, message: JsonObject, hasFinalOutput: boolean): boolean {
  if (typeof message['stop_reason'] === 'string' || typeof value['costUSD'] === 'number') return true
  return hasFinalOutput || message['model'] === '<synthetic>'
}

/** Whether a version of the client writes the final number on every line of an answer. */
export function writesFinalOutput(version: string): boolean {
  return isAtLeast(version, finalSince)
}

function isAtLeast(version: string, least: readonly number[]): boolean {
  const numbers = /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number)
  if (!numbers) return false
  for (let i = 0; i < least.length; i++) {
    const difference = (numbers[i] ?? 0) - (least[i] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return true
}
