// What a record of the user's side says to the model: its blocks, in whose name and where. Attachments are context for the
// model: word for word where the record says how (`rendered`, 2.1.288 on), else as far as the record has their text.

import { asArray, asObject, asString, isObject } from '../../base/json.ts'
import type { Block, SessionEvent, TextBlock, ToolResultBlock } from '../../model/event.ts'
import { type Slot, textBlock } from './part.ts'
import { placeholders, wrapCoordinator, wrapNotification, wrapQueuedPrompt } from './reference.ts'

export interface Sent {
  slot: Exclude<Slot, 'answer'>
  blocks: readonly Block[]
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

/** `takesSystem`: whether the model takes messages of the system. */
export function sentBlocks(event: SessionEvent, takesSystem = true): Sent {
  const { value } = event.record
  if (event.wireType !== 'attachment') {
    const content = asObject(value?.['message'])?.['content']
    const blocks = contentBlocks(typedBlocks(event), content)
    const isNotification = asObject(value?.['origin'])?.['kind'] === 'task-notification'
    return { slot: 'user', blocks: isNotification ? blocks.map(asNotification) : blocks }
  }
  const rendered = renderedTexts(event)
  const blocks = rendered.length > 0 ? rendered : ownBlocks(event)
  // A message of the system is text only.
  const hasMedia = blocks.some(({ type }) => type === 'image' || type === 'document')
  if (takesSystem && value?.['renderedRole'] !== 'user' && !hasMedia)
    return { slot: 'system', blocks: asOneText(blocks.map(withoutWrapper)) }
  return { slot: 'front', blocks: rendered.length > 0 ? blocks : blocks.map(withWrapper) }
}

function contentBlocks(all: readonly Block[], content: unknown): readonly Block[] {
  if (typeof content === 'string')
    return all.filter(block => block.type !== 'text' || block.text !== '' || content === '')
  const sent = all.filter(block => isSendable(block) && !isBlankText(block))
  const isBlank = sent.length === 0 && all.some(block => block.type === 'text' && block.text !== '')
  return isBlank ? [textBlock(placeholders.noContent)] : sent
}

/** The blocks of a message; of Claude Code's own without plain texts in a list, which are no blocks. */
export function typedBlocks({ dialect, blocks, record }: SessionEvent): readonly Block[] {
  const content = asObject(record.value?.['message'])?.['content']
  if (dialect !== 'client' || !Array.isArray(content) || content.length !== blocks.length) return blocks
  return blocks.filter((_, at) => typeof content[at] !== 'string')
}

export function isBlankText(block: Block): boolean {
  return block.type === 'text' && block.text.trim() === ''
}

/** What could not be read as what it says that it is does not go out. Kinds of blocks that are not known do. */
export function isSendable(block: Block): boolean {
  return block.type !== 'other' || !(block.wireType === '' || unsentBlocks.test(block.wireType) || !isObject(block.raw))
}

const unsentBlocks = /^(text|fallback|.*tool_(use|result))$/

/** The result of a call that failed is text: of one with images or other things one text is left. */
export function asFailure(block: ToolResultBlock): ToolResultBlock {
  if (!block.isError || block.content.every(({ type }) => type === 'text')) return block
  const texts = block.content.flatMap(part => (part.type === 'text' ? [part.text] : []))
  return { ...block, content: texts.length === 0 ? [] : [{ type: 'text', text: texts.join('\n\n') }] }
}

function asNotification(block: Block): Block {
  return block.type === 'text' ? { type: 'text', text: wrapNotification(block.text) } : block
}

/** As the record words it; nothing where that is more than text, which is then worded again. */
function renderedTexts(event: SessionEvent): Block[] {
  const texts: Block[] = []
  for (const part of asArray(event.record.value?.['rendered'])) {
    const content = asObject(part)?.['content']
    for (const piece of typeof content === 'string' ? [content] : asArray(content)) {
      const text = asString(piece) ?? asString(asObject(piece)?.['text'])
      if (text === undefined) return []
      if (text !== '') texts.push({ type: 'text', text })
    }
  }
  return texts
}

function ownBlocks(event: SessionEvent): readonly Block[] {
  const type = event.kind === 'hook' || event.kind === 'attachment' ? (event.detail?.attachmentType ?? '') : ''
  if (unsent.has(type)) return []
  if (event.kind === 'hook' && type === 'hook_success' && !speakingHooks.has(event.detail?.hookEvent ?? '')) return []
  const known = event.blocks.filter(block => block.type !== 'other')
  if (event.kind === 'prompt') return asQueued(known, wrapQueuedPrompt)
  const blocks = known.filter(block => block.type !== 'text' || block.text !== '')
  // Of a document only a line says that it was read.
  if (type === 'file') return blocks.filter(block => block.type !== 'document')
  if (event.kind !== 'notification') return blocks
  const origin = asObject(asObject(event.record.value?.['attachment'])?.['origin'])?.['kind']
  return origin === 'coordinator' ? asQueued(blocks, wrapCoordinator) : blocks.map(asNotification)
}

function asQueued(blocks: readonly Block[], wrap: (text: string) => string): Block[] {
  const texts = blocks.flatMap(block => (block.type === 'text' ? [block.text] : []))
  return [reminder(wrap(texts.join('\n'))), ...blocks.filter(({ type }) => type !== 'text')]
}

export function reminder(text: string): TextBlock {
  return { type: 'text', text: `<system-reminder>\n${text}\n</system-reminder>` }
}

function asOneText(blocks: readonly Block[]): Block[] {
  const texts = blocks.flatMap(block => (block.type === 'text' ? [block.text] : []))
  return texts.length === 0 ? [] : [{ type: 'text', text: texts.join('\n') }]
}

const wrapper = /^<system-reminder>\n([\s\S]*)\n<\/system-reminder>\s*$/

function withWrapper(block: Block): Block {
  return block.type === 'text' && !wrapper.test(block.text) ? reminder(block.text) : block
}

export function isReminder(text: string): boolean {
  return wrapper.test(text)
}

/** A message of the system needs no tag that says so. */
function withoutWrapper(block: Block): Block {
  const inner = block.type === 'text' ? wrapper.exec(block.text)?.[1] : undefined
  return inner === undefined ? block : { type: 'text', text: inner }
}
