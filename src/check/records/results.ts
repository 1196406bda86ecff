// Rules about `toolUseResult`, the details of a tool run next to its result, and the field that names the requesting line.

import type { JsonObject } from '../../base/json.ts'
import { asArray, asObject, isObject } from '../../base/json.ts'
import type { Rule } from '../rule.ts'
import { hasToolResult, quote, recordRule } from '../wire.ts'

/** A rule about `toolUseResult`, where it is an object. */
function detailsRule(code: string, judge: (details: JsonObject) => string | undefined): Rule {
  return recordRule(code, value => {
    const details = asObject(value['toolUseResult'])
    return details === undefined ? undefined : judge(details)
  })
}

const commandKeys: Readonly<Record<string, 'string' | 'boolean'>> = {
  stdout: 'string',
  stderr: 'string',
  interrupted: 'boolean',
  isImage: 'boolean',
  sandbox: 'boolean',
}

export const resultRules: readonly Rule[] = [
  recordRule('source-tool-assistant-missing', value => {
    if (value['type'] !== 'user' || !hasToolResult(value)) return undefined
    const source = value['sourceToolAssistantUUID']
    return typeof source === 'string' ? undefined : `sourceToolAssistantUUID of a result line is ${quote(source)}.`
  }),
  recordRule('tool-use-result-missing', value =>
    value['type'] === 'user' && hasToolResult(value) && value['toolUseResult'] === undefined
      ? 'A user line with a tool result has no toolUseResult.'
      : undefined,
  ),
  recordRule('tool-use-result-type', value => {
    const details = value['toolUseResult']
    if (details === undefined) return undefined
    if (value['type'] !== 'user') return `toolUseResult is on a line of type ${quote(value['type'])}.`
    return isObject(details) ? undefined : `toolUseResult is ${quote(details)}, not an object.`
  }),
  detailsRule('tool-use-result-command', details => {
    const wrong = Object.entries(commandKeys).find(([key, type]) => key in details && typeof details[key] !== type)
    return wrong === undefined
      ? undefined
      : `toolUseResult.${wrong[0]} is ${quote(details[wrong[0]])}, not a ${wrong[1]}.`
  }),
  detailsRule('tool-use-result-file', details => {
    if (!('file' in details)) return undefined
    const file = asObject(details['file'])
    if (typeof file?.['filePath'] !== 'string') return `toolUseResult.file.filePath is ${quote(file?.['filePath'])}.`
    if (details['type'] !== 'text' || typeof file['content'] === 'string') return undefined
    return `toolUseResult.file.content is ${quote(file['content'])}.`
  }),
  detailsRule('tool-use-result-todos', details => {
    const keys = ['oldTodos', 'newTodos'].filter(key => key in details)
    if (keys.length === 1) return `toolUseResult has ${keys[0]} alone.`
    const wrong = keys.find(key => !Array.isArray(details[key]))
    return wrong === undefined ? undefined : `toolUseResult.${wrong} is ${quote(details[wrong])}, not an array.`
  }),
  detailsRule('todo-item-fields', details => {
    for (const item of [...asArray(details['oldTodos']), ...asArray(details['newTodos'])]) {
      const absent = ['content', 'status', 'priority', 'id'].find(key => typeof asObject(item)?.[key] !== 'string')
      if (absent !== undefined) return `A todo item has no ${absent}.`
    }
    return undefined
  }),
]
