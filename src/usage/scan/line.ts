// One line as bytes → what it states about an API message, without parsing it. It knows the usual forms only: whatever else
// a line holds, it says so, and the line has to be decoded. That a line is well-formed is checked to its end.
//
//   {"parentUuid":"…","isSidechain":false,"sessionId":"…","version":"2.1.45","type":"assistant","message":{"id":"msg_…",
//    "model":"claude-…","content":[…],"stop_reason":null,"usage":{"input_tokens":17,…}},"requestId":"req_…",…}

import { bytesToText, newline } from '../../base/bytes.ts'
import { asciiBytes, type Field, field } from './names.ts'
import type { UsageWalk } from './walk.ts'

const quote = 0x22
/** How an object, `null` and `true` begin. */
const openBrace = 0x7b
const nullStart = 0x6e
const trueStart = 0x74

/** A text in the line: the places of its first byte and behind its last; `from` is -1 where there is none. */
export interface Span {
  from: number
  to: number
}

/** What a line is to the one who reads it. */
export const lineKind = {
  /** It states nothing. */
  silent: 0,
  /** It states what a message used. */
  stating: 1,
  /** It has to be decoded. */
  odd: 2,
} as const
export type LineKind = (typeof lineKind)[keyof typeof lineKind]

/** The line that was read last; what is told of it is good until the bytes change. */
export class UsageLine {
  readonly look: UsageWalk
  readonly bytes: Uint8Array
  /** Where the newline is that ends it; only for a line that is not odd. */
  end = 0
  private readonly spans: Int32Array
  private readonly span: Span = { from: -1, to: -1 }
  private readonly assistant: KnownText
  private readonly progress: KnownText

  constructor(look: UsageWalk) {
    this.look = look
    this.bytes = look.bytes
    this.spans = look.spans
    this.assistant = new KnownText(look, 0, 'assistant')
    this.progress = new KnownText(look, 1, 'progress')
  }

  /** `start`: its first byte. */
  read(start: number): LineKind {
    const { bytes } = this
    let end = this.look.walk(start)
    if (end === -1) return lineKind.odd
    while (bytes[end] === 0x20 || bytes[end] === 0x0d || bytes[end] === 0x09) end++
    if (bytes[end] !== newline) return lineKind.odd
    this.end = end
    const type = this.text(field.type)
    if (type.from === -1) return lineKind.silent
    if (this.assistant.is(type)) return this.isObject(field.usage) ? lineKind.stating : lineKind.silent
    return this.progress.is(type) ? lineKind.odd : lineKind.silent
  }

  private first(one: Field): number {
    return this.spans[2 * one] as number
  }

  private isObject(one: Field): boolean {
    const from = this.first(one)
    return from !== 0 && this.bytes[from] === openBrace
  }

  has(one: Field): boolean {
    return this.first(one) !== 0
  }

  isNull(one: Field): boolean {
    const from = this.first(one)
    return from !== 0 && this.bytes[from] === nullStart
  }

  isTrue(one: Field): boolean {
    const from = this.first(one)
    return from !== 0 && this.bytes[from] === trueStart
  }

  /** Of a field that is a text; the object is used again. */
  text(one: Field): Span {
    const { span } = this
    const from = this.first(one)
    const isText = from !== 0 && this.bytes[from] === quote
    span.from = isText ? from + 1 : -1
    span.to = isText ? (this.spans[2 * one + 1] as number) - 1 : -1
    return span
  }

  /** Of a field that is a number; NaN for anything else. */
  number(one: Field): number {
    const from = this.first(one)
    const byte = this.bytes[from] as number
    const isNumber = from !== 0 && (byte === 0x2d || (byte >= 0x30 && byte <= 0x39))
    return isNumber ? Number(bytesToText(this.bytes.subarray(from, this.spans[2 * one + 1]))) : Number.NaN
  }
}

/** Longer texts are compared nowhere. */
const slotBytes = 128

/** A text that others are compared with; it may change. */
export class KnownText {
  private readonly look: UsageWalk
  private readonly room: Uint8Array
  private readonly at: number
  private length = -1

  /** `slot`: one of eight. */
  constructor(look: UsageWalk, slot: number, text?: string) {
    this.look = look
    this.room = look.room.subarray(slot * slotBytes, (slot + 1) * slotBytes)
    this.at = look.roomAt + slot * slotBytes
    if (text !== undefined) this.become(asciiBytes(text))
  }

  become(text: Uint8Array): void {
    this.length = text.length <= slotBytes ? text.length : -1
    if (this.length !== -1) this.room.set(text)
  }

  is({ from, to }: Span): boolean {
    return to - from === this.length && this.look.same(from, to, this.at) === 1
  }
}
