// `assistant` records: one block of an API message per line since 1.0.17, the whole message before.
//
//   {"type":"assistant","uuid":"…","parentUuid":"…","requestId":"req_…","message":{"id":"msg_…","role":"assistant",
//    "model":"claude-opus-4-6","content":[{"type":"text","text":"…"}],"stop_reason":null,"usage":{…}}}
// Lost here: nothing; `effort`, `attributionSkill` and the like stay on the record.

import { asNumber, asObject, asString, type JsonObject } from '../base/json.ts'
import type { MessageFacts } from '../model/event.ts'
import { decodeContent } from './blocks.ts'
import type { Draft, DraftInput } from './draft.ts'
import { decodeUsage, isOutputFinal } from './usage.ts'

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
