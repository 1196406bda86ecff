// What a record of the user's side says to the model: its blocks, and where they go. Attachments are sent word for word where
// the record says how (`rendered`, 2.1.288 on), else as attachment-texts.ts words them.

import { asArray, asObject, asString, isObject, jsonText } from '../../base/json.ts'
import type { Block, SessionEvent, TextBlock, ToolResultBlock } from '../../model/event.ts'
import { isTypedMeanwhile, wordAttachment } from './attachment-texts.ts'
import { wrapNotification } from './notifications.ts'
import { type Slot, textBlock } from './part.ts'
import { keepsReminderTags, placeholders, takesSystemMessages } from './reference.ts'

export interface Sent {
  slot: Exclude<Slot, 'answer'>
  blocks: readonly Block[]
  /** A reminder that is said by the user for any model. */
  isOfUser?: boolean
}

/** `model`: the one that continues. Mostly one part; an attachment in front of what the user says is one for each message. */
export function sentParts(event: SessionEvent, model: string): Sent[] {
  if (event.wireType === 'attachment') return attachmentParts(event, model)
  const { value } = event.record
  const blocks = contentBlocks(withContentAsText(event, typedBlocks(event)), asObject(value?.['message'])?.['content'])
  const isNotification = asObject(value?.['origin'])?.['kind'] === 'task-notification'
  return [{ slot: 'user', blocks: isNotification ? blocks.map(asNotification) : blocks }]
}

/**
 * A model that takes messages of the system gets reminders there, without tags; another one in front of what the user says, in
 * tags. Images are never in a message of the system.
 */
function attachmentParts(event: SessionEvent, model: string): Sent[] {
  const attachment = asObject(event.record.value?.['attachment']) ?? {}
  const worded = wordAttachment(attachment, event, model)
  const rendered = worded.isUnsent ? [] : renderedTexts(event)
  const messages = rendered.length > 0 ? rendered : worded.messages
  const blocks = messages.flat()
  if (blocks.length === 0) return []
  const takesSystem = takesSystemMessages(model)
  if (takesSystem && isTypedMeanwhile(attachment)) return [{ slot: 'queued', blocks: blocks.map(withoutTags) }]
  const isOfUser = event.record.value?.['renderedRole'] === 'user' || worded.isOfUser === true
  if (takesSystem && !isOfUser && blocks.every(({ type }) => type === 'text'))
    return [{ slot: 'system', blocks: [asOneText(blocks.map(withoutTags), model)] }]
  return messages.map(message => ({
    slot: 'front',
    blocks: rendered.length > 0 ? message : message.map(inTags),
    isOfUser,
  }))
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

/** What the record has as the content of its results: a text, a list of blocks, or what is neither. */
export function writtenContents({ record }: SessionEvent): Map<unknown, unknown> {
  const blocks = asArray(asObject(record.value?.['message'])?.['content']).map(asObject)
  return new Map(blocks.map(block => [block?.['tool_use_id'], block?.['content']]))
}

/** The content of a result that is neither a text nor a list is sent as its JSON: `7`, `{"a":1}`. */
function withContentAsText(event: SessionEvent, blocks: readonly Block[]): readonly Block[] {
  const isOdd = (block: Block): boolean =>
    block.type === 'tool-result' && block.content.some(({ type }) => type === 'other')
  if (!blocks.some(isOdd)) return blocks
  const contents = writtenContents(event)
  return blocks.map(block => {
    const content = block.type === 'tool-result' ? contents.get(block.callId) : undefined
    if (block.type !== 'tool-result' || content === null || content === undefined || Array.isArray(content))
      return block
    return { ...block, content: [textBlock(asString(content) ?? jsonText(content))] }
  })
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
  return block.type === 'text' ? reminder(wrapNotification(block.text)) : block
}

/** As the record words it, a list for each message; nothing where that is more than text, which is then worded again. */
function renderedTexts(event: SessionEvent): TextBlock[][] {
  const messages: TextBlock[][] = []
  for (const part of asArray(event.record.value?.['rendered'])) {
    const content = asObject(part)?.['content']
    const pieces = typeof content === 'string' ? [content] : asArray(content)
    const texts = pieces.map(piece => asString(piece) ?? asString(asObject(piece)?.['text']))
    if (texts.includes(undefined)) return []
    messages.push(texts.flatMap(text => (text === undefined || text === '' ? [] : [textBlock(text)])))
  }
  return messages.filter(texts => texts.length > 0)
}

export function reminder(text: string): TextBlock {
  return textBlock(`<system-reminder>\n${text}\n</system-reminder>`)
}

const tags = /^<system-reminder>\n([\s\S]*)\n<\/system-reminder>\s*$/

function asOneText(blocks: readonly Block[], model: string): TextBlock {
  const text = blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n')
  return keepsReminderTags(model) ? reminder(text) : textBlock(text)
}

function inTags(block: Block): Block {
  return block.type === 'text' && !tags.test(block.text) ? reminder(block.text) : block
}

/** A message of the system needs no tag that says so. */
function withoutTags(block: Block): Block {
  const inner = block.type === 'text' ? tags.exec(block.text)?.[1] : undefined
  return inner === undefined ? block : textBlock(inner)
}
