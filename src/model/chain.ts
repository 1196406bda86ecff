// Which events have a place in the conversation's chain, whatever their kind.

import { asString } from '../base/json.ts'
import { chainTypes, type SessionEvent } from './event.ts'

/** A record's uuid, where it has one. */
export function uuidOf(event: SessionEvent): string | undefined {
  return asString(event.record.value?.['uuid']) || undefined
}

/** Whether the record has a place in the conversation: it has a uuid, or its type is a link of the chain. */
export function isChainEvent(event: SessionEvent): boolean {
  if (event.kind === 'malformed') return false
  if (uuidOf(event) !== undefined) return true
  return event.dialect !== 'foreign' && event.dialect !== 'journal' && chainTypes.has(event.wireType)
}
