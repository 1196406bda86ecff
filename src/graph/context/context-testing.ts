// Small invented sessions for the tests of the context, as records that a test can bend before they are decoded.
// No part of the product.

import { jsonText } from '../../base/json.ts'
import type { Context } from '../../model/session.ts'

export type Rec = Record<string, unknown>

let clock = 0

function stamp(): string {
  clock++
  return new Date(Date.UTC(2026, 0, 1) + clock * 1000).toISOString()
}

export function chainRecord(type: string, uuid: string, parentUuid: string | null, more: Rec = {}): Rec {
  return { type, uuid, parentUuid, sessionId: 'S', isSidechain: false, timestamp: stamp(), ...more }
}

export function say(uuid: string, parent: string | null, text: string, more: Rec = {}): Rec {
  return chainRecord('user', uuid, parent, { message: { role: 'user', content: text }, ...more })
}

export function answer(
  uuid: string,
  parent: string | null,
  id: string,
  content: unknown[],
  more: Rec = {},
  model = 'claude-opus-5-5',
): Rec {
  return chainRecord('assistant', uuid, parent, { message: { id, role: 'assistant', model, content }, ...more })
}

export const text = (words: string): Rec => ({ type: 'text', text: words })
export const thought = (words: string): Rec => ({ type: 'thinking', thinking: words, signature: 's' })
export const call = (id: string): Rec => ({ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } })

export function result(uuid: string, parent: string | null, callId: string, more: Rec = {}): Rec {
  const content = [{ type: 'tool_result', tool_use_id: callId, content: `output of ${callId}` }]
  return chainRecord('user', uuid, parent, { message: { role: 'user', content }, ...more })
}

export const lastPrompt = (leafUuid: string): Rec => ({
  type: 'last-prompt',
  lastPrompt: 'x',
  leafUuid,
  sessionId: 'S',
})

/** Two turns with two calls, one after the other. */
export function twoTurns(): Rec[] {
  return [
    say('p1', null, 'paint the fence'),
    answer('a1', 'p1', 'm1', [thought('hm')]),
    answer('a2', 'a1', 'm1', [text('looking for paint')]),
    answer('a3', 'a2', 'm1', [call('c1')]),
    result('r1', 'a3', 'c1'),
    lastPrompt('r1'),
    answer('a4', 'r1', 'm2', [text('now a brush')]),
    answer('a5', 'a4', 'm2', [call('c2')]),
    result('r2', 'a5', 'c2'),
    answer('a6', 'r2', 'm3', [text('painted')]),
    lastPrompt('a6'),
    say('p2', 'a6', 'which colour?'),
    answer('a7', 'p2', 'm4', [thought('hm'), text('green')]),
    lastPrompt('a7'),
  ]
}

export const toLines = (records: readonly Rec[]): string => records.map(record => `${jsonText(record)}\n`).join('')

/** The records without one, and with others in its place. */
export function replace(records: readonly Rec[], uuid: string, ...others: Rec[]): Rec[] {
  return records.flatMap(record => (record['uuid'] === uuid ? others : [record]))
}

/** The records with fields of one of them changed. */
export function change(records: readonly Rec[], uuid: string, fields: Rec): Rec[] {
  return records.map(record => (record['uuid'] === uuid ? { ...record, ...fields } : record))
}

/** A context in one line per message: `user: words, result c1`. */
export function outline(context: Context): string[] {
  return context.messages.map(message => {
    const parts = message.blocks.map(block => {
      if (block.type === 'text') return block.text.replace(/\n$/, '')
      if (block.type === 'tool-call') return `call ${block.callId}`
      if (block.type === 'tool-result') return `${block.isError ? 'error' : 'result'} ${block.callId}`
      return block.type
    })
    return `${message.role}: ${parts.join(', ')}`
  })
}

export const whole: readonly string[] = [
  'user: paint the fence',
  'assistant: thinking, looking for paint, call c1',
  'user: result c1',
  'assistant: now a brush, call c2',
  'user: result c2',
  'assistant: painted',
  'user: which colour?',
  'assistant: thinking, green',
]
