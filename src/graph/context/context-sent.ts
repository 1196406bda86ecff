// What one event adds to a request: in whose name, and which blocks. Its place among the others is decided elsewhere.

import { asArray, asObject, asString } from '../../base/json.ts'
import { type Block, hasFlag, type SessionEvent } from '../../model/event.ts'

/** In whose name an event is sent; null for what the model never gets: notices, progress, borders, errors of the API, deleted ones. */
export function speakerOf(event: SessionEvent): 'user' | 'assistant' | null {
  if (hasFlag(event, 'deleted')) return null
  switch (event.kind) {
    case 'answer':
      return 'assistant'
    case 'prompt':
    case 'delegation':
    case 'tool-results':
    case 'command':
    case 'command-output':
    case 'notification':
    case 'interruption':
    case 'compact-summary':
    case 'preserved':
    case 'meta':
      return 'user'
    case 'hook':
    case 'attachment':
      return event.wireType === 'system' ? null : 'user'
    default:
      return null
  }
}

/** Whether it is a message of its own, after which an answer cannot go on; attachments, results and meta texts may stand within one. */
export function isTyped(event: SessionEvent): boolean {
  if (event.wireType === 'attachment') return event.kind === 'prompt'
  return !['tool-results', 'meta', 'hook', 'attachment'].includes(event.kind)
}

/** Attachments that the client keeps for itself. */
const unsent: ReadonlySet<string> = new Set([
  'command_permissions',
  'hook_cancelled',
  'hook_non_blocking_error',
  'hook_permission_decision',
  'hook_system_message',
  'prompt_snapshot',
  'structured_output',
])
/** Hooks whose plain output is meant for the model. */
const speakingHooks: ReadonlySet<string> = new Set(['SessionStart', 'UserPromptSubmit'])

/**
 * The blocks of an event that is sent in the user's name. Attachments are context for the model: they are sent as text,
 * word for word where the record says how (`rendered`, 2.1.288 on), else as far as the record holds their text; a prompt
 * snapshot is the system prompt and no part of the messages.
 */
export function sentBlocks(event: SessionEvent): readonly Block[] {
  if (event.wireType !== 'attachment' || event.kind === 'prompt' || event.kind === 'notification') {
    return event.blocks.filter(block => block.type !== 'text' || block.text !== '')
  }
  const rendered = renderedText(event)
  if (rendered.length > 0) return rendered
  const type = asString(event.detail?.['attachmentType']) ?? ''
  if (unsent.has(type)) return []
  if (type === 'hook_success' && !speakingHooks.has(asString(event.detail?.['hookEvent']) ?? '')) return []
  return event.blocks.filter(block => block.type !== 'other' && !(block.type === 'text' && block.text === ''))
}

function renderedText(event: SessionEvent): Block[] {
  const texts: Block[] = []
  for (const part of asArray(event.record.value?.['rendered'])) {
    const content = asObject(part)?.['content']
    for (const piece of typeof content === 'string' ? [content] : asArray(content)) {
      const text = asString(piece) ?? asString(asObject(piece)?.['text'])
      if (text) texts.push({ type: 'text', text })
    }
  }
  return texts
}
