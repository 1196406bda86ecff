// The API takes a conversation only if every call has its result in the message behind it, and every result its call. Claude
// Code sees to that last of all, with words of its own where there is nothing to send.

import type { CallId } from '../../model/ids.ts'
import {
  blocksOf,
  type Content,
  callIds,
  failedResult,
  isResult,
  isServerCall,
  type Message,
  resultIds,
  textBlock,
} from './part.ts'
import { placeholders } from './reference.ts'

/**
 *     assistant: call x, text   ·   user: result y, on
 *         ──►   assistant: text, call x   ·   user: [result x: Tool result missing …], on
 */
export function pairCalls(messages: readonly Message[]): Message[] {
  return answerEachCall(callOnce(messages))
}

/** A call that was made before is not made again. Calls come last in an answer; results of no call of it are dropped. */
function callOnce(messages: readonly Message[]): Message[] {
  const called = new Set<CallId>()
  return messages.map(message => {
    if (message.role === 'user') return message
    const own = withoutForeignResults(message.content)
    const byServer = new Set(resultIds(blocksOf(own)))
    const isCall = ({ block }: Content): boolean => block.type === 'tool-call' && !byServer.has(block.callId)
    const calls = own.filter(isCall).filter(({ block }) => {
      if (block.type !== 'tool-call' || called.has(block.callId) || isServerCall(block.callId)) return false
      called.add(block.callId)
      return true
    })
    const content = [...own.filter(one => !isCall(one)), ...calls]
    return { ...message, content: content.length > 0 ? content : [inserted(placeholders.interruptedUse)] }
  })
}

function withoutForeignResults(content: readonly Content[]): Content[] {
  const made = new Set(content.flatMap(({ block }) => (block.type === 'tool-call' ? [block.callId] : [])))
  return content.filter(({ block }) => block.type !== 'tool-result' || made.has(block.callId))
}

function answerEachCall(messages: readonly Message[]): Message[] {
  return messages.flatMap((message, at) => {
    if (message.role === 'user') return [withResults(message, callsOf(messages[at - 1]), at === 0)]
    if (messages[at + 1]?.role === 'user' || callsOf(message).length === 0) return [message]
    const none: Message = { role: 'user', content: [], lines: [], system: [] }
    return [message, withResults(none, callsOf(message), false)]
  })
}

function callsOf(message: Message | undefined): CallId[] {
  return message?.role === 'assistant' ? callIds(blocksOf(message.content)) : []
}

/** The first result of each call; others are dropped, and calls without one get one that says so. */
function withResults(message: Message, calls: readonly CallId[], isFirst: boolean): Message {
  const open = new Set(calls)
  const kept = message.content.filter(({ block }) => block.type !== 'tool-result' || open.delete(block.callId))
  const missing = [...open].map((id): Content => ({ block: failedResult(id, placeholders.missingResult), event: null }))
  const content = [...missing, ...kept]
  if (content.length === 0 && message.content.some(isResult))
    content.push(inserted(isFirst ? placeholders.orphanedResult : placeholders.noContent))
  return { ...message, content }
}

function inserted(text: string): Content {
  return { block: textBlock(text), event: null }
}
