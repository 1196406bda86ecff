// Rules about the names of types and subtypes. Unknown names are only named here; every record is read all the same.

import { asObject, asString } from '../../base/json.ts'
import type { Rule } from '../rule.ts'
import { blocksOf, hasToolResult, quote, recordRule } from '../wire.ts'

const progressTypes = new Set(['agent_progress', 'hook_progress', 'bash_progress', 'waiting_for_task'])

export const typeRules: readonly Rule[] = [
  recordRule('type-missing', value =>
    typeof value['type'] === 'string' ? undefined : `The record has no type: it is ${quote(value['type'])}.`,
  ),
  typeSet('type-set-s0', ['human', 'assistant', 'tool_result', 'compact_prelude', 'compact_recap']),
  typeSet('type-set-s1', ['user', 'assistant', 'progress', 'system', 'summary', 'file-history-snapshot']),
  typeSet('type-set-s2', ['user', 'assistant', 'progress', 'system', 'queue-operation', 'file-history-snapshot']),
  typeSet('type-set-s3', ['user', 'assistant', 'system', 'compact_system']),
  typeSet('type-set-s4', ['summary', 'user', 'assistant']),
  recordRule('type-tool-result-line', value => {
    const isResultLine = value['type'] === 'tool_result'
    if (hasToolResult(value) === isResultLine) return undefined
    if (!isResultLine) return `A tool_result block is on a line of type ${quote(value['type'])}.`
    return `A tool_result line contains ${blocksOf(value).length} blocks and none is a tool_result.`
  }),
  recordRule('subtype-values-s3', value => {
    const subtype = asString(value['subtype'])
    if (subtype === undefined || ['tool_use', 'command', 'response', 'thinking'].includes(subtype)) return undefined
    return `The subtype ${quote(subtype)} is not one of the four known ones.`
  }),
  recordRule('progress-data-types', value => {
    const type = value['type'] === 'progress' ? asString(asObject(value['data'])?.['type']) : undefined
    if (type === undefined || progressTypes.has(type)) return undefined
    return `The progress type ${quote(type)} is not one of the four known ones.`
  }),
]

function typeSet(code: string, names: readonly string[]): Rule {
  const known = new Set(names)
  return recordRule(code, value => {
    const type = asString(value['type'])
    return type === undefined || known.has(type)
      ? undefined
      : `The type ${quote(type)} is not one of ${names.join(', ')}.`
  })
}
