// The line of a subagent that a progress record of the log that started it carries, made whole: it gets the envelope that the
// subagent's own log would give it. Whether that log has the same line is for those to find out who know all files of a session.
//
//   {"type":"progress","parentToolUseID":"toolu_…","data":{"type":"agent_progress","agentId":"a3f68ca","message":{"type":"assistant","uuid":"…","message":{…}}}}
//
// 2.1.12 to 2.1.81. Lost: parents (each follows the one before it), attachments and the last answer, which is in the call's result.

import { asObject, asString, type JsonObject } from '../base/json.ts'
import { hasFlag, type SessionEvent } from '../model/event.ts'
import type { LogRecord } from '../model/record.ts'

export type EmbeddedRecord = LogRecord & { readonly value: JsonObject }

/** Its bytes are those of the record that carries it; undefined where that carries no line. `carrier`: the id of that one's event. */
export function embeddedRecord(record: LogRecord, carrier: string): EmbeddedRecord | undefined {
  if (record.type !== 'progress' || record.dialect !== 'client' || record.value === undefined) return undefined
  const value = embeddedLine(record.value, carrier)
  if (value === undefined) return undefined
  const { subtype: _subtype, marks: _marks, ...place } = record
  return { ...place, type: asString(value['type']) ?? null, value }
}

/** The line in a progress record. */
export function embeddedLine(outer: JsonObject, carrier: string): JsonObject | undefined {
  const data = asObject(outer['data'])
  const line = data?.['type'] === 'agent_progress' ? asObject(data['message']) : undefined
  const type = line?.['type']
  if (line === undefined || (type !== 'user' && type !== 'assistant')) return undefined
  const {
    parentUuid: _parent,
    type: _type,
    message: _message,
    data: _data,
    toolUseID: _id,
    parentToolUseID: call,
    ...own
  } = outer
  const { parentUuid: _none, ...said } = line
  const agentId = asString(data?.['agentId']) || asString(call) || carrier
  const uuid = asString(line['uuid']) || `${carrier}~agent`
  const timestamp = line['timestamp'] ?? outer['timestamp']
  return { ...said, ...own, isSidechain: true, agentId, uuid, timestamp }
}

/** Of the events of one record its own, or that of the line which it carries, as `known` is. */
export function eventLike(
  known: Pick<SessionEvent, 'flags'>,
  events: readonly SessionEvent[],
): SessionEvent | undefined {
  const isEmbedded = hasFlag(known, 'embedded')
  return events.find(event => hasFlag(event, 'embedded') === isEmbedded)
}
