// The texts of an event as the index has them: those that `grep` looks into, with the strings of one block as one text. Of what
// repeats the shown texts in another form, only what they do not have.

import type { SessionEvent } from '../model/event.ts'
import { type EventText, fieldOfFurther, furtherTexts, shownTexts } from './event-texts.ts'
import type { TextField } from './text-kinds.ts'

export interface IndexedText {
  field: TextField
  text: string
}

/** In an order that follows from the record alone: a text is known by its place in the list. */
export function indexedTexts(event: SessionEvent): IndexedText[] {
  const texts = oneABlock(shownTexts(event))
  const further = furtherTexts(event).filter(text => !texts.some(shown => hasWords(shown.text, text)))
  const text = further.join('\n')
  if (text.trim() !== '') texts.push({ field: fieldOfFurther(event.kind), text })
  return texts
}

function oneABlock(shown: readonly EventText[]): IndexedText[] {
  const texts: IndexedText[] = []
  let last = -1
  for (const { field, text, block } of shown) {
    const before = texts.at(-1)
    if (before !== undefined && block === last) before.text += `\n${text}`
    else texts.push({ field, text })
    last = block
  }
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
