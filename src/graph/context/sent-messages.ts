// Messages → what is sent: reminders at their places, and characters that JSON can carry.

import { jsonText, parseJson } from '../../base/json.ts'
import { type Block, hasFlag, type SessionEvent, type ToolResultBlock } from '../../model/event.ts'
import { callId } from '../../model/ids.ts'
import type { ContextMessage } from '../../model/session.ts'
import { type Content, isResult, type Message, textBlock } from './part.ts'
import { takesSystemMessages } from './reference.ts'
import { asFailure, isReminder } from './rendered.ts'

export function toSentMessages(message: Message, model: string): ContextMessage[] {
  const own = ownMessage(message, takesSystemMessages(model))
  const messages = own.blocks.length > 0 ? [own] : []
  return message.system.length > 0 ? [...messages, sentMessage('system', message.system)] : messages
}

function ownMessage({ role, messageId, content, lines, front }: Message, takesSystem: boolean): ContextMessage {
  const sent = role === 'user' ? withFront(content, front, takesSystem) : content
  const message = sentMessage(role, sent, messageId)
  const tokens = outputTokens(lines)
  if (tokens !== undefined) message.tokens = tokens
  const isSynthetic =
    role === 'assistant' ? lines.every(line => hasFlag(line, 'synthetic')) : sent.every(({ event }) => event === null)
  if (isSynthetic) message.synthetic = true
  return message
}

/**
 * Reminders go behind the results and before the prompt. Where they are only text they are a part of the last result, but for
 * those in tags of a model that takes messages of the system.
 *
 *     result x "ok", go   with   It is Friday   ──►   result x "ok\n\nIt is Friday", go
 */
function withFront(content: readonly Content[], front: readonly Content[], takesSystem: boolean): readonly Content[] {
  if (front.length === 0) return content
  const behindResults = content.findLastIndex(isResult) + 1
  const [results, prompt] = [content.slice(0, behindResults), content.slice(behindResults)]
  const last = results.at(-1)
  const texts = front.flatMap(({ block }) => (block.type === 'text' ? [block.text.trim()] : []))
  const isApart = texts.length < front.length || (takesSystem && texts.some(isReminder))
  const block = last?.block.type === 'tool-result' && !isApart ? withTexts(last.block, texts) : undefined
  if (last === undefined || block === undefined) return [...results, ...front, ...prompt]
  return [...results.slice(0, -1), { ...last, block }, ...prompt]
}

/** The result with texts behind its own; undefined where it has what no text can be added to. */
function withTexts(result: ToolResultBlock, texts: readonly string[]): ToolResultBlock | undefined {
  const { content } = result
  if (content.some(({ type }) => type === 'other')) return undefined
  const own = content.flatMap(part => (part.type === 'text' ? [part.text.trim()] : []))
  const isText = own.length === content.length
  const text = textBlock([...(isText ? own : []), ...texts].filter(one => one !== '').join('\n\n'))
  return { ...result, content: isText ? [text] : [...content, text] }
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
