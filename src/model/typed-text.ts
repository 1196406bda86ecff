// A prompt or command as a person typed it: without the notes of editor and client that Claude Code puts around it. Titles,
// outlines, trees and histories have their texts from here; what else a record says is not asked.

import type { EventPart } from './event.ts'

const notes = /<(ide_[a-z_]+|system-reminder)>[\s\S]*?<\/\1>/g
const markup =
  /^<(command-|local-command-|bash-|session-start-hook|tick|goal|ide_|system-reminder)|^\[Request interrupted/

/** The parts of a prompt without notes; a part that is markup of Claude Code's is left out. */
export function typedIn(texts: readonly string[]): string {
  const typed = texts.map(text => text.replace(notes, '').trim())
  return typed.filter(text => text !== '' && !markup.test(text)).join('\n')
}

/** Empty where nothing was typed, such as next to a picture. */
export function typedText({ kind, blocks, detail }: EventPart<'kind' | 'blocks' | 'detail'>): string {
  if (kind === 'command' && detail?.command !== undefined) return `${detail.command} ${detail.args ?? ''}`.trim()
  const texts = blocks.flatMap(block => (block.type === 'text' ? [block.text] : []))
  return typedIn(texts.length === 0 && kind === 'queue' ? [detail?.content ?? ''] : texts)
}

/** A command by itself says nothing of what a session is about. */
export function isBareCommand(text: string): boolean {
  return /^\/[\w:.-]+$/.test(text.trim())
}
