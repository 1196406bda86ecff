// What a resume must send of a session: its texts, calls and results, in order. It compares what is asked for with what was
// sent, by Claude Code itself or as `clew context` says.

import { asObject, asString } from '../../src/base/json.ts'
import { decodeText } from '../../src/decode/decode.ts'
import { contextOfEvents } from '../../src/graph/context/context.ts'
import type { Block, SessionEvent } from '../../src/model/event.ts'
import { sessionId } from '../../src/model/ids.ts'
import type { Context } from '../../src/model/session.ts'

export interface Said {
  kind: 'text' | 'call' | 'result'
  /** The text, or the id of the call. */
  key: string
  /** Line of its record, from 0. */
  line: number
  /** Id of the answer that makes the call: calls made together may change places. */
  answer?: string
}

/** A message as the API gets it. */
export interface ApiMessage {
  role: string
  content: unknown
}

export function contextOf(bytes: Uint8Array | string, session: string): Context {
  return contextOfEvents(sessionId(session), decodeText(bytes, { session }).events)
}

/** What a resume of an undamaged session sends, record by record. */
export function saidBy(events: readonly SessionEvent[], context: Context): Said[] {
  const byId = new Map<string, SessionEvent>(events.map(event => [event.id, event]))
  const sent = context.messages.filter(({ synthetic }) => !synthetic).flatMap(message => message.events)
  return sent.flatMap(id => {
    const event = byId.get(id)
    return event === undefined || beside.has(event.wireType) ? [] : saidInEvent(event)
  })
}

/** Records that say something beside the conversation. */
const beside: ReadonlySet<string> = new Set(['attachment', 'saved_hook_context', 'system'])

function saidInEvent({ blocks, source, message }: SessionEvent): Said[] {
  const line = source.line - 1
  return blocks.flatMap((block): Said[] => {
    if (block.type === 'tool-call') return [{ kind: 'call', key: block.callId, line, answer: message?.id ?? '' }]
    if (block.type === 'tool-result') return [{ kind: 'result', key: block.callId, line }]
    return block.type === 'text' && block.text.trim() !== '' ? [{ kind: 'text', key: block.text, line }] : []
  })
}

/** All that Clew finds in a file, wherever it hangs: texts, calls and results. */
export function saidAnywhere(bytes: Uint8Array | string): Set<string> {
  const { events } = decodeText(bytes, {})
  return new Set(events.flatMap(event => saidInEvent(event).map(({ kind, key }) => `${kind} ${plain(key)}`)))
}

/** What is missing of what is asked for, or out of order; empty where the resume is complete. */
export function missing(asked: readonly Said[], sent: readonly Sent[]): string[] {
  const lacking: string[] = []
  const order = new Order()
  for (const one of asked) {
    const { kind, key } = one
    const fits = (other: Sent): boolean =>
      other.kind === kind && (kind === 'text' ? other.key.includes(plain(key)) : other.key === key)
    const from = order.placeOf(one)
    const found = sent.findIndex((other, at) => at >= from && fits(other))
    if (found !== -1) {
      order.note(one, found)
      continue
    }
    const why = sent.some(fits) ? 'out of order: ' : ''
    lacking.push(`${why}${kind} ${key.slice(0, 40).replaceAll('\n', ' ')}`)
  }
  return lacking
}

/** Texts come in order, and so do calls, but for those of one answer. Results of calls made together come in any order. */
class Order {
  private text = 0
  private before = 0
  private within = 0
  private answer: string | undefined

  placeOf({ kind, answer }: Said): number {
    if (kind === 'text') return this.text
    if (kind === 'result') return 0
    return answer !== undefined && answer === this.answer ? this.before : this.within
  }

  note({ kind, answer }: Said, place: number): void {
    if (kind === 'text') this.text = place
    if (kind !== 'call') return
    if (answer === undefined || answer !== this.answer) this.before = this.within
    this.answer = answer
    this.within = Math.max(this.within, place)
  }
}

export type Sent = Pick<Said, 'kind' | 'key'>

/** White space and halves of surrogate pairs do not count. */
function plain(text: string): string {
  return text.replace(/[\p{Cs}\s\ufffd]/gu, '')
}

export function sentByContext({ messages }: Context): Sent[] {
  return messages.flatMap(({ blocks }) => blocks.flatMap(sentBlock))
}

function sentBlock(block: Block): Sent[] {
  if (block.type === 'text') return [{ kind: 'text', key: plain(block.text) }]
  if (block.type === 'tool-call') return [{ kind: 'call', key: block.callId }]
  return block.type === 'tool-result' ? [{ kind: 'result', key: block.callId }] : []
}

export function sentByApi(messages: readonly ApiMessage[]): Sent[] {
  return messages.flatMap(({ content }) => {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content as unknown[])
    return blocks.flatMap((block): Sent[] => {
      const { type, text, id, tool_use_id: answered } = asObject(block) ?? {}
      if (type === 'text') return [{ kind: 'text', key: plain(asString(text) ?? '') }]
      if (type === 'tool_use') return [{ kind: 'call', key: String(id) }]
      return type === 'tool_result' ? [{ kind: 'result', key: String(answered) }] : []
    })
  })
}
