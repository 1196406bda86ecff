// Rules about `message` itself and the fields that only answers have. Blocks and token counts have modules of their own.

import type { JsonObject } from '../../base/json.ts'
import { asArray, asObject, asString, isObject } from '../../base/json.ts'
import type { RecordFacts, Rule } from '../rule.ts'
import { answerOf, isUserOrAssistant, quote, recordRule } from '../wire.ts'

/** A rule about the message of an assistant line, where it is an object. */
function answerRule(code: string, judge: (message: JsonObject, facts: RecordFacts) => string | undefined): Rule {
  return recordRule(code, (value, facts) => {
    const message = answerOf(value)
    return message === undefined ? undefined : judge(message, facts)
  })
}

const shapeRules: readonly Rule[] = [
  recordRule('message-missing', (value, { profile }) => {
    if (profile !== 's0' && !isUserOrAssistant(value)) return undefined
    const message = value['message']
    return message === undefined || message === null ? `The ${String(value['type'])} line has no message.` : undefined
  }),
  recordRule('message-not-object', value => {
    const message = value['message']
    if (message === undefined || message === null || isObject(message)) return undefined
    return `message is ${quote(message)}, not an object.`
  }),
  recordRule('message-not-string', value => {
    const message = value['message']
    return message === undefined || typeof message === 'string'
      ? undefined
      : `message is ${quote(message)}, not a text.`
  }),
  recordRule('message-type-literal', (value, { profile }) => {
    const message = profile === 's0' ? asObject(value['message']) : answerOf(value)
    if (message === undefined || message['type'] === 'message') return undefined
    return `message.type is ${quote(message['type'])}, not "message".`
  }),
  recordRule('message-role', value => {
    const message = isUserOrAssistant(value) ? asObject(value['message']) : undefined
    if (message === undefined || message['role'] === value['type']) return undefined
    return `message.role is ${quote(message['role'])} on a line of type ${quote(value['type'])}.`
  }),
  answerRule('assistant-content-array', message =>
    Array.isArray(message['content']) ? undefined : `message.content is ${quote(message['content'])}, not an array.`,
  ),
  recordRule('user-content-blocks-s4', value => {
    if (value['type'] !== 'user') return undefined
    const other = asArray(asObject(value['message'])?.['content']).find(
      block => asObject(block)?.['type'] !== 'tool_result',
    )
    return other === undefined
      ? undefined
      : `A user content array contains a block of type ${quote(asObject(other)?.['type'])}.`
  }),
]

/** The models that 001 lists. */
const modelsOf001 = new Set(['claude-opus-4-5-20251101', 'claude-sonnet-4-5-20241022', 'claude-haiku-4-5-20251001'])

const answerRules: readonly Rule[] = [
  answerRule('assistant-model-missing', message => missingText(message, 'model')),
  answerRule('assistant-message-id-missing', message => missingText(message, 'id')),
  recordRule('assistant-request-id', (value, { profile }) => {
    if (value['type'] !== 'assistant') return undefined
    // Claude Code writes some answers itself; no request is behind them.
    if (profile === 'real' && answerOf(value)?.['model'] === '<synthetic>') return undefined
    const id = value['requestId']
    return typeof id === 'string' && id.startsWith('req_') ? undefined : `requestId is ${quote(id)}, not req_….`
  }),
  answerRule('stop-reason-not-null', message => {
    const reason = message['stop_reason']
    return reason === undefined || reason === null ? undefined : `message.stop_reason is ${quote(reason)}, not null.`
  }),
  answerRule('stop-reason-missing', message =>
    typeof message['stop_reason'] === 'string'
      ? undefined
      : `message.stop_reason is ${quote(message['stop_reason'])}, not a text.`,
  ),
  answerRule('stop-sequence-not-null', (message, { profile }) => {
    const sequence = message['stop_sequence']
    if (sequence === null || (profile !== 's2' && typeof sequence === 'string')) return undefined
    return `message.stop_sequence is ${quote(sequence)}${profile === 's2' ? ', not null' : ', neither a text nor null'}.`
  }),
  answerRule('model-identifiers', message => {
    const model = asString(message['model'])
    return model === undefined || modelsOf001.has(model) ? undefined : `The model ${quote(model)} is not in the table.`
  }),
]

export const messageRules: readonly Rule[] = [...shapeRules, ...answerRules]

function missingText(message: JsonObject, key: string): string | undefined {
  return typeof message[key] === 'string' ? undefined : `message.${key} is ${quote(message[key])}, not a text.`
}
