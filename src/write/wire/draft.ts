// What a dialect makes of one event: records without the fields that place them in a session. The encoder adds those.

import type { Flag } from '../../model/event.ts'
import type { NewEvent } from './new-event.ts'

/** A record before it has its place. */
export interface WireDraft {
  type: string
  /** Fields of its own, in the order in which they are written. */
  fields: Readonly<Record<string, unknown>>
  /** Whether it has an id and a parent. */
  isChain: boolean
}

const flagFields: readonly (readonly [flag: Flag, field: string])[] = [
  ['meta', 'isMeta'],
  ['deleted', 'isDeleted'],
  ['aborted', 'isAborted'],
  ['error', 'isError'],
  ['active', 'is_active'],
  ['transcript-only', 'isVisibleInTranscriptOnly'],
]

/** The fields of those flags that the dialect has and the event carries. */
export function wireFlags({ flags = [] }: NewEvent, allowed: readonly Flag[]): Record<string, true> {
  const fields: Record<string, true> = {}
  for (const [flag, field] of flagFields) if (flags.includes(flag) && allowed.includes(flag)) fields[field] = true
  return fields
}

/** What remains of an event whose content was removed. */
export const removedText = '[Content removed]'
