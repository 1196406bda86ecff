// `attachment` records (2.1.91 on): what the client hands the model besides messages, and hook results.
//
//   {"type":"attachment","uuid":"…","attachment":{"type":"queued_command","prompt":"also fix the README","commandMode":"prompt"}}
// 102 types are known; only those that change who speaks have a kind of their own.

import { asObject, asString, isObject, type JsonObject } from '../base/json.ts'
import type { Block } from '../model/event.ts'
import { decodeContent } from './blocks.ts'
import type { Draft, DraftInput } from './draft.ts'
import { userText } from './user.ts'

export function decodeAttachment(input: DraftInput): Draft {
  const attachment = asObject(input.value['attachment']) ?? {}
  const type = asString(attachment['type']) ?? ''
  const { type: _type, ...facts } = attachment
  const detail: Record<string, unknown> = { attachmentType: type }
  if (type === 'queued_command') return queuedCommand(input, attachment, detail)
  Object.assign(detail, facts)
  const blocks = attachmentBlocks(attachment, input)
  if (type.startsWith('hook_') || type.startsWith('async_hook')) {
    const draft: Draft = { kind: 'hook', actor: 'client', blocks, detail }
    if (type.endsWith('error') || type === 'hook_error_during_execution') draft.flags = ['error']
    return draft
  }
  return { kind: 'attachment', actor: 'client', blocks, detail }
}

/** A prompt typed while the model worked, or a notification that came in then. */
function queuedCommand(input: DraftInput, attachment: JsonObject, detail: Record<string, unknown>): Draft {
  const blocks = decodeContent(attachment['prompt'], input.options)
  const draft = userText(input, blocks, attachment)
  const mode = asString(attachment['commandMode'])
  if (mode !== undefined && mode !== 'prompt' && mode !== 'bash' && draft.kind === 'prompt') {
    draft.kind = 'notification'
    draft.actor = 'client'
  }
  draft.detail = { ...detail, queued: true, ...(mode === undefined ? {} : { commandMode: mode }), ...draft.detail }
  return draft
}

/** The text that an attachment carries, under whatever name. */
function attachmentBlocks(attachment: JsonObject, input: DraftInput): Block[] {
  for (const key of ['content', 'snippet', 'prompt', 'text', 'stdout', 'plan']) {
    const field = attachment[key]
    if (typeof field === 'string') return field === '' ? [] : [{ type: 'text', text: field }]
    if (Array.isArray(field) && field.every(item => typeof item === 'string' || isObject(item))) {
      return decodeContent(field, input.options)
    }
    if (isObject(field)) return fileContent(field)
  }
  return []
}

/** `file` attachments hold what a Read would have answered. */
function fileContent(content: JsonObject): Block[] {
  const text = asString(asObject(content['file'])?.['content'])
  if (text !== undefined) return [{ type: 'text', text }]
  return [{ type: 'other', wireType: asString(content['type']) ?? 'object', raw: content }]
}
