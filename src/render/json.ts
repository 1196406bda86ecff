// A session's items as one JSON document, an item per line. The shapes are those of the view; nothing is cut or escaped
// beyond what JSON needs.

import { jsonText } from '../base/json.ts'
import type { ViewItem } from '../view/view.ts'
import type { SessionHead } from './head.ts'

export function* sessionToJson(items: readonly ViewItem[], head: SessionHead): Generator<string> {
  yield `{"session":${jsonText(head)},"items":[`
  let separator = '\n'
  for (const item of items) {
    yield separator + jsonText(item)
    separator = ',\n'
  }
  yield '\n]}\n'
}
