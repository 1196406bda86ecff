// What a record of the user's side says to the model: its blocks, in whose name and where. Attachments are context for the
// model: word for word where the record says how (`rendered`, 2.1.288 on), else as far as the record has their text.

import { asArray, asObject, asString, isObject } from '../../base/json.ts'
import type { Block, SessionEvent } from '../../model/event.ts'
import { placeholders, wrapNotification, wrapQueuedPrompt } from './reference.ts'

export interface Sent {
  /** `system`: a message of its own behind the user's. */
  role: 'user' | 'system'
  blocks: readonly Block[]
  /** It goes before what the user says. */
  isFront: boolean
}

/** Attachments that Claude Code does not send. A prompt snapshot is the system prompt and no part of the messages. */
const unsent: ReadonlySet<string> = new Set([
  'command_permissions',
  'deferred_tools_record',
  'hook_cancelled',
  'hook_non_blocking_error',
  'hook_permission_decision',
  'hook_system_message',
  'max_turns_reached',
  'prompt_snapshot',
  'structured_output',
])
/** Hooks whose plain output is meant for the model. */
const speakingHooks: ReadonlySet<string> = new Set(['SessionStart', 'UserPromptSubmit'])

export function sentBlocks(event: SessionEvent): Sent {
  const { value } = event.record
  if (event.wireType !== 'attachment') {
    const content = asObject(value?.['message'])?.['content']
    const blocks = saidBlocks(event.blocks, content)
    const isNotification = asObject(value?.['origin'])?.['kind'] === 'task-notification'
    return { role: 'user', blocks: isNotification ? blocks.map(asNotification) : blocks, isFront: false }
  }
  const rendered = renderedTexts(event)
  const blocks = rendered.length > 0 ? rendered : ownBlocks(event)
  // A message of the system is text only.
  const hasMedia = blocks.some(({ type }) => type === 'image' || type === 'document')
  const role = value?.['renderedRole'] === 'user' || hasMedia ? 'user' : 'system'
  return { role, blocks: role === 'system' ? blocks.map(withoutWrapper) : blocks, isFront: role === 'user' }
}

function saidBlocks(all: readonly Block[], content: unknown): readonly Block[] {
  if (typeof content === 'string')
    return all.filter(block => block.type !== 'text' || block.text !== '' || content === '')
  const blocks = all.filter(isSendable).map(asFailure)
  const said = blocks.filter(block => block.type !== 'text' || block.text.trim() !== '')
  const isBlank = said.length === 0 && all.length > 0 && all.some(block => block.type !== 'text' || block.text !== '')
  return isBlank ? [{ type: 'text', text: placeholders.noContent }] : said
}

/** What could not be read as what it says that it is does not go out. Kinds of blocks that are not known do. */
export function isSendable(block: Block): boolean {
  return block.type !== 'other' || !(block.wireType === '' || unsentBlocks.test(block.wireType) || !isObject(block.raw))
}

const unsentBlocks = /^(text|fallback|.*tool_(use|result))$/

/** The result of a call that failed is one text, without images and documents. */
function asFailure(block: Block): Block {
  if (block.type !== 'tool-result' || !block.isError || block.content.every(({ type }) => type === 'other'))
    return block
  const texts = block.content.flatMap(part => (part.type === 'text' ? [part.text] : []))
  if (texts.length === 1 && block.content.length === 1) return block
  return { ...block, content: texts.length === 0 ? [] : [{ type: 'text', text: texts.join('\n\n') }] }
}

function asNotification(block: Block): Block {
  return block.type === 'text' ? { type: 'text', text: wrapNotification(block.text) } : block
}

function renderedTexts(event: SessionEvent): Block[] {
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

function ownBlocks(event: SessionEvent): readonly Block[] {
  const type = asString(event.detail?.['attachmentType']) ?? ''
  if (unsent.has(type)) return []
  if (type === 'hook_success' && !speakingHooks.has(asString(event.detail?.['hookEvent']) ?? '')) return []
  const blocks = event.blocks.filter(block => block.type !== 'other' && !(block.type === 'text' && block.text === ''))
  if (event.kind === 'notification') return blocks.map(asNotification)
  return event.kind === 'prompt' ? blocks.map(asQueuedPrompt) : blocks
}

function asQueuedPrompt(block: Block): Block {
  return block.type === 'text'
    ? { type: 'text', text: `<system-reminder>\n${wrapQueuedPrompt(block.text)}\n</system-reminder>` }
    : block
}

const wrapper = /^<system-reminder>\n([\s\S]*)\n<\/system-reminder>\s*$/

/** A message of the system needs no tag that says so. */
function withoutWrapper(block: Block): Block {
  const inner = block.type === 'text' ? wrapper.exec(block.text)?.[1] : undefined
  return inner === undefined ? block : { type: 'text', text: inner }
}
