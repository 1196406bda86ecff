// What a decoder of one record kind gives: the parts of an event that depend on the kind. The envelope (ids, time, thread,
// source) is added by EventDecoder, the same for all.

import type { JsonObject } from '../base/json.ts'
import type { Actor, Block, EventKind, Flag, MessageFacts } from '../model/event.ts'
import type { LogRecord } from '../model/record.ts'
import type { BlockOptions } from './blocks.ts'

export interface Draft {
  kind: EventKind
  actor: Actor
  blocks: Block[]
  /** Flags that come from the kind; those of the envelope are added later. */
  flags?: Flag[]
  /** As the log has it: `setDetail` sees to the types. */
  detail?: Record<string, unknown>
  message?: MessageFacts
}

/** What a decoder may look at. */
export interface DraftInput {
  record: LogRecord
  value: JsonObject
  /** The event's id, for ids that have to be made up. */
  id: string
  /** True in a subagent's thread, where `user` records speak for the delegating agent. */
  isSubagent: boolean
  /** Whether the version that wrote it gives the final output count on every line of an answer. */
  hasFinalOutput: boolean
  options: BlockOptions
}

/** A record's fields without those of the envelope. */
export function ownFields(value: JsonObject): Record<string, unknown> {
  const own: Record<string, unknown> = {}
  for (const key in value) if (!envelope.has(key)) own[key] = value[key]
  return own
}

/** `__proto__` would not become a field of the copy. */
const envelope: ReadonlySet<string> = new Set([
  '__proto__',
  'type',
  'uuid',
  'parentUuid',
  'sessionId',
  'session_id',
  'timestamp',
  'version',
  'cwd',
  'gitBranch',
  'isSidechain',
  'userType',
  'entrypoint',
  'slug',
])

/** The generic event: it keeps the record whole and names what it is. */
export function otherDraft(input: DraftInput): Draft {
  const wireType = input.record.type ?? ''
  const detail: Record<string, unknown> = { type: wireType }
  if (input.record.subtype !== undefined) detail['subtype'] = input.record.subtype
  if (input.record.foreign !== undefined) detail['foreign'] = input.record.foreign
  return { kind: 'other', actor: 'client', blocks: [{ type: 'other', wireType, raw: input.value }], detail }
}
