// Which texts of an event can be searched by words, each whole, with what it is. Of what repeats the shown texts in another
// form, only what they do not have.

import { asString } from '../base/json.ts'
import type { Block, SessionEvent } from '../model/event.ts'
import type { CallId } from '../model/ids.ts'
import { fieldOfBlock, fieldOfFurther, furtherTexts, stringsIn, textsOfBlock } from './event-texts.ts'
import type { TextField } from './text-kinds.ts'

export interface IndexedText {
  field: TextField
  text: string
  callId?: CallId
}

/**
 * What the event shows, then what else its record says: all that `grep` looks into. In an order that follows from the record
 * alone: a text is known by its place in the list.
 */
export function indexedTexts(event: SessionEvent): IndexedText[] {
  const texts: IndexedText[] = []
  if (event.kind === 'title') texts.push(...one('title', asString(event.detail?.['title']) ?? ''))
  else if (event.kind === 'queue') texts.push(...one('text', asString(event.detail?.['content']) ?? ''))
  for (const block of event.blocks) {
    const found = textOf(block, event)
    if (found !== null) texts.push(found)
  }
  const further = furtherTexts(event).filter(text => !texts.some(shown => hasWords(shown.text, text)))
  texts.push(...one(fieldOfFurther(event.kind), further.join('\n')))
  return texts
}

/** Whether a text contains another one with its first and last word whole; only its first occurrence is looked at. */
function hasWords(text: string, part: string): boolean {
  const at = text.indexOf(part)
  return at !== -1 && !isInWord(text, at) && !isInWord(text, at + part.length)
}

/** Whether a word continues across a place of a text. */
function isInWord(text: string, at: number): boolean {
  return at > 0 && at < text.length && wordAcross.test(text.slice(at - 1, at + 1))
}

const wordAcross = /^[\p{L}\p{N}\p{M}\ud800-\udfff]{2}$/u

function textOf(block: Block, event: SessionEvent): IndexedText | null {
  const field = fieldOfBlock(block)
  switch (block.type) {
    case 'tool-call':
      return filled(field, stringsIn(block.input).join('\n'), block.callId)
    case 'tool-result':
      return filled(field, outputOf(block.content, event), block.callId)
    case 'thinking':
    case 'text':
      return filled(field, block.text)
    case 'other':
      return filled(field, textsOfBlock(block, event).join('\n'))
    default:
      return null
  }
}

function outputOf(content: readonly Block[], event: SessionEvent): string {
  const [only] = content
  if (content.length === 1 && only?.type === 'text') return only.text
  return content.flatMap(part => textsOfBlock(part, event)).join('\n')
}

function filled(field: TextField, text: string, callId?: CallId): IndexedText | null {
  if (text === '') return null
  return callId === undefined ? { field, text } : { field, text, callId }
}

function one(field: TextField, text: string): IndexedText[] {
  return text.trim() === '' ? [] : [{ field, text }]
}
