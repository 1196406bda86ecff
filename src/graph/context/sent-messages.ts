// Messages → what is sent: reminders behind what the user says, and characters that JSON can carry.

import { jsonText, parseJson } from '../../base/json.ts'
import { type Block, hasFlag, type SessionEvent } from '../../model/event.ts'
import { callId } from '../../model/ids.ts'
import type { ContextMessage } from '../../model/session.ts'
import { type Content, type Message, textBlock } from './part.ts'
import { keepsReminderTags } from './reference.ts'
import { asFailure, reminder } from './rendered.ts'

/**
 * Reminders of the system are one text. Before an answer they need something that the user says: without it they are said by
 * the user.
 *
 *     user: go (system: a, b)   ·   assistant: one   ·   user: (system: c)   ·   assistant: two
 *         ──►   user: go   ·   system: "a\n\nb"   ·   assistant: one   ·   user: c in tags   ·   assistant: two
 */
export function toSentMessages(messages: readonly Message[], model: string): ContextMessage[] {
  return messages.flatMap((message, at) => {
    const own = ownMessage(message)
    const sent = own.blocks.length > 0 ? [own] : []
    if (message.system.length === 0) return sent
    const isAlone = sent.length === 0 && messages[at + 1]?.role === 'assistant'
    return [...sent, reminderMessage(message.system, isAlone ? 'user' : 'system', model)]
  })
}

function ownMessage({ role, messageId, content, lines }: Message): ContextMessage {
  const message = sentMessage(role, content, messageId)
  const tokens = outputTokens(lines)
  if (tokens !== undefined) message.tokens = tokens
  const isSynthetic =
    role === 'assistant'
      ? lines.every(line => hasFlag(line, 'synthetic'))
      : content.every(({ event }) => event === null)
  if (isSynthetic) message.synthetic = true
  return message
}

function reminderMessage(content: readonly Content[], role: 'user' | 'system', model: string): ContextMessage {
  const message = sentMessage(role, content)
  const text = message.blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n\n')
  return { ...message, blocks: [role === 'user' && !keepsReminderTags(model) ? reminder(text) : textBlock(text)] }
}

function sentMessage(role: ContextMessage['role'], content: readonly Content[], messageId?: string): ContextMessage {
  const message: ContextMessage = { role, events: [], blocks: [] }
  if (messageId !== undefined) message.messageId = messageId
  for (const { block, event } of content) {
    message.blocks.push(wellFormed(block.type === 'tool-result' ? asFailure(block) : block))
    if (event !== null && message.events.at(-1) !== event.id) message.events.push(event.id)
  }
  return message
}

/** Output tokens of the answer, where the log has the final number. */
function outputTokens(lines: readonly SessionEvent[]): number | undefined {
  let most: number | undefined
  for (const line of lines) {
    const usage = line.message?.usage
    if (usage?.outputFinal) most = Math.max(most ?? 0, usage.outputTokens)
  }
  return most
}

/** Half a surrogate pair goes out as a replacement character. */
function wellFormed<B extends Block>(block: B): B {
  if (block.type === 'text' || block.type === 'thinking') {
    const text = withoutHalves(block.text)
    return text === block.text ? block : { ...block, text }
  }
  if (block.type === 'tool-call') {
    const name = withoutHalves(block.name)
    return { ...block, callId: callId(withoutHalves(block.callId)), name, input: wellFormedValue(block.input) }
  }
  if (block.type !== 'tool-result') return block
  return { ...block, callId: callId(withoutHalves(block.callId)), content: block.content.map(wellFormed) }
}

const loneSurrogate = /\p{Cs}/gu

function withoutHalves(text: string): string {
  return text.replace(loneSurrogate, '\ufffd')
}

function wellFormedValue(value: unknown): unknown {
  // JSON text has half a pair as an escape.
  const text = jsonText(value)
  return !text.includes('\\ud') ? value : parseJson(text.replace(escapedHalf, withReplacement))
}

/** An escaped backslash, so that what follows it is no escape, or half a pair. */
const escapedHalf = /\\\\|\\u(d[89a-f][0-9a-f]{2})/g

function withReplacement(found: string): string {
  return found === '\\\\' ? found : '\ufffd'
}
