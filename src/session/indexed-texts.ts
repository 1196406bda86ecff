// Which texts of an event can be searched by words, each whole, with what it is. Of the structured copy of a tool's output,
// what the output itself does not have.

import { asString } from '../base/json.ts'
import type { Block, SessionEvent } from '../model/event.ts'
import type { CallId } from '../model/ids.ts'
import { furtherTexts, stringsIn, textsOfBlock } from './event-texts.ts'

/** What a text is to a reader; the index keeps its place in this list. */
export const textFields = ['text', 'thinking', 'input', 'output', 'title', 'other'] as const
export type TextField = (typeof textFields)[number]

export interface IndexedText {
  field: TextField
  text: string
  callId?: CallId
}

/** In an order that follows from the record alone: a text is known by its place in the list. */
export function indexedTexts(event: SessionEvent): IndexedText[] {
  switch (event.kind) {
    case 'progress':
    case 'snapshot':
    case 'state':
    case 'malformed':
      return []
    case 'title':
      return one('title', asString(event.detail?.['title']) ?? '')
    case 'queue':
      return one('text', asString(event.detail?.['content']) ?? '')
    default:
      return textsOf(event)
  }
}

function textsOf(event: SessionEvent): IndexedText[] {
  const texts: IndexedText[] = []
  for (const block of event.blocks) {
    const found = textOf(block, event)
    if (found !== null) texts.push(found)
  }
  if (event.kind === 'tool-results') {
    const more = furtherTexts(event).filter(text => !texts.some(shown => shown.text.includes(text)))
    return [...texts, ...one('output', more.join('\n'))]
  }
  return texts.length > 0 ? texts : one('other', furtherTexts(event).join('\n'))
}

function textOf(block: Block, event: SessionEvent): IndexedText | null {
  switch (block.type) {
    case 'tool-call':
      return filled('input', stringsIn(block.input).join('\n'), block.callId)
    case 'tool-result':
      return filled('output', outputOf(block.content, event), block.callId)
    case 'thinking':
      return filled('thinking', block.text)
    case 'text':
      return filled('text', block.text)
    case 'other':
      return filled('other', textsOfBlock(block, event).join('\n'))
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
