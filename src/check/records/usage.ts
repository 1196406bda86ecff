// Rules about token counts, cost and duration of answers: that they are there and are numbers. What they add up to over a
// session is not their matter.

import type { JsonObject } from '../../base/json.ts'
import { asNumber, asObject, isObject } from '../../base/json.ts'
import type { Rule } from '../rule.ts'
import { answerOf, quote, recordRule } from '../wire.ts'

/** A rule about `message.usage` of an assistant line, where it is an object. */
function usageRule(code: string, judge: (usage: JsonObject) => string | undefined): Rule {
  return recordRule(code, value => {
    const usage = asObject(answerOf(value)?.['usage'])
    return usage === undefined ? undefined : judge(usage)
  })
}

function tokensRule(code: string, key: string): Rule {
  return usageRule(code, usage => {
    const count = usage[key]
    return Number.isInteger(count) && Number(count) >= 0 ? undefined : `${key} is ${quote(count)}, not a count.`
  })
}

function textRule(code: string, key: string): Rule {
  return usageRule(code, usage =>
    typeof usage[key] === 'string' ? undefined : `${key} is ${quote(usage[key])}, not a text.`,
  )
}

function answerNumberRule(code: string, key: string): Rule {
  return recordRule(code, value => {
    if (value['type'] !== 'assistant' || asNumber(value[key]) !== undefined) return undefined
    return `The answer's ${key} is ${quote(value[key])}, not a number.`
  })
}

export const usageRules: readonly Rule[] = [
  recordRule('usage-missing', value => {
    const message = answerOf(value)
    if (message === undefined || isObject(message['usage'])) return undefined
    return `message.usage is ${quote(message['usage'])}, not an object.`
  }),
  tokensRule('usage-input-tokens', 'input_tokens'),
  tokensRule('usage-output-tokens', 'output_tokens'),
  tokensRule('usage-cache-creation-tokens', 'cache_creation_input_tokens'),
  tokensRule('usage-cache-read-tokens', 'cache_read_input_tokens'),
  usageRule('usage-cache-creation-split', usage => {
    const { fiveMinutes, oneHour } = cacheParts(usage)
    if (fiveMinutes !== undefined && oneHour !== undefined) return undefined
    return `cache_creation is ${quote(usage['cache_creation'])} without a number for each of its two lifetimes.`
  }),
  usageRule('usage-cache-parts-sum', usage => {
    const { fiveMinutes, oneHour } = cacheParts(usage)
    const total = asNumber(usage['cache_creation_input_tokens'])
    if (fiveMinutes === undefined || oneHour === undefined || total === undefined) return undefined
    if (fiveMinutes + oneHour === total) return undefined
    return `The cache parts ${fiveMinutes} and ${oneHour} do not add up to ${total}.`
  }),
  textRule('usage-service-tier', 'service_tier'),
  textRule('usage-inference-geo', 'inference_geo'),
  answerNumberRule('cost-usd-missing', 'costUSD'),
  answerNumberRule('duration-ms-missing', 'durationMs'),
]

function cacheParts(usage: JsonObject): { fiveMinutes: number | undefined; oneHour: number | undefined } {
  const parts = asObject(usage['cache_creation'])
  return {
    fiveMinutes: asNumber(parts?.['ephemeral_5m_input_tokens']),
    oneHour: asNumber(parts?.['ephemeral_1h_input_tokens']),
  }
}
