// Rules about the lines of history.jsonl, the list of everything a person typed. Whether their sessions exist is not here.

import type { JsonObject } from '../../base/json.ts'
import { asString, isObject } from '../../base/json.ts'
import type { Rule } from '../rule.ts'
import { isAbsolutePath, placeOf, quote, uuidForm } from '../wire.ts'

export const historyRules: readonly Rule[] = [
  historyRule('history-display', value =>
    typeof value['display'] === 'string' ? undefined : `display is ${quote(value['display'])}, not a text.`,
  ),
  historyRule('history-pasted-contents', value =>
    isObject(value['pastedContents'])
      ? undefined
      : `pastedContents is ${quote(value['pastedContents'])}, not an object.`,
  ),
  historyRule('history-timestamp-ms', value =>
    typeof value['timestamp'] === 'number'
      ? undefined
      : `timestamp is ${quote(value['timestamp'])}, not a number of milliseconds.`,
  ),
  historyRule('history-project', value => {
    const project = asString(value['project'])
    if (project !== undefined && isAbsolutePath(project)) return undefined
    return `project is ${quote(value['project'])}, not an absolute path.`
  }),
  historyRule('history-session-id', value => {
    const id = asString(value['sessionId'])
    return id !== undefined && uuidForm.test(id) ? undefined : `sessionId is ${quote(value['sessionId'])}, not a UUID.`
  }),
]

function historyRule(code: string, judge: (value: JsonObject) => string | undefined): Rule {
  return {
    code,
    history(facts, report) {
      const message = judge(facts.value)
      if (message !== undefined) report(message, placeOf(facts))
    },
  }
}
