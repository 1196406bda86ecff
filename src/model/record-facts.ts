// Fields that records of several kinds have next to their content, such as the mode that a prompt was typed in. This names
// them for those who print one. It knows nothing of what they look like.

import { isObject } from '../base/json.ts'
import { detailFields } from './detail.ts'
import type { SessionEvent } from './event.ts'

/** As the log names them, in the order in which they are printed. */
export const factFields = [
  'slug',
  'permissionMode',
  'thinkingMetadata',
  'todos',
  'compactMetadata',
  'durationMs',
  'costUSD',
] as const

/** The fields that the event itself says nothing of. */
export function recordFacts(event: SessionEvent): Record<string, unknown> {
  const { stated, message, kind } = event
  const said = detailFields(event)
  const facts: Record<string, unknown> = {}
  for (const field of factFields) {
    const value = stated.facts?.[field]
    if (value === undefined || value === null || said[field] !== undefined) continue
    if ((field === 'durationMs' || field === 'costUSD') && message?.[field] !== undefined) continue
    // Its fields are the event's own.
    if (field === 'compactMetadata' && compactKinds.has(kind) && isObject(value)) continue
    facts[field] = value
  }
  return facts
}

const compactKinds: ReadonlySet<string> = new Set(['compaction', 'preserved', 'compact-summary'])
