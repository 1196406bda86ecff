// `attachment` records (2.1.91 on): what Claude Code gives the model besides messages, and hook results.
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
  const detail: Record<string, unknown> = { attachmentType: type }
  if (type === 'queued_command') return queuedCommand(input, attachment, detail)
  for (const key in attachment) if (key !== 'type' && key !== '__proto__') detail[key] = attachment[key]
  const blocks = attachmentBlocks(attachment, input)
  if (type.startsWith('hook_') || type.startsWith('async_hook')) {
    const draft: Draft = { kind: 'hook', actor: 'client', blocks, detail }
    if (type.endsWith('error') || type === 'hook_error_during_execution') draft.flags = ['error']
    return draft
  }
  return { kind: 'attachment', actor: 'client', blocks, detail }
}

/** A prompt or `!` command typed while the model worked, or a notification that came in then. */
function queuedCommand(input: DraftInput, attachment: JsonObject, detail: Record<string, unknown>): Draft {
  const blocks = decodeContent(attachment['prompt'], input.options)
  const draft = userText(input, blocks, attachment)
  const mode = asString(attachment['commandMode'])
  const isMeta = attachment['isMeta'] === true || input.value['isMeta'] === true
  if (draft.kind === 'prompt' || draft.kind === 'delegation') {
    if (isMeta || (mode !== undefined && mode !== 'prompt' && mode !== 'bash')) {
      draft.kind = 'notification'
      draft.actor = 'client'
    } else if (mode === 'bash') {
      draft.kind = 'command'
      draft.detail = { mode: 'bash', command: attachment['prompt'] }
    }
  }
  draft.detail = { ...detail, queued: true, ...(mode === undefined ? {} : { commandMode: mode }), ...draft.detail }
  return draft
}

const textFields = ['content', 'snippet', 'prompt', 'text', 'stdout', 'stderr', 'plan', 'planContent'] as const

/** The text that an attachment carries, under whatever name. */
function attachmentBlocks(attachment: JsonObject, input: DraftInput): Block[] {
  for (const key of textFields) {
    const field = attachment[key]
    if (typeof field === 'string' && field !== '') return [{ type: 'text', text: field }]
    if (Array.isArray(field) && field.every(item => typeof item === 'string' || isObject(item))) {
      return decodeContent(field, input.options)
    }
    if (isObject(field)) return fileContent(field, input)
  }
  return []
}

/** `file` attachments hold what a Read would have answered, `nested_memory` the file itself. */
function fileContent(content: JsonObject, input: DraftInput): Block[] {
  const file = asObject(content['file'])
  const text = asString(file?.['content']) ?? asString(content['content'])
  if (text !== undefined) return [{ type: 'text', text }]
  const data = asString(file?.['base64'])
  if (data === undefined) return [{ type: 'other', wireType: asString(content['type']) ?? 'object', raw: content }]
  const isPdf = content['type'] === 'pdf'
  const source = { type: 'base64', media_type: isPdf ? 'application/pdf' : file?.['type'], data }
  return decodeContent([{ type: isPdf ? 'document' : 'image', source }], input.options)
}
