// Rules about the optional marks on a record: their types, and 000's mark of the active branch.

import type { JsonObject } from '../../base/json.ts'
import { asObject, asString } from '../../base/json.ts'
import type { FileFacts, Report, Rule } from '../rule.ts'
import { quote, recordRule } from '../wire.ts'

export const flagRules: readonly Rule[] = [
  booleanFlag('flag-is-meta', 'isMeta'),
  booleanFlag('flag-is-error', 'isError'),
  booleanFlag('flag-is-deleted', 'isDeleted'),
  booleanFlag('flag-is-aborted', 'isAborted'),
  { ...booleanFlag('flag-is-active', 'is_active'), file: oneActiveChild },
  recordRule('flag-subtype', value => notA(value, 'subtype', 'string')),
  recordRule('flag-compact-summary', value => {
    const flag = value['isCompactSummary']
    return flag === undefined || flag === true ? undefined : `isCompactSummary is ${quote(flag)}, not true.`
  }),
  recordRule('flag-transcript-only', value =>
    value['isCompactSummary'] === true && value['isVisibleInTranscriptOnly'] !== true
      ? 'The compact summary is not marked isVisibleInTranscriptOnly.'
      : undefined,
  ),
  recordRule('flag-compact-metadata', value => {
    const metadata = value['compactMetadata']
    if (metadata === undefined || asObject(metadata) !== undefined) return undefined
    return `compactMetadata is ${quote(metadata)}, not an object.`
  }),
]

function booleanFlag(code: string, key: string): Rule {
  return recordRule(code, value => notA(value, key, 'boolean'))
}

function notA(value: JsonObject, key: string, type: 'boolean' | 'string'): string | undefined {
  const found = value[key]
  return found === undefined || typeof found === type ? undefined : `${key} is ${quote(found)}, not a ${type}.`
}

/** A parent has at most one active child; a subagent's thread is not a branch of the main one. */
function oneActiveChild(facts: FileFacts, report: Report): void {
  const active = new Set<string>()
  for (const record of facts.records) {
    const value = record.value
    const parent = asString(value?.['parentUuid'])
    if (value === undefined || parent === undefined || value['is_active'] !== true) continue
    const place = `${value['isSidechain'] === true ? 'side' : 'main'} ${parent}`
    if (active.has(place)) report(`A second child of ${quote(parent)} is marked active.`, { record })
    active.add(place)
  }
}
