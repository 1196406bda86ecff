// Small invented records for decode's own tests, and what becomes of them.

import type { SessionEvent } from '../model/event.ts'
import { decodeText, type EventOptions } from './events.ts'

export function events(lines: readonly object[], options: EventOptions & { file?: string } = {}): SessionEvent[] {
  return decodeText(lines.map(line => `${JSON.stringify(line)}\n`).join(''), options).events
}

export function one(line: object, options: EventOptions & { file?: string } = {}): SessionEvent {
  const [event] = events([line], options)
  if (!event) throw new Error('no event')
  return event
}

export const envelope = {
  uuid: 'u1',
  parentUuid: 'u0',
  sessionId: 's',
  timestamp: '2026-01-01T00:00:00.000Z',
  isSidechain: false,
  version: '2.1.45',
  cwd: '/p',
}

export const user = (content: unknown, more: object = {}) => ({
  ...envelope,
  type: 'user',
  message: { role: 'user', content },
  ...more,
})

export const assistant = (content: unknown, more: object = {}, message: object = {}) => ({
  ...envelope,
  type: 'assistant',
  message: { id: 'm1', role: 'assistant', model: 'claude-opus-4-6', content, ...message },
  ...more,
})
