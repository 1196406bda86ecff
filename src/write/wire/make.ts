// Plain functions that make events and blocks to write: one for each thing that a session says, so that no one needs to know in
// which field it is. What a dialect makes of them is in client.ts, s0.ts and s3.ts.

import { base64Size } from '../../base/bytes.ts'
import type { MediaBlock, MessageFacts, TextBlock, ToolCallBlock, ToolResultBlock } from '../../model/event.ts'
import { callId } from '../../model/ids.ts'
import type { NewBlock, NewEvent } from './new-event.ts'

/** What a person or a model says: a text, or blocks. */
export type Said = string | readonly NewBlock[]

function blocksOf(said: Said): readonly NewBlock[] {
  return typeof said === 'string' ? [text(said)] : said
}

/** Words, a person's or the model's. */
export function text(said: string): TextBlock {
  return { type: 'text', text: said }
}

/** Goes back to the model only with the signature that the API gave it. */
export function thinking(said: string, signature?: string): NewBlock {
  return { type: 'thinking', text: said, logged: said !== '', ...(signature !== undefined && { signature }) }
}

/** A request to run a tool; `id` as the API gave it. */
export function toolCall(id: string, name: string, input: Readonly<Record<string, unknown>> = {}): ToolCallBlock {
  return { type: 'tool-call', callId: callId(id), name, input }
}

/** `data`: base64. */
export function image(mediaType: string, data: string): MediaBlock {
  return { type: 'image', mediaType, bytes: base64Size(data), data }
}

/** `data`: base64. */
export function document(mediaType: string, data: string): MediaBlock {
  return { type: 'document', mediaType, bytes: base64Size(data), data }
}

/** What a person typed. */
export function prompt(said: Said): NewEvent {
  return { kind: 'prompt', actor: 'human', blocks: blocksOf(said) }
}

/** Model output. Without `message` it is another line of the answer before it, or an answer of its own. */
export function answer(said: Said, message?: Partial<MessageFacts>): NewEvent {
  return { kind: 'answer', actor: 'agent', blocks: blocksOf(said), ...(message !== undefined && { message }) }
}

/** What is known of a result besides its content. */
export interface ResultFacts {
  isError?: boolean
  /** What the tool itself returned, as an object: `toolUseResult`. */
  structured?: Readonly<Record<string, unknown>>
}

/** What a tool answered to a call. */
export function toolResult(call: string, said: Said, { isError = false, structured }: ResultFacts = {}): NewEvent {
  const block: ToolResultBlock = {
    type: 'tool-result',
    callId: callId(call),
    isError,
    content: [...blocksOf(said)],
    ...(structured !== undefined && { structured }),
  }
  return { kind: 'tool-results', actor: 'tool', blocks: [block] }
}

/** A notice of Claude Code's, as `system` records have them. */
export function notice(said: string, level: 'info' | 'warning' | 'error' = 'info'): NewEvent {
  const detail = { subtype: 'informational', level }
  return { kind: 'notice', actor: 'client', blocks: [text(said)], detail }
}

/** How long the turn took that ends here. */
export function turnDuration(ms: number): NewEvent {
  return { kind: 'notice', actor: 'client', detail: { subtype: 'turn_duration', durationMs: ms } }
}

/** A text for the model that no one typed. */
export function meta(said: Said): NewEvent {
  return { kind: 'meta', actor: 'client', blocks: blocksOf(said) }
}

/** A slash command: `/compact` with its arguments. */
export function command(name: string, args = ''): NewEvent {
  const detail = { command: `/${name.replace(/^\//, '')}`, mode: 'slash', ...(args !== '' && { args }) }
  return { kind: 'command', actor: 'human', detail }
}

/** What a command printed. */
export function commandOutput(said: string): NewEvent {
  const blocks = [text(`<local-command-stdout>${said}</local-command-stdout>`)]
  return { kind: 'command-output', actor: 'client', blocks }
}

/** What a call that runs has printed so far. */
export function progress(call: string, output: string): NewEvent {
  const detail = { dataType: 'bash_progress', toolUseID: call, parentToolUseID: call }
  return { kind: 'progress', actor: 'client', blocks: output === '' ? [] : [text(output)], detail }
}

/** `content`: what is queued; nothing where it is taken out. */
export function queue(operation: 'enqueue' | 'dequeue' | 'remove' | 'popAll', content?: string): NewEvent {
  return { kind: 'queue', actor: 'client', detail: { operation, ...(content !== undefined && { content }) } }
}

/** The name that a person gives the session. */
export function title(name: string): NewEvent {
  return { kind: 'title', actor: 'client', detail: { titleFrom: 'custom', title: name } }
}

/** A title of what ends with a record, as older versions wrote them. */
export function summary(name: string, leaf: string): NewEvent {
  return { kind: 'title', actor: 'client', detail: { titleFrom: 'summary', title: name, leaf } }
}

/** A label of the session; an empty one takes it away. */
export function tag(name: string): NewEvent {
  return { kind: 'state', actor: 'client', detail: { type: 'tag', tag: name } }
}

/** The files that could be taken back to what they were at an event. */
export function snapshot(message: string, files: readonly string[] = [], isUpdate = false): NewEvent {
  return { kind: 'snapshot', actor: 'client', detail: { isUpdate, files: [...files], messageId: message } }
}
