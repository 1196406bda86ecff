// All changes of a session to one file as one diff, from the file as it was first to the file as it was last. Where the log
// does not contain the file, there is none: single changes are shown by their calls.

import { asObject, asString, type JsonObject } from '../../base/json.ts'
import { fileCalls, touchedFile } from '../../graph/touched-file.ts'
import { isInherited } from '../../model/origin.ts'
import type { ToolCall } from '../../model/session.ts'
import { computedDiff } from '../../view/diff.ts'
import type { ViewPlan } from '../../view/plan.ts'
import type { DiffPart } from '../../view/view.ts'

/** Of the session's own calls. Null where the log does not contain what it takes, or nothing was changed. */
export function netDiff(plan: ViewPlan, path: string): DiffPart | null {
  let first: string | undefined
  let now: string | undefined
  for (const { call } of fileCalls(plan.graph)) {
    const touched = touchedFile(call)
    if (touched?.path !== path || touched.touch === 'read') continue
    if (isInherited(plan.eventOf(call.requestEvent))) continue
    const structured = asObject(plan.resultOf(call)?.block.structured) ?? {}
    const before = contentBefore(call, structured) ?? now
    const after = contentAfter(call, structured, before)
    if (before === undefined || after === undefined) return null
    first ??= before
    now = after
  }
  if (first === undefined || now === undefined) return null
  // Whole texts were compared, so that lines have their numbers.
  const { isComputed: _isComputed, ...diff } = computedDiff(path, [[first, now]])
  return diff
}

function contentBefore(call: ToolCall, structured: JsonObject): string | undefined {
  const original = asString(structured['originalFile']) ?? asString(structured['originalFileContents'])
  if (original !== undefined) return original
  return call.file?.touch === 'write' && structured['type'] === 'create' ? '' : undefined
}

function contentAfter(call: ToolCall, structured: JsonObject, before: string | undefined): string | undefined {
  const input = asObject(call.input) ?? {}
  if (call.file?.touch === 'write') return asString(structured['content']) ?? asString(input['content'])
  const edits = Array.isArray(input['edits']) ? input['edits'].map(edit => asObject(edit) ?? {}) : [input]
  // A change to a cell does not say what became of the file.
  if (edits.some(edit => asString(edit['new_string']) === undefined)) return undefined
  let text = before
  for (const edit of edits) text = text === undefined ? undefined : edited(text, edit)
  return text
}

/** Undefined where the text does not have what is to be replaced. */
function edited(text: string, edit: JsonObject): string | undefined {
  const old = asString(edit['old_string']) ?? ''
  const fresh = asString(edit['new_string']) ?? ''
  if (old === '') return text === '' ? fresh : undefined
  const at = text.indexOf(old)
  if (at < 0) return undefined
  return edit['replace_all'] === true
    ? text.split(old).join(fresh)
    : text.slice(0, at) + fresh + text.slice(at + old.length)
}
