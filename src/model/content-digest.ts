// What a record says, as one number: two records of one uuid are the same record only where it is equal. Ids are unique within
// a session only. It leaves out what copying changes: session, times, working directory, form of a text.

import { textHash } from '../base/text-hash.ts'
import type { Block, SessionEvent } from './event.ts'

/** Of each text; what is longer is known by its beginning and its length. */
const longestText = 400

/** 32 bits. */
export function contentDigest(event: SessionEvent): number {
  // Rows of an index have it instead of the content.
  if (event.record.content !== undefined) return event.record.content
  const words = [event.wireType, event.record.subtype ?? '']
  if (event.message !== undefined && event.message.id !== event.id) words.push(event.message.id)
  for (const block of event.blocks) addWords(block, words)
  return textHash(words.join('\n'), 0) % 2 ** 32
}

function addWords(block: Block, words: string[]): void {
  words.push(block.type)
  if (block.type === 'text' || block.type === 'thinking') {
    words.push(block.text.slice(0, longestText), String(block.text.length))
  } else if (block.type === 'tool-call') words.push(block.name, block.callId)
  else if (block.type === 'tool-result') {
    words.push(block.callId)
    for (const inner of block.content) addWords(inner, words)
  } else if (block.type === 'other') words.push(block.wireType)
  else words.push(block.mediaType, String(block.bytes))
}
